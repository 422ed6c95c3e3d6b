//! Settings of deployments: which databases the named ones lead to. Files of environments and of
//! configuration below the root are read line by line; what is secret in them is dropped at once.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::WalkBuilder;

use super::files::{Limits, read_plain, relative};
use crate::model::evidence::{InputKind, Reason};
use crate::model::settings::{Address, Setting};
use crate::model::text::TextFile;

/// Folders deeper than this hold no settings of a deployment.
const MAX_DEPTH: usize = 6;
/// Endings of files that hold settings.
const ENDINGS: &[&str] = &[
    "env",
    "ini",
    "cfg",
    "conf",
    "toml",
    "yaml",
    "yml",
    "properties",
    "json",
];

/// What was found, and what could not be read.
#[derive(Debug, Default)]
pub struct Settings {
    /// The settings, in the order of files.
    pub found: Vec<Setting>,
    /// Files of environments that could not be read.
    pub unread: Vec<Arc<Reason>>,
}

/// Reads the settings of these names below a root.
pub fn read(root: &Path, limits: &Limits, names: &[Arc<str>]) -> Settings {
    let mut out = Settings::default();
    if names.is_empty() || !root.is_dir() {
        return out;
    }
    for (name, path) in files(root, limits) {
        match read_plain(&path, &name, limits, InputKind::Configuration) {
            Ok(text) => {
                let text = TextFile::new(Arc::clone(&name), text);
                in_file(&text, names, &mut out.found);
            }
            // Other files may be anything.
            Err(reason) if name.contains(".env") => out.unread.push(Arc::new(*reason)),
            Err(_) => {}
        }
    }
    out
}

fn files(root: &Path, limits: &Limits) -> BTreeMap<Arc<str>, PathBuf> {
    let mut found = BTreeMap::new();
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .parents(false)
        .git_global(false)
        .git_exclude(false)
        .require_git(false)
        .max_depth(Some(MAX_DEPTH))
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    let seen = walk
        .take(limits.max_files)
        .flatten()
        .map(ignore::DirEntry::into_path);
    // What git leaves out is what a deployment really uses.
    let beside = fs::read_dir(root)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    for path in seen.chain(beside) {
        if path.is_file() && is_settings(&path) {
            found.insert(relative(&path, root), path);
        }
    }
    found
}

fn is_settings(path: &Path) -> bool {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let ending = name.rsplit('.').next().unwrap_or_default();
    // The audit's own files name settings and give none.
    let own = name == super::config::FILE_NAME || name == "guarantee.yaml";
    !own && (name.starts_with(".env") || ENDINGS.contains(&ending))
}

fn in_file(text: &TextFile, names: &[Arc<str>], found: &mut Vec<Setting>) {
    let mut start = 0usize;
    for line in text.text().split_inclusive('\n') {
        let own = line.trim_start();
        let at = start + (line.len() - own.len());
        start += line.len();
        if own.starts_with(['#', ';']) {
            continue;
        }
        let bare = own.trim_start_matches("- ").trim_start_matches("export ");
        let bare = bare.trim_start_matches(['"', '\'', ' ']);
        for name in names {
            let Some(rest) = bare.strip_prefix(&**name) else {
                continue;
            };
            let rest = rest.trim_start_matches(['"', '\'']).trim_start();
            let Some(value) = rest.strip_prefix(['=', ':']) else {
                continue;
            };
            let from = at + own.len() - bare.len();
            found.push(Setting {
                name: Arc::clone(name),
                place: text.place(from as u32, (from + name.len()) as u32),
                addresses: addresses(plain(value)),
            });
        }
    }
}

/// A value without quotes, comments and commas behind it.
fn plain(value: &str) -> &str {
    let value = value.trim().trim_end_matches(',').trim_end();
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote) {
            return inner.split(quote).next().unwrap_or(inner);
        }
    }
    value.split(" #").next().unwrap_or(value).trim()
}

/// The addresses of a DSN; none where it is put together elsewhere.
fn addresses(value: &str) -> Option<Vec<Address>> {
    if value.is_empty() || value.contains("${") || value.contains("{{") || value.starts_with('$') {
        return None;
    }
    match value.split_once("://") {
        Some((_, rest)) => Some(of_url(rest)),
        None => of_words(value),
    }
}

fn of_url(rest: &str) -> Vec<Address> {
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let parameters: Vec<(Arc<str>, Arc<str>)> = query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .filter(|(name, _)| !is_secret(name))
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    // A password may hold a `/` or an `@`; what stands behind the last `@` of the whole is the host.
    let hosts = rest.rsplit_once('@').map_or(rest, |(_, hosts)| hosts);
    let hosts = hosts.split('/').next().unwrap_or(hosts);
    hosts
        .split(',')
        .map(|host| {
            let (name, port) = match host.rsplit_once(':') {
                Some((name, port)) if port.bytes().all(|it| it.is_ascii_digit()) => {
                    (name, Some(port))
                }
                _ => (host, None),
            };
            let given = parameters.iter().find(|(known, _)| &**known == "port");
            Address {
                host: (!name.is_empty()).then(|| name.into()),
                port: port
                    .map(Arc::from)
                    .or_else(|| given.map(|(_, port)| Arc::clone(port))),
                parameters: parameters.clone(),
            }
        })
        .collect()
}

/// `host=db port=6543 dbname=app`.
fn of_words(value: &str) -> Option<Vec<Address>> {
    let mut address = Address::default();
    for pair in value.split_whitespace() {
        let (name, value) = pair.split_once('=')?;
        match name {
            "host" | "hostaddr" => address.host = Some(value.into()),
            "port" => address.port = Some(value.into()),
            name if is_secret(name) => {}
            name => address.parameters.push((name.into(), value.into())),
        }
    }
    Some(vec![address])
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["pass", "key", "secret", "token", "user", "cert"]
        .iter()
        .any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(value: &str) -> Address {
        addresses(value)
            .and_then(|mut all| all.pop())
            .unwrap_or_default()
    }

    #[test]
    fn an_address_is_read_without_its_secrets() {
        let address = one(
            "postgresql://app:p@ss/w:6543@db.internal:5432/ledger?sslpassword=x&pgbouncer=true",
        );
        assert_eq!(address.host.as_deref(), Some("db.internal"));
        assert_eq!(address.port.as_deref(), Some("5432"));
        assert!(!format!("{address:?}").contains("ss/w"), "{address:?}");
        assert_eq!(address.parameters, [("pgbouncer".into(), "true".into())]);
        assert_eq!(
            one("host=db port=6543 password=x").port.as_deref(),
            Some("6543")
        );
        assert_eq!(addresses("${DATABASE_URL}"), None);
    }

    #[test]
    fn a_setting_is_found_in_every_spelling() {
        let text = "# A=postgres://x:1/d\nA=postgres://x:2/d\nexport A='postgres://x:3/d'\n  - A=postgres://x:4/d\n  A: \"postgres://x:5/d\"\nAB=postgres://x:6/d\n  \"A\": \"postgres://x:7/d\",\n";
        let mut found = Vec::new();
        in_file(
            &TextFile::new("f", text.to_owned()),
            &["A".into()],
            &mut found,
        );
        let ports: Vec<String> = found
            .iter()
            .filter_map(|it| Some(it.addresses.as_ref()?.first()?.port.as_ref()?.to_string()))
            .collect();
        assert_eq!(ports, ["2", "3", "4", "5", "7"]);
    }
}
