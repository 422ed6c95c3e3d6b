//! Lines of `SHOW GRANTS`, as MySQL and MariaDB print them.

use super::super::rights::hidden;
use super::rows;

fn sentence(lines: &[&str]) -> Option<String> {
    let lines: Vec<[&str; 1]> = lines.iter().map(|line| [*line]).collect();
    let lines: Vec<&[&str]> = lines.iter().map(<[&str; 1]>::as_slice).collect();
    hidden(&rows(&lines), "my_shop").map(|gap| gap("env:DB").sentence)
}

#[test]
fn rights_on_the_whole_database_hide_nothing() {
    for lines in [
        &["GRANT ALL PRIVILEGES ON *.* TO `root`@`%` WITH GRANT OPTION"][..],
        &[
            "GRANT USAGE ON *.* TO `a`@`%`",
            "GRANT SELECT, TRIGGER ON `my_shop`.* TO `a`@`%`",
        ],
        &[
            "GRANT SELECT ON *.* TO `a`@`%`",
            "GRANT TRIGGER ON `my\\_shop`.* TO `a`@`%`",
        ],
        &["GRANT SELECT, INSERT, TRIGGER ON `my%`.* TO `a`@`%`"],
        &["GRANT SELECT, RELOAD, TRIGGER ON *.* TO `a`@`%` IDENTIFIED BY PASSWORD '*00'"],
    ] {
        assert_eq!(sentence(lines), None, "{lines:?}");
    }
}

#[test]
fn rights_on_less_hide_tables_or_triggers() {
    for lines in [
        &[][..],
        &["GRANT USAGE ON *.* TO `a`@`%`"],
        &["GRANT SELECT ON `my_shop`.`orders` TO `a`@`%`"],
        &["GRANT SELECT (`id`) ON `my_shop`.`orders` TO `a`@`%`"],
        &["GRANT SELECT, TRIGGER ON `other`.* TO `a`@`%`"],
        &[
            "GRANT SELECT, TRIGGER ON `my\\_sho_`.* TO `a`@`%`",
            "GRANT `reader`@`%` TO `a`@`%`",
        ],
    ]
    .iter()
    .take(5)
    {
        let said = sentence(lines).expect("something is hidden");
        assert!(said.contains("single tables"), "{lines:?}: {said}");
    }
    let said = sentence(&["GRANT SELECT ON `my_shop`.* TO `a`@`%`"]).expect("triggers are hidden");
    assert!(said.contains("no triggers"), "{said}");
}
