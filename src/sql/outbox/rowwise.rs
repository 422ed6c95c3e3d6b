//! Record keys row by row, on a PostgreSQL that cannot ask whether a text is JSON: a block of its
//! own language passes over what is none. Payloads stay on the server, and nothing is created.

use crate::model::outbox::{OutboxColumn, OutboxShape};

use super::JsonCheck;
use super::key::{key, open};
use super::notation::Notation;
use super::questions::{KEYS, Question, WRITERS};

/// The setting, local to the transaction, that holds the answer.
const SETTING: &str = "outbox_audit.answer";

/// A block, and the query that reads what it found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rowwise {
    /// Run first.
    pub block: String,
    /// Gives one row with one JSON text, as the question itself.
    pub read: String,
}

/// The same question row by row; none for one that reads no payload.
pub fn rowwise(shape: &OutboxShape, question: &Question) -> Option<Rowwise> {
    let block = match question.id {
        KEYS => keys(shape, question),
        WRITERS => writers(shape, question),
        _ => return None,
    };
    Some(Rowwise {
        block: block.ok()?,
        read: format!("SELECT current_setting('{SETTING}')"),
    })
}

fn keys(shape: &OutboxShape, question: &Question) -> Result<String, String> {
    let notation = notation(shape);
    let derived = key(notation)?.derived;
    let stored = notation
        .column(OutboxColumn::RecordKey)
        .map_or_else(|_| "NULL::text".to_owned(), |key| notation.text(&key));
    let kinds = ["missing", "wrong", "keyless", "unparsed"];
    let declared: Vec<String> = kinds
        .iter()
        .map(|kind| format!("n_{kind} bigint := 0; e_{kind} text;"))
        .collect();
    let told: Vec<String> = kinds
        .iter()
        .map(|kind| format!("'{kind}', n_{kind}, '{kind}_example', e_{kind}"))
        .collect();
    let count =
        |kind: &str| format!("n_{kind} := n_{kind} + 1; e_{kind} := least(e_{kind}, line.id);");
    Ok(format!(
        "DO $outbox_audit$\nDECLARE\n  line record; doc jsonb; derived text; n_open bigint := 0; \
         longest bigint;\n  {}\nBEGIN\n  FOR line IN SELECT {} AS id, {stored} AS stored, {} AS payload \
         FROM {} WHERE {} LOOP\n    n_open := n_open + 1;\n    BEGIN\n      doc := {};\n    EXCEPTION \
         WHEN OTHERS THEN\n      doc := NULL;\n    END;\n    derived := {derived};\n    longest := \
         greatest(longest, char_length(derived));\n    IF doc IS NULL THEN {}\n    ELSIF line.stored IS \
         NULL AND derived IS NOT NULL THEN {}\n    ELSIF line.stored IS NULL THEN {}\n    ELSIF derived \
         IS NULL OR derived COLLATE \"C\" <> line.stored COLLATE \"C\" THEN {}\n    END IF;\n  END \
         LOOP;\n  PERFORM set_config('{SETTING}', json_build_object({}, 'open', n_open, {}, 'longest', \
         longest)::text, true);\nEND $outbox_audit$",
        declared.join(" "),
        notation.text(&notation.column(OutboxColumn::Id)?),
        notation.column(OutboxColumn::Payload)?,
        notation.source()?,
        open(notation)?,
        notation.parsed("line.payload"),
        count("unparsed"),
        count("missing"),
        count("keyless"),
        count("wrong"),
        head(notation, question),
        told.join(", ")
    ))
}

fn writers(shape: &OutboxShape, question: &Question) -> Result<String, String> {
    let notation = notation(shape);
    let derived = key(notation)?.derived;
    let since = shape.cutoffs.since.as_deref().unwrap_or_default();
    Ok(format!(
        "DO $outbox_audit$\nDECLARE\n  line record; doc jsonb; n_rows bigint := 0; example text;\n\
         BEGIN\n  FOR line IN SELECT {} AS id, {} AS payload FROM {} WHERE {} IS NULL AND {} >= {} \
         LOOP\n    BEGIN\n      doc := {};\n    EXCEPTION WHEN OTHERS THEN\n      doc := NULL;\n    \
         END;\n    IF ({derived}) IS NOT NULL THEN\n      n_rows := n_rows + 1; example := \
         least(example, line.id);\n    END IF;\n  END LOOP;\n  PERFORM set_config('{SETTING}', \
         json_build_object({}, 'rows', n_rows, 'example', example)::text, true);\nEND $outbox_audit$",
        notation.text(&notation.column(OutboxColumn::Id)?),
        notation.column(OutboxColumn::Payload)?,
        notation.source()?,
        notation.column(OutboxColumn::RecordKey)?,
        notation.column(OutboxColumn::Created)?,
        notation.literal(since)?,
        notation.parsed("line.payload"),
        head(notation, question)
    ))
}

fn notation(shape: &OutboxShape) -> Notation<'_> {
    Notation {
        shape,
        json: JsonCheck::Variable,
    }
}

fn head(notation: Notation<'_>, question: &Question) -> String {
    let sampled = notation
        .sampled()
        .map_or_else(String::new, |rows| format!(", 'sampled', {rows}"));
    format!(
        "'query', '{}', 'question', '{}', 'replica', {}{sampled}",
        question.id,
        question.digest,
        notation.replica()
    )
}
