//! Tests of every rule of the grammar: what it makes, and what it refuses and where.

use super::{reads, refuses};

#[test]
fn precedence_and_sides() {
    reads(&[
        ("a or b and c", "(Or a (And b c))"),
        ("a || b && c == d", "(Or a (And b (Eq c d)))"),
        ("a == b + c * d ** e", "(Eq a (Add b (Mul c (Pow d e))))"),
        ("a - b - c", "(Sub (Sub a b) c)"),
        ("a ** b ^ c", "(Pow a (Pow b c))"),
        ("-a ** b", "(Neg (Pow a b))"),
        ("-a * b", "(Mul (Neg a) b)"),
        ("not a == b", "(Eq (Not a) b)"),
        ("not a * b", "(Not (Mul a b))"),
        ("!a and b", "(And (Not a) b)"),
        ("1..n + 1", "(.. 1 (Add n 1))"),
        ("a in 1..2", "(In a (.. 1 2))"),
        ("a + b ?? c", "(Add a (?? b c))"),
        ("-a ?? b", "(Neg (?? a b))"),
        ("a ?? b ?? c", "(?? (?? a b) c)"),
        ("(a ?? b) + c", "(Add (?? a b) c)"),
        ("a + (b ?? c) ?? d", "(Add a (?? (?? b c) d))"),
    ]);
    refuses(&[
        ("a ?? b + c", 7, "`+` and `??` cannot be mixed"),
        ("a ?? b not in c", 11, "`in` and `??` cannot be mixed"),
        ("a +", 3, "expected a value, found the end"),
        (
            "a b",
            2,
            "expected an operator or the end of the expression, found `b`",
        ),
        ("a = b", 2, "found `=`"),
        ("1 + let x = 2; x", 4, "`let` cannot be an operand"),
    ]);
}

#[test]
fn negated_operators() {
    reads(&[
        ("a not in b", "(Not (In a b))"),
        (
            "a + b not contains c and d",
            "(And (Not (Contains (Add a b) c)) d)",
        ),
        ("a not matches 'x'", r#"(Not (Matches a "x"))"#),
        ("not a not startsWith b", "(Not (StartsWith (Not a) b))"),
        ("a not endsWith b", "(Not (EndsWith a b))"),
        ("a not 'in' b", "(Not (In a b))"),
    ]);
    refuses(&[
        ("a not == b", 6, "after `not`, found `==`"),
        ("a not b", 6, "after `not`"),
    ]);
}

#[test]
fn comparisons_chain() {
    reads(&[
        ("a < b", "(Lt a b)"),
        ("a < b <= c", "([Lt, Le] a b c)"),
        (
            "1 < a + 1 < c > d == e",
            "(Eq ([Lt, Lt, Gt] 1 (Add a 1) c d) e)",
        ),
        ("a == b < c", "(Lt (Eq a b) c)"),
    ]);
}

#[test]
fn choices() {
    reads(&[
        ("a ? b : c", "(Ternary a b c)"),
        ("a ? b : c ? d : e", "(Ternary a b (Ternary c d e))"),
        ("a or b ?: c", "(Elvis (Or a b) c)"),
        ("a ? b : c | f()", "(Ternary a b (Pipe f c))"),
        (
            "if a { b } else if c { d } else { e; f }",
            "(If a b (If c d (; e f)))",
        ),
        ("[if a { b } else { c }]", "(array (If a b c))"),
    ]);
    refuses(&[
        ("a ? b", 5, "before the other value of `?`"),
        ("if a { b }", 10, "expected `else`"),
        ("if a { b } else c", 16, "expected `{`"),
        ("if a { b } else { c } + 1", 22, "found `+`"),
    ]);
}

#[test]
fn names_and_steps() {
    reads(&[
        ("let x = 1; x + 1", "(let:x 1 (Add x 1))"),
        ("let x = 1; let y = x; 2; y", "(let:x 1 (let:y x (; 2 y)))"),
        ("a; b;", "(; a b)"),
        ("a;", "a"),
        ("f((a; b))", "(Plain f (; a b))"),
        ("a.let + b.not", "(Add (. a \"let\") (. b \"not\"))"),
    ]);
    refuses(&[
        ("let 1 = 2; 3", 4, "a variable name after `let`"),
        ("let x 2; 3", 6, "expected `=`"),
        ("let x = 2", 9, "`;` after the value"),
        ("(a;)", 3, "expected a value"),
        ("f(a; b)", 3, "found `;`"),
    ]);
}

#[test]
fn members() {
    reads(&[
        ("a.b[c].d", r#"(. ([] (. a "b") c) "d")"#),
        ("a?.b.c", r#"(chain (. (?. a "b") "c"))"#),
        ("a?.b?.c", r#"(chain (?. (?. a "b") "c"))"#),
        ("a?.b[0]", r#"([] (chain (?. a "b")) 0)"#),
        ("a?.[0].b", r#"(chain (. (?.[] a 0) "b"))"#),
        ("a.f(1, 2,)", r#"(Plain (. a "f") 1 2)"#),
        ("a?.f().b", r#"(chain (. (Plain (?. a "f")) "b"))"#),
        ("a[1:2]", "(slice11 a 1 2)"),
        ("a[:2]", "(slice01 a 2)"),
        ("a[1:]", "(slice10 a 1)"),
        ("a[:]", "(slice00 a)"),
        ("a[b ? c : d]", "([] a (Ternary b c d))"),
        ("'s'[0]", "([] \"s\" 0)"),
        ("-1[0]", "([] (Neg 1) 0)"),
        ("(a).b", r#"(. a "b")"#),
    ]);
    refuses(&[
        ("a.", 2, "the name of a member, found the end"),
        ("a?.5", 3, "the name of a member"),
        ("a.(b)", 2, "the name of a member"),
        ("1[0]", 1, "found `[`"),
        ("true.x", 4, "found `.`"),
        ("a[0](1)", 4, "found `(`"),
        ("a[1", 3, "expected `]`"),
    ]);
}

#[test]
fn collections() {
    reads(&[
        ("[]", "(array)"),
        ("[1, a,]", "(array 1 a)"),
        ("{}", "(map)"),
        (
            "{a: 1, 'b': 2, 1_0: 3, true: 4, (c): 5,}",
            r#"(map "a" 1 "b" 2 "1_0" 3 "true" 4 c 5)"#,
        ),
        ("{a: 1}.a", r#"(. (map "a" 1) "a")"#),
    ]);
    refuses(&[
        ("[,]", 1, "expected a value, found `,`"),
        ("[1, 2,,]", 6, "expected a value"),
        ("[1 2]", 3, "`,` or `]`, found `2`"),
        ("{-1: 2}", 1, "as the key of the map"),
        ("{not: 2}", 1, "as the key of the map"),
        ("{a 1}", 3, "`:` after the key"),
        ("[", 1, "expected a value"),
    ]);
}

#[test]
fn calls_and_pipes() {
    reads(&[
        ("f()", "(Plain f)"),
        ("now()", "(Plain:now)"),
        ("::now()", "(Global:now)"),
        ("::f(1).a", r#"(. (Global f 1) "a")"#),
        ("a | f(b) | len()", "(Pipe:len (Pipe f a b))"),
        ("a + b | f()", "(Pipe f (Add a b))"),
        ("a ?? b | f()", "(Pipe f (?? a b))"),
        ("a | f() + 1", "(Add (Pipe f a) 1)"),
    ]);
    refuses(&[
        ("a | b", 5, "expected `(`"),
        ("a | f().b", 7, "found `.`"),
        ("a | 1", 4, "the name of a function after `|`"),
        (":: 1", 3, "the name of a function after `::`"),
        ("f(a b)", 4, "`,` or `)`"),
        ("f(1)(2)", 4, "found `(`"),
    ]);
}

#[test]
fn predicates() {
    reads(&[
        ("filter(a, # > 1)", "(Plain:filter a (closure (Gt # 1)))"),
        (
            "filter(a, .b.c)",
            r#"(Plain:filter a (closure (. (. # "b") "c")))"#,
        ),
        (
            "all(a, {let x = .b; x})",
            r#"(Plain:all a (closure (let:x (. # "b") x)))"#,
        ),
        ("a | map(#index,)", "(Pipe:map a (closure #index))"),
        ("count(a)", "(Plain:count a)"),
        ("a | count()", "(Pipe:count a)"),
        ("sum(a, .n)", r#"(Plain:sum a (closure (. # "n")))"#),
        (
            "reduce(a, #acc + #, 0)",
            "(Plain:reduce a (closure (Add #acc #)) 0)",
        ),
        (
            "sortBy(a, .n, 'desc')",
            r#"(Plain:sortBy a (closure (. # "n")) "desc")"#,
        ),
        (
            "any(a, any(#, # in b))",
            "(Plain:any a (closure (Plain:any # (closure (In # b)))))",
        ),
        ("map(a, f(#))", "(Plain:map a (closure (Plain f #)))"),
    ]);
    refuses(&[
        ("filter(a)", 8, "`filter` lacks its predicate"),
        ("filter()", 7, "`filter` lacks what it works on"),
        ("filter(a, #, 1)", 13, "expected `)`"),
        ("count(a,)", 8, "expected a value"),
        ("map(a, 1; 2)", 8, "needs `{` and `}`"),
        ("map(a, {b: 1})", 9, "expected `}`"),
        ("f(#)", 2, "`#` refers to an element"),
        (".a", 0, "`.` refers to an element"),
        ("map(a, ##)", 7, "found `##`"),
    ]);
}
