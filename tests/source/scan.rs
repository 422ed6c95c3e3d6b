//! One look at every byte says whatever the tree says, or says that it cannot.

use outbox_audit::input::source::scan::{NameKey, NameKeys, Names, scan};
use outbox_audit::model::source::Language;
use proptest::prelude::*;

use crate::tree_of;
use crate::walk::Named;

/// Which of these names a set has.
fn of<'n>(keys: &NameKeys, names: &[&'n str]) -> Vec<&'n str> {
    let all = names.iter().copied();
    all.filter(|name| keys.has(NameKey::of(name))).collect()
}

const ALL: &[&str] = &[
    "a", "b", "c", "d", "e", "f", "g", "h", "no", "T", "insert", "orders", "into", "x", "r#type",
];

fn check(language: Language, text: &str, declares: &[&str], calls: &[&str], words: &[&str]) {
    let names = scan(language, text);
    assert!(!names.torn, "{text}");
    assert_eq!(of(&names.declares, ALL), declares, "declares: {text}");
    assert_eq!(of(&names.calls, ALL), calls, "calls: {text}");
    assert_eq!(of(&names.words, ALL), words, "words: {text}");
}

#[test]
fn a_scan_of_go_tells_code_from_comments_and_texts() {
    let go = |text: &str, declares: &[&str], calls: &[&str], words: &[&str]| {
        check(Language::Go, text, declares, calls, words);
    };
    go("func a() { b(c) }", &["a"], &["a", "b"], &[]);
    go(
        "func (x *T[K]) d() {}\nfunc e[T any](t T) {}",
        &["d", "e"],
        &["d", "e", "T"],
        &[],
    );
    go(
        "// b()\n/* c() */ x = \"d()\" + `e()` + f /* y */ (1)",
        &[],
        &["f"],
        &["d", "e"],
    );
    go(
        "x := `INSERT\ninto` + \"orders\\nx\"",
        &[],
        &[],
        &["insert", "orders", "into", "x"],
    );
    go("x := '\"'; y := '\\''; z := 'é'; b[T](1)", &[], &["b"], &[]);
    go("(b)(x); ((c.d))(y)", &[], &["b", "d"], &[]);
}

#[test]
fn a_scan_of_rust_tells_code_from_comments_and_texts() {
    let rust = |text: &str, declares: &[&str], calls: &[&str], words: &[&str]| {
        check(Language::Rust, text, declares, calls, words);
    };
    rust(
        "fn a<'c>(x: &'c T) { b!(c); d::<T>(e) }",
        &["a"],
        &["b", "d"],
        &[],
    );
    rust(
        "/* a() /* b() */ c() */ // d()\nx = r#\"e() \" f()\"# + \"g\\\"h()\"",
        &[],
        &[],
        &["e", "f", "g", "h"],
    );
    rust(
        "let x = '\"'; let y = '\\u{41}'; let z = b'('; a()",
        &[],
        &["a"],
        &[],
    );
    rust(
        "(self.f)(x); fn r#type() {}",
        &["r#type"],
        &["f", "r#type"],
        &[],
    );
    rust("x != y; a = |b: T| { }", &[], &[], &[]);
}

#[test]
fn what_does_not_close_is_torn() {
    for text in ["(", "]", "{)", "\"a", "\"a\nb\"", "`", "/*", "'ab"] {
        assert!(scan(Language::Go, text).torn, "{text}");
    }
    for text in ["(", "]", "{)", "\"a", "r#\"a\"", "/* /* */", "'\\"] {
        assert!(scan(Language::Rust, text).torn, "{text}");
    }
    for text in ["", "()[]{}", "'a'", "\"\\\"\""] {
        assert!(!scan(Language::Go, text).torn, "{text}");
        assert!(!scan(Language::Rust, text).torn, "{text}");
    }
    assert!(!scan(Language::Rust, "\"a\nb\" 'a 'b").torn);
}

/// What the tree of a text has and its scan has not.
fn missed(name: &str, language: Language, text: &str) -> Vec<String> {
    let names: Names = scan(language, text);
    let tree = tree_of(&[(name, text.as_bytes())]);
    let mut out = Vec::new();
    for file in tree.files.iter().filter(|_| !names.torn) {
        let named = Named::of(file);
        let without = |keys: &NameKeys, name: &str| !keys.has(NameKey::of(name));
        let declared = named
            .declares
            .iter()
            .filter(|name| without(&names.declares, name));
        out.extend(declared.map(|name| format!("fn {name}")));
        let called = named
            .calls
            .iter()
            .filter(|name| without(&names.calls, name));
        out.extend(called.map(|name| format!("{name}()")));
    }
    out
}

fn go_piece() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a(",
        "b)",
        ")",
        "func (s T) c() {",
        "}",
        "func d() {",
        "e[int](x)",
        "\"f(\"",
        "`g(`",
        "'('",
        "/* h( */",
        "// i(\n",
        "if j() {",
        "x := k().l(m)",
        "\n",
        "(n)(o)",
        "p{q: r()}",
        "go func() {",
        "}()",
        ", ",
        "return s(t)",
        "switch u() {",
        "case v():",
        "type W struct {",
        "é(1)",
        "<-y()",
        "z /* c */ (1)",
        "[]T{",
        "...",
        ".",
    ])
    .prop_map(str::to_owned)
}

fn rust_piece() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a(",
        "b)",
        ")",
        "impl T {",
        "fn c(&self) {",
        "}",
        "fn d<T>() {",
        "e::<T>(x)",
        "\"f(\"",
        "r#\"g(\"#",
        "'('",
        "/* h( /* */ */",
        "// i(\n",
        "if j() {",
        "let x = k().l(m)?;",
        "\n",
        "(n)(o)",
        "p!(q(), r => s())",
        "|x| t(x)",
        ", ",
        "return u(v);",
        "match w() {",
        "A => y(),",
        "'a",
        "é(1)",
        ".await",
        "z /* c */ (1)",
        "vec![",
        "]",
        ";",
        "select! { a = b() => c(), }",
        "json!({\"k\": d()})",
        "::",
        "&'a ",
    ])
    .prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_the_tree_of_go_calls_is_in_the_scan(pieces in prop::collection::vec(go_piece(), 0..25)) {
        let text = format!("package a\nfunc main() {{\n{}\n}}", pieces.join(" "));
        prop_assert_eq!(missed("a.go", Language::Go, &text), Vec::<String>::new(), "{}", text);
    }

    #[test]
    fn whatever_the_tree_of_rust_calls_is_in_the_scan(pieces in prop::collection::vec(rust_piece(), 0..25)) {
        let text = format!("fn main() {{\n{}\n}}", pieces.join(" "));
        prop_assert_eq!(missed("a.rs", Language::Rust, &text), Vec::<String>::new(), "{}", text);
    }

    #[test]
    fn no_bytes_make_a_scan_panic(text in "\\PC{0,80}") {
        scan(Language::Go, &text);
        scan(Language::Rust, &text);
    }
}
