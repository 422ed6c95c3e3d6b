//! Statements of every kind, told apart.

use super::*;

fn of(text: &str) -> Option<Standing> {
    standing(text, Dialect::Postgres)
}

fn table(text: &str) -> &'static str {
    match of(text) {
        Some(Standing::InsertIfAbsent(_)) => "claim",
        Some(Standing::Insert(_)) => "insert",
        Some(Standing::UpdateIf(_)) => "update if",
        Some(Standing::Update(_)) => "update",
        Some(Standing::LockingRead(_)) => "locking read",
        Some(Standing::AdvisoryLock(_)) => "lock",
        Some(Standing::Read(_)) => "read",
        None => "nothing",
    }
}

#[test]
fn claims_are_told_from_writes() {
    let claim = "INSERT INTO seen (id) VALUES ($1) ON CONFLICT DO NOTHING";
    assert_eq!(table(claim), "claim");
    let claim =
        "INSERT INTO seen (id, at) VALUES ($1, now()) ON CONFLICT (id) DO NOTHING RETURNING id";
    let Some(Standing::InsertIfAbsent(row)) = of(claim) else {
        panic!("a claim");
    };
    assert_eq!(row.table, "seen");
    assert_eq!(row.key, Some(vec!["id".into()]));
    let columns: Vec<_> = row
        .values
        .iter()
        .map(|(column, _)| column.clone())
        .collect();
    assert_eq!(columns, [Some("id".into()), Some("at".into())]);
    assert_eq!(table("INSERT INTO seen (id) VALUES ($1)"), "insert");
    let over = "INSERT INTO seen (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET id = 1";
    assert_eq!(of(over), None);
    assert!(matches!(
        standing("INSERT IGNORE INTO seen (id) VALUES (?)", Dialect::Mysql),
        Some(Standing::InsertIfAbsent(_))
    ));
}

/// An update is one that stops a repetition only where its condition is false of what it sets.
#[test]
fn an_update_that_asks_for_what_it_changes() {
    let cases = [
        (
            "SET state = 'done' WHERE id = $1 AND state = 'open'",
            Again::No,
        ),
        (
            "SET state = 'done' WHERE id = $1 AND state <> 'done'",
            Again::No,
        ),
        (
            "SET state = 'done' WHERE id = $1 AND state IN ('open', 'new')",
            Again::No,
        ),
        (
            "SET done_at = now() WHERE id = $1 AND done_at IS NULL",
            Again::No,
        ),
        (
            "SET done_at = $2 WHERE id = $1 AND done_at IS NULL",
            Again::No,
        ),
        ("SET done = true WHERE id = $1 AND NOT done", Again::No),
        ("SET version = $2 WHERE id = $1 AND version < $2", Again::No),
        (
            "SET version = version + 1 WHERE id = $1 AND version = $2",
            Again::No,
        ),
        (
            "SET state = 'open' WHERE id = $1 AND state = 'open'",
            Again::Yes,
        ),
        ("SET state = $2 WHERE id = $1 AND state = $2", Again::Yes),
        (
            "SET state = $2 WHERE id = $1 AND state = $3",
            Again::Unknown,
        ),
        (
            "SET state = 'open' WHERE id = $1 AND state IN ('open', 'new')",
            Again::Unknown,
        ),
        ("SET n = n + 1 WHERE id = $1 AND n < 5", Again::Unknown),
        (
            "SET done_at = NULL WHERE id = $1 AND done_at IS NULL",
            Again::Unknown,
        ),
    ];
    for (text, wanted) in cases {
        let text = format!("UPDATE job {text}");
        let Some(Standing::UpdateIf(change)) = of(&text) else {
            panic!("{text}");
        };
        assert_eq!(change.again, wanted, "{text}");
    }
    assert_eq!(
        table("UPDATE job SET state = 'done' WHERE id = $1"),
        "update"
    );
}

#[test]
fn locks_are_told_from_reads() {
    let locking =
        "SELECT j.id, state AS s, count(*) FROM job j WHERE id = $1 FOR UPDATE SKIP LOCKED";
    let Some(Standing::LockingRead(look)) = of(locking) else {
        panic!("a lock");
    };
    assert_eq!(look.table, "job");
    assert_eq!(look.items, [Some("id".into()), Some("state".into()), None]);
    assert_eq!(
        table("SELECT id FROM job WHERE note = 'FOR UPDATE'"),
        "read"
    );
    assert_eq!(
        of("SELECT pg_advisory_xact_lock($1)"),
        Some(Standing::AdvisoryLock(true))
    );
}
