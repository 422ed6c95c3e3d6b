//! Groups of connected rows: whether a query follows their edges both ways, and `group-invariant`.

use std::sync::Arc;

use crate::model::guarantee::{GroupInvariant, Node, Outline, Ran, Test, What};
use crate::model::place::Place;
use crate::model::scope::ContractPart;
use crate::sql::lexer::{Token, TokenKind, tokens_of};

use super::answer::{fails, holds, open};
use super::key::is_type;
use super::statement::{Sql, same};
use super::{Asked, each};

/// Whether a query follows an edge in both directions, as often as it goes on.
pub(super) fn directions(
    asked: &Asked<'_>,
    ran: &Ran,
    sql: &Sql,
    table: &str,
    id: &str,
    edge: &str,
    place: &Place,
) -> ContractPart {
    if !sql.recursive {
        let by_list = sql
            .words
            .iter()
            .any(|word| matches!(&**word, "any" | "unnest"));
        return match by_list {
            true => open(
                place,
                "the rows are those of a list that is given: whether it is the whole group is not known",
                "find the group in the statement that locks it",
            ),
            false => fails(
                place,
                format!("this follows {edge} once, and not to the whole group"),
            ),
        };
    }
    let compared = ran
        .sql
        .as_deref()
        .and_then(|text| recursive_pairs(text, asked, table));
    let Some(pairs) = compared else {
        return open(
            place,
            format!("how this query follows {edge} is not read"),
            "join the table to the recursive query by its key and by the edge",
        );
    };
    let by = |column: &str| pairs.iter().any(|found| same(found, column));
    match (by(id), by(edge)) {
        (true, true) => holds(
            place,
            format!("the group is followed over {edge} in both directions"),
        ),
        (true, false) | (false, true) => fails(
            place,
            format!(
                "this follows {edge} in one direction only: the other side of the group is not seen"
            ),
        ),
        (false, false) => open(
            place,
            format!("neither {id} nor {edge} is seen to be compared with the recursive query"),
            "join the table to the recursive query by its key and by the edge",
        ),
    }
}

/// Columns of the table that are compared with the recursive query inside it.
fn recursive_pairs(text: &str, asked: &Asked<'_>, table: &str) -> Option<Vec<String>> {
    let tokens = tokens_of(text.trim_end().trim_end_matches(';'), asked.dialect())?;
    let read = Read {
        text,
        tokens: &tokens,
    };
    let (name, from, end) = read.recursive()?;
    let mut of_cte = vec![name.clone()];
    let mut of_table = vec![table.to_ascii_lowercase()];
    // What the two are called inside.
    for at in from..end {
        let Some(word) = read.word(at) else { continue };
        let lists = match same(&word, &name) {
            true => &mut of_cte,
            false if same(&word, table) => &mut of_table,
            false => continue,
        };
        let next = if read.word(at + 1).as_deref() == Some("as") {
            at + 2
        } else {
            at + 1
        };
        const KEYWORDS: [&str; 12] = [
            "join", "on", "where", "inner", "left", "cross", "using", "union", "group", "order",
            "set", "full",
        ];
        if let Some(alias) = read.word(next).filter(|it| !KEYWORDS.contains(&&**it)) {
            lists.push(alias);
        }
    }
    let mut found = Vec::new();
    let mut cases = 0usize;
    for at in from..end {
        // What CASE looks at chooses a value, and no row.
        match read.word(at).as_deref() {
            Some("case") => cases += 1,
            Some("end") => cases = cases.saturating_sub(1),
            _ => {}
        }
        if cases > 0 {
            continue;
        }
        let sides = if read.source(at) == "=" {
            Some((read.column_before(at), vec![read.column(at + 1)]))
        } else if read.word(at).as_deref() == Some("in") && read.source(at + 1) == "(" {
            let inside = (at + 2..end).take_while(|at| read.source(*at) != ")");
            let columns = inside
                .filter(|at| read.starts(*at))
                .map(|at| read.column(at));
            Some((read.column_before(at), columns.collect()))
        } else {
            None
        };
        let Some((left, rights)) = sides else {
            continue;
        };
        for right in rights {
            for (one, other) in [(&left, &right), (&right, &left)] {
                let (Some((of, _)), Some((table_of, column))) = (one, other) else {
                    continue;
                };
                let is_cte = of.as_ref().is_some_and(|of| of_cte.contains(of));
                let is_table = table_of.as_ref().is_none_or(|of| of_table.contains(of));
                if is_cte && is_table {
                    found.push(column.clone());
                }
            }
        }
    }
    Some(found)
}

type Column = (Option<String>, String);

struct Read<'t> {
    text: &'t str,
    tokens: &'t [Token],
}

impl Read<'_> {
    fn source(&self, at: usize) -> &str {
        let token = self.tokens.get(at);
        let source = token.and_then(|it| self.text.get(it.start as usize..it.end as usize));
        source.unwrap_or_default()
    }

    fn word(&self, at: usize) -> Option<String> {
        let token = self.tokens.get(at)?;
        matches!(token.kind, TokenKind::Word | TokenKind::Quoted)
            .then(|| self.source(at).trim_matches('"').to_ascii_lowercase())
    }

    /// The recursive query: its name, and where its body begins and ends.
    fn recursive(&self) -> Option<(String, usize, usize)> {
        let start =
            (0..self.tokens.len()).find(|at| self.word(*at).as_deref() == Some("recursive"))?;
        let name = self.word(start + 1)?;
        let mut at = start + 2;
        while self.word(at).as_deref() != Some("as") {
            at += 1;
            if at >= self.tokens.len() {
                return None;
            }
        }
        let mut depth = 0usize;
        for end in at + 1..self.tokens.len() {
            match self.source(end) {
                "(" => depth += 1,
                ")" => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some((name, at + 1, end));
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// True where a column begins.
    fn starts(&self, at: usize) -> bool {
        self.word(at).is_some() && (at == 0 || self.source(at - 1) != ".")
    }

    /// The column that begins there.
    fn column(&self, at: usize) -> Option<Column> {
        let first = self.word(at)?;
        match self.source(at + 1) {
            "." => Some((Some(first), self.word(at + 2)?)),
            _ => Some((None, first)),
        }
    }

    /// The column that ends there.
    fn column_before(&self, at: usize) -> Option<Column> {
        let last = self.word(at.checked_sub(1)?)?;
        match at.checked_sub(2).map(|dot| self.source(dot)) {
            Some(".") => Some((Some(self.word(at.checked_sub(3)?)?), last)),
            _ => Some((None, last)),
        }
    }
}

/// `group-invariant`: the guard in code, stated over the group.
pub(super) fn invariant(asked: &Asked<'_>, kind: &GroupInvariant) -> (Vec<ContractPart>, String) {
    let repair = format!(
        "refuse a second row of a group of {} that is {}",
        kind.table,
        kind.at_most_one.values.join(" or ")
    );
    let mut parts = Vec::new();
    if let Some(guard) = &kind.guard {
        match asked.outline(guard) {
            Ok(outline) => parts.extend(guarded(asked, kind, outline)),
            Err(part) => parts.push(part),
        }
    }
    parts.push(super::live::groups(asked, kind));
    (parts, repair)
}

fn guarded(asked: &Asked<'_>, kind: &GroupInvariant, outline: &Outline) -> Vec<ContractPart> {
    let mut parts = Vec::new();
    let mut over_group = None;
    each(&outline.nodes, &mut |node| {
        let (Some(sql), What::Statement(ran)) = (asked.sql(node), &node.what) else {
            return;
        };
        let speaks = sql.words.iter().any(|word| same(word, &kind.edge));
        if speaks && sql.reads.iter().any(|it| same(it, &kind.table)) {
            let part = directions(
                asked,
                ran,
                &sql,
                &kind.table,
                &kind.id,
                &kind.edge,
                &node.place,
            );
            let better = matches!(part, ContractPart::Holds(_)) || over_group.is_none();
            if better {
                over_group = Some(part);
            }
        }
    });
    parts.push(over_group.unwrap_or_else(|| {
        fails(
            &outline.place,
            format!("no query of the guard follows {}", kind.edge),
        )
    }));
    let mut refusals: Vec<(Place, Vec<Test>)> = Vec::new();
    refused(&outline.nodes, kind, &mut Vec::new(), &mut refusals);
    let states = &kind.at_most_one.values;
    let mut about_states = refusals.iter().filter_map(|(place, tests)| {
        let literals: Vec<&Arc<str>> = tests.iter().flat_map(|test| &test.literals).collect();
        let names: Vec<&Arc<str>> = tests.iter().flat_map(|test| &test.names).collect();
        let speaks = literals.iter().any(|text| states.contains(*text));
        speaks.then_some((place, literals, names))
    });
    let Some((place, literals, names)) = about_states.next_back() else {
        let refuses = kind.refuses.as_deref().unwrap_or("an error");
        parts.push(fails(
            &outline.place,
            format!(
                "no way of the guard raises {refuses} for a row that is {}",
                states.join(" or ")
            ),
        ));
        return parts;
    };
    for state in states {
        if !literals.contains(&state) {
            parts.push(fails(
                place,
                format!("a row that is {state} does not block its group"),
            ));
        }
    }
    let known = literals
        .iter()
        .filter(|text| is_word(text) && !states.contains(**text));
    for other in known {
        parts.push(fails(
            place,
            format!("a row that is {other} blocks its group too: nobody can act on any of them"),
        ));
    }
    if let Some(column) = &kind.or_not_null {
        let asks = names.iter().any(|name| same(name, column)) || literals.contains(&column);
        if !asks {
            parts.push(fails(
                place,
                format!("a row with {column} does not block its group"),
            ));
        }
    }
    if parts
        .iter()
        .all(|part| matches!(part, ContractPart::Holds(_)))
    {
        parts.push(holds(
            place,
            format!(
                "refused where another row of the group is {}",
                states.join(" or ")
            ),
        ));
    }
    parts
}

/// A literal that can be a state.
fn is_word(text: &str) -> bool {
    let letters = text.chars().all(|it| it.is_ascii_lowercase() || it == '_');
    letters && !text.is_empty()
}

/// Errors of the type that is declared, each with the conditions around it.
fn refused(
    nodes: &[Node],
    kind: &GroupInvariant,
    around: &mut Vec<Test>,
    found: &mut Vec<(Place, Vec<Test>)>,
) {
    for node in nodes {
        match &node.what {
            What::Raise(Some(of))
                if kind.refuses.is_none() || is_type(of, kind.refuses.as_deref()) =>
            {
                found.push((node.place.clone(), around.clone()));
            }
            What::Branch { test, arms } => {
                around.push(test.clone());
                arms.iter()
                    .for_each(|arm| refused(arm, kind, around, found));
                around.pop();
            }
            What::Loop { body, .. } | What::Transaction(body) => refused(body, kind, around, found),
            What::Try {
                body,
                handlers,
                finally,
            } => {
                refused(body, kind, around, found);
                handlers
                    .iter()
                    .for_each(|one| refused(&one.body, kind, around, found));
                refused(finally, kind, around, found);
            }
            What::Call(call) => {
                if let Some(body) = &call.body {
                    // Conditions of the caller do not speak of the called function's rows.
                    refused(body, kind, &mut Vec::new(), found);
                }
            }
            _ => {}
        }
    }
}
