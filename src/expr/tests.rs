//! Tests of the parser on the shape of the tree; here what they share, and the limits.

mod grammar;
mod tokens;

use super::*;

/// The tree as nested lists, for short expectations.
fn shape(expr: &Expr) -> String {
    let (head, children) = match &expr.kind {
        ExprKind::Nil => ("nil".to_owned(), vec![]),
        ExprKind::Bool(value) => (value.to_string(), vec![]),
        ExprKind::Int(value) => (value.to_string(), vec![]),
        ExprKind::Float(value) => (format!("{value:?}"), vec![]),
        ExprKind::Str(value) => (format!("{value:?}"), vec![]),
        ExprKind::Bytes(value) => (format!("{value:?}"), vec![]),
        ExprKind::Ident(name) => (name.clone(), vec![]),
        ExprKind::Pointer(name) => (format!("#{name}"), vec![]),
        ExprKind::Member {
            optional, computed, ..
        } => {
            let sign = match (optional, computed) {
                (false, false) => ".",
                (false, true) => "[]",
                (true, false) => "?.",
                (true, true) => "?.[]",
            };
            (sign.to_owned(), expr.children())
        }
        ExprKind::Slice { from, to, .. } => (
            format!(
                "slice{}{}",
                u8::from(from.is_some()),
                u8::from(to.is_some())
            ),
            expr.children(),
        ),
        ExprKind::Unary { op, .. } => (format!("{op:?}"), expr.children()),
        ExprKind::Binary { op, .. } => (format!("{op:?}"), expr.children()),
        ExprKind::Comparison { rest, .. } => (
            format!("{:?}", rest.iter().map(|step| step.op).collect::<Vec<_>>()),
            expr.children(),
        ),
        ExprKind::Range { .. } => ("..".to_owned(), expr.children()),
        ExprKind::Coalesce { .. } => ("??".to_owned(), expr.children()),
        ExprKind::Conditional { form, .. } => (format!("{form:?}"), expr.children()),
        ExprKind::Let { name, .. } => (format!("let:{name}"), expr.children()),
        ExprKind::Sequence(_) => (";".to_owned(), expr.children()),
        ExprKind::Array(_) => ("array".to_owned(), expr.children()),
        ExprKind::Map(_) => ("map".to_owned(), expr.children()),
        ExprKind::Call { form, .. } => (format!("{form:?}"), expr.children()),
        ExprKind::Builtin { name, form, .. } => (format!("{form:?}:{name}"), expr.children()),
        ExprKind::Closure { .. } => ("closure".to_owned(), expr.children()),
        ExprKind::Chain(_) => ("chain".to_owned(), expr.children()),
    };
    if children.is_empty()
        && !matches!(
            expr.kind,
            ExprKind::Array(_) | ExprKind::Map(_) | ExprKind::Builtin { .. }
        )
    {
        return head;
    }
    let parts: Vec<String> = std::iter::once(head)
        .chain(children.into_iter().map(shape))
        .collect();
    format!("({})", parts.join(" "))
}

#[track_caller]
fn reads(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        match parse(text) {
            Ok(expr) => assert_eq!(shape(&expr), *expected, "{text}"),
            Err(error) => panic!("{text}: {error} at {}", error.offset),
        }
    }
}

#[track_caller]
fn refuses(cases: &[(&str, u32, &str)]) {
    for (text, offset, message) in cases {
        let error = parse(text).expect_err(text);
        assert!(error.message.contains(message), "{text}: {}", error.message);
        assert_eq!(error.offset, *offset, "{text}: {}", error.message);
    }
}

#[test]
fn spans_cover_what_was_written() {
    let text = "f( (a + b).c , d | len() )";
    let expr = parse(text).unwrap();
    let covered: Vec<&str> = expr.walk().map(|node| node.span.slice(text)).collect();
    assert_eq!(
        covered,
        [
            text,
            "f",
            "(a + b).c",
            "a + b",
            "a",
            "b",
            "c",
            "d | len()",
            "d"
        ]
    );
    assert_eq!(Span32 { start: 3, end: 99 }.slice(text), "");
}

#[test]
fn limits() {
    let nested = |levels: usize| format!("{}1{}", "(".repeat(levels), ")".repeat(levels));
    assert!(parse(&nested(MAX_NESTING as usize - 1)).is_ok());
    let error = parse(&nested(MAX_NESTING as usize)).unwrap_err();
    assert!(
        error.message.contains("nested deeper than 200 levels"),
        "{error}"
    );

    let chain = |operators: usize| format!("a{}", " + a".repeat(operators));
    assert_eq!(parse(&chain(1023)).unwrap().height(), MAX_HEIGHT);
    assert!(
        parse(&chain(1024))
            .unwrap_err()
            .message
            .contains("chains more than 1024")
    );

    let wide = |items: usize| format!("[{}]", "1,".repeat(items));
    assert!(parse(&wide(9_999)).is_ok());
    assert!(
        parse(&wide(10_000))
            .unwrap_err()
            .message
            .contains("10000 nodes")
    );
}

#[test]
fn messages_stay_on_one_line() {
    let error = parse("a `x\ny`").unwrap_err();
    assert!(error.to_string().ends_with(r"found ``x\ny``"), "{error}");
    let long = format!("a {}", "b".repeat(100));
    assert!(parse(&long).unwrap_err().message.ends_with("b…`"));
}
