//! The order of migrations, and what is wrong with it.

use outbox_audit::model::schema::Dialect;

use super::{schema, unknown};

fn revision(name: &str, down: &str, body: &str) -> (String, String) {
    let text = format!(
        "import sqlalchemy as sa\nfrom alembic import op\n\nrevision = \"{name}\"\n\
         down_revision = {down}\n\n\ndef upgrade():\n    {body}\n"
    );
    (format!("versions/{name}.py"), text)
}

fn unknown_of(revisions: &[(String, String)]) -> Vec<String> {
    let files: Vec<(&str, &str)> = revisions
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    unknown(&schema(&files, Dialect::Postgres))
}

const TABLE: &str = "op.create_table(\"t\", sa.Column(\"id\", sa.Integer(), primary_key=True))";

#[test]
fn revisions_run_in_the_order_of_their_graph_not_of_their_names() {
    let revisions = [
        revision("z_first", "None", TABLE),
        revision(
            "a_second",
            "\"z_first\"",
            "op.create_unique_constraint(\"uq\", \"t\", [\"id\"])",
        ),
    ];
    assert!(unknown_of(&revisions).is_empty());
}

#[test]
fn two_heads_are_told_with_their_places() {
    let revisions = [
        revision("a", "None", TABLE),
        revision(
            "b",
            "\"a\"",
            "op.add_column(\"t\", sa.Column(\"x\", sa.Text()))",
        ),
        revision(
            "c",
            "\"a\"",
            "op.add_column(\"t\", sa.Column(\"y\", sa.Text()))",
        ),
    ];
    assert_eq!(
        unknown_of(&revisions),
        [
            "*: the revisions of versions end in 2 heads: b (versions/b.py:4:12), c \
             (versions/c.py:4:12); they part behind a (versions/c.py:4:12)"
        ]
    );
    let merged = [&revisions[..], &[revision("d", "(\"b\", \"c\")", "pass")]].concat();
    assert!(unknown_of(&merged).is_empty());
}

#[test]
fn branches_that_disagree_are_told_and_those_that_do_not_are_not() {
    let both = |one: &str, other: &str| {
        unknown_of(&[
            revision(
                "a",
                "None",
                "op.execute(\"CREATE TABLE t (id int, x int)\")",
            ),
            revision("b", "\"a\"", one),
            revision("c", "\"a\"", other),
            revision("d", "(\"b\", \"c\")", "pass"),
        ])
    };
    assert!(
        both(
            "op.create_index(\"i\", \"t\", [\"id\"], unique=True)",
            "op.add_column(\"t\", sa.Column(\"y\", sa.Text()))"
        )
        .is_empty()
    );
    assert_eq!(
        both(
            "op.alter_column(\"t\", \"x\", type_=sa.BigInteger())",
            "op.alter_column(\"t\", \"x\", type_=sa.Text())"
        ),
        [
            "t: what t becomes depends on the order of revisions that do not say which comes first \
             (versions/a.py:9:5)"
        ]
    );
}

#[test]
fn a_revision_that_is_missing_is_told_where_it_is_named() {
    let found = unknown_of(&[
        revision("b", "\"a\"", TABLE),
        revision("c", "\"b\"", "pass"),
    ]);
    assert_eq!(
        found,
        [
            "*: b stands on the revision a, which is not in the tree: what that one and those before \
             it did is not known (versions/b.py:5:17)"
        ]
    );
}

#[test]
fn revisions_that_stand_on_each_other_are_told() {
    let found = unknown_of(&[
        revision("a", "\"b\"", TABLE),
        revision("b", "\"a\"", "pass"),
    ]);
    assert_eq!(
        found,
        [
            "*: a stands on itself, by way of others: it and what stands on it was not read \
             (versions/a.py:4:12)"
        ]
    );
}

#[test]
fn a_revision_that_does_not_say_what_it_stands_on_is_told() {
    let found = unknown_of(&[revision("a", "previous()", TABLE)]);
    assert_eq!(
        found,
        ["*: `down_revision` of versions/a.py was not read (versions/a.py:5:17)"]
    );
}

#[test]
fn migrations_of_django_follow_their_dependencies() {
    let migration = |app: &str, name: &str, dependencies: &str, operations: &str| {
        let text = format!(
            "from django.db import migrations, models\n\n\nclass Migration(migrations.Migration):\n    \
             dependencies = [{dependencies}]\n    operations = [{operations}]\n"
        );
        (format!("{app}/migrations/{name}.py"), text)
    };
    let table = "migrations.CreateModel(name=\"T\", fields=[(\"id\", \
                 models.AutoField(primary_key=True))])";
    let field = "migrations.AddField(model_name=\"t\", name=\"x\", field=models.TextField())";
    assert!(
        unknown_of(&[
            migration("shop", "0001_initial", "", table),
            // Apps that are installed are no gaps.
            migration(
                "shop",
                "0002_x",
                "(\"auth\", \"0001_initial\"), (\"shop\", \"0001_initial\")",
                field
            ),
        ])
        .is_empty()
    );
    assert_eq!(
        unknown_of(&[
            migration("shop", "0001_initial", "", table),
            migration("shop", "0002_x", "(\"shop\", \"0001_initial\")", field),
            migration("shop", "0002_y", "(\"shop\", \"0001_initial\")", ""),
        ]),
        [
            "*: the revisions of shop end in 2 heads: 0002_x (shop/migrations/0002_x.py:4:7), 0002_y \
             (shop/migrations/0002_y.py:4:7); they part behind 0001_initial \
             (shop/migrations/0002_y.py:4:7)"
        ]
    );
    assert_eq!(
        unknown_of(&[migration(
            "shop",
            "0002_x",
            "(\"shop\", \"0001_initial\")",
            ""
        )]),
        [
            "*: 0002_x stands on the revision 0001_initial, which is not in the tree: what that one \
             and those before it did is not known (shop/migrations/0002_x.py:5:21)"
        ]
    );
    let squashed = "migrations.CreateModel(name=\"T\", fields=[(\"id\", \
                    models.AutoField(primary_key=True)), (\"x\", models.TextField())])";
    let (path, text) = migration("shop", "0001_squashed", "", squashed);
    let text = text.replace(
        "    operations",
        "    replaces = [(\"shop\", \"0001_initial\"), (\"shop\", \"0002_x\")]\n    operations",
    );
    assert!(
        unknown_of(&[
            migration("shop", "0001_initial", "", table),
            migration("shop", "0002_x", "(\"shop\", \"0001_initial\")", field),
            (path, text),
            migration(
                "shop",
                "0003_y",
                "(\"shop\", \"0002_x\")",
                "migrations.RemoveField(\"t\", \"x\")"
            ),
        ])
        .is_empty()
    );
}
