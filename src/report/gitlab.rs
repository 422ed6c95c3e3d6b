//! The Code Quality report of GitLab: findings, and what the gate asks and is not known, since a
//! list without it would read as if all were well.

use std::io::{self, Write};

use serde::{Serialize, Serializer};

use crate::model::check::{Obligation, Severity};
use crate::model::report::Report;

use super::anchor::Anchors;
use super::fingerprint::fingerprint;
use super::gaps;
use super::json::Covering;
use super::standing::{Level, Standing};
use super::view::{Found, View};
use super::visible;

/// One entry.
#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: &'static str,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
}

/// The entries, made one by one while they are written.
struct Issues<'v, 'r>(&'v View<'r>, Anchors<'v, 'r>);

/// Writes the list with a line end behind it.
///
/// # Errors
/// Whatever `out` returns.
pub(super) fn write_to(report: &Report, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let view = View::new(report);
    let issues = Issues(&view, Anchors::new(&view));
    let mut covered = Covering::new(io::BufWriter::new(out));
    serde_json::to_writer_pretty(&mut covered, &issues)?;
    covered.write_all(b"\n")?;
    covered.flush()
}

impl Serialize for Issues<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Issues(view, anchors) = self;
        let found = view.found().map(|(found, standing)| {
            let Found {
                obligation,
                finding,
            } = found;
            let level = standing.level(finding.severity);
            issue(
                view,
                anchors,
                obligation,
                severity(standing, level),
                &finding.sentence,
            )
        });
        let open = view.open.iter().filter_map(|obligation| {
            let reason = gaps::reason_of(obligation)?;
            let level = Standing::Open.level(Severity::Error);
            let says = format!("not known: {}", reason.sentence);
            Some(issue(
                view,
                anchors,
                obligation,
                severity(Standing::Open, level),
                &says,
            ))
        });
        let unsaid = view.unsaid.iter().map(|row| Issue {
            description: visible::sentence(&format!(
                "{}: not known: {}",
                view.effect_title(row),
                row.reason
            )),
            check_name: "effect",
            fingerprint: fingerprint("effect", &row.facts.effect.id.0),
            severity: severity(Standing::Open, Level::Warning),
            location: location(
                anchors
                    .of_place(&row.facts.effect.place)
                    .unwrap_or_else(|| anchors.nearest()),
            ),
        });
        serializer.collect_seq(found.chain(open).chain(unsaid))
    }
}

fn issue<'r>(
    view: &View<'r>,
    anchors: &Anchors<'_, 'r>,
    obligation: &'r Obligation,
    severity: &'static str,
    says: &str,
) -> Issue {
    Issue {
        description: visible::sentence(&format!(
            "{}: {says}",
            view.subject_title(&obligation.subject)
        )),
        check_name: obligation.check.id,
        fingerprint: fingerprint(obligation.check.id, &obligation.subject.to_string()),
        severity,
        location: location(anchors.of(obligation)),
    }
}

fn location(at: super::anchor::Anchor<'_>) -> Location {
    Location {
        lines: Lines { begin: at.line() },
        path: at.path,
    }
}

fn severity(standing: Standing, level: Level) -> &'static str {
    match (standing, level) {
        (Standing::Blocks, _) => "blocker",
        (Standing::Open, _) => "major",
        (_, Level::Error | Level::Warning) => "minor",
        (_, Level::Note) => "info",
    }
}
