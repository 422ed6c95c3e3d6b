//! The function that a result of a test speaks of, by the names that runners of tests write.

use crate::facts::source::program::{FnId, Program};
use crate::model::source::{Function, Language};
use crate::model::tests::{TestRun, plain};

/// Attributes that leave a test out.
const LEFT_OUT: &[&str] = &["ignore", "pytest.mark.skip", "unittest.skip", "skip"];

/// What a result names.
#[derive(Debug)]
pub(super) struct Named {
    /// The function.
    pub(super) function: String,
    /// The part of it, as Go has parts.
    pub(super) part: Option<String>,
    /// All that stands before the function, with one dot between two names.
    path: String,
}

impl Named {
    /// `TestA/part`, `module::test`, `test_a[param]`, with the class or package before it.
    pub(super) fn of(run: &TestRun) -> Self {
        let function = run.function();
        let part = run.name.split_once('/').map(|(_, part)| plain(part));
        let before = run.id.find(function).unwrap_or_default();
        let path = run.id.get(..before).unwrap_or_default();
        let path = path.replace("::", ".").replace(['/', '$'], ".");
        Self {
            function: function.to_owned(),
            part,
            path: path.trim_matches('.').to_owned(),
        }
    }

    /// True of a function of that name.
    pub(super) fn is(&self, program: &Program<'_>, id: FnId) -> bool {
        let function = program.function(id);
        let in_class = program.file(id).language == Language::Python;
        *function.name == *self.function && (in_class || function.owner.is_none())
    }

    /// Those whose package is the one named, where one is; all of them else.
    pub(super) fn best(&self, program: &Program<'_>, found: Vec<FnId>) -> Vec<FnId> {
        if found.len() < 2 {
            return found;
        }
        let fits = |id: &FnId| {
            let package = program
                .file(*id)
                .package
                .replace("::", ".")
                .replace('/', ".");
            let owner = program.function(*id).owner.as_deref();
            let full = owner.map_or_else(|| package.clone(), |owner| format!("{package}.{owner}"));
            ends_with(&self.path, &full) || ends_with(&full, &self.path)
        };
        let fitting: Vec<FnId> = found.iter().copied().filter(fits).collect();
        match fitting.is_empty() {
            true => found,
            false => fitting,
        }
    }
}

fn ends_with(long: &str, short: &str) -> bool {
    let before = long.strip_suffix(short);
    !short.is_empty() && before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// The attribute that leaves a test out, where it has one.
pub(super) fn skipped(function: &Function) -> Option<&str> {
    let mut attributes = function.attributes.iter().map(|text| &**text);
    attributes.find(|text| {
        let word = text.trim_start_matches('@');
        let word = word.split(['(', '=', ' ']).next().unwrap_or(word);
        LEFT_OUT.contains(&word)
    })
}
