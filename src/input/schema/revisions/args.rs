//! Arguments of a call, and calls that reach no database.

use crate::model::source::{Call, Expr, ExprKind};

/// The arguments of a call.
#[derive(Clone, Copy)]
pub(super) struct Args<'a>(pub(super) &'a Call);

impl<'a> Args<'a> {
    /// The argument at a position, or of a name.
    pub(super) fn get(self, at: usize, name: &str) -> Option<&'a Expr> {
        self.positional().nth(at).or_else(|| self.named(name))
    }

    /// The argument of a name.
    pub(super) fn named(self, name: &str) -> Option<&'a Expr> {
        let (at, _) = self.0.named.iter().find(|(_, known)| &**known == name)?;
        self.0.args.get(*at)
    }

    /// The arguments without a name, in order.
    pub(super) fn positional(self) -> impl Iterator<Item = &'a Expr> {
        let named = &self.0.named;
        let all = self.0.args.iter().enumerate();
        all.filter(move |(at, _)| !named.iter().any(|(known, _)| known == at))
            .map(|(_, arg)| arg)
    }

    /// True if some of them are made at run time: `*rest`, `**rest`.
    pub(super) fn are_open(self) -> bool {
        let mut names = self.0.named.iter();
        names.any(|(_, name)| matches!(&**name, "*" | "**"))
    }
}

/// Packages of the standard library whose calls reach no database.
const HARMLESS: [&str; 48] = [
    "abc",
    "ast",
    "base64",
    "bisect",
    "calendar",
    "collections",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "glob",
    "gzip",
    "hashlib",
    "heapq",
    "html",
    "inspect",
    "io",
    "itertools",
    "json",
    "locale",
    "logging",
    "math",
    "mimetypes",
    "numbers",
    "operator",
    "os",
    "pathlib",
    "pprint",
    "random",
    "re",
    "secrets",
    "shutil",
    "statistics",
    "string",
    "sys",
    "tempfile",
    "textwrap",
    "time",
    "traceback",
    "types",
    "typing",
    "unicodedata",
    "uuid",
];

/// Further ones, with a part behind the first.
const HARMLESS_PARTS: [&str; 4] = ["urllib.parse", "warnings", "zlib", "zoneinfo"];

/// True if a call of that qualified name reaches no database.
pub(super) fn is_harmless(name: &str) -> bool {
    let package = name.split('.').next().unwrap_or_default();
    let within = |known: &&str| {
        let rest = name.strip_prefix(*known);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    HARMLESS.contains(&package) || HARMLESS_PARTS.iter().any(within)
}

/// True if the last part of what is called is that name.
pub(super) fn names_are(call: &Call, name: &str) -> bool {
    matches!(&call.callee.kind, ExprKind::Field { name: last, .. } if &**last == name)
}

/// True if a text of which this is the beginning moves data, and is one statement.
pub(super) fn moves_data(beginning: &str) -> bool {
    const VERBS: [&str; 6] = ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "MERGE"];
    let word: String = beginning
        .trim_start()
        .chars()
        .take_while(char::is_ascii_alphabetic)
        .collect();
    VERBS.contains(&&*word.to_ascii_uppercase()) && !beginning.contains(';')
}

/// `None`.
pub(super) fn is_none(of: &Expr) -> bool {
    matches!(of.kind, ExprKind::Nil)
}
