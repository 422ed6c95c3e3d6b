//! Keeps passwords out of messages: what looks like a connection string is never quoted.

/// What stands in place of hidden text.
pub(super) const HIDDEN: &str = "…";

/// The line up to the first word that looks like a connection string, and `…` behind it.
///
/// The rest of the line is cut as well: a password may hold any character, so its end cannot
/// be told.
pub(super) fn masked(line: &str) -> String {
    let mut cut = None;
    let mut at = 0;
    for word in line.split_inclusive([' ', '\t']) {
        if let Some(inside) = secret_at(word) {
            cut = Some(at + inside);
            break;
        }
        at += word.len();
    }
    match cut.and_then(|cut| line.get(..cut)) {
        Some(open) => format!("{open}{HIDDEN}"),
        None => line.to_owned(),
    }
}

/// Where the secret of a word may begin: behind `scheme://`, at `user:password@`, behind `password=`.
fn secret_at(word: &str) -> Option<usize> {
    let url = word.find("://").map(|at| at + 3);
    let credentials = word
        .split_once('@')
        .filter(|(before, _)| before.contains(':') && !is_subject(before))
        .map(|_| 0);
    let lower = word.to_ascii_lowercase();
    let pair = ["password=", "passwd=", "pwd="]
        .iter()
        .filter_map(|key| lower.find(key).map(|at| at + key.len()))
        .min();
    match (url, credentials.or(pair)) {
        (Some(url), _) => Some(url),
        (None, other) => other,
    }
}

/// True of the beginning of a subject id, `code:language:handler@event`, which is no secret.
fn is_subject(word: &str) -> bool {
    word.trim_start_matches(['"', '\'', '[', '{', '`'])
        .starts_with("code:")
}

/// A value as it may be shown in a sentence: one line, no control characters, no password, no
/// more than 60 characters.
pub(super) fn shown(value: &str) -> String {
    const LONGEST: usize = 60;
    let clean: String = value
        .chars()
        .map(|each| if each.is_control() { ' ' } else { each })
        .collect();
    let masked = masked(&clean);
    if masked.chars().count() <= LONGEST {
        return masked;
    }
    let open: String = masked.chars().take(LONGEST).collect();
    open + HIDDEN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connection_strings_are_cut_and_other_text_is_not() {
        for (line, expected) in [
            ("database: mysql://u:p w@h/d # x", "database: mysql://…"),
            ("{db: u:hunter2@tcp(h)/d}", "{db: …"),
            ("dsn: host=h password=hunter2 x", "dsn: host=h password=…"),
            ("owner: ann@example.org", "owner: ann@example.org"),
            (
                "subject: 'code:go:bus.Handle@record.created'",
                "subject: 'code:go:bus.Handle@record.created'",
            ),
            (
                "subject: flow:Convert lead/action/Create:Opportunity",
                "subject: flow:Convert lead/action/Create:Opportunity",
            ),
            ("check: on\thello://x", "check: on\thello://…"),
        ] {
            assert_eq!(masked(line), expected);
        }
    }

    #[test]
    fn shown_values_are_short_and_on_one_line() {
        assert_eq!(shown("a\nb\u{1b}[31m"), "a b [31m");
        assert_eq!(shown(&"x".repeat(100)).chars().count(), 61);
    }
}
