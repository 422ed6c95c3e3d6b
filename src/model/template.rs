//! The record key's template: literal text and dotted payload paths in braces, for example
//! `{object_api_name}:{record.id}`.

use std::ops::Range;

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part<'t> {
    /// Text that stands in every key.
    Literal(&'t str),
    /// A path into the payload, segment by segment.
    Path(Vec<&'t str>),
}

/// What is wrong with a template, and where in it, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateError {
    /// The stretch of the template.
    pub at: Range<usize>,
    /// What is wrong.
    pub sentence: String,
}

/// Reads a template.
///
/// # Errors
/// Every fault of it: braces that do not pair, an empty path or segment, no path at all (a key that
/// is the same for every event orders everything behind everything).
pub fn parse(template: &str) -> Result<Vec<Part<'_>>, Vec<TemplateError>> {
    let mut parts = Vec::new();
    let mut errors = Vec::new();
    let mut fault = |at: Range<usize>, sentence: &str| {
        errors.push(TemplateError {
            at,
            sentence: sentence.to_owned(),
        });
    };
    let mut at = 0;
    let mut literal = 0;
    let mut paths = 0usize;
    while let Some(found) = template.get(at..).and_then(|rest| rest.find(['{', '}'])) {
        let brace = at + found;
        at = brace + 1;
        if template.get(brace..at) == Some("}") {
            fault(brace..at, "this `}` closes nothing");
            continue;
        }
        paths += 1;
        if let Some(text) = template.get(literal..brace).filter(|text| !text.is_empty()) {
            parts.push(Part::Literal(text));
        }
        let inside = template.get(at..).unwrap_or_default();
        let end = inside
            .find(['{', '}'])
            .map_or(template.len(), |end| at + end);
        let path = template.get(at..end).unwrap_or_default();
        if template.get(end..end + 1) != Some("}") {
            fault(brace..brace + 1, "this `{` is not closed");
            at = end;
            literal = end;
            continue;
        }
        let segments: Vec<&str> = path.split('.').collect();
        if segments.iter().any(|segment| segment.is_empty()) {
            fault(
                brace..end + 1,
                "a path is names with dots between them, as in `{record.id}`",
            );
        } else if path.contains(char::is_whitespace) {
            fault(brace..end + 1, "a path holds no blanks");
        }
        parts.push(Part::Path(segments));
        at = end + 1;
        literal = at;
    }
    if paths == 0 {
        fault(
            0..template.len(),
            "no `{path}` in it: the key would be the same for every event",
        );
    }
    if let Some(text) = template.get(literal..).filter(|text| !text.is_empty()) {
        parts.push(Part::Literal(text));
    }
    if errors.is_empty() {
        Ok(parts)
    } else {
        Err(errors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_in_order() {
        assert_eq!(
            parse("k/{object_api_name}:{record.__sys_gen_id}!").unwrap(),
            [
                Part::Literal("k/"),
                Part::Path(vec!["object_api_name"]),
                Part::Literal(":"),
                Part::Path(vec!["record", "__sys_gen_id"]),
                Part::Literal("!"),
            ]
        );
    }

    #[test]
    fn every_fault_has_its_place() {
        for (template, places) in [
            ("record.id", vec![(0, 9)]),
            ("{record.id", vec![(0, 1)]),
            ("record.id}", vec![(9, 10), (0, 10)]),
            ("{}", vec![(0, 2)]),
            ("{a..b}{ c }", vec![(0, 6), (6, 11)]),
            ("{a{b}", vec![(0, 1)]),
            ("é{.x}", vec![(2, 6)]),
        ] {
            let errors = parse(template).unwrap_err();
            let found: Vec<_> = errors
                .into_iter()
                .map(|error| (error.at.start, error.at.end))
                .collect();
            assert_eq!(found, places, "{template}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic_and_parts_give_the_text_back(text in "[{}a.é ]{0,12}") {
            if let Ok(parts) = parse(&text) {
                let back: String = parts
                    .iter()
                    .map(|part| match part {
                        Part::Literal(text) => (*text).to_owned(),
                        Part::Path(path) => format!("{{{}}}", path.join(".")),
                    })
                    .collect();
                proptest::prop_assert_eq!(back, text);
            }
        }
    }
}
