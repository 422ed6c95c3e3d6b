//! What statements and expressions of Go give.

use outbox_audit::model::place::Pos;
use outbox_audit::model::source::{ExprKind, StmtKind};

use crate::{function, go, go_body, show};

/// Each text beside what the neutral tree says.
fn all(cases: &[(&str, &str)]) {
    for (text, says) in cases {
        assert_eq!(go_body(text), *says, "{text}");
    }
}

#[test]
fn names_are_bound_and_assigned() {
    all(&[
        ("x := g()", "let x = g()"),
        ("x, _, err := g(1, y)", "let x, _, err = g(1, y)"),
        ("var x, y T = a, b", "let x, y: T = a, b"),
        ("var (\nx int\ny = 2\n)", "let x: int; let y = 2"),
        ("const (\na = iota\nb\n)", "let a = iota; let b = iota"),
        ("a, b.c = c, d", "a, b.c = c, d"),
        ("a[i] += f()", "a[i] += f()"),
        ("a -= 1", "a ~= 1"),
        ("a++; b--", "a += 1; b ~= 1"),
    ]);
}

#[test]
fn branches_with_a_statement_before_them_are_blocks() {
    all(&[
        (
            "if a { b() } else if c { d() } else { e() }",
            "if a { b() } else { if c { d() } else { e() } }",
        ),
        (
            "if err := f(); err != nil { return }",
            "{ let err = f(); if (err != nil) { return } }",
        ),
        (
            "switch x := f(); x { case 1: g() }",
            "{ let x = f(); match x { [=1] => { g() } } }",
        ),
    ]);
}

#[test]
fn switches_have_their_arms() {
    all(&[
        (
            "switch e.Type {\ncase \"a\", K: f()\ndefault: g()\n}",
            "match e.Type { [=\"a\" | =K] => { f() }, [] => { g() } }",
        ),
        (
            "switch {\ncase a, b: f()\ncase c: g()\n}",
            "match { [] if (a || b) => { f() }, [] if c => { g() } }",
        ),
        (
            "switch x {\ncase 1: fallthrough\ncase 2: f()\n}",
            "match x { [=1 | =2] => { f() } }",
        ),
        (
            "switch e := v.(type) {\ncase *Created: f(e)\ncase A, pkg.B: g(e)\ncase nil:\ndefault: h(e)\n}",
            "match v { [e: Created] => { f(e) }, [e: A | e: pkg.B] => { g(e) }, \
             [=nil] => { let e = v }, [] => { let e = v; h(e) } }",
        ),
        (
            "switch v.(type) { case A: f() }",
            "match v { [:A] => { f() } }",
        ),
        (
            "select {\ncase m := <-ch: f(m)\ncase out <- x:\ncase <-ctx.Done(): return\ndefault: g()\n}",
            "match { [] => { let m = ch.<-(); f(m) }, [] => { out.<-(x) }, \
             [] => { ctx.Done().<-(); return }, [] => { g() } }",
        ),
    ]);
}

#[test]
fn loops_say_what_each_round_binds() {
    all(&[
        ("for { f() }", "while []  { f() }"),
        ("for a < b { f() }", "while [] (a <> b) { f() }"),
        (
            "for i := 0; i < n; i++ { f(i) }",
            "{ let i = 0; while [] (i <> n) { f(i); i += 1 } }",
        ),
        (
            "for k, v := range m { f(k, v) }",
            "each [k, v] m { f(k, v) }",
        ),
        ("for _, v = range m { f() }", "each [_, v] m { f() }"),
        ("for range ch { f() }", "each [] ch { f() }"),
        ("for i := range 10 { f(i) }", "each [i] 10 { f(i) }"),
        ("out:\nfor { break out }", "while []  { leave }"),
        (
            "for m := range c { continue }\ngoto end\nend:",
            "each [m] c { leave }; leave",
        ),
    ]);
}

#[test]
fn what_runs_later_or_beside_is_told() {
    all(&[
        ("defer tx.Rollback()", "defer tx.Rollback()"),
        ("go worker(ctx)", "spawn worker(ctx)"),
        (
            "go func(id int) { f(id) }(1)",
            "spawn fn(id: int) { f(id) }(1)",
        ),
        ("{ f() }", "{ f() }"),
        ("ch <- f()", "ch.<-(f())"),
        ("x, ok := <-ch", "let x, ok = ch.<-()"),
        ("return f(), nil", "return f(), nil"),
    ]);
}

#[test]
fn calls_keep_receivers_arguments_and_generics() {
    all(&[
        (
            "bus.Subscribe(events.Created, h.Handle)",
            "bus.Subscribe(events.Created, h.Handle)",
        ),
        (
            "db.Where(\"a\").First(&x).Error()",
            "db.Where(\"a\").First(x).Error()",
        ),
        ("f[int](x)", "f<int>(x)"),
        (
            "cqrs.NewHandler[*pkg.Event](\"n\", h)",
            "cqrs.NewHandler<pkg.Event>(\"n\", h)",
        ),
        ("river.AddWorker(w, &Sort{})", "river.AddWorker(w, Sort{})"),
        ("f(xs...)", "f(xs)"),
        ("(*p).Do()", "p.Do()"),
        (
            "handlers := all()\nhandlers[e](x)",
            "let handlers = all(); handlers[e](x)",
        ),
        (
            "var hs map[string]H\nhs[ev.Made](x, y)",
            "let hs: map<string, H>; hs[ev.Made](x, y)",
        ),
        ("s.handlers[ev.Made](x)", "s.handlers[ev.Made](x)"),
        ("s.t.handlers[e](x, y)", "s.t.handlers[e](x, y)"),
        ("add[Made](x, y)", "add<Made>(x, y)"),
        ("add[Made, pkg.Sent](x)", "add<Made, pkg.Sent>(x)"),
        ("x := make(chan *T, 4)", "let x = make(type chan<T>, 4)"),
        ("x := new(pkg.T)", "let x = new(type pkg.T)"),
        (
            "f(func(a, b int) error { return nil })",
            "f(fn(a: int, b: int) -> error { return nil })",
        ),
    ]);
}

#[test]
fn a_generic_function_of_a_package_is_called_with_its_types() {
    let file = go(
        "import \"x.org/cqrs\"\nfunc f() {\ncqrs.New[*cqrs.Event](\"n\", h)\ncqrs.Of[Made](x)\n}",
    );
    assert_eq!(
        show::stmts(&function(&file, "f").body),
        "cqrs.New<x.org/cqrs.Event>(\"n\", h); cqrs.Of<Made>(x)"
    );
}

#[test]
fn conversions_are_casts() {
    all(&[
        (
            "f(string(x), []byte(y), int64(1))",
            "f((x as string), (y as []<byte>), (1 as int64))",
        ),
        ("x := v.(*pkg.T)", "let x = (v as pkg.T)"),
        ("x, ok := v.(error)", "let x, ok = (v as error)"),
        ("x := Later(y)", "let x = Later(y)"),
        ("x := map[string]int(y)", "let x = (y as map<string, int>)"),
        ("x := (func() error)(y)", "let x = (y as func -> (error))"),
    ]);
    let file = go("type Topic string\nfunc f() { g(Topic(\"a\")) }");
    assert_eq!(
        show::stmts(&function(&file, "f").body),
        "g((\"a\" as Topic))"
    );
}

#[test]
fn new_takes_types_and_values() {
    all(&[
        ("x := new(f(1).g())", "let x = new(f(1).g())"),
        (
            "x := new(\"a\"); y := new(T)",
            "let x = new(\"a\"); let y = new(T)",
        ),
        (
            "x := new(1 + a); y := new([]T)",
            "let x = new((1 + a)); let y = new(type []<T>)",
        ),
        (
            "x := new(T{a: 1}); y := new(p.T[int])",
            "let x = new(T{a: 1}); let y = new(type p.T<int>)",
        ),
    ]);
}

#[test]
fn literals_are_decoded() {
    all(&[
        (
            r#"f("a\tb\n\"\\\u00e9\x41\101")"#,
            "f(\"a\\tb\\n\\\"\\\\éAA\")",
        ),
        ("f(`raw \\n \"x\"`)", "f(\"raw \\\\n \\\"x\\\"\")"),
        (r#"f("\xff")"#, "f(\"\u{fffd}\")"),
        ("f('x', 1.5, 0x1F, -3, 2i)", "f('x', 1.5, 0x1F, -3, 2i)"),
        ("f(nil, true, false, iota)", "f(nil, true, false, iota)"),
    ]);
    assert_eq!(
        show::stmts(&function(&go("func f() { g(`a\r\nb`) }"), "f").body),
        "g(\"a\\nb\")"
    );
}

#[test]
fn composite_literals_name_their_parts() {
    all(&[
        ("x := T{A: 1, b: g()}", "let x = T{A: 1, b: g()}"),
        ("x := &pkg.T[int]{1, y}", "let x = pkg.T<int>{1, y}"),
        ("x := []string{\"a\", B}", "let x = []<string>{\"a\", B}"),
        ("x := [...]int{2: 5}", "let x = []<int>{[2]: 5}"),
        (
            "x := map[K]V{A: {N: 1}, \"b\": {}}",
            "let x = map<K, V>{[A]: V{N: 1}, [\"b\"]: V{}}",
        ),
        ("x := []*P{{1}, {X: 2}}", "let x = []<P>{P{1}, P{X: 2}}"),
        (
            "x := map[[2]int][]P{{1, 2}: {{3}}}",
            "let x = map<[]<int>, []<P>>{[[]<int>{1, 2}]: []<P>{P{3}}}",
        ),
        ("x := T{P: {1}}", "let x = T{P: {1}}"),
        (
            "for _, s := range []struct{ n string; f func() }{{\"a\", g}} { s.f() }",
            "each [_, s] []<struct@3:21>{struct@3:21{\"a\", g}} { s.f() }",
        ),
    ]);
}

#[test]
fn operators_group_as_the_language_groups_them() {
    all(&[
        ("x := a + b + c*d - e", "let x = (((a + b) + (c * d)) - e)"),
        ("x := a*b + c", "let x = ((a * b) + c)"),
        ("x := !a && b || c == d", "let x = ((!a && b) || (c == d))"),
        (
            "x := a != nil && (b >= 1)",
            "let x = ((a != nil) && (b <> 1))",
        ),
        ("x := a[1:n]", "let x = a[other(1, n)]"),
        ("x := ^a", "let x = other(a)"),
    ]);
}

#[test]
fn a_call_stands_at_its_name_and_an_expression_at_its_first_character() {
    let file = go("func f() {\n\t\"é\".x(bus.\n\t\tSubscribe(1))\n}");
    let body = &function(&file, "f").body;
    let Some(StmtKind::Expr(outer)) = body.stmts.first().map(|stmt| &stmt.kind) else {
        panic!("an expression");
    };
    let ExprKind::Call(call) = &outer.kind else {
        panic!("a call");
    };
    assert_eq!(outer.at, Pos { line: 3, column: 2 });
    assert_eq!(call.at, Pos { line: 3, column: 6 });
    assert_eq!(
        call.end,
        Pos {
            line: 4,
            column: 16
        }
    );
    let Some(ExprKind::Call(inner)) = call.args.first().map(|inner| &inner.kind) else {
        panic!("a call");
    };
    assert_eq!(inner.callee.at, Pos { line: 3, column: 8 });
    assert_eq!(inner.at, Pos { line: 4, column: 3 });
}
