//! Results of tests, as their runners wrote them, and what people say that they show.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;

use super::consumer::ConsumerId;
use super::evidence::{Evidence, Reason};
use super::place::Place;

/// All results that were read.
#[derive(Debug, Default, Clone)]
pub struct TestResults {
    /// One entry per test, in the order of the files.
    pub runs: Vec<TestRun>,
    /// The commits of the audited tree, where they are known.
    pub source: Option<SourceState>,
    /// When the results were read, in seconds since 1970 (UTC); none if there is no clock.
    pub read_at: Option<i64>,
}

/// The state of the source that tests must have run on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceState {
    /// Id of the commit that is checked out.
    pub commit: Arc<str>,
    /// Id of the commit that last changed the audited directory.
    pub changed_by: Arc<str>,
    /// When the audited directory last changed, in seconds since 1970 (UTC).
    pub changed_at: i64,
    /// When the commit that is checked out was made, in seconds since 1970 (UTC).
    pub head_at: i64,
    /// True if something of the audited directory is in no commit.
    pub uncommitted: bool,
}

/// One test and what came of it.
#[derive(Debug, Clone)]
pub struct TestRun {
    /// Class, package or binary, and the test's name, joined by a dot.
    pub id: Arc<str>,
    /// The name alone.
    pub name: Arc<str>,
    /// What came of it.
    pub outcome: TestOutcome,
    /// When it ran, where the result says so.
    pub at: Option<Moment>,
    /// The commit it says it ran on.
    pub commit: Option<Arc<str>>,
    /// The digests of what it says it ran with.
    pub digests: Vec<Arc<str>>,
    /// What its annotations say it shows.
    pub claims: Vec<TestClaim>,
    /// What its source shows, or why that shows nothing; none where it was not read.
    pub source: Option<Result<Arc<TestSource>, Arc<Reason>>>,
    /// Where the result stands.
    pub place: Place,
}

/// What the source of a test shows.
#[derive(Debug, Clone)]
pub struct TestSource {
    /// The second delivery, and the assertion behind it.
    pub evidence: Arc<Evidence>,
    /// How the event is delivered again, by what the code does.
    pub grades: BTreeSet<Grade>,
    /// Why it is not delivered again in another way.
    pub not: BTreeMap<Grade, String>,
    /// The consumers that the event is handed to; none where it goes by a bus, to all of them.
    pub to: Option<BTreeSet<ConsumerId>>,
}

impl TestRun {
    /// The function that holds the test: its name without modules, parts and parameters.
    pub fn function(&self) -> &str {
        let name = self.name.split(['/', '[', '(']).next().unwrap_or_default();
        let name = name.rsplit("::").next().unwrap_or(name);
        name.rsplit('.').next().unwrap_or(name).trim()
    }
}

impl TestResults {
    /// The functions that hold the tests.
    pub fn functions(&self) -> BTreeSet<&str> {
        self.runs.iter().map(TestRun::function).collect()
    }
}

/// What came of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TestOutcome {
    /// It passed.
    Passed,
    /// It was left out.
    Skipped,
    /// It began, and no end of it is told.
    Unfinished,
    /// It passed after it had failed.
    Flaky,
    /// It failed.
    Failed,
}

/// A time as a result tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Seconds since 1970; in UTC if the zone is known, else of a clock somewhere on earth.
    pub seconds: i64,
    /// True if it names its zone.
    pub zoned: bool,
}

/// What an annotation says that a test shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestClaim {
    /// Id of an effect or a consumer, as it was annotated.
    pub subject: Arc<str>,
    /// How the event is delivered again.
    pub grade: Grade,
}

/// How a redelivery test delivers the event again, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// Twice, one after the other.
    #[default]
    Sequential,
    /// Twice at the same time.
    Concurrent,
    /// Again after a run that was cut off half-way.
    AfterPrefix,
}

/// What the tests say of each effect.
#[derive(Debug, Default, Clone)]
pub struct RedeliveryTests {
    /// Lists of links by subject: an effect's id, a consumer's, or a flow's name, as [`plain`] has it.
    pub links: HashMap<String, Vec<TestLink>>,
    /// Why a test that the configuration names is not among the results, by the same subjects.
    pub missing: HashMap<String, Arc<Reason>>,
    /// A few tests that speak of redelivery by their name, and of which nothing says what they show.
    pub by_name: Vec<Arc<str>>,
    /// A few annotations that name no effect and no consumer: one sentence each.
    pub strange: Vec<String>,
}

/// A test that is said to deliver the event of an effect again.
#[derive(Debug, Clone)]
pub struct TestLink {
    /// The test.
    pub run: Arc<TestRun>,
    /// How the event is delivered again.
    pub grade: Grade,
    /// Why its result may not speak of the audited source; none if it does.
    pub doubt: Option<Arc<Reason>>,
}

/// A subject as runners of tests write it: they put underscores for spaces.
pub fn plain(subject: &str) -> String {
    subject.replace(' ', "_")
}

impl Grade {
    /// Every grade, the weakest first.
    pub const ALL: [Grade; 3] = [Grade::Sequential, Grade::Concurrent, Grade::AfterPrefix];

    /// The word used in configuration, annotations and reports.
    pub fn word(self) -> &'static str {
        match self {
            Grade::Sequential => "sequential",
            Grade::Concurrent => "concurrent",
            Grade::AfterPrefix => "after-prefix",
        }
    }

    /// The grade of that word.
    pub fn of(word: &str) -> Option<Grade> {
        Grade::ALL.into_iter().find(|grade| grade.word() == word)
    }
}

impl fmt::Display for TestOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TestOutcome::Passed => "passed",
            TestOutcome::Skipped => "was skipped",
            TestOutcome::Unfinished => "began, and no end of it is told",
            TestOutcome::Flaky => "passed only after it had failed",
            TestOutcome::Failed => "failed",
        })
    }
}

/// True if a pattern fits a text: `*` stands for any stretch of it, everything else for itself.
/// Linear in the text for each star.
pub fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod patterns {
    use super::fits;

    #[test]
    fn a_star_is_any_stretch_and_brackets_are_themselves() {
        for (pattern, text, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("*b", "ab", true),
            ("a*b", "ab", true),
            ("ab*b", "ab", false),
            ("a*c*e", "abcde", true),
            ("a*e*c", "abcde", false),
            ("*", "", true),
            ("", "a", false),
            ("test[a-1]", "test[a-1]", true),
            ("test[*]", "test[a-1]", true),
            ("*.convert", "crm.convert_twice", false),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
        }
    }
}
