//! Where trackers and editors put a finding: a file by its path from the top of the repository.
//!
//! They refuse what has no file, so what lives in a database or in nothing at all is put at the file
//! that is nearest to it, without a line.

use crate::model::check::{Obligation, Subject};
use crate::model::evidence::InputKind;
use crate::model::place::{Place, Span};
use crate::model::report::Report;

use super::standing::finding_of;
use super::view::View;

/// Where a finding that no file tells of would be declared.
const NOWHERE: &str = "outbox-audit.yaml";

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Anchor<'r> {
    /// Path from the top of the repository, with `/`; absolute if it lies outside.
    pub(crate) path: String,
    /// The place in it; none if the file only stands near.
    pub(crate) span: Option<&'r Span>,
}

impl Anchor<'_> {
    /// The first line, 1-based; the first of the file where no line is meant.
    pub(crate) fn line(&self) -> u32 {
        self.span.map_or(1, |span| span.start.line)
    }
}

/// The place of an effect or its consumer, the file nearest to those that have none.
pub(crate) struct Anchors<'v, 'r> {
    view: &'v View<'r>,
    nearest: &'r str,
}

impl<'v, 'r> Anchors<'v, 'r> {
    pub(crate) fn new(view: &'v View<'r>) -> Self {
        let kinds = [
            InputKind::Configuration,
            InputKind::Flows,
            InputKind::Schema,
        ];
        let read = |kind| {
            let states = view
                .report
                .inputs
                .iter()
                .filter(move |one| one.kind == kind);
            states.flat_map(|state| &state.read).map(|read| &*read.name)
        };
        // A name with a colon may be that of a connection.
        let nearest = kinds.into_iter().flat_map(read).find(|name| {
            !name.is_empty() && !name.contains([':', '\\']) && !name.ends_with(['/', '.'])
        });
        Self {
            view,
            nearest: nearest.unwrap_or(NOWHERE),
        }
    }

    /// The file of a place, when it has one.
    pub(crate) fn of_place(&self, place: &'r Place) -> Option<Anchor<'r>> {
        let (file, span) = match place {
            Place::File(span) => (&*span.file, Some(span)),
            Place::Path(file) => (&**file, None),
            _ => return None,
        };
        Some(Anchor {
            path: in_repository(self.view.report, file),
            span,
        })
    }

    /// The file of an obligation: that of its finding or gap, else of what it rests on, else of its
    /// effect or consumer, else the nearest.
    pub(crate) fn of(&self, obligation: &'r Obligation) -> Anchor<'r> {
        let finding = finding_of(obligation);
        let own = finding.map(|finding| &finding.place);
        let gap = super::gaps::reason_of(obligation).and_then(|reason| reason.place.as_ref());
        let cited = finding.into_iter().flat_map(|finding| &finding.evidence);
        let mut places = own
            .into_iter()
            .chain(gap)
            .chain(cited.map(|one| &one.place))
            .chain(self.subject(&obligation.subject));
        places
            .find_map(|place| self.of_place(place))
            .unwrap_or_else(|| self.nearest())
    }

    /// The file nearest to what has none.
    pub(crate) fn nearest(&self) -> Anchor<'r> {
        Anchor {
            path: in_repository(self.view.report, self.nearest),
            span: None,
        }
    }

    fn subject(&self, subject: &Subject) -> Option<&'r Place> {
        match subject {
            Subject::Consumer(id) => self.view.consumer(id).map(|one| &one.place),
            _ => self.view.effect(subject).map(|row| &row.facts.effect.place),
        }
    }
}

/// The path from the top of the repository; what lies outside stays as it is named.
pub(crate) fn in_repository(report: &Report, file: &str) -> String {
    if is_absolute(file) {
        return file.to_owned();
    }
    let mut parts: Vec<&str> = Vec::new();
    let before = report.path_in_repository.split('/');
    for part in before.chain(file.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts.join("/")
}

/// True of `/a` and of `C:/a`.
pub(crate) fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path.get(1..3) == Some(":/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_paths_are_told_from_names_with_a_colon() {
        for (path, absolute) in [
            ("/a", true),
            ("C:/a", true),
            ("a:b", false),
            ("é:/b", false),
        ] {
            assert_eq!(is_absolute(path), absolute, "{path}");
        }
    }
}
