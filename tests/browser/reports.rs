//! Reports as files: those of the bundled systems, and those built by hand.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use outbox_audit::model::report::Report;
use outbox_audit::report::{Format, RenderOptions, render};
use serde_json::Value;

/// The bundled systems, and what is typed for each.
pub(crate) const SYSTEMS: [&[&str]; 3] = [
    &["fixtures/whole/nexuscrm"],
    &["fixtures/whole/nexuscrm-repaired"],
    &["fixtures/whole/shop", "--dialect", "sqlite"],
];

/// A report of a system in two formats, written by one run.
pub(crate) struct Written {
    /// The file for the browser.
    pub(crate) html: PathBuf,
    /// The document for programs.
    pub(crate) json: Value,
}

/// The report of one of the systems, audited once for each process.
pub(crate) fn audited(system: &[&str]) -> &'static Written {
    static AUDITED: [OnceLock<Written>; SYSTEMS.len()] = [const { OnceLock::new() }; SYSTEMS.len()];
    let at = SYSTEMS.iter().position(|one| *one == system);
    AUDITED[at.expect("one of the systems")].get_or_init(|| audit(system))
}

fn audit(arguments: &[&str]) -> Written {
    // Always the same file: it is renamed into its place, so that two processes may write it.
    let name = arguments[0].replace('/', "-");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let html = folder.join(format!("browser-{name}.html"));
    let output = Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args([
            "check",
            "--as-of",
            "2026-01-01",
            "--format",
            "json",
            "--output",
        ])
        .arg(format!("html={}", html.display()))
        .args(arguments)
        .output()
        .expect("it starts");
    let json = serde_json::from_slice(&output.stdout);
    Written {
        html,
        json: json.unwrap_or_else(|error| {
            let told = String::from_utf8_lossy(&output.stderr);
            panic!("{arguments:?}: {error}: {told}")
        }),
    }
}

/// Writes a report that was built by hand.
pub(crate) fn written(report: &Report, folder: &Path) -> PathBuf {
    let file = folder.join("report.html");
    let text = render(report, Format::Html, &RenderOptions::default());
    std::fs::write(&file, text).expect("it is written");
    file
}
