//! Which names a payload has that gives no record key: names, never values.

use crate::model::outbox::OutboxColumn;
use crate::model::template::{Part, parse};

use super::key::{key, open};
use super::notation::{Document, Family, Notation};
use super::questions::Members;

/// The names of one such payload, at its top and below the first name of each path of the template.
pub(super) fn paths(notation: Notation<'_>) -> Result<(Members, String), String> {
    let key = key(notation)?;
    let document = notation.document()?;
    let template = notation.shape.template.as_deref().unwrap_or_default();
    let mut below: Vec<String> = Vec::new();
    for part in parse(template).map_err(|_| "the record key's template cannot be read")? {
        if let Part::Path(path) = part
            && let [first, _, ..] = path.as_slice()
            && !below.iter().any(|known| known == first)
        {
            below.push((*first).to_owned());
        }
    }
    let mut lists = vec![notation.object(&[
        ("below", "NULL".to_owned()),
        ("names", notation.names_at(&document, None)?),
    ])];
    for first in below {
        lists.push(notation.object(&[
            ("below", notation.literal(&first)?),
            ("names", notation.names_at(&document, Some(&first))?),
        ]));
    }
    let list = match notation.family() {
        Family::Postgres => format!("json_build_array({})", lists.join(", ")),
        Family::Mysql => format!("JSON_ARRAY({})", lists.join(", ")),
        Family::Sqlite => format!("json_array({})", lists.join(", ")),
    };
    let rest = format!(
        "FROM (SELECT 1 AS one) o LEFT JOIN (SELECT {} AS doc\n      FROM {}\n      WHERE {}\n        \
         AND {} AND ({}) IS NULL\n      ORDER BY {} LIMIT 1) d ON 1 = 1",
        document.value,
        notation.source()?,
        open(notation)?,
        key.parses,
        key.derived,
        notation.column(OutboxColumn::Id)?
    );
    Ok((vec![("paths", list)], rest))
}

impl Notation<'_> {
    /// The names of an object of the document `d.doc` as a JSON array; NULL or empty where there is
    /// none.
    fn names_at(self, document: &Document, first: Option<&str>) -> Result<String, String> {
        if first.is_some_and(|first| first.contains(['"', '\'', '\\', ',', '{', '}'])) {
            return Err("a path of the template holds a sign that is not put into SQL".into());
        }
        Ok(match self.family() {
            Family::Postgres => {
                let kind = if document.binary { "jsonb" } else { "json" };
                let place = match first {
                    Some(first) => format!("d.doc #> '{{\"{first}\"}}'"),
                    None => "d.doc".to_owned(),
                };
                format!(
                    "(SELECT json_agg(n) FROM {kind}_object_keys(CASE WHEN {kind}_typeof({place}) = \
                     'object' THEN {place} END) n)"
                )
            }
            Family::Mysql => match first {
                Some(first) => format!("JSON_KEYS(d.doc, '$.\"{first}\"')"),
                None => "JSON_KEYS(d.doc)".to_owned(),
            },
            Family::Sqlite => {
                let place = match first {
                    Some(first) => format!("$.\"{first}\""),
                    None => "$".to_owned(),
                };
                format!(
                    "(SELECT json_group_array(key) FROM json_each(d.doc, '{place}') WHERE \
                     typeof(key) = 'text')"
                )
            }
        })
    }
}
