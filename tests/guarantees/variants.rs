//! Every variant of the system breaks one guarantee, and the audit says so.

use std::collections::BTreeSet;
use std::fs;

use rayon::prelude::*;
use serde::Deserialize;

use super::{copy, outcomes, report, system};

#[derive(Deserialize)]
struct Variants {
    variants: Vec<Variant>,
}

#[derive(Deserialize)]
struct Variant {
    id: String,
    kind: String,
    edits: Vec<Edit>,
}

#[derive(Deserialize)]
struct Edit {
    file: String,
    old: String,
    new: String,
}

fn variants() -> Vec<Variant> {
    let text = fs::read_to_string(system().join("variants.json")).expect("there are variants");
    serde_json::from_str::<Variants>(&text)
        .expect("they are JSON")
        .variants
}

#[test]
fn the_system_as_it_stands_keeps_all_that_needs_no_database() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    copy(&system(), folder.path());
    let all = outcomes(&report(folder.path(), &[]));
    assert!(all.len() > 40, "{}", all.len());
    let live = [
        "duplicate-group/group-invariant",
        "two-write-points/write-points",
    ];
    for (check, subject, outcome, said) in &all {
        let asks_rows = live
            .iter()
            .any(|name| *subject == format!("guarantee:{name}"));
        let wanted = if asks_rows { "unknown" } else { "met" };
        assert_eq!(outcome, wanted, "{check} {subject}: {said}");
        assert!(
            !asks_rows || said.contains("no database was read"),
            "{said}"
        );
    }
}

#[test]
fn every_variant_is_found_by_its_kind() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let wrong: Vec<String> = variants()
        .par_iter()
        .filter_map(|variant| {
            let tree = folder.path().join(&variant.id);
            copy(&system(), &tree);
            for edit in &variant.edits {
                let file = tree.join(&edit.file);
                let text = fs::read_to_string(&file).expect("the edited file is there");
                assert!(text.contains(&edit.old), "{}: {}", variant.id, edit.file);
                fs::write(&file, text.replace(&edit.old, &edit.new)).expect("it can be written");
            }
            let all = outcomes(&report(&tree, &[]));
            let broken: Vec<&str> = all
                .iter()
                .filter(|(check, _, outcome, _)| {
                    check == "broken-guarantee" && outcome == "not-met"
                })
                .map(|(_, subject, _, _)| subject.as_str())
                .collect();
            let end = format!("/{}", variant.kind);
            let found = broken.iter().any(|subject| subject.ends_with(&end));
            (!found).then(|| format!("{} ({}): found {broken:?}", variant.id, variant.kind))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The variants together ask every kind.
#[test]
fn every_kind_has_a_variant() {
    let kinds: BTreeSet<String> = variants().into_iter().map(|variant| variant.kind).collect();
    let schema = outbox_audit::model::guarantee::json_schema();
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("it is JSON");
    let all = schema["$defs"]["Kind"]["oneOf"]
        .as_array()
        .expect("kinds are listed");
    for kind in all {
        let word = kind["properties"]["kind"]["const"]
            .as_str()
            .expect("each has its word");
        assert!(kinds.contains(word), "{word} has no variant");
    }
}
