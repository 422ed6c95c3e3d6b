//! `EXPLAIN (FORMAT JSON)` of PostgreSQL.

use std::sync::Arc;

use serde_json::Value;

use crate::model::plan::{Access, IndexUse};
use crate::model::schema::Dialect;
use crate::sql::lexer::{Lexer, Token, TokenKind};

use super::{Role, Seen, reads, role};

/// Reads it; `skips` of a server that passes over the first column of an index (18 and later).
pub fn postgres(text: &str, skips: bool) -> Option<Seen> {
    let document: Value = serde_json::from_str(text).ok()?;
    let root = document.get(0)?.get("Plan")?;
    let mut found = Vec::new();
    let mut sorts = false;
    let mut left = vec![root];
    while let Some(node) = left.pop() {
        let kind = word(node, "Node Type")?;
        sorts |= matches!(kind, "Sort" | "Incremental Sort");
        let role = node.get("Alias").and_then(Value::as_str).and_then(role);
        if let Some(role) = role {
            accesses(node, kind, role, skips, &mut found)?;
        }
        let is_bitmap = kind == "Bitmap Heap Scan";
        let below = node.get("Plans").and_then(Value::as_array);
        // What is below a heap scan of bitmaps was read with it; a subplan was not.
        left.extend(
            below
                .into_iter()
                .flatten()
                .filter(|child| !(is_bitmap && child["Parent Relationship"] == "Outer")),
        );
    }
    found.sort_by_key(|(role, _)| *role == Role::Lookup);
    Some(Seen {
        reads: reads(found)?,
        sorts,
        cost: root.get("Total Cost").map(|cost| cost.to_string().into()),
    })
}

fn word<'v>(node: &'v Value, key: &str) -> Option<&'v str> {
    node.get(key)?.as_str()
}

fn rows(node: &Value) -> Option<u64> {
    let rows = node.get("Plan Rows")?.as_f64()?;
    // Planners count in floating point; a float turns into the nearest whole number it fits.
    (rows >= 0.0).then_some(rows as u64)
}

/// The accesses of one scan; none for a kind of scan that is not known.
fn accesses(
    node: &Value,
    kind: &str,
    role: Role,
    skips: bool,
    found: &mut Vec<(Role, Access)>,
) -> Option<()> {
    match kind {
        "Index Scan" | "Index Only Scan" => {
            let used = index_use(node, skips)?;
            found.push((role, of(vec![used], node)));
        }
        "Bitmap Heap Scan" => {
            let mut children = node.get("Plans")?.as_array()?.iter();
            let bitmap = children.find(|child| child["Parent Relationship"] == "Outer")?;
            let mut left = vec![bitmap];
            while let Some(node) = left.pop() {
                let below = node.get("Plans").and_then(Value::as_array);
                match word(node, "Node Type")? {
                    "BitmapOr" => left.extend(below?),
                    "BitmapAnd" => {
                        let plain = below?.iter().filter_map(|child| index_use(child, skips));
                        found.push((role, of(plain.collect(), node)));
                    }
                    _ => found.push((role, of(vec![index_use(node, skips)?], node))),
                }
            }
        }
        "Seq Scan" | "Sample Scan" | "Tid Scan" | "Tid Range Scan" => found.push((
            role,
            Access {
                rows: rows(node),
                ..Access::default()
            },
        )),
        _ => return None,
    }
    Some(())
}

fn of(any: Vec<IndexUse>, node: &Value) -> Access {
    Access {
        reads: any.first().map(|used| Arc::clone(&used.index)),
        any,
        rows: rows(node),
    }
}

fn index_use(node: &Value, skips: bool) -> Option<IndexUse> {
    Some(IndexUse {
        index: word(node, "Index Name")?.into(),
        by: Some(word(node, "Index Cond").map_or_else(Vec::new, columns)),
        skips,
    })
}

/// Names in a condition that are not those of the other table: these stand behind its alias.
fn columns(condition: &str) -> Vec<Arc<str>> {
    let mut lexer = Lexer::new(condition, Dialect::Postgres);
    let mut tokens: Vec<Token> = Vec::new();
    loop {
        let token = lexer.advance();
        if matches!(token.kind, TokenKind::End | TokenKind::Broken) {
            break;
        }
        tokens.push(token);
    }
    let text = |token: &Token| {
        let part = condition.get(token.start as usize..token.end as usize);
        part.unwrap_or_default()
    };
    let dot = |at: Option<usize>| {
        at.and_then(|at| tokens.get(at))
            .is_some_and(|token| text(token) == ".")
    };
    let mut names: Vec<Arc<str>> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let name: Arc<str> = match token.kind {
            TokenKind::Word => text(token).into(),
            TokenKind::Quoted => text(token).trim_matches('"').replace("\"\"", "\"").into(),
            _ => continue,
        };
        if !dot(at.checked_sub(1)) && !dot(Some(at + 1)) && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
