//! One look at every byte of a file: which functions it declares, which names it calls or mentions,
//! which words its string literals hold. It tells code from comments and strings and knows no more
//! of a language, so it takes a fraction of the time of a tree, and says too much rather than too
//! little: whatever the tree of a file that parses declares and calls is in its scan.

mod go;
mod lex;
mod names;
mod python;
mod rust;

use std::sync::Arc;

pub use names::{NameKey, NameKeys};

use crate::model::source::{FileRole, Language};

/// What one look at a file shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScannedFile {
    /// Path relative to the audited root, with `/`.
    pub path: Arc<str>,
    /// Language.
    pub language: Language,
    /// What the file is there for.
    pub role: FileRole,
    /// Qualified name of its package or module.
    pub package: Arc<str>,
    /// Names and words in it.
    pub names: Names,
}

/// Names and words of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// Functions and methods that it declares.
    pub declares: NameKeys,
    /// Names that it calls, macros too, and some that it only indexes.
    pub calls: NameKeys,
    /// Other names in its code: a function that is handed on is one of them.
    pub mentions: NameKeys,
    /// Words of its string literals, in small letters.
    pub words: NameKeys,
    /// True if brackets or quotes do not close: then only a tree can tell what is code.
    pub torn: bool,
}

/// Looks at a text.
pub fn scan(language: Language, text: &str) -> Names {
    match language {
        Language::Go => go::scan(text.as_bytes()),
        Language::Python => python::scan(text.as_bytes()),
        Language::Rust => rust::scan(text.as_bytes()),
    }
}
