//! A case as its folder holds it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// What the audit and the engine have to say.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expect {
    /// The enforcer that the audit cites; without it and without `unknown`, nothing protects.
    pub(crate) guard: Option<String>,
    /// Enforcers that protect nothing, with the first rule that each fails.
    #[serde(default)]
    pub(crate) not_a_guard: BTreeMap<String, String>,
    /// The audit cannot tell: words of its reason.
    #[serde(default)]
    pub(crate) unknown: Vec<String>,
    /// What a second delivery does on the engine, and what the audit says unless it cannot tell.
    pub(crate) outcome: String,
    /// The code of the error: SQLSTATE, number or result code.
    pub(crate) code: Option<String>,
    /// True if the first delivery fails already.
    #[serde(default)]
    pub(crate) first_fails: bool,
    /// True if the audit says that no delivery makes a row.
    #[serde(default)]
    pub(crate) refused: bool,
    /// True if no delivery makes a row and none fails: the effect is lost.
    #[serde(default)]
    pub(crate) lost: bool,
    /// What becomes of another event: `swallowed`, `kept`.
    pub(crate) other: Option<String>,
    /// The check that says so of one that is swallowed.
    pub(crate) other_check: Option<String>,
    /// What a second delivery does after `meanwhile.sql`, which ends the guard.
    pub(crate) lapsed: Option<String>,
    /// True if a second delivery spends a number, kept or not.
    pub(crate) burns: Option<bool>,
    /// The first major version that runs it.
    #[serde(default)]
    pub(crate) since: u32,
}

/// One case.
pub(crate) struct Case {
    pub(crate) engine: String,
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) expect: Expect,
}

impl Case {
    pub(crate) fn path(&self) -> String {
        format!("fixtures/engines/{}/{}", self.engine, self.name)
    }

    /// The text of a file that it may have.
    pub(crate) fn may_have(&self, file: &str) -> Option<String> {
        let path = self.folder.join(file);
        path.exists()
            .then(|| fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}")))
    }

    /// The text of a file that it must have.
    pub(crate) fn text(&self, file: &str) -> String {
        self.may_have(file)
            .unwrap_or_else(|| panic!("{}: {file} is missing", self.path()))
    }
}

/// Every case of an engine.
pub(crate) fn all(engine: &str) -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/engines")
        .join(engine);
    let mut folders: Vec<PathBuf> = fs::read_dir(&root)
        .unwrap_or_else(|error| panic!("{}: {error}", root.display()))
        .map(|entry| entry.expect("an entry").path())
        .collect();
    folders.sort();
    folders
        .into_iter()
        .map(|folder| {
            let name = folder.file_name().expect("a name").to_string_lossy();
            let text = fs::read_to_string(folder.join("expect.yaml"))
                .unwrap_or_else(|error| panic!("{name}: expect.yaml: {error}"));
            let expect = serde_saphyr::from_str(&text)
                .unwrap_or_else(|error| panic!("{name}: expect.yaml: {error}"));
            Case {
                engine: engine.to_owned(),
                name: name.into_owned(),
                folder,
                expect,
            }
        })
        .collect()
}
