//! The three answers about one thing that a guarantee rests on.

use std::sync::Arc;

use crate::model::evidence::{Evidence, InputKind, ObservedBy, Reason, Why};
use crate::model::place::Place;
use crate::model::scope::ContractPart;

use super::Asked;

/// It holds, as the source shows at a place.
pub(super) fn holds(place: &Place, says: impl Into<String>) -> ContractPart {
    shown(InputKind::Source, ObservedBy::Text, place, says)
}

/// It holds, as something that was read shows.
pub(super) fn shown(
    input: InputKind,
    by: ObservedBy,
    place: &Place,
    says: impl Into<String>,
) -> ContractPart {
    ContractPart::Holds(Arc::new(Evidence {
        input,
        by,
        place: place.clone(),
        says: says.into().into(),
    }))
}

/// It does not.
pub(super) fn fails(place: &Place, why: impl Into<String>) -> ContractPart {
    ContractPart::Fails(why.into().into(), place.clone())
}

/// It is not known.
pub(super) fn open(place: &Place, sentence: impl Into<String>, next: &str) -> ContractPart {
    ContractPart::Open(Arc::new(Reason {
        why: Why::NotDecidable,
        needs: None,
        sentence: sentence.into(),
        place: Some(place.clone()),
        next_step: next.to_owned(),
    }))
}

/// It is not known, as something in it could not be read.
pub(super) fn hides(what: &str, hidden: (&Place, String)) -> ContractPart {
    let (place, why) = hidden;
    open(
        place,
        format!("{what} was not found, and {why}"),
        "let the text of the statement show in the source",
    )
}

/// A reason without a place, told where the guarantee is declared.
pub(super) fn open_because(reason: &Reason, at: &Place) -> ContractPart {
    ContractPart::Open(Arc::new(Reason {
        place: reason.place.clone().or_else(|| Some(at.clone())),
        ..reason.clone()
    }))
}

/// The source was not read.
pub(super) fn unread_source(asked: &Asked<'_>, name: &str) -> ContractPart {
    missing_input(
        asked,
        InputKind::Source,
        format!("`{name}` was not looked for: no source was read"),
        "give the source (--source)",
    )
}

/// An input that is missing.
pub(super) fn missing_input(
    asked: &Asked<'_>,
    needs: InputKind,
    sentence: String,
    next: &str,
) -> ContractPart {
    ContractPart::Open(Arc::new(Reason {
        why: Why::NotGiven,
        needs: Some(needs),
        sentence,
        place: Some(asked.at.clone()),
        next_step: next.to_owned(),
    }))
}

/// The beginning of a text, on one line.
pub(super) fn short(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
