//! Revisions of Alembic: equivalent ways to write a key, and what is not read.

use outbox_audit::model::schema::Dialect;

use super::live_support::{columns, keys};
use super::{schema, unknown};

const HEAD: &str = "import sqlalchemy as sa\nfrom alembic import op\nfrom sqlalchemy.dialects import \
                    postgresql\n\nrevision = \"r\"\ndown_revision = None\n\n\n";

const TABLE: &str =
    "def upgrade():\n    op.execute(\"CREATE TABLE t (a int NOT NULL, b text, c text)\")\n";

fn read(text: &str) -> outbox_audit::model::schema::Schema {
    schema(
        &[("versions/r.py", &format!("{HEAD}{text}"))],
        Dialect::Postgres,
    )
}

/// Keys of a table `t (a int NOT NULL, b text, c text)` after what stands in `upgrade`.
fn after(body: &str) -> (Vec<String>, Vec<String>) {
    let indented: String = body.lines().map(|line| format!("    {line}\n")).collect();
    let found = read(&format!("{TABLE}{indented}"));
    (keys(&found), unknown(&found))
}

#[test]
fn a_key_may_be_written_in_many_ways() {
    let expected = ["t.uq unique-index (a, b?)".to_owned()];
    let ways = [
        "op.create_index(\"uq\", \"t\", [\"a\", \"b\"], unique=True)",
        "op.create_index(op.f(\"uq\"), table_name=\"t\", columns=[\"a\", \"b\"], unique=True)",
        "op.create_index(index_name=\"uq\", table_name=\"t\", columns=(\"a\", \"b\"), unique=True)",
        "op.execute(\"CREATE UNIQUE INDEX uq ON t (a, b)\")",
        "op.execute(sa.text(\"CREATE UNIQUE INDEX uq \" \"ON t (a, b)\"))",
        "op.get_bind().execute(sa.text(\"CREATE UNIQUE INDEX uq ON t (a, b)\"))",
        "conn = op.get_bind()\nconn.execute(\"CREATE UNIQUE INDEX uq ON t (a, b)\")",
        "table = \"t\"\nop.execute(f\"CREATE UNIQUE INDEX uq ON {table} (a, b)\")",
        "for name in (\"uq\",):\n    op.create_index(name, \"t\", [\"a\", \"b\"], unique=True)",
        "for name, of in [(\"uq\", [\"a\", \"b\"])]:\n    op.create_index(name, \"t\", of, unique=True)",
        "with op.batch_alter_table(\"t\") as batch:\n    batch.create_index(\"uq\", [\"a\", \"b\"], unique=True)",
        "with op.get_context().autocommit_block():\n    op.create_index(\"uq\", \"t\", [\"a\", \"b\"], \
         unique=True, postgresql_concurrently=True)",
        "def make(name):\n    op.create_index(name, \"t\", [\"a\", \"b\"], unique=True)\nmake(\"uq\")",
        "if op.get_bind().dialect.name == \"postgresql\":\n    op.create_index(\"uq\", \"t\", [\"a\", \
         \"b\"], unique=True)\nelse:\n    op.drop_table(\"t\")",
        "op.create_index(\"was\", \"t\", [\"a\", \"b\"], unique=True)\nop.execute(\"ALTER INDEX was RENAME TO uq\")",
    ];
    for way in ways {
        let (keys, unknown) = after(way);
        assert!(unknown.is_empty(), "{way}: {unknown:?}");
        assert_eq!(keys, expected, "{way}");
    }
}

#[test]
fn what_weakens_a_key_is_seen() {
    for (way, expected) in [
        ("op.create_index(\"uq\", \"t\", [\"a\"])", vec![]),
        (
            "op.create_index(\"uq\", \"t\", [\"a\"], unique=False)",
            vec![],
        ),
        (
            "op.create_index(\"uq\", \"t\", [\"a\"], unique=True, postgresql_where=sa.text(\"b IS NULL\"))",
            vec!["t.uq unique-index (a) partial"],
        ),
        (
            "op.create_index(\"uq\", \"t\", [sa.text(\"lower(b)\")], unique=True)",
            vec!["t.uq unique-index (lower ( b ))"],
        ),
        (
            "op.create_unique_constraint(\"uq\", \"t\", [\"a\"], deferrable=True, initially=\"DEFERRED\")",
            vec!["t.uq unique-constraint (a) deferred"],
        ),
        (
            "op.create_unique_constraint(\"uq\", \"t\", [\"a\"])\nop.alter_column(\"t\", \"a\", nullable=True)",
            vec!["t.uq unique-constraint (a?)"],
        ),
        (
            "op.create_unique_constraint(\"uq\", \"t\", [\"a\"])\nop.drop_constraint(\"uq\", \"t\", type_=\"unique\")",
            vec![],
        ),
        (
            "op.create_index(\"uq\", \"t\", [\"a\"], unique=True)\nop.drop_index(\"uq\", table_name=\"t\")",
            vec![],
        ),
        (
            "op.create_index(\"uq\", \"t\", [\"a\"], unique=True)\nop.drop_column(\"t\", \"a\")",
            vec![],
        ),
        (
            "op.create_unique_constraint(None, \"t\", [\"b\"], postgresql_nulls_not_distinct=True)",
            vec!["t.t_b_key unique-constraint (b?) nulls-not-distinct"],
        ),
    ] {
        let (keys, unknown) = after(way);
        assert!(unknown.is_empty(), "{way}: {unknown:?}");
        assert_eq!(keys, expected, "{way}");
    }
}

#[test]
fn columns_are_what_sqlalchemy_makes_of_them() {
    let found = read(
        "def upgrade():\n    op.create_table(\n        \"p\",\n        \
         sa.Column(\"id\", sa.Integer, primary_key=True),\n        \
         sa.Column(\"key\", sa.String(20), nullable=False, unique=True),\n        \
         sa.Column(\"slug\", sa.Text(), unique=True, index=True),\n        \
         sa.Column(\"kind\", sa.Enum(\"a\", \"b\", name=\"kinds\"), server_default=\"a\"),\n        \
         sa.Column(\"made\", sa.DateTime(timezone=True), server_default=sa.func.now()),\n        \
         sa.Column(\"doc\", sa.JSON().with_variant(postgresql.JSONB(), \"postgresql\")),\n        \
         sa.Column(\"tags\", postgresql.ARRAY(sa.String())),\n    )\n    \
         op.create_table(\"q\", sa.Column(\"p\", sa.BigInteger(), sa.ForeignKey(\"p.id\")),\n        \
         sa.Column(\"n\", sa.Integer()), sa.PrimaryKeyConstraint(\"p\", \"n\"))\n",
    );
    assert!(unknown(&found).is_empty(), "{:?}", unknown(&found));
    assert_eq!(
        keys(&found),
        [
            "p.p_pkey primary-key (id)",
            "p.p_key_key unique-constraint (key)",
            "p.ix_p_slug unique-index (slug?)",
            "q.q_pkey primary-key (p, n)",
        ]
    );
    let types: Vec<String> = found.tables[0]
        .columns
        .iter()
        .map(|column| format!("{} {}", column.name, column.data_type))
        .collect();
    assert_eq!(
        types,
        [
            "id serial",
            "key character varying(20)",
            "slug text",
            "kind kinds",
            "made timestamp with time zone",
            "doc jsonb",
            "tags character varying[]",
        ]
    );
    assert!(found.tables[0].columns[0].auto_number);
    assert!(!found.tables[1].columns[1].auto_number);
    assert_eq!(
        columns(&found)[..4],
        ["p.id", "p.key", "p.slug?", "p.kind?"]
    );
}

#[test]
fn what_cannot_be_read_is_unknown_at_its_place() {
    let any = "*: ";
    let of_t = "t: ";
    for (way, table, says) in [
        (
            "op.create_index(\"uq\", \"t\", columns(), unique=True)",
            of_t,
            "`create_index` does to t",
        ),
        (
            "op.create_index(\"uq\", name(), [\"a\"], unique=True)",
            any,
            "`create_index` does",
        ),
        (
            "op.add_column(\"t\", sa.Column(\"x\", Odd()))",
            of_t,
            "the column x",
        ),
        (
            "op.add_column(\"t\", *columns)",
            of_t,
            "`add_column` does to t",
        ),
        ("op.execute(statement())", any, "made at run time"),
        (
            "op.execute(f\"ALTER TABLE {name()} DROP COLUMN a\")",
            any,
            "made at run time",
        ),
        (
            "if wanted():\n    op.drop_column(\"t\", \"b\")",
            of_t,
            "depends on a condition",
        ),
        (
            "if wanted():\n    op.execute(\"ALTER TABLE t DROP b\")",
            of_t,
            "depends on a condition",
        ),
        (
            "if wanted():\n    return\nop.drop_column(\"t\", \"b\")",
            of_t,
            "may end the revision",
        ),
        (
            "try:\n    op.drop_column(\"t\", \"b\")\nexcept Exception:\n    pass",
            of_t,
            "error is caught",
        ),
        (
            "for x in rows():\n    op.drop_column(\"t\", \"b\")",
            of_t,
            "a loop",
        ),
        ("op.invoke(thing)", any, "`invoke` does"),
        (
            "Base.metadata.create_all(op.get_bind())",
            any,
            "`create_all` does",
        ),
        (
            "with op.batch_alter_table(name()) as batch:\n    batch.drop_column(\"b\")",
            any,
            "`drop_column` does",
        ),
    ] {
        let (_, unknown) = after(way);
        let found = unknown.iter().any(|one| {
            one.starts_with(table) && one.contains(says) && one.contains("versions/r.py:1")
        });
        assert!(found, "{way}: {unknown:?}");
    }
    let outside =
        format!("from shop import helpers\n{HEAD}{TABLE}    helpers.move(op.get_bind())\n");
    let found = unknown(&schema(&[("versions/r.py", &outside)], Dialect::Postgres));
    assert!(
        found[0].contains("`shop.helpers.move` is called"),
        "{found:?}"
    );
}

#[test]
fn what_moves_data_leaves_the_schema_known() {
    for way in [
        "op.execute(\"UPDATE t SET a = 1\")",
        "op.execute(f\"UPDATE t SET b = '{name()}'\")",
        "op.execute(\"INSERT INTO t VALUES (%s)\" % name())",
        "op.bulk_insert(table, rows())",
        "t = sa.table(\"t\", sa.column(\"a\"))\nop.execute(t.update().where(t.c.a == 1).values(a=2))",
        "conn = op.get_bind()\nfor row in conn.execute(sa.text(\"SELECT a FROM t\")):\n    \
         conn.execute(sa.text(\"DELETE FROM t WHERE a = :a\"), {\"a\": row.a})",
        "session = sa.orm.Session(bind=op.get_bind())\nsession.add(thing())\nsession.commit()",
        "sa.Enum(\"a\", name=\"kinds\").create(op.get_bind(), checkfirst=True)",
        "import logging\nlogging.info(\"done\")",
    ] {
        let (_, unknown) = after(way);
        assert!(unknown.is_empty(), "{way}: {unknown:?}");
    }
}

#[test]
fn other_engines_have_their_own_words() {
    let text = format!(
        "{HEAD}def upgrade():\n    op.create_table(\"p\", sa.Column(\"id\", sa.Integer(), \
         primary_key=True), sa.Column(\"k\", sa.String(9), nullable=False))\n    \
         op.create_index(\"uq\", \"p\", [\"k\"], unique=True, mysql_length={{\"k\": 4}}, \
         sqlite_where=sa.text(\"id > 1\"))\n    op.alter_column(\"p\", \"k\", existing_type=sa.String(9), \
         nullable=True)\n"
    );
    let files = [("versions/r.py", &*text)];
    let mysql = schema(&files, Dialect::Mysql);
    assert!(unknown(&mysql).is_empty(), "{:?}", unknown(&mysql));
    assert_eq!(
        keys(&mysql),
        ["p.PRIMARY primary-key (id)", "p.uq unique-index (k(4)?)"]
    );
    let sqlite = schema(&files, Dialect::Sqlite);
    assert!(
        keys(&sqlite).contains(&"p.uq unique-index (k) partial".to_owned()),
        "{:?}",
        keys(&sqlite)
    );
    // SQLite makes the table anew for it.
    assert!(
        unknown(&sqlite)[0].contains("`alter_column` does to p"),
        "{:?}",
        unknown(&sqlite)
    );
}
