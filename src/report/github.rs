//! Annotations for a run of GitHub Actions: workflow commands, one a line.
//!
//! GitHub shows ten errors, ten warnings and ten notices of a step and drops the rest, so that no
//! more are written; the last line, which is no command, says how many there are.

use std::io;

use crate::model::check::Obligation;
use crate::model::report::{Report, Verdict};

use super::anchor::{Anchor, Anchors};
use super::fingerprint::fingerprint;
use super::standing::{Level, Standing};
use super::view::{Found, View};
use super::{gaps, headline, visible, words};

/// Annotations of one kind that GitHub shows of a step.
const MOST: usize = 10;

/// Longest title and message, in characters; GitHub takes 255 of a title.
const TITLE: usize = 200;
const MESSAGE: usize = 4_000;

/// Writes the annotations: first the verdict, then what holds the flag, what is not known, and what
/// is worth knowing.
///
/// # Errors
/// Whatever `out` returns.
pub(super) fn write_to(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let view = View::new(report);
    let anchors = Anchors::new(&view);
    let mut page = Page {
        out,
        errors: 0,
        warnings: 0,
        notices: 0,
        left_out: 0,
    };
    let level = match report.verdict {
        Verdict::Go => Level::Note,
        Verdict::Hold => Level::Error,
        Verdict::Unproven => Level::Warning,
    };
    let flag = report.flag.as_deref().map(|flag| format!(": {flag}"));
    page.command(
        level,
        None,
        &format!("{}{}", headline::verdict(report), flag.unwrap_or_default()),
        &headline::conditions(report),
    )?;
    for found in view.blockers.iter().flat_map(|one| &one.findings) {
        page.finding(&view, &anchors, found, Standing::Blocks)?;
    }
    for obligation in &view.open {
        page.told(&anchors, obligation, Level::Warning, "not known: ", || {
            let reason = gaps::reason_of(obligation);
            let about = view.subject_title(&obligation.subject);
            let lines = reason.map(|reason| {
                [
                    format!("{about}: {}", reason.sentence),
                    format!("next: {}", reason.next_step),
                ]
            });
            lines.into_iter().flatten().collect()
        })?;
    }
    for row in &view.unsaid {
        let at = anchors.of_place(&row.facts.effect.place);
        let message = format!("{}: {}", view.effect_title(row), row.reason);
        let message = visible::sentence(&message);
        page.command(Level::Warning, at.as_ref(), "not known", &message)?;
    }
    for found in &view.advisory {
        page.finding(&view, &anchors, found, Standing::Advisory)?;
    }
    page.end()
}

struct Page<'o> {
    out: &'o mut dyn io::Write,
    errors: usize,
    warnings: usize,
    notices: usize,
    left_out: usize,
}

impl Page<'_> {
    fn finding(
        &mut self,
        view: &View<'_>,
        anchors: &Anchors<'_, '_>,
        found: &Found<'_>,
        standing: Standing,
    ) -> io::Result<()> {
        let Found {
            obligation,
            finding,
        } = found;
        let level = standing.level(finding.severity);
        self.told(anchors, obligation, level, "", || {
            let about = view.subject_title(&obligation.subject);
            let mut lines = vec![format!("{about}: {}", finding.sentence)];
            let steps = finding.interleaving.iter();
            lines.extend(steps.map(|step| format!("{} {}", step.actor, step.does)));
            let first = finding.repairs.first().into_iter().flatten();
            lines.extend(first.map(|change| format!("fix: {}", change.title)));
            lines
        })
    }

    /// One obligation; its lines are made only if they are shown.
    fn told(
        &mut self,
        anchors: &Anchors<'_, '_>,
        obligation: &Obligation,
        level: Level,
        before: &str,
        lines: impl FnOnce() -> Vec<String>,
    ) -> io::Result<()> {
        if *self.count(level) >= MOST {
            self.left_out += 1;
            return Ok(());
        }
        let id = obligation.check.id;
        let print = fingerprint(id, &obligation.subject.to_string());
        let lines = lines();
        let shown: Vec<String> = lines.iter().map(|line| visible::sentence(line)).collect();
        self.command(
            level,
            Some(&anchors.of(obligation)),
            &format!("{before}{id} ({print})"),
            &shown.join("\n"),
        )
    }

    fn count(&mut self, level: Level) -> &mut usize {
        match level {
            Level::Error => &mut self.errors,
            Level::Warning => &mut self.warnings,
            Level::Note => &mut self.notices,
        }
    }

    /// One command; the lines of the message are already as they shall be seen.
    fn command(
        &mut self,
        level: Level,
        at: Option<&Anchor<'_>>,
        title: &str,
        message: &str,
    ) -> io::Result<()> {
        if *self.count(level) >= MOST {
            self.left_out += 1;
            return Ok(());
        }
        *self.count(level) += 1;
        let word = match level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "notice",
        };
        let mut properties = Vec::new();
        if let Some(at) = at {
            properties.push(format!("file={}", property(&visible::visible(&at.path))));
            properties.extend(at.span.map(|span| {
                let (start, end) = (&span.start, &span.end);
                let lines = format!("line={},endLine={}", start.line, end.line);
                match start.line == end.line {
                    // The last column of an annotation is inside of it.
                    true => format!(
                        "{lines},col={},endColumn={}",
                        start.column,
                        end.column.saturating_sub(1).max(start.column)
                    ),
                    false => lines,
                }
            }));
        }
        let title = visible::cut(&visible::visible(title), TITLE);
        properties.push(format!("title={}", property(&title)));
        let message = data(&visible::cut(message, MESSAGE));
        writeln!(self.out, "::{word} {}::{message}", properties.join(","))
    }

    fn end(self) -> io::Result<()> {
        match self.left_out {
            0 => Ok(()),
            count => writeln!(
                self.out,
                "{} more not annotated: GitHub shows {MOST} of a kind; the other formats list all",
                words::grouped(count)
            ),
        }
    }
}

/// The text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The value of a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_ends_its_property_or_its_line() {
        assert_eq!(property("a:b,c%\r\n"), "a%3Ab%2Cc%25%0D%0A");
        assert_eq!(data("100%\n::error::x"), "100%25%0A::error::x");
    }
}
