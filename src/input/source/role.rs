//! What a file is there for, by its path and by the marks in it.

use super::{go, python};
use crate::model::source::{FileRole, Language};

/// What a file is there for.
pub(super) fn role(name: &str, language: Language, text: &str) -> FileRole {
    let mut parts: Vec<&str> = name.split('/').collect();
    let file = parts.pop().unwrap_or_default();
    let within = |names: &[&str]| parts.iter().any(|part| names.contains(part));
    if within(&[
        "vendor",
        "third_party",
        "node_modules",
        "site-packages",
        "_vendor",
    ]) {
        return FileRole::Vendored;
    }
    let (test, generated) = match language {
        Language::Go => (
            file.ends_with("_test.go")
                || within(&["testdata"])
                || go::names::package_clause(text) == Some("mocks"),
            go::names::is_generated(text),
        ),
        Language::Python => (
            python::roles::is_test(file, &parts),
            python::roles::is_generated(file, text),
        ),
        Language::Rust => (
            within(&["tests", "benches"]),
            text.lines()
                .take(10)
                .any(|line| line.contains("@generated")),
        ),
    };
    if test {
        FileRole::Test
    } else if generated {
        FileRole::Generated
    } else {
        FileRole::Product
    }
}
