//! Packages of Go: the module a file belongs to, and the name an import has in a file.

use std::sync::Arc;

/// The path that a `go.mod` gives to its module.
pub(in crate::input::source) fn module_path(text: &str) -> Option<Arc<str>> {
    let mut in_block = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let named = match line.strip_prefix("module") {
            Some(rest) if rest.trim_start().starts_with('(') => {
                in_block = true;
                continue;
            }
            Some(rest) if rest.starts_with([' ', '\t', '"', '`']) => rest.trim(),
            _ if in_block && !line.is_empty() => line,
            _ => continue,
        };
        let path = named.trim_matches(['"', '`', ')', ' ']);
        return (!path.is_empty()).then(|| path.into());
    }
    None
}

/// The name in the package clause; the text may be cut behind it.
pub(in crate::input::source) fn package_clause(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n')?.1;
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/")?.1;
        } else {
            let name = rest.strip_prefix("package")?;
            let name = name.strip_prefix([' ', '\t'])?.trim_start();
            let end = name.find(|c: char| !is_part(c)).unwrap_or(name.len());
            return name.get(..end).filter(|name| !name.is_empty());
        }
    }
}

/// True if a generator left its mark, as `go help generate` words it.
pub(in crate::input::source) fn is_generated(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_end);
    lines
        .by_ref()
        .take_while(|line| !line.starts_with("package "))
        .any(|line| line.starts_with("// Code generated ") && line.ends_with(" DO NOT EDIT."))
}

/// The qualified package of an import path: within the file's own module, by the module's name.
pub(super) fn renamed(path: &str, module: &Option<(Arc<str>, Arc<str>)>) -> Arc<str> {
    let own = module.as_ref().and_then(|(declared, own)| {
        let rest = path.strip_prefix(&**declared)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| format!("{own}{rest}").into())
    });
    own.unwrap_or_else(|| path.into())
}

/// The name that an import without one has: a package may call itself otherwise than its path
/// ends, so of the usual names the one that the file uses.
pub(super) fn import_name<'p>(path: &'p str, text: &str) -> &'p str {
    let names = likely_names(path);
    let used = names.iter().find(|name| is_used(name, text));
    used.or(names.first()).copied().unwrap_or(path)
}

/// Names that a package of this path is likely to give itself, the likeliest first.
fn likely_names(path: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut segments = path.rsplit('/');
    let last = segments.next().unwrap_or_default();
    let segment = match segments.next() {
        Some(before) if is_version(last) => before,
        _ => last,
    };
    let segment = match segment.rsplit_once('.') {
        Some((stem, version)) if is_version(version) => stem,
        _ => segment,
    };
    let without = segment.strip_prefix("go-").or(segment.strip_prefix("go."));
    let without = without.unwrap_or(segment);
    let without = ["-go", ".go", "-golang"]
        .iter()
        .find_map(|ending| without.strip_suffix(ending))
        .unwrap_or(without);
    let parts = without.split(['-', '.']);
    let ends = [parts.clone().next_back(), parts.clone().next()];
    for name in [Some(segment), Some(without), Some(last)]
        .into_iter()
        .chain(ends)
        .flatten()
    {
        let is_name = name.chars().all(is_part) && !name.starts_with(|c: char| c.is_ascii_digit());
        if is_name && !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn is_version(segment: &str) -> bool {
    let digits = segment.strip_prefix('v').unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_part(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// True if `name.` stands somewhere in the text.
fn is_used(name: &str, text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(bytes, name.as_bytes()).any(|at| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        bytes.get(at + name.len()) == Some(&b'.')
            && !before.is_some_and(|c| is_part(c) || matches!(c, '.' | '/' | '"' | '-'))
    })
}
