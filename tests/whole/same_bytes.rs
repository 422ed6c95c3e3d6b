//! The same input gives the same bytes, wherever it is audited from and however it is laid out.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::audit::{
    check_in, copy, copy_with_unbound_results, decisions, dispositions, json, system,
};
use crate::formats::all_formats;

const SYSTEMS: &[&str] = &["nexuscrm", "nexuscrm-repaired", "shop"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn two_runs_give_the_same_bytes_in_each_format() {
    for name in SYSTEMS {
        let path = format!("fixtures/whole/{name}");
        for flags in [&["--verbose"][..], &["--format", "json", "--threads", "1"]] {
            let run = || check_in(root(), &[&[path.as_str()], flags].concat());
            let (one, two) = (run(), run());
            assert!(!one.stdout.is_empty());
            assert!(one.stdout == two.stdout, "{name} {flags:?}");
        }
        let system = system(name);
        assert_eq!(all_formats(&system, &[]), all_formats(&system, &[]));
        let json =
            |threads| check_in(root(), &[&path, "--format", "json", "--threads", threads]).stdout;
        assert!(
            json("1") == json("7"),
            "{name}: as many threads as there are"
        );
    }
}

fn without_subject(text: &str) -> Value {
    let mut report: Value = serde_json::from_str(text).expect("it is JSON");
    let members = report.as_object_mut().expect("an object");
    // The seal covers the subject too.
    for name in ["subject", "seal"] {
        let member = members.remove(name);
        assert!(member.is_some_and(|member| member.is_string()), "{name}");
    }
    report
}

#[test]
fn from_anywhere_and_however_typed_it_is_the_same_report() {
    for name in SYSTEMS {
        let system = system(name);
        let absolute = system.to_str().expect("UTF-8");
        let runs = [
            (root(), format!("fixtures/whole/{name}")),
            (root(), format!("./fixtures//whole/../whole/{name}/")),
            (root(), absolute.to_owned()),
            (Path::new("/"), absolute.to_owned()),
            (&*system, ".".to_owned()),
            (
                system.parent().expect("it lies in a folder"),
                format!("{name}/."),
            ),
        ];
        let mut reports = runs.iter().map(|(folder, path)| {
            let run = check_in(folder, &[path, "--format", "json"]);
            (path, without_subject(&run.stdout))
        });
        let (_, first) = reports.next().expect("the first");
        for (path, report) in reports {
            assert!(report == first, "{name} typed as {path}");
        }
    }
}

/// Moved elsewhere it is the same but for the state of the tree that it lay in.
#[test]
fn a_copy_elsewhere_is_the_same_report() {
    for name in SYSTEMS {
        let folder = copy(name);
        let (mut here, mut there) = (json(&system(name)), json(folder.path()));
        for report in [&mut here, &mut there] {
            let report = report.as_object_mut().expect("an object");
            report.remove("subject");
            report.remove("tree");
            // It covers the tree too.
            let seal = report.remove("seal");
            assert!(seal.is_some_and(|seal| seal.is_string()), "{name}");
        }
        assert!(here == there, "{name}");
    }
}

/// Lines and blanks are layout: they move places, never decisions.
#[test]
fn metadata_laid_out_anew_decides_the_same() {
    for name in ["nexuscrm", "nexuscrm-repaired"] {
        let folder = copy_with_unbound_results(name);
        let file = folder.path().join("metadata/flows.json");
        let before = json(folder.path());
        let value: Value =
            serde_json::from_str(&fs::read_to_string(&file).expect("it is there")).expect("JSON");
        let tabbed = fs::read_to_string(&file)
            .expect("it is there")
            .replace("  ", "\t")
            .replace('\n', "\r\n\r\n");
        for (layout, text) in [("compact", value.to_string()), ("tabbed", tabbed)] {
            fs::write(&file, text).expect("it is written");
            let after = json(folder.path());
            assert_eq!(decisions(&before), decisions(&after), "{name} {layout}");
            assert_eq!(
                dispositions(&before),
                dispositions(&after),
                "{name} {layout}"
            );
            assert_eq!(before["verdict"], after["verdict"]);
        }
    }
}
