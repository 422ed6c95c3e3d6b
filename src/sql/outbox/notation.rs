//! How each engine spells what the statements need: names, texts, JSON.

use crate::model::outbox::{OutboxColumn, OutboxShape};
use crate::model::schema::{Column, Dialect};

use super::JsonCheck;

/// The function of the session that [`JsonCheck::SessionFunction`] calls.
pub(super) const SESSION_FUNCTION: &str = "pg_temp.outbox_audit_json";

/// The three families of spellings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Postgres,
    Mysql,
    Sqlite,
}

/// The spelling for one outbox.
#[derive(Debug, Clone, Copy)]
pub(super) struct Notation<'s> {
    pub(super) shape: &'s OutboxShape,
    pub(super) json: JsonCheck,
}

/// The payload of a row: whether it parses, and the document.
pub(super) struct Document {
    /// A condition that is true or false, never NULL.
    pub(super) parses: String,
    /// The document; evaluated only where it parses.
    pub(super) value: String,
    /// The prefix of PostgreSQL's functions for it.
    pub(super) binary: bool,
}

impl Notation<'_> {
    pub(super) fn family(self) -> Family {
        match self.shape.dialect {
            Dialect::Postgres => Family::Postgres,
            Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb => Family::Mysql,
            Dialect::Sqlite => Family::Sqlite,
        }
    }

    pub(super) fn quoted(self, name: &str) -> String {
        match self.family() {
            Family::Mysql => format!("`{}`", name.replace('`', "``")),
            Family::Postgres | Family::Sqlite => format!("\"{}\"", name.replace('"', "\"\"")),
        }
    }

    /// A text in quotes; none for one that engines read differently.
    pub(super) fn literal(self, text: &str) -> Result<String, String> {
        if text.chars().any(|each| each == '\\' || each.is_control()) {
            return Err(
                "a text with a backslash or a control character is not put into SQL".into(),
            );
        }
        Ok(format!("'{}'", text.replace('\'', "''")))
    }

    /// The table.
    pub(super) fn table(self) -> String {
        match (&self.shape.schema, self.family()) {
            (Some(schema), Family::Postgres) => {
                format!("{}.{}", self.quoted(schema), self.quoted(&self.shape.name))
            }
            _ => self.quoted(&self.shape.name),
        }
    }

    /// The column that plays a part.
    pub(super) fn column(self, part: OutboxColumn) -> Result<String, String> {
        self.known(part).map(|column| self.quoted(&column.name))
    }

    fn known(&self, part: OutboxColumn) -> Result<&Column, String> {
        self.shape.columns.get(&part).ok_or_else(|| {
            format!(
                "{} has no known column for `{}`",
                self.shape.name,
                part.word()
            )
        })
    }

    /// True of a column that holds bytes.
    pub(super) fn is_bytes(self, part: OutboxColumn) -> bool {
        let column = self.shape.columns.get(&part);
        column.is_some_and(|column| {
            let kind = column.data_type.to_ascii_lowercase();
            kind.contains("blob") || kind.contains("binary") || kind == "bytea"
        })
    }

    /// A value as text.
    pub(super) fn text(self, expression: &str) -> String {
        match self.family() {
            Family::Postgres => format!("({expression})::text"),
            Family::Mysql => format!("CAST({expression} AS CHAR)"),
            Family::Sqlite => format!("CAST({expression} AS TEXT)"),
        }
    }

    /// A whole number.
    pub(super) fn number(self, expression: &str) -> String {
        match self.family() {
            Family::Postgres => format!("({expression})::bigint"),
            Family::Mysql => format!("CAST({expression} AS SIGNED)"),
            Family::Sqlite => format!("CAST({expression} AS INTEGER)"),
        }
    }

    /// A JSON object.
    pub(super) fn object(self, members: &[(&str, String)]) -> String {
        let members: Vec<String> = members
            .iter()
            .map(|(name, value)| format!("'{name}', {value}"))
            .collect();
        let function = match self.family() {
            Family::Postgres => "json_build_object",
            Family::Mysql => "JSON_OBJECT",
            Family::Sqlite => "json_object",
        };
        format!("{function}({})", members.join(", "))
    }

    /// A JSON array of what a group has.
    pub(super) fn array(self, of: &str) -> String {
        match self.family() {
            Family::Postgres => format!("coalesce(json_agg({of}), '[]'::json)"),
            Family::Mysql => format!("JSON_ARRAYAGG({of})"),
            Family::Sqlite => format!("json_group_array({of})"),
        }
    }

    pub(super) fn concat(self, parts: &[String]) -> String {
        match self.family() {
            Family::Mysql => format!("CONCAT({})", parts.join(", ")),
            // NULL makes the whole NULL, as in CONCAT of MySQL.
            Family::Postgres | Family::Sqlite => format!("({})", parts.join(" || ")),
        }
    }

    /// Length in characters.
    pub(super) fn length(self, expression: &str) -> String {
        match self.family() {
            Family::Sqlite => format!("length({expression})"),
            Family::Postgres | Family::Mysql => format!("char_length({expression})"),
        }
    }

    /// True where two texts differ in a byte, whatever the collation of a column takes for equal.
    pub(super) fn differ(self, one: &str, other: &str) -> String {
        match self.family() {
            Family::Postgres => format!("{one} COLLATE \"C\" <> {other} COLLATE \"C\""),
            Family::Mysql => format!(
                "CAST(CONVERT({one} USING utf8mb4) AS BINARY) <> \
                 CAST(CONVERT({other} USING utf8mb4) AS BINARY)"
            ),
            Family::Sqlite => format!("{one} COLLATE BINARY <> {other} COLLATE BINARY"),
        }
    }

    /// What says that the answer comes from a copy.
    pub(super) fn replica(self) -> &'static str {
        match self.family() {
            Family::Postgres => "pg_is_in_recovery()",
            // Bare it comes out of MariaDB as OFF, which is no JSON; later versions know more words.
            Family::Mysql => "IF(@@global.read_only IN ('0', 'OFF'), 0, 1)",
            Family::Sqlite => "0",
        }
    }

    /// The payload as a document.
    pub(super) fn document(self) -> Result<Document, String> {
        let column = self.known(OutboxColumn::Payload)?;
        let name = self.quoted(&column.name);
        let kind = column.data_type.to_ascii_lowercase();
        let is_bytes = self.is_bytes(OutboxColumn::Payload);
        let (parses, value, binary) = match self.family() {
            Family::Postgres => match (&*kind, self.json) {
                ("jsonb" | "json", check) if check != JsonCheck::Variable => {
                    (format!("{name} IS NOT NULL"), name, kind == "jsonb")
                }
                (_, JsonCheck::Variable) => ("doc IS NOT NULL".to_owned(), "doc".to_owned(), true),
                (_, JsonCheck::SessionFunction) => {
                    let text = utf8(&name, is_bytes);
                    let value = format!("{SESSION_FUNCTION}({text})");
                    (format!("{value} IS NOT NULL"), value, true)
                }
                (_, JsonCheck::Casts) => {
                    let text = utf8(&name, is_bytes);
                    (
                        format!("{name} IS NOT NULL"),
                        format!("({text})::jsonb"),
                        true,
                    )
                }
                (_, JsonCheck::Asks) => {
                    let text = utf8(&name, is_bytes);
                    let asked = format!("pg_input_is_valid({text}, 'jsonb')");
                    (
                        format!("coalesce({asked}, false)"),
                        format!("({text})::jsonb"),
                        true,
                    )
                }
            },
            Family::Mysql => {
                let value = match is_bytes {
                    true => format!("CONVERT({name} USING utf8mb4)"),
                    false => name,
                };
                (
                    format!("COALESCE(JSON_VALID({value}), 0) = 1"),
                    value,
                    false,
                )
            }
            Family::Sqlite => {
                // As text: a BLOB would be taken for SQLite's own binary form.
                let value = format!("CAST({name} AS TEXT)");
                (
                    format!("coalesce(json_valid({value}), 0) = 1"),
                    value,
                    false,
                )
            }
        };
        Ok(Document {
            parses,
            value,
            binary,
        })
    }

    /// What PostgreSQL makes a document of a payload with; it fails on what is none.
    pub(super) fn parsed(self, payload: &str) -> String {
        let column = self.shape.columns.get(&OutboxColumn::Payload);
        let is_bytes = column.is_some_and(|column| column.data_type.eq_ignore_ascii_case("bytea"));
        format!("({})::jsonb", utf8(payload, is_bytes))
    }

    /// The text at a path of the document: of a text that is not empty, or a number; else NULL.
    pub(super) fn at_path(self, document: &Document, path: &[&str]) -> Result<String, String> {
        if path
            .iter()
            .any(|part| part.contains(['"', '\'', '\\', ',', '{', '}']))
        {
            return Err(format!(
                "the path {} of the template holds a sign that is not put into SQL",
                path.join(".")
            ));
        }
        let names: Vec<String> = path.iter().map(|part| format!("\"{part}\"")).collect();
        let (text, kind, kinds) = match self.family() {
            Family::Postgres => {
                let of = self.literal(&format!("{{{}}}", names.join(",")))?;
                let function = if document.binary { "jsonb" } else { "json" };
                (
                    format!("{} #>> {of}", document.value),
                    format!("{function}_typeof({} #> {of})", document.value),
                    "'string', 'number'",
                )
            }
            Family::Mysql => {
                let of = self.literal(&format!("$.{}", names.join(".")))?;
                let found = format!("JSON_EXTRACT({}, {of})", document.value);
                (
                    format!("JSON_UNQUOTE({found})"),
                    format!("JSON_TYPE({found})"),
                    "'STRING', 'INTEGER', 'UNSIGNED INTEGER', 'DOUBLE', 'DECIMAL'",
                )
            }
            Family::Sqlite => {
                let of = self.literal(&format!("$.{}", names.join(".")))?;
                (
                    format!("CAST(json_extract({}, {of}) AS TEXT)", document.value),
                    format!("json_type({}, {of})", document.value),
                    "'text', 'integer', 'real'",
                )
            }
        };
        Ok(format!(
            "CASE WHEN {kind} IN ({kinds}) AND {} > 0 THEN {text} END",
            self.length(&text)
        ))
    }
}

/// Text of a PostgreSQL column, or its bytes read as UTF-8.
fn utf8(name: &str, is_bytes: bool) -> String {
    match is_bytes {
        true => format!("convert_from({name}, 'UTF8')"),
        false => format!("{name}::text"),
    }
}
