//! What statements and expressions of Rust give.

use crate::{function, rust, rust_body, show};

/// Each text beside what the neutral tree says.
fn all(cases: &[(&str, &str)]) {
    for (text, says) in cases {
        assert_eq!(rust_body(text), *says, "{text}");
    }
}

#[test]
fn names_are_bound_and_assigned() {
    all(&[
        ("let x = f();", "let x = f()"),
        ("let mut x: Vec<T> = a;", "let x: Vec<T> = a"),
        (
            "let (a, Some(b)) = f() else { return };",
            "let {0: a, 1: Some{0: b}} = f() else { return }",
        ),
        ("let S { a, b: ref c, .. } = s;", "let S{a: a, b: c} = s"),
        ("let [a, _, ..] = s;", "let {0: a, 1: _} = s"),
        ("let x;", "let x"),
        ("a.b = c; a += 1; a -= 1;", "a.b = c; a += 1; a ~= 1"),
    ]);
}

#[test]
fn branches_and_matches() {
    all(&[
        (
            "if a { b() } else if c { d() } else { e() }",
            "if a { b() } else { if c { d() } else { e() } }",
        ),
        (
            "if let Some(x) = f() { g(x) } else { h() }",
            "match f() { [Some{0: x}] => { g(x) }, [] => { h() } }",
        ),
        (
            "if let Some(x) = f() && x > 1 && let Ok(y) = g() { h() }",
            "match tuple{f(), g()} { [{0: Some{0: x}, 1: Ok{0: y}}] if (x <> 1) => { h() }, [] => {} }",
        ),
        (
            "match e { Kind::Made(c) | Kind::Sent { c, .. } if c.ok => f(c), None => {} \"x\" => g(), other => h(other), _ => return }",
            "match e { [Kind::Made{0: c} | Kind::Sent{c: c}] if c.ok => { f(c) }, [=nil] => {}, \
             [=\"x\"] => { g() }, [other] => { h(other) }, [] => { return } }",
        ),
        (
            "match e { Kind::A => 1, x @ 1..=3 => 2 };",
            "match e { [=Kind::A] => { 1 }, [@{@: x, : =other()}] => { 2 } }",
        ),
        (
            "let x = match a { B => c() };",
            "let x = { match a { [=B] => { c() } } }",
        ),
        (
            "let x = if a { 1 } else { 2 };",
            "let x = { if a { 1 } else { 2 } }",
        ),
    ]);
}

#[test]
fn loops() {
    all(&[
        ("loop { f(); break; }", "while []  { f(); leave }"),
        ("while a < b { f() }", "while [] (a <> b) { f() }"),
        (
            "while let Some(m) = rx.recv().await { f(m) }",
            "while []  { match rx.recv() { [Some{0: m}] => { f(m) }, [] => { leave } } }",
        ),
        (
            "for (k, v) in &map { f(k) }",
            "each [{0: k, 1: v}] map { f(k) }",
        ),
        ("'a: for x in xs { continue 'a; }", "each [x] xs { leave }"),
    ]);
}

#[test]
fn calls_keep_receivers_generics_and_what_is_tried() {
    all(&[
        ("a.b(c).d::<T>(e).await?;", "a.b(c).d<T>(e)?"),
        ("Foo::<T>::new(x)", "Foo::new<T>(x)"),
        ("<Foo as Bar<T>>::baz()", "Foo::baz()"),
        (
            "serde_json::from_str::<Event>(&s)?",
            "serde_json::from_str<Event>(s)?",
        ),
        ("(self.f)(x)", "self.f(x)"),
        ("Ok(())", "Ok(tuple{})"),
        ("x?", "x"),
        (
            "f(*a, &mut b, -1, !c, d as u8)",
            "f(a, b, -1, !c, (d as u8))",
        ),
        ("xs[0].0", "xs[0].0"),
        ("f(1..n)", "f(other(1, n))"),
        ("a + b * c == d || e", "(((a + (b * c)) == d) || e)"),
        ("return f();", "return f()"),
    ]);
}

#[test]
fn blocks_and_closures_are_values() {
    all(&[
        (
            "tokio::spawn(async move { f().await; });",
            "tokio::spawn({ f(); tuple{} })",
        ),
        (
            "g(|x, (a, _): (A, B)| x.f(a))",
            "g(fn(x: ?, {0: a, 1: _}: tuple<A, B>) { x.f(a) })",
        ),
        (
            "g(move |e: Event| -> bool { h(e); true })",
            "g(fn(e: Event) -> bool { h(e); true })",
        ),
        ("g(|| async move { 1 })", "g(fn() { { 1 } })"),
        ("let x = { f(); 1 };", "let x = { f(); 1 }"),
        ("let x = unsafe { f() };", "let x = { f() }"),
        ("{ f() }", "{ f() }"),
    ]);
}

#[test]
fn made_values_name_their_parts() {
    all(&[
        (
            "Event { id, at: now(), ..base }",
            "Event{id: id, at: now(), ..: base}",
        ),
        ("a::B::C { x: 1 }", "a::B::C{x: 1}"),
        ("[a, f()]", "[]{a, f()}"),
        ("[f(); 4]", "[]{f()}"),
        ("(a, f())", "tuple{a, f()}"),
    ]);
    let file = rust("use x::Ev;\nimpl Ev { fn f() -> Self { Self { a: 1 } } }");
    assert_eq!(show::stmts(&function(&file, "f").body), "x::Ev{a: 1}");
}

#[test]
fn literals_are_decoded() {
    all(&[
        (r#"f("a\n\"\u{e9}\x41\\")"#, r#"f("a\n\"éA\\")"#),
        ("f(\"a \\\n     b\")", "f(\"a b\")"),
        (r###"f(r#"a "b" \n"#)"###, r#"f("a \"b\" \\n")"#),
        (
            "f(b\"x\", 'c', 1_u8, 2.5, -3, true, None)",
            "f(\"x\", 'c', 1_u8, 2.5, -3, true, nil)",
        ),
    ]);
}

#[test]
fn macros_have_arguments() {
    all(&[
        (
            "sqlx::query!(\"insert\", a.b, f(c)?).execute(&mut *tx).await?;",
            "sqlx::query!(\"insert\", a.b, f(c)?).execute(tx)?",
        ),
        ("let x = vec![1, f()];", "let x = vec!(1, f())"),
        ("vec![f(); 3];", "vec!(f(), 3)"),
        ("println!();", "println!()"),
        (
            "format!(\"{} {x}\", f(), x = g());",
            "format!(\"{} {x}\", f(), g())",
        ),
        (
            "info!(target: \"t\", ?err, id = %e.id(), \"msg {}\", f(x));",
            "info!(\"t\", err, e.id(), \"msg {}\", f(x))",
        ),
        (
            "matches!(f(x), Some(_) | None);",
            "matches!(f(x), (Some(_) %% nil))",
        ),
        (
            "json!({\"id\": e.id(), \"in\": [1, {\"k\": g()}], \"v\": null});",
            "json!({id: e.id(), in: []{1, {k: g()}}, v: null})",
        ),
        (
            "stream! { let x = f(); yield x; };",
            "stream!({ let x = f(); other(x); tuple{} })",
        ),
        (
            "tokio::try_join!(a(), b.c())?;",
            "tokio::try_join!(a(), b.c())?",
        ),
        (
            "odd!(a => f(b), c @ d.g(1, \"t\") !!);",
            "odd!(a, f(b), other(d.g(1, \"t\")))",
        ),
        (
            "vec![format!(\"{}\", json!([f()]))];",
            "vec!(format!(\"{}\", json!([]{f()})))",
        ),
    ]);
}

#[test]
fn a_macro_may_be_called_like_a_type() {
    all(&[(
        "let x = str![[\"a\"]]; char!(f());",
        "let x = str!([]{\"a\"}); char!(f())",
    )]);
}

#[test]
fn arms_of_select_begin_with_what_they_wait_for() {
    assert_eq!(
        rust_body(
            "tokio::select! {\n biased;\n _ = stop.recv() => break,\n Some(m) = rx.recv(), if open => { f(m).await; }\n r = &mut h => g(r)?,\n else => done(),\n}"
        ),
        "tokio::select!({ match { [] => { let _ = stop.recv(); leave }, \
         [] if open => { let Some{0: m} = rx.recv(); f(m); tuple{} }, \
         [] => { let r = h; g(r)? }, [] => { done() } } })"
    );
}
