//! Texts that end too early: a statement cut off where it still reads well, a dump without its last
//! line, a transaction that nothing commits.

use crate::sql::script::{Statement, StatementKind};

use super::catalog::{Catalog, disagree, not_parsed};
use super::{Cursor, Places};

/// How many statements end with a terminator before a last one without counts as cut off; a short
/// migration may leave the last one out.
const MANY: u32 = 10;

/// What is remembered of the statements read.
#[derive(Debug, Default)]
pub(super) struct Watch {
    terminated: u32,
    /// The last statement, where nothing ends it.
    open: Option<(u32, u32)>,
    end: u32,
}

impl Watch {
    /// Looks at a statement once it was read.
    pub(super) fn look(&mut self, text: &str, statement: Statement, tokens: &Cursor<'_>) {
        let behind = text.get(statement.end as usize..).unwrap_or("");
        let open = statement.kind == StatementKind::Read && behind.trim_start().is_empty();
        match open {
            true => self.open = Some((statement.start, tokens.stop().end)),
            false => {
                self.open = None;
                self.terminated += 1;
            }
        }
        self.end = statement.end;
    }

    /// Says what the end of the text shows.
    pub(super) fn finish(self, catalog: &mut Catalog, text: &str, places: Places<'_>) {
        let last = |start: u32, end: u32| places(start, end);
        let end = text.trim_end().len() as u32;
        let line = text.trim_end().rfind('\n').map_or(0, |at| at as u32 + 1);
        let unfinished = self.open.filter(|_| {
            self.terminated >= MANY && !text.ends_with('\n') && !text.trim_end().ends_with(';')
        });
        let cut = if let Some((start, end)) = unfinished {
            Some((
                "nothing ends this statement, the last of many: the text may be cut off",
                start,
                end,
            ))
        } else if announces(text.get(self.end as usize..).unwrap_or("")) {
            Some((
                "a comment announces an object, and nothing follows: the text is cut off",
                line,
                end,
            ))
        } else if lacks_last_line(text) {
            Some((
                "the dump ends before its last line: it is cut off",
                line,
                end,
            ))
        } else {
            None
        };
        if let Some((sentence, start, end)) = cut {
            let mut reason = not_parsed(sentence.to_owned(), last(start, end));
            reason.next_step =
                "Give the whole text, or the live database with --database.".to_owned();
            catalog.mark_all(reason);
        }
        for key in catalog.touched() {
            if let Some(relation) = catalog.relations.get_mut(&key) {
                let sentence = format!(
                    "the transaction that changes {} is not committed in this file",
                    relation.table.name
                );
                relation.unknown.push(disagree(sentence, last(line, end)));
            }
        }
        catalog.commit();
    }
}

/// The comment above an object in dumps, with nothing behind it.
fn announces(tail: &str) -> bool {
    let last = tail
        .lines()
        .rev()
        .map(|line| line.trim().trim_start_matches('-').trim())
        .find(|line| !line.is_empty());
    last.is_some_and(|line| {
        [
            "Name: ",
            "Table structure for ",
            "Temporary view structure for ",
            "Dumping data for ",
        ]
        .iter()
        .any(|head| line.starts_with(head))
    })
}

/// How far from its ends the first and the last line of a dump are looked for, in bytes.
const NEAR: usize = 4096;

fn lacks_last_line(text: &str) -> bool {
    const DUMPS: [(&str, &str); 4] = [
        (
            "-- PostgreSQL database dump\n",
            "-- PostgreSQL database dump complete",
        ),
        (
            "-- PostgreSQL database cluster dump\n",
            "-- PostgreSQL database cluster dump complete",
        ),
        ("-- MySQL dump ", "-- Dump completed"),
        ("-- MariaDB dump ", "-- Dump completed"),
    ];
    let head = text
        .as_bytes()
        .get(..NEAR.min(text.len()))
        .unwrap_or_default();
    let tail = text
        .as_bytes()
        .get(text.len().saturating_sub(NEAR)..)
        .unwrap_or_default();
    DUMPS.iter().any(|(first, last)| {
        memchr::memmem::find(head, first.as_bytes()).is_some()
            && memchr::memmem::find(tail, last.as_bytes()).is_none()
    })
}
