//! Names that Django gives to keys and indexes.

use md5::{Digest, Md5};

/// The longest name that PostgreSQL keeps; the other engines take as much.
const LONGEST: usize = 63;

/// The name of a key over columns of a table.
/// Source: `BaseDatabaseSchemaEditor._create_index_name`, `names_digest`.
pub(super) fn of_key(table: &str, columns: &[String], suffix: &str) -> String {
    let mut digest = Md5::new();
    digest.update(table.as_bytes());
    for column in columns {
        digest.update(column.as_bytes());
    }
    let hex: String = digest
        .finalize()
        .iter()
        .take(4)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let ending = format!("{hex}{suffix}");
    let columns = columns.join("_");
    let whole = format!("{table}_{columns}_{ending}");
    if whole.len() <= LONGEST {
        return whole;
    }
    let ending: String = match ending.len() > LONGEST / 3 {
        true => ending.chars().take(LONGEST / 3).collect(),
        false => ending,
    };
    let other = (LONGEST - ending.len()) / 2 - 1;
    let cut = |text: &str| -> String { text.chars().take(other).collect() };
    let name = format!("{}_{}_{ending}", cut(table), cut(&columns));
    match name.chars().next() {
        Some(first) if first == '_' || first.is_ascii_digit() => {
            let mut kept = name;
            kept.pop();
            format!("D{kept}")
        }
        _ => name,
    }
}

/// The name of a table that is longer than an engine takes.
/// Source: `django.db.backends.utils.truncate_name`.
pub(super) fn of_table(name: &str) -> String {
    if name.len() <= LONGEST {
        return name.to_owned();
    }
    let mut digest = Md5::new();
    digest.update(name.as_bytes());
    let hex: String = digest
        .finalize()
        .iter()
        .take(2)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let kept: String = name.chars().take(LONGEST - 4).collect();
    format!("{kept}{hex}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_django_makes() {
        let columns = ["app_label".to_owned(), "model".to_owned()];
        assert_eq!(
            of_key("django_content_type", &columns, "_uniq"),
            "django_content_type_app_label_model_76bd3d3b_uniq"
        );
        let columns = ["content_type_id".to_owned(), "codename".to_owned()];
        assert_eq!(
            of_key("auth_permission", &columns, "_uniq"),
            "auth_permission_content_type_id_codename_01ab375a_uniq"
        );
    }
}
