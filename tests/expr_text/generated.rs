//! Generated expressions: typed programs that mostly have a value, likely texts, and pieces of no sense.

use expr::{Context, Value};
use proptest::prelude::*;

/// One of the given texts.
fn one_of(texts: &'static [&'static str]) -> BoxedStrategy<String> {
    prop::sample::select(texts).prop_map(str::to_owned).boxed()
}

/// `operand (operator operand)*` with one to four operands and no parentheses.
fn chain(
    operand: BoxedStrategy<String>,
    operators: &'static [&'static str],
) -> BoxedStrategy<String> {
    let more = prop::collection::vec((prop::sample::select(operators), operand.clone()), 0..4);
    (operand, more)
        .prop_map(|(first, more)| {
            more.into_iter()
                .fold(first, |text, (op, next)| format!("{text} {op} {next}"))
        })
        .boxed()
}

/// Numbers, in every form that both read alike.
fn number(depth: u32) -> BoxedStrategy<String> {
    let leaf = one_of(&[
        "0",
        "1",
        "2",
        "7",
        "12",
        "0x1f",
        "0b11",
        "0o17",
        "1_0",
        "2.5",
        "1e1",
        "n",
        "k",
        "a",
        "user.age",
        "items[1]",
        "items[-1]",
        "user[\"age\"]",
        "len(items)",
        "max(n, k)",
        "user?.age",
        "-n",
        "- 3",
        "+k",
    ]);
    if depth == 0 {
        return leaf;
    }
    let inner = number(depth - 1);
    let (truth, list) = (truth(depth - 1), numbers(depth - 1));
    let operand = prop_oneof![
        4 => leaf,
        2 => inner.clone().prop_map(|x| format!("({x})")),
        1 => inner.clone().prop_map(|x| format!("-({x})")),
        1 => (inner.clone(), inner.clone()).prop_map(|(x, y)| format!("min({x}, {y})")),
        1 => inner.clone().prop_map(|x| format!("(absent ?? ({x}))")),
        1 => (inner.clone(), prop::sample::select(&["+", "*", "**"][..]))
            .prop_map(|(x, op)| format!("({x} {op} absent ?? k)")),
        1 => (truth.clone(), inner.clone(), inner.clone()).prop_map(|(c, x, y)| format!("({c} ? {x} : {y})")),
        1 => (truth.clone(), inner.clone(), inner).prop_map(|(c, x, y)| format!("(if {c} {{ {x} }} else {{ {y} }})")),
        1 => list.clone().prop_map(|l| format!("count({l}, {{# > 1}})")),
        1 => list.prop_map(|l| format!("({l} | map({{# * 2}}) | sum())")),
    ];
    chain(operand.boxed(), &["+", "-", "*", "/", "%", "**", "^"])
}

/// Lists of numbers; the bounds of a range stay small.
fn numbers(depth: u32) -> BoxedStrategy<String> {
    let small = chain(one_of(&["1", "2", "5", "n", "k"]), &["+", "-"]);
    let leaf = prop_oneof![one_of(&[
        "items",
        "[]",
        "[3, 1, 2,]",
        "items[1:]",
        "items[:2]",
        "items[0:1]"
    ])];
    if depth == 0 {
        return leaf.boxed();
    }
    let list = numbers(depth - 1);
    prop_oneof![
        2 => leaf,
        1 => (small.clone(), small).prop_map(|(from, to)| format!("({from}..{to})")),
        1 => list.clone().prop_map(|l| format!("filter({l}, {{# % 2 == 0 or # > n}})")),
        1 => list.prop_map(|l| format!("map({l}, {{-# ** 2 + k}})")),
        1 => prop::collection::vec(number(depth - 1), 1..3).prop_map(|items| format!("[{}]", items.join(", "))),
    ]
    .boxed()
}

/// Truths: comparisons, memberships and texts, joined without parentheses.
fn truth(depth: u32) -> BoxedStrategy<String> {
    let leaf = one_of(&[
        "true",
        "false",
        "ok",
        "not ok",
        "!ok",
        "user.active",
        "absent == nil",
        "s contains \"b\"",
        "s startsWith 'a' + 'b'",
        "s endsWith \"x\"",
        "s matches \"^a.c$\"",
        "n in items",
        "n not in items",
        "n in 1..k + 1",
        "s + 'd' == `abcd`",
        "n < k",
        "n + 1 >= k * 2",
        "\"age\" in user",
    ]);
    if depth == 0 {
        return leaf;
    }
    let inner = truth(depth - 1);
    let number = number(depth - 1);
    let sign = prop::sample::select(&["<", "<=", ">", ">=", "==", "!="][..]);
    let operand = prop_oneof![
        4 => leaf,
        2 => inner.clone().prop_map(|x| format!("({x})")),
        1 => inner.clone().prop_map(|x| format!("not ({x})")),
        2 => (number.clone(), sign, number.clone()).prop_map(|(x, sign, y)| format!("{x} {sign} {y}")),
        1 => (number, numbers(depth - 1)).prop_map(|(x, list)| format!("{x} not in {list}")),
        1 => numbers(depth - 1).prop_map(|list| format!("all({list}, {{# > 0 and not ok}})")),
        1 => numbers(depth - 1).prop_map(|list| format!("any({list}, # == n)")),
        1 => inner.prop_map(|x| format!("(user | get(\"active\")) == ({x})")),
    ];
    chain(operand.boxed(), &["and", "or", "&&", "||", "==", "!="])
}

/// Whole programs.
pub(crate) fn program() -> BoxedStrategy<String> {
    let body = prop_oneof![
        number(2),
        truth(2),
        numbers(2),
        (truth(1), number(1), truth(1), number(1), number(1))
            .prop_map(|(c, x, d, y, z)| format!("{c} ? {x} : {d} ? {y} : {z}")),
        (numbers(1), number(0))
            .prop_map(|(list, x)| format!("{list} | filter({{# != {x}}}) | len()")),
    ];
    (prop::option::of(number(1)), body)
        .prop_map(|(value, body)| match value {
            Some(value) => format!("let a = {value}; {body}"),
            None => body,
        })
        .boxed()
}

/// The variables that the programs use.
pub(crate) fn environment() -> Context {
    let mut context = Context::default();
    for (name, value) in [("n", 2), ("k", 3), ("a", 5)] {
        context.insert(name, value);
    }
    context.insert("ok", true);
    context.insert("s", "abc");
    context.insert("absent", Value::Nil);
    context.insert(
        "items",
        Value::Array([1, 2, 4].map(Value::Integer).to_vec()),
    );
    context.insert(
        "user",
        expr::eval("{age: 41, active: true}", &Context::default()).expect("a map literal"),
    );
    context
}

/// Pieces that texts of no particular sense are put together from.
pub(crate) const PIECES: &[&str] = &[
    "a", "b", "x1", "nil", "true", "1", "2.5", "0x1F", "1e3", "'s'", "`r`", "b'\\xff'", "#",
    "#acc", ".", "?.", "..", "[", "]", "(", ")", "{", "}", ",", ";", ":", "::", "?", "??", "|",
    "or", "&&", "not", "in", "matches", "==", "<", ">=", "+", "-", "*", "**", "!", "let x =", "if",
    "else", "filter(", "reduce(", "len(", "f(", "/* c */", "// c\n", "é", "\"", "\\", "\0",
];

/// Texts that are often in the language: operands and operators in turn, with brackets that close.
pub(crate) fn likely_text() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(
        &[
            "a",
            "a?.b",
            "a.b.c",
            "1",
            "-2.5",
            "'it\\'s'",
            "`r``r`",
            "b'\\x00'",
            "nil",
            "true",
            "f()",
            "::len(a)",
            "a[1:]",
            "a?.[0]",
            "{a: 1, 'b c': {}, (d): []}",
            "[1, 2,]",
        ][..],
    )
    .prop_map(str::to_owned);
    leaf.prop_recursive(5, 40, 3, |inner| {
        let operator = prop::sample::select(
            &[
                "or",
                "and",
                "==",
                "<",
                "<=",
                "in",
                "not in",
                "not contains",
                "matches",
                "..",
                "+",
                "-",
                "*",
                "**",
            ][..],
        );
        let (one, two) = (inner.clone(), (inner.clone(), inner.clone()));
        prop_oneof![
            (inner.clone(), operator, inner.clone()).prop_map(|(x, op, y)| format!("{x} {op} {y}")),
            two.clone()
                .prop_map(|(x, y)| format!("({x} ?? a) | f({y})")),
            two.clone().prop_map(|(x, y)| format!("{x} ?: {y}")),
            two.clone()
                .prop_map(|(x, y)| format!("(let v = {x}; {y}; v)")),
            two.clone()
                .prop_map(|(x, y)| format!("filter({x}, #index == 0 and ({y}))")),
            two.clone()
                .prop_map(|(x, y)| format!("reduce({x}, {{#acc; .field}}, {y})")),
            two.prop_map(|(x, y)| format!("[if {x} {{ 1 }} else if {y} {{ 2 }} else {{ 3 }}]")),
            one.clone().prop_map(|x| format!("({x}).name")),
            one.clone().prop_map(|x| format!("not {x}")),
            one.prop_map(|x| format!("-({x})[0]")),
        ]
    })
}
