//! Crates and module paths of Rust: what a `Cargo.toml` and the place of a file say.

use std::sync::Arc;

/// The name by which code calls the crate of a manifest: of its library, else of its package.
pub(in crate::input::source) fn crate_name(manifest: &str) -> Option<Arc<str>> {
    let mut section = "";
    let mut package = None;
    let mut library = None;
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line.split('#').next().unwrap_or_default().trim();
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        if key.trim() != "name" {
            continue;
        }
        let value = value.trim();
        let name = ['"', '\''].iter().find_map(|quote| {
            let inner = value.strip_prefix(*quote)?;
            inner.split(*quote).next()
        });
        match section {
            "[package]" => package = package.or(name),
            "[lib]" => library = library.or(name),
            _ => {}
        }
    }
    let name = library.or(package).filter(|name| !name.is_empty())?;
    Some(name.replace('-', "_").into())
}

/// The module path of a file, by its path from the directory of the manifest. Binaries, tests,
/// examples and benches are crates of their own, named as Cargo names them.
pub(in crate::input::source) fn module_path(crate_name: &str, file: &str) -> Arc<str> {
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    let mut parts: Vec<&str> = stem.split('/').collect();
    let own_crate = match parts.as_slice() {
        ["src", "bin", ..] => Some(2),
        ["src", ..] => None,
        ["tests" | "benches" | "examples", _, ..] => Some(1),
        _ => None,
    };
    let root = match own_crate {
        Some(skip) => {
            parts.drain(..skip);
            parts.remove(0).replace('-', "_")
        }
        None => {
            if parts.first() == Some(&"src") {
                parts.remove(0);
            }
            crate_name.to_owned()
        }
    };
    let in_root = parts.len() == 1;
    match parts.last() {
        Some(&"mod") => drop(parts.pop()),
        Some(&("lib" | "main")) if in_root => drop(parts.pop()),
        _ => {}
    }
    parts.insert(0, &root);
    parts.join("::").into()
}
