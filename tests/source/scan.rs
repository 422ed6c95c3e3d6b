//! One look at every byte says whatever the tree says, or says that it cannot.

use std::fs;

use outbox_audit::input::files::Limits;
use outbox_audit::input::source::scan::{NameKey, NameKeys, Names, scan};
use outbox_audit::input::source::{Sources, Wanted};
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
    // Where the parser had to mend a text it may take the inside of a string for code.
    let whole = tree.files.iter().all(|file| file.unparsed.is_empty());
    for file in tree.files.iter().filter(|_| whole && !names.torn) {
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

/// Statements one after the other and within each other, so that most soups parse.
fn soup(
    pieces: Vec<&'static str>,
    around: Vec<(&'static str, &'static str)>,
) -> impl Strategy<Value = String> {
    let piece = prop::sample::select(pieces).prop_map(str::to_owned);
    piece.prop_recursive(5, 40, 6, move |inner| {
        let around = prop::sample::select(around.clone());
        (around, prop::collection::vec(inner, 0..6))
            .prop_map(|((open, close), inner)| format!("{open}{}{close}", inner.join("\n")))
    })
}

fn go_soup() -> impl Strategy<Value = String> {
    let pieces = vec![
        "a(b)",
        "e[int](x)",
        "x = \"f(\" + `g(` + \"\\\"h(\"",
        "x = '('",
        "x = '\\''",
        "x = 'é'",
        "/* h( */",
        "// i(",
        "x := k().l(m)",
        "(n)(o)",
        "((n.p))(o)",
        "x = p{q: r()}",
        "return s(t)",
        "é(1)",
        "<-y()",
        "z /* c */ (1)",
        "x = []T{u(), {v: w()}}",
        "x.y.z[w](1, 2)",
        "x = map[a(1)]b{}",
        "type W struct{ a func(b int) }",
        "x = (*p)(nil)",
        "go a.b(c...)",
        "x, y = a [1] (2), b\t(3)",
        "a(\n// c(\nb)",
        "x = c/d(1)/e(2)",
    ];
    let around = vec![
        ("if j() {\n", "\n}"),
        ("go func() {\n", "\n}()"),
        ("a(func(b c) d {\n", "\n}, e)"),
        ("for x := range k() {\n", "\n}"),
        ("switch u() {\ncase v():\n", "\n}"),
        ("x = func() (a, b c) {\n", "\n}"),
        ("{\n", "\n}"),
    ];
    let body = soup(pieces, around);
    let head = prop::sample::select(vec![
        "func c()",
        "func (s T) c(x y)",
        "func (s *T[K]) c() (a, b)",
        "func /* f( */ c()",
        "func c[T any](t T) func()",
        "func (T) c() interface{ m() }",
    ]);
    (head, body).prop_map(|(head, body)| format!("package a\n{head} {{\n{body}\n}}"))
}

fn rust_soup() -> impl Strategy<Value = String> {
    let pieces = vec![
        "a(b);",
        "e::<T>(x);",
        "let x = \"f(\\\"g(\";",
        "let x = r#\"g(\"#;",
        "let x = '(';",
        "let x = ['\\'', 'é', b'x'];",
        "/* h( /* */ */",
        "// i(",
        "let x = k().l(m)?;",
        "(n)(o);",
        "((n.p))(o);",
        "p!(q(), r => s());",
        "let f = |x| t(x);",
        "return u(v);",
        "'a: loop { break 'a (w) }",
        "é(1);",
        "a.b().await;",
        "z /* c */ (1);",
        "select! { a = b() => c(), }",
        "let j = json!({\"k\": d(), \"l\": [e(1)]});",
        "Foo::<T>::new(1);",
        "(self.f)(x);",
        "(self.0)(x);",
        "r#b(1);",
        "m! [ c(1) ];",
        "fn d<'a>(x: &'a str) -> T {}",
        "let x: fn(a) -> b = c;",
        "x!{ a @ b(1) \"c(\" !! d(2) }",
        "let x = <A as B<C>>::d(1);",
        "#[x(y)] let a = 1;",
        "let x = a < b(1) && c != d(2);",
    ];
    let around = vec![
        ("if j() {\n", "\n}"),
        ("match w() { A(x) => {\n", "\n} _ => y() }"),
        ("a(move |b: c| {\n", "\n}, e);"),
        ("let x = async {\n", "\n};"),
        ("impl T {\nfn g(&self) {\n", "\n}\n}"),
        ("while let Some(x) = y() {\n", "\n}"),
        ("v![{\n", "\n}];"),
        ("s! {\n", "\n}"),
        ("mod m {\nfn h() {\n", "\n}\n}"),
        ("{\n", "\n}"),
    ];
    soup(pieces, around).prop_map(|body| format!("fn main() {{\n{body}\n}}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_the_tree_of_go_calls_is_in_the_scan(soup in go_soup()) {
        prop_assert_eq!(missed("a.go", Language::Go, &soup), Vec::<String>::new(), "{}", soup);
    }

    #[test]
    fn whatever_the_tree_of_rust_calls_is_in_the_scan(soup in rust_soup()) {
        prop_assert_eq!(missed("a.rs", Language::Rust, &soup), Vec::<String>::new(), "{}", soup);
    }

    #[test]
    fn no_bytes_make_a_scan_panic(text in "\\PC{0,80}") {
        scan(Language::Go, &text);
        scan(Language::Rust, &text);
    }
}

#[test]
fn a_tree_is_scanned_whole_and_read_as_far_as_wanted() {
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path().to_owned();
    for (name, text) in [
        ("go.mod", "module x.org/m"),
        (
            "b/b_test.go",
            "package b\nfunc TestB() { Publish(\"made\") }",
        ),
        (
            "b/b.go",
            "package b\nfunc On() { bus.Subscribe(\"Made\", handle) }",
        ),
        ("c.rs", "fn handle() {}"),
        ("torn.go", "package m\nfunc f() {"),
        ("binary.go", "package m\0"),
    ] {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("made");
        fs::write(path, text).expect("written");
    }
    let sources = Sources::load(std::slice::from_ref(&root), &root, &Limits::default());
    let scanned = sources.scan();
    let all: Vec<String> = scanned
        .iter()
        .map(|file| format!("{} {} {:?}", file.path, file.package, file.role))
        .collect();
    assert_eq!(
        all,
        [
            "b/b.go x.org/m/b Product",
            "b/b_test.go x.org/m/b Test",
            "c.rs crate::c Product",
            "torn.go x.org/m Product",
        ]
    );
    let has = |keys: fn(&Names) -> &NameKeys, name: &str| -> Vec<&str> {
        let key = NameKey::of(name);
        let found = scanned.iter().filter(|file| keys(&file.names).has(key));
        found.map(|file| &*file.path).collect()
    };
    assert_eq!(has(|names| &names.calls, "Subscribe"), ["b/b.go"]);
    assert_eq!(has(|names| &names.mentions, "handle"), ["b/b.go"]);
    assert_eq!(has(|names| &names.declares, "handle"), ["c.rs"]);
    assert_eq!(has(|names| &names.words, "made"), ["b/b.go", "b/b_test.go"]);
    let torn: Vec<bool> = scanned.iter().map(|file| file.names.torn).collect();
    assert_eq!(torn, [false, false, false, true]);
    let wanted = Wanted::Files(["b/b.go".into(), "c.rs".into()].into());
    for _ in 0..2 {
        let tree = sources.trees(&wanted);
        let names: Vec<&str> = tree.files.iter().map(|file| &*file.path).collect();
        assert_eq!(names, ["b/b.go", "c.rs"]);
        assert_eq!((tree.scanned, tree.gaps.len()), (5, 1));
    }
}
