//! Sizes and shapes that nobody writes: bounded, never a panic, and never passed off as read.

use std::time::{Duration, Instant};

use crate::{go, tree_of};

/// Reads a text within a time that only a runaway takes; says if all of it was read.
fn whole(name: &str, text: &str) -> bool {
    let started = Instant::now();
    let tree = tree_of(&[(name, text.as_bytes())]);
    assert!(started.elapsed() < Duration::from_secs(60), "{name}");
    assert_eq!(tree.scanned, 1);
    tree.gaps.is_empty() && tree.files.iter().all(|file| file.unparsed.is_empty())
}

fn nested(open: &str, close: &str, times: usize) -> String {
    format!(
        "package a\nfunc f() {{\n x = {}1{}\n}}",
        open.repeat(times),
        close.repeat(times)
    )
}

#[test]
fn deep_nesting_is_cut_and_told() {
    for (open, close) in [
        ("(", ")"),
        ("f(", ")"),
        ("!", ""),
        ("[]int{", "}"),
        ("func() { x = ", "}"),
        ("a[", "]"),
    ] {
        assert!(whole("a.go", &nested(open, close, 20)), "{open}");
        assert!(!whole("a.go", &nested(open, close, 100_000)), "{open}");
    }
    for (open, close) in [
        ("if a {", "}"),
        ("for {", "}"),
        ("{", "}"),
        ("switch { case a: ", "}"),
    ] {
        let text = |times: usize| {
            let open = format!("{open}\n").repeat(times);
            let close = format!("{close}\n").repeat(times);
            format!("package a\nfunc f() {{\n{open}\n{close}\n}}")
        };
        assert!(whole("a.go", &text(20)), "{open}");
        assert!(!whole("a.go", &text(20_000)), "{open}");
    }
    assert!(!whole(
        "a.go",
        &format!("package a\nvar x {}int", "[]".repeat(100_000))
    ));
    assert!(!whole(
        "a.go",
        &format!("package a\nvar x = a{}", ".b()".repeat(50_000))
    ));
}

/// Each level of a macro would be parsed again: brackets that are too deep are not parsed at all.
#[test]
fn deep_brackets_of_a_macro_are_not_parsed_again_and_again() {
    let nested = |open: &str, close: &str, times: usize| {
        let (open, close) = (open.repeat(times), close.repeat(times));
        format!("fn f() {{ let a = json!({open}1{close}); }}")
    };
    for (open, close) in [("{\"a\":", "}"), ("[", "]"), ("(a ", ")")] {
        let started = Instant::now();
        assert!(whole("src/main.rs", &nested(open, close, 8)), "{open}");
        assert!(!whole("src/main.rs", &nested(open, close, 8_000)), "{open}");
        // Sixteen levels that were each parsed took twenty seconds.
        assert!(started.elapsed() < Duration::from_secs(15), "{open}");
    }
    assert!(!whole("src/main.rs", &"{\"a\":".repeat(8_000)));
}

#[test]
fn a_long_sum_is_no_deep_one() {
    let sum = vec!["\"x\""; 20_000].join(" + ");
    let file = go(&format!(
        "var x = {sum}\nvar y = {}",
        vec!["a && b"; 9_000].join(" || ")
    ));
    assert_eq!(file.values.len(), 2);
}

#[test]
fn a_file_of_two_megabytes_on_one_line_is_read() {
    let call = "bus.Subscribe(\"é\", func(e Event) error { return nil }); ";
    let text = format!(
        "package a; func f() {{ {} }}",
        call.repeat(2_000_000 / call.len())
    );
    let tree = tree_of(&[("a.go", text.as_bytes())]);
    assert_eq!(tree.gaps, []);
    let function = tree.files[0].functions.first().expect("a function");
    assert_eq!(function.body.stmts.len(), 2_000_000 / call.len());
    let last = function.body.stmts.last().expect("a statement").at.column as usize;
    let characters = call.chars().count();
    assert_eq!((last - 23) % characters, 0);
}

#[test]
fn garbage_is_told() {
    for text in [
        "}}}}}}}}",
        "package",
        "func",
        "\"",
        "`",
        "/*",
        "package a\nfunc f( {",
        "((((",
        "package a\nfunc f() { x := \"",
        "package a\nimport \"",
        "package a\ntype T struct {",
        "package a\nconst (",
        "package a; var x = `",
    ] {
        assert!(!whole("a.go", text), "{text}");
    }
    assert!(!whole("a.go", &"{[(".repeat(50_000)));
    assert!(!whole("a.go", &"func f() { if x { ".repeat(20_000)));
    assert!(!whole("a.go", &"x ".repeat(200_000)));
}

#[test]
fn deep_nesting_of_rust_is_cut_and_told() {
    let text = |open: &str, close: &str, times: usize| {
        format!(
            "fn f() {{ let x = {}1{}; }}",
            open.repeat(times),
            close.repeat(times)
        )
    };
    for (open, close) in [
        ("(", ")"),
        ("f(", ")"),
        ("!", ""),
        ("[", "]"),
        ("{", "}"),
        ("|| ", ""),
        ("if a {", "}"),
        ("match a { b => ", "}"),
        ("S { a: ", "}"),
        ("async {", "}"),
        ("&", ""),
    ] {
        assert!(whole("a.rs", &text(open, close, 20)), "{open}");
        assert!(!whole("a.rs", &text(open, close, 20_000)), "{open}");
    }
    assert!(whole("a.rs", &text("v![", "]", 10)));
    whole("a.rs", &text("v![", "]", 2_000));
    whole("a.rs", &text("v! { a => [", "]}", 2_000));
    assert!(!whole(
        "a.rs",
        &format!("fn f() {{ a{} }}", ".b()".repeat(20_000))
    ));
    assert!(!whole(
        "a.rs",
        &format!("type T = {}u8{};", "V<".repeat(20_000), ">".repeat(20_000))
    ));
    assert!(!whole(
        "a.rs",
        &format!("{}{}", "mod a { ".repeat(20_000), "}".repeat(20_000))
    ));
    assert!(whole(
        "a.rs",
        &format!("const X: u8 = {};", vec!["1"; 20_000].join(" + "))
    ));
}

#[test]
fn garbage_in_rust_is_told() {
    for text in [
        "}}}}",
        "fn",
        "fn f( {",
        "\"",
        "r#\"",
        "/*",
        "impl",
        "fn f() { x. }",
        "use a::{",
        "fn f() { let = 1; }",
    ] {
        assert!(!whole("a.rs", text), "{text}");
    }
    assert!(!whole("a.rs", &"{[(".repeat(30_000)));
    assert!(!whole("a.rs", &"x ".repeat(100_000)));
}
