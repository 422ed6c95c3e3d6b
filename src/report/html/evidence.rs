//! What a finding or a proof cites.

use std::sync::Arc;

use maud::{Markup, html};

use crate::model::evidence::Evidence;
use crate::model::report::Report;
use crate::report::words;

use super::text::{self, code, prose};

/// Observations of one finding that are listed.
const CITED: usize = 40;

/// The observations, each with its number in the report, where it stands and what it says.
pub(super) fn list(report: &Report, cited: &[Arc<Evidence>]) -> Markup {
    html! {
        ul.plain {
            @for one in cited.iter().take(CITED) {
                li {
                    @if let Ok(at) = report.evidence.binary_search(one) {
                        span.number { "e" (at + 1) } " "
                    }
                    (words::observed(one)) " " (code(&one.place.to_string())) ": " (prose(&one.says))
                }
            }
        }
        (text::more(cited.len(), CITED, "observation"))
    }
}
