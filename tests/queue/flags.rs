//! The flag that is read in two places: by another name, or with another default.

use outbox_audit::model::queue::Promise;

use super::cases::changed;
use super::shapes::{END, SECOND};
use super::told;

/// Changes of the worker, and whether the flag is shown to choose the workers then.
fn told_of_flag(name: &str, changes: &[(&str, &str)]) -> String {
    told(&changed(name, changes), Promise::FlagGuardsWorkers)
}

const FIRST: &str = "if os.Getenv(\"OUTBOX_PULL_WORKER\") != \"true\" {";

#[test]
fn a_dispatcher_beside_those_that_it_chooses_is_named_with_them() {
    let told = told_of_flag("beside", &[(END, SECOND)]);
    assert!(told.starts_with("broken worker.go:"), "{told}");
    assert!(told.contains("whatever OUTBOX_PULL_WORKER says"), "{told}");
    assert!(told.contains("that it chooses at worker.go:61:5"), "{told}");
}

#[test]
fn a_flag_of_another_name_chooses_nothing() {
    let other = SECOND.replace(
        "error {\n\tfound",
        "error {\n\tif os.Getenv(\"OUTBOX_PULL_WORKERS\") != \"true\" {\n\t\treturn nil\n\t}\n\tfound",
    );
    let told = told_of_flag("two-names", &[(END, &other)]);
    assert!(told.starts_with("broken worker.go:"), "{told}");
    assert!(told.contains("at worker.go:61:5"), "{told}");
}

#[test]
fn a_flag_that_is_read_for_something_else_is_unknown_with_both_places() {
    let told = told_of_flag(
        "read-elsewhere",
        &[
            (FIRST, "if os.Getenv(\"OUTBOX_PULL_WORKERS\") != \"true\" {"),
            (
                END,
                "// Pulls tells a page of the operator.\nfunc Pulls() bool {\n\
                 \treturn os.Getenv(\"OUTBOX_PULL_WORKER\") == \"true\"\n}\n\ntype txKey struct{}",
            ),
        ],
    );
    assert!(told.starts_with("unknown worker.go:"), "{told}");
    assert_eq!(told.matches("worker.go:").count(), 2, "{told}");
}

/// A second place that reads the flag on the way to the workers.
fn second(condition: &str) -> (&'static str, String) {
    (
        "\tfound, err := s.candidates(ctx)\n\tif err",
        format!(
            "\tif {condition} {{\n\t\treturn true, nil\n\t}}\n\tfound, err := s.candidates(ctx)\n\tif err"
        ),
    )
}

#[test]
fn a_flag_that_is_missing_means_the_same_wherever_it_is_compared() {
    for (name, condition, kept) in [
        (
            "missing-is-set",
            "os.Getenv(\"OUTBOX_PULL_WORKER\") == \"false\"",
            false,
        ),
        (
            "missing-is-not",
            "os.Getenv(\"OUTBOX_PULL_WORKER\") != \"1\"",
            true,
        ),
    ] {
        let (from, to) = second(condition);
        let told = told_of_flag(name, &[(from, &to)]);
        assert_eq!(told.starts_with("kept"), kept, "{name}: {told}");
        if !kept {
            assert_eq!(told.matches("worker.go:").count(), 2, "{told}");
        }
    }
}

#[test]
fn a_flag_that_is_missing_has_one_default() {
    let helper = "func setting(name, otherwise string) string {\n\tif is := os.Getenv(name); is != \"\" {\n\
                  \t\treturn is\n\t}\n\treturn otherwise\n}\n\ntype txKey struct{}";
    for (name, default, agree) in [
        ("default-set", "true", false),
        ("default-not", "false", true),
    ] {
        let (from, to) = second("setting(\"OUTBOX_PULL_WORKER\", \"DEFAULT\") != \"true\"");
        let to = to.replace("DEFAULT", default);
        let first = FIRST.replace(
            "os.Getenv(\"OUTBOX_PULL_WORKER\")",
            "setting(\"OUTBOX_PULL_WORKER\", \"false\")",
        );
        let told = told_of_flag(name, &[(from, &to), (FIRST, &first), (END, helper)]);
        assert_eq!(!told.starts_with("broken"), agree, "{name}: {told}");
        if !agree {
            assert_eq!(told.matches("worker.go:").count(), 2, "{told}");
        }
    }
}
