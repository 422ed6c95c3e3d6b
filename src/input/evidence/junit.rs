//! JUnit XML, in the dialects of surefire, pytest, jest and nextest.
//!
//! Read as a stream. A document that declares entities is refused: nothing of it is expanded, so
//! its names would not be what their author meant.

use std::sync::Arc;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::{FileResult, claims, moment, problem};
use crate::model::evidence::Reason;
use crate::model::tests::{Moment, TestOutcome, TestRun};
use crate::model::text::TextFile;

/// Results nest in suites of suites; deeper than this nothing that is meant does.
const MAX_DEPTH: usize = 64;

/// What a suite says of its tests.
#[derive(Debug, Default, Clone)]
struct Suite {
    name: Arc<str>,
    at: Option<Moment>,
    commit: Option<Arc<str>>,
    digests: Vec<Arc<str>>,
}

struct Junit<'f> {
    file: &'f TextFile,
    runs: Vec<TestRun>,
    suites: Vec<Suite>,
    /// Names of the elements that are open.
    open: Vec<String>,
    /// True while a test case is open: the last of the runs.
    in_test: bool,
}

/// Reads the whole file.
pub(super) fn read(file: &TextFile) -> FileResult {
    let mut reader = Reader::from_str(file.text());
    let mut junit = Junit {
        file,
        runs: Vec::new(),
        suites: vec![Suite::default()],
        open: Vec::new(),
        in_test: false,
    };
    let mut rooted = false;
    loop {
        let at = reader.buffer_position() as usize;
        let event = reader.read_event().map_err(|error| {
            let at = reader.error_position() as usize;
            junit.broken(at, &format!("is no XML that is whole: {error}"))
        })?;
        match event {
            Event::Start(tag) => {
                junit.start(&tag, at, &mut rooted)?;
                if junit.open.len() >= MAX_DEPTH {
                    return Err(junit.broken(at, "nests deeper than test results do"));
                }
                junit.open.push(tag.local_name().as_ref().to_owned());
            }
            Event::Empty(tag) => {
                junit.start(&tag, at, &mut rooted)?;
                junit.end(tag.local_name().as_ref());
            }
            Event::End(tag) => {
                junit.open.pop();
                junit.end(tag.local_name().as_ref());
            }
            Event::DocType(text) if text.contains("<!ENTITY") => {
                return Err(
                    junit.broken(at, "declares entities of its own, which are not expanded")
                );
            }
            Event::Eof => break,
            _ => {}
        }
    }
    if let Some(open) = junit.open.last() {
        let what = format!("is cut off: <{open}> is not closed");
        return Err(junit.broken(file.text().len(), &what));
    }
    if !rooted {
        return Err(junit.broken(0, "holds no element <testsuites>"));
    }
    Ok(junit.runs)
}

impl Junit<'_> {
    fn broken(&self, at: usize, what: &str) -> Box<Reason> {
        problem(self.file, at, format!("`{}` {what}", self.file.path))
    }

    fn start(
        &mut self,
        tag: &BytesStart<'_>,
        at: usize,
        rooted: &mut bool,
    ) -> Result<(), Box<Reason>> {
        let local = tag.local_name();
        let name: &str = local.as_ref();
        if !*rooted && !matches!(name, "testsuites" | "testsuite") {
            let what = format!("is XML of another kind: its root is <{name}>, not <testsuites>");
            return Err(self.broken(at, &what));
        }
        *rooted = true;
        match name {
            "testsuites" | "testsuite" => self.suite(tag, at)?,
            "testcase" => self.test(tag, at)?,
            "property" => self.property(tag, at)?,
            _ if self.in_test => self.result(name),
            _ => {}
        }
        Ok(())
    }

    fn attribute(
        &self,
        tag: &BytesStart<'_>,
        name: &str,
        at: usize,
    ) -> Result<Option<String>, Box<Reason>> {
        let broken = |error: &dyn std::fmt::Display| {
            self.broken(
                at,
                &format!("has an attribute `{name}` that cannot be read: {error}"),
            )
        };
        let found = tag
            .try_get_attribute(name)
            .map_err(|error| broken(&error))?;
        found
            .map(|attribute| {
                let value = attribute.normalized_value(XmlVersion::Implicit1_0);
                value
                    .map(|value| value.into_owned())
                    .map_err(|error| broken(&error))
            })
            .transpose()
    }

    fn suite(&mut self, tag: &BytesStart<'_>, at: usize) -> Result<(), Box<Reason>> {
        let outer = self.suites.last().cloned().unwrap_or_default();
        let time = self.attribute(tag, "timestamp", at)?;
        let name = self.attribute(tag, "name", at)?;
        self.suites.push(Suite {
            name: name.map_or(outer.name, Arc::from),
            at: time.as_deref().and_then(moment::parse).or(outer.at),
            commit: outer.commit,
            digests: outer.digests,
        });
        Ok(())
    }

    fn test(&mut self, tag: &BytesStart<'_>, at: usize) -> Result<(), Box<Reason>> {
        let name = self.attribute(tag, "name", at)?.unwrap_or_default();
        let class = self.attribute(tag, "classname", at)?;
        let time = self.attribute(tag, "timestamp", at)?;
        let status = self.attribute(tag, "status", at)?;
        let suite = self.suites.last().cloned().unwrap_or_default();
        let group = class.filter(|class| !class.is_empty());
        let group = group.map_or(suite.name, Arc::from);
        // Word of gtest and of bazel for what was not run.
        let left_out = matches!(status.as_deref(), Some("notrun" | "skipped" | "disabled"));
        let claims = claims::in_name(&name);
        let end = at + 1 + tag.len();
        self.runs.push(TestRun {
            source: None,
            id: match group.is_empty() {
                true => Arc::from(name.as_str()),
                false => format!("{group}.{name}").into(),
            },
            name: name.into(),
            outcome: match left_out {
                true => TestOutcome::Skipped,
                false => TestOutcome::Passed,
            },
            at: time.as_deref().and_then(moment::parse).or(suite.at),
            commit: suite.commit,
            digests: suite.digests,
            claims,
            place: self.file.place(at as u32, end as u32),
        });
        self.in_test = true;
        Ok(())
    }

    /// An element inside a test case that tells what came of it; the worst counts.
    fn result(&mut self, name: &str) {
        let outcome = match name {
            "failure" | "error" | "rerunFailure" | "rerunError" => TestOutcome::Failed,
            "flakyFailure" | "flakyError" => TestOutcome::Flaky,
            "skipped" => TestOutcome::Skipped,
            _ => return,
        };
        if let Some(run) = self.runs.last_mut() {
            run.outcome = run.outcome.max(outcome);
        }
    }

    /// Of a test; of a suite only what it ran on, which holds for the tests behind it.
    fn property(&mut self, tag: &BytesStart<'_>, at: usize) -> Result<(), Box<Reason>> {
        let name = self.attribute(tag, "name", at)?;
        let Some(name @ (claims::PROPERTY | claims::COMMIT | claims::DIGESTS)) = name.as_deref()
        else {
            return Ok(());
        };
        let value = self.attribute(tag, "value", at)?.unwrap_or_default();
        let value = value.trim();
        let run = self.runs.last_mut().filter(|_| self.in_test);
        match (name, run) {
            (claims::PROPERTY, Some(run)) => run.claims.extend(claims::claim(value)),
            (claims::PROPERTY, None) => {
                return Err(self.broken(
                    at,
                    "has the property `redelivery` on a suite: it belongs to a test case",
                ));
            }
            (claims::DIGESTS, Some(run)) => run.digests.extend(claims::digests(value)),
            (claims::DIGESTS, None) => {
                if let Some(suite) = self.suites.last_mut() {
                    suite.digests.extend(claims::digests(value));
                }
            }
            (_, Some(run)) => run.commit = Some(Arc::from(value)),
            (_, None) => {
                if let Some(suite) = self.suites.last_mut() {
                    suite.commit = Some(Arc::from(value));
                }
            }
        }
        Ok(())
    }

    fn end(&mut self, name: &str) {
        match name {
            "testcase" => self.in_test = false,
            "testsuite" | "testsuites" => {
                self.suites.pop();
            }
            _ => {}
        }
    }
}
