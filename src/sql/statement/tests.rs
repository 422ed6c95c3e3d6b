//! Statements as data, in a short notation.

mod notation;

use notation::told;

use super::*;
use Dialect::{Mysql, Postgres, Sqlite};

#[track_caller]
fn check(text: &str, dialect: Dialect, expected: &str) {
    assert_eq!(told(text, dialect), expected, "{text}");
}

#[test]
fn inserts_and_their_rows() {
    check(
        "INSERT INTO s.t (a, \"B\") VALUES ($1, 'x'), (now(), DEFAULT);",
        Postgres,
        "Plain t(a,B) Plain[?1], String(\"x\")[] | Plain[Clock now()], Default[]",
    );
    check(
        "insert into t default values returning id",
        Postgres,
        "Plain t() defaults / returning",
    );
    check(
        "INSERT INTO t SET a = ?, b = b + 1",
        Mysql,
        "Plain t(a,b) Plain[?1], Arithmetic[b]",
    );
    check(
        "INSERT IGNORE INTO `t` VALUES (?, UUID())",
        Mysql,
        "Ignore t() Plain[?1], Plain[Random UUID()]",
    );
    check(
        "REPLACE INTO t (a) VALUES (?)",
        Mysql,
        "Replace t(a) Plain[?1]",
    );
    check(
        "INSERT OR IGNORE INTO t (a) VALUES (:id)",
        Sqlite,
        "Or(Ignore) t(a) Plain[:id]",
    );
    check(
        "INSERT INTO t (a, b) SELECT $1, gen_random_uuid()",
        Postgres,
        "Plain t(a,b) Plain[?1], Plain[Random gen_random_uuid()]",
    );
    check(
        "INSERT INTO t (a) SELECT $1 WHERE NOT EXISTS (SELECT 1 FROM t WHERE k = $1 AND l = 'x')",
        Postgres,
        "Plain t(a) Plain[?1] unless t has k=Plain[?1] and l=String(\"x\")[]",
    );
    check(
        "INSERT INTO t (a) SELECT ? FROM DUAL WHERE NOT EXISTS (SELECT * FROM t WHERE k > ?)",
        Mysql,
        "Plain t(a) Plain[?1] unless t has ?",
    );
    check(
        "INSERT INTO t (a) SELECT x FROM u JOIN v ON u.a = v.a ON CONFLICT DO NOTHING",
        Postgres,
        "Plain t(a) query SELECT x FROM u JOIN v ON u.a = v.a / any nothing",
    );
}

#[test]
fn conflict_targets() {
    let insert = "INSERT INTO t (a) VALUES ($1) ON CONFLICT";
    for (clause, expected) in [
        ("DO NOTHING", "any nothing"),
        ("(a, b) DO NOTHING", "(a,b) nothing"),
        (
            "(lower(email), (a || b)) DO NOTHING",
            "(<lower(email)>,<a || b>) nothing",
        ),
        (
            "(a COLLATE \"C\" text_pattern_ops) DO NOTHING",
            "(a~C) nothing",
        ),
        (
            "(a) WHERE deleted_at IS NULL DO NOTHING",
            "(a) where deleted_at IS NULL nothing",
        ),
        (
            "ON CONSTRAINT t_a_key DO NOTHING",
            "constraint t_a_key nothing",
        ),
        (
            "(a) DO UPDATE SET n = t.n + EXCLUDED.n, b = excluded.b WHERE t.v < EXCLUDED.v",
            "(a) set n=Arithmetic[t.n new.n], b=Plain[new.b] if t.v < EXCLUDED.v",
        ),
        (
            "(a) DO UPDATE SET (b, c) = (EXCLUDED.b, now()) RETURNING *",
            "(a) set b=Plain[new.b], c=Plain[Clock now()] / returning",
        ),
    ] {
        check(
            &format!("{insert} {clause}"),
            Postgres,
            &format!("Plain t(a) Plain[?1] / {expected}"),
        );
    }
    check(
        "INSERT INTO t (a) VALUES (?) ON CONFLICT (a) DO NOTHING ON CONFLICT DO UPDATE SET b = 1",
        Sqlite,
        "Plain t(a) Plain[?1] / (a) nothing / any set b=Number(\"1\")[]",
    );
    check(
        "INSERT INTO t (a, n) VALUES (?, ?) ON DUPLICATE KEY UPDATE n = n + VALUES(n), id = LAST_INSERT_ID(id)",
        Mysql,
        "Plain t(a,n) Plain[?1], Plain[?2] / any set n=Arithmetic[n new.n], id=Plain[Sequence LAST_INSERT_ID(id)]",
    );
    check(
        "INSERT INTO t (a) VALUES (?) AS fresh ON DUPLICATE KEY UPDATE a = fresh.a",
        Mysql,
        "Plain t(a) Plain[?1] / any set a=Plain[new.a]",
    );
}

#[test]
fn placeholders_in_every_spelling() {
    check(
        "INSERT INTO t VALUES (%s, %(name)s, %s)",
        Postgres,
        "Plain t() Plain[?1], Plain[:name], Plain[?2]",
    );
    check(
        "INSERT INTO t VALUES (?2, ?1, @p1, :1)",
        Sqlite,
        "Plain t() Plain[?2], Plain[?1], Plain[:p1], Plain[?1]",
    );
    check(
        "UPDATE t SET a = b % 2, c = data ? 'k' WHERE id = ?",
        Postgres,
        "update t set a=Arithmetic[b], c=Computed[data] where id=Plain[?1]",
    );
    check(
        "INSERT INTO t VALUES ($2::uuid, lower($1))",
        Postgres,
        "Plain t() Plain[?2], Computed[?1]",
    );
    check(
        "INSERT INTO t VALUES ('?', '%s', ?)",
        Mysql,
        "Plain t() String(\"?\")[], String(\"%s\")[], Plain[?1]",
    );
}

#[test]
fn updates_and_deletes() {
    check(
        "UPDATE t SET n = n + 1, at = CURRENT_TIMESTAMP WHERE id = $1 AND kind IN ('a')",
        Postgres,
        "update t set n=Arithmetic[n], at=Plain[Clock CURRENT_TIMESTAMP] where id=Plain[?1] and more",
    );
    check(
        "UPDATE t SET a = CASE WHEN b THEN 1 ELSE 2 END, c = COALESCE(c, $1), d = NOT d WHERE (k, l) = ($2, $3)",
        Postgres,
        "update t set a=Computed[b], c=FirstKnown[c ?1], d=Negation[d] where k=Plain[?2] and l=Plain[?3]",
    );
    check(
        "UPDATE t SET a = 1 WHERE a = 2 OR id = 3",
        Postgres,
        "update t set a=Number(\"1\")[] where  and more",
    );
    check(
        "UPDATE t SET a = (SELECT max(x) FROM u) FROM u WHERE t.id = u.id",
        Postgres,
        "update t set a=Computed[Query (SELECT max(x) FROM u)] where id=Plain[u.id] chooses",
    );
    check(
        "UPDATE t SET a = 1 ORDER BY x LIMIT 1",
        Mysql,
        "update t set a=Number(\"1\")[] chooses",
    );
    check(
        "DELETE FROM t WHERE id = ? AND at BETWEEN ? AND ?",
        Sqlite,
        "delete t where id=Plain[?1] and more",
    );
    check("DELETE FROM t", Sqlite, "delete t");
}

#[test]
fn queries_in_front() {
    check(
        "WITH RECURSIVE x (a) AS NOT MATERIALIZED (SELECT a FROM u WHERE b = $1 FOR UPDATE SKIP LOCKED), y AS (SELECT 1 FROM x) UPDATE t SET a = $2 WHERE id = $3",
        Postgres,
        "with Computed[select a u where b ?1 update skip locked], Computed[select x] update t set a=Plain[?2] where id=Plain[?3]",
    );
    check(
        "WITH x AS (SELECT a FROM u) INSERT INTO t (a) SELECT a FROM x ON CONFLICT DO NOTHING",
        Sqlite,
        "with Computed[SELECT a u] Plain t(a) query SELECT a FROM x / any nothing",
    );
}

#[test]
fn merges_over_one_row() {
    check(
        "MERGE INTO t USING (SELECT $1 AS k, $2 AS v) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.k, s.v || 'x')",
        Postgres,
        "merge t by k=Plain[?1] matched v=Plain[?2] absent (k,v) Plain[?1], Arithmetic[?2]",
    );
    check(
        "MERGE INTO t USING (VALUES (?, now())) AS s (k, v) ON (t.k = s.k) WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.k, s.v)",
        Postgres,
        "merge t by k=Plain[?1] absent (k,v) Plain[?1], Plain[Clock now()]",
    );
}

#[test]
fn what_is_not_understood_is_named_with_its_place() {
    for (text, dialect, expected) in [
        (
            "SELECT 1",
            Postgres,
            "`SELECT`: only INSERT, REPLACE, UPDATE, DELETE and MERGE are read",
        ),
        (
            "WITH x AS (SELECT 1) INSERT INTO t SELECT 1",
            Postgres,
            "`(`: a query in front that reads no table is not followed",
        ),
        (
            "WITH x AS (INSERT INTO u (a) VALUES (1) RETURNING a) INSERT INTO t (a) SELECT a FROM x",
            Postgres,
            "`(`: a query in front that writes is not followed",
        ),
        (
            "WITH t AS (SELECT a FROM u) INSERT INTO t (a) SELECT a FROM t",
            Postgres,
            "`INSERT`: a query in front has the name of the table that is written",
        ),
        (
            "WITH x AS (SELECT a FROM u) INSERT INTO t (a) SELECT a FROM x",
            Mysql,
            "`INSERT`: these engines take WITH behind the table, not before INSERT",
        ),
        (
            "DELETE FROM t; DELETE FROM u",
            Postgres,
            "`DELETE`: a second statement follows",
        ),
        (
            "INSERT INTO t (a, b) VALUES ($1)",
            Postgres,
            "`VALUES`: it names 2 columns and gives another number of values",
        ),
        (
            "INSERT INTO t (a) VALUES ('x",
            Postgres,
            "`'x`: a string or comment is never closed",
        ),
        (
            "INSERT INTO t (a) VALUES (1) ON CONFLICT DO UPDATE SET a = 1",
            Postgres,
            "`ON`: PostgreSQL asks DO UPDATE for a conflict target",
        ),
        (
            "INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE a = 1",
            Sqlite,
            "`ON`: this engine has no ON DUPLICATE KEY",
        ),
        (
            "INSERT INTO t (a) VALUES (1) ON CONFLICT DO NOTHING",
            Mysql,
            "`ON`: this engine has no ON CONFLICT",
        ),
        (
            "REPLACE INTO t VALUES (1)",
            Postgres,
            "`REPLACE`: PostgreSQL has no REPLACE",
        ),
        (
            "UPDATE t JOIN u ON t.a = u.a SET t.b = 1",
            Mysql,
            "`JOIN`: an update of joined tables is not followed",
        ),
        (
            "MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN DELETE",
            Postgres,
            "`u`: MERGE from a table or a query over tables is not followed",
        ),
        (
            "INSERT INTO t (a) VALUES (1) FOO",
            Postgres,
            "`FOO`: it is not understood here",
        ),
    ] {
        check(text, dialect, &format!("not understood at {expected}"));
    }
}

#[test]
fn any_bytes_are_read_or_refused_without_panic() {
    let text = "INSERT INTO t (a, b) SELECT $1, (b || '?') WHERE NOT EXISTS (SELECT 1 FROM t WHERE (k, l) = ($1, $2)) ON CONFLICT (lower(a)) WHERE x DO UPDATE SET (b) = (EXCLUDED.b) WHERE t.v < CASE WHEN 1 THEN 2 END RETURNING id";
    for dialect in Dialect::ALL {
        for cut in 0..text.len() {
            let _ = parse(&text[..cut], dialect);
            let _ = parse(&text[cut..], dialect);
        }
        let deep = format!(
            "INSERT INTO t VALUES ({}1{})",
            "(".repeat(3_000),
            ")".repeat(3_000)
        );
        let _ = parse(&deep, dialect);
    }
}
