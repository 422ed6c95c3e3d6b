//! Files that are wrong, or want to be.

use outbox_audit::model::schema::Dialect;

use super::{read_all, schema, unknown};

const HEAD: &str = "import sqlalchemy as sa\nfrom alembic import op\nrevision = \"a\"\n\
                    down_revision = None\n\n\n";

fn revision(body: &str) -> Vec<String> {
    let text = format!("{HEAD}{body}");
    unknown(&schema(&[("versions/a.py", &text)], Dialect::Postgres))
}

#[test]
fn what_does_not_parse_is_told() {
    let found = revision("def upgrade():\n    op.create_table(\"t\"\n");
    assert!(
        found
            .iter()
            .any(|one| one.starts_with("*: versions/a.py does not parse as Python")),
        "{found:?}"
    );
}

#[test]
fn functions_that_call_each_other_and_names_that_stand_for_each_other_end() {
    let found = revision(
        "A = B\nB = A\n\n\ndef again(x):\n    again(x)\n    op.drop_table(x)\n\n\n\
         def upgrade():\n    again(\"t\")\n    op.drop_table(A)\n",
    );
    assert!(
        found.iter().any(|one| one.contains("not followed")),
        "{found:?}"
    );
    assert!(
        found.iter().any(|one| one.contains("`drop_table`")),
        "{found:?}"
    );
}

#[test]
fn loops_in_loops_end() {
    let ten = "(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)";
    let mut body = "def upgrade():\n".to_owned();
    for depth in 1..9 {
        body += &format!("{}for x{depth} in {ten}:\n", "    ".repeat(depth));
    }
    body += &format!("{}op.drop_table(\"t\")\n", "    ".repeat(9));
    let found = revision(&body);
    assert!(
        found
            .iter()
            .any(|one| one.contains("more than is followed")),
        "{found:?}"
    );
}

#[test]
fn loops_that_do_nothing_end() {
    let numbers: Vec<String> = (0..200).map(|number| number.to_string()).collect();
    let list = numbers.join(", ");
    let mut body = "def upgrade():\n".to_owned();
    for depth in 1..9 {
        body += &format!("{}for x{depth} in [{list}]:\n", "    ".repeat(depth));
    }
    body += &format!("{}pass\n    op.drop_table(\"t\")\n", "    ".repeat(9));
    let found = revision(&body);
    assert!(
        found
            .iter()
            .any(|one| one.contains("more than is followed")),
        "{found:?}"
    );
}

#[test]
fn expressions_as_deep_as_one_likes_end() {
    for (open, close) in [("(", ")"), ("[", "]"), ("f(", ")"), ("not ", ""), ("-", "")] {
        let deep = format!("{}1{}", open.repeat(20_000), close.repeat(20_000));
        let text = format!("{HEAD}def upgrade():\n    x = {deep}\n    op.execute({deep})\n");
        let (_, reasons) = read_all(&[("versions/a.py", &text)], Some(Dialect::Postgres));
        assert!(reasons.is_empty(), "{reasons:?}");
        let text = format!(
            "from django.db import migrations\nclass Migration(migrations.Migration):\n    \
             operations = [migrations.RunSQL({deep})]\n"
        );
        read_all(&[("a/migrations/0001.py", &text)], Some(Dialect::Postgres));
    }
}

#[test]
fn a_file_that_is_no_migration_is_told_where_it_is_named() {
    let found = unknown(&schema(&[("env.py", "import os\n")], Dialect::Postgres));
    assert_eq!(
        found,
        ["*: env.py is no migration of a kind that is read (env.py)"]
    );
}

#[test]
fn an_engine_that_nothing_names_is_asked_for() {
    let text = format!("{HEAD}def upgrade():\n    op.drop_table(\"t\")\n");
    let (schema, reasons) = read_all(&[("versions/a.py", &text)], None);
    assert!(schema.is_none());
    assert!(reasons[0].next_step.contains("--dialect"), "{reasons:?}");
    let text = text.replace(
        "import sqlalchemy",
        "from sqlalchemy.dialects import postgresql\nimport sqlalchemy",
    );
    let (schema, reasons) = read_all(&[("versions/a.py", &text)], None);
    assert!(reasons.is_empty());
    assert_eq!(
        schema.and_then(|schema| schema.dialect),
        Some(Dialect::Postgres)
    );
    let (_, reasons) = read_all(
        &[
            ("versions/a.py", &text),
            (
                "x.sql",
                "CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT)",
            ),
        ],
        None,
    );
    assert!(reasons[0].sentence.contains("written for"), "{reasons:?}");
}
