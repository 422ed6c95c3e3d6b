//! What a file of Python gives.

use std::time::{Duration, Instant};

use outbox_audit::model::source::{ExprKind, FileRole, StmtKind};

use crate::{function, python, python_body, show, tree_of};

/// Each text beside what the neutral tree says.
fn all(cases: &[(&str, &str)]) {
    for (text, says) in cases {
        assert_eq!(python_body(text), *says, "{text}");
    }
}

#[test]
fn texts_are_joined_of_their_parts() {
    all(&[
        ("x = 'a' \"b\"", "let x = \"ab\""),
        ("x = f'a{b}c'", "let x = ((\"a\" + b) + \"c\")"),
        ("x = f'{a!r:>{w}}'", "let x = (\"\" + { w; a })"),
        ("x = r'\\d' '\\n\\x41'", "let x = \"\\\\d\\nA\""),
        (
            "x = 'a %s, %d%%' % (b, c)",
            "let x = ((((\"a \" + b) + \", \") + c) + \"%\")",
        ),
        ("x = '%(a)s' % {'a': b}", "let x = (\"\" + b)"),
        (
            "x = '{} {0} {n}'.format(a, n=b)",
            "let x = ((((a + \" \") + a) + \" \") + b)",
        ),
    ]);
}

#[test]
fn statements_keep_what_they_say() {
    all(&[
        ("a, b = f()", "let a, b = f()"),
        ("a = 1\na = 2", "let a; a = 1; a = 2"),
        ("a.b = c\na += 1", "a.b = c; a += 1"),
        ("return a, b", "return a, b"),
        (
            "if a:\n    b()\nelif c:\n    d()\nelse:\n    e()",
            "match { [] if a => { b() }, [] if c => { d() }, [] => { e() } }",
        ),
        (
            "for k, v in m:\n    f(k)\nelse:\n    g()",
            "each [k, v] m { f(k) }; g(); return",
        ),
        ("while True:\n    f()", "while []  { f() }"),
        (
            "with a() as b, c:\n    d(b)",
            "with a() as b { with c { d(b) } }",
        ),
        ("raise E(a) from b", "raise(E(a), b); leave"),
        (
            "return [f(x) for x in xs if x]",
            "return { each [x] xs { { if x { f(x) } } } }",
        ),
        ("return a if b else c", "return { if b { a } else { c } }"),
        ("return lambda x: g(x)", "return fn(x: ?) { return g(x) }"),
    ]);
}

#[test]
fn imports_name_modules_of_the_tree() {
    let text = "import os.path\nimport a.b as c\nfrom . import models\nfrom ..mail import send as post\nfrom shop.db import *\nfrom .... import far\n";
    let file = python(text);
    assert_eq!(&*file.package, "shop.orders.tasks");
    let says: Vec<String> = file
        .imports
        .iter()
        .map(|import| format!("{}={}", import.name, import.target))
        .collect();
    assert_eq!(
        says,
        [
            "os=os",
            "c=a.b",
            "models=shop.orders.models",
            "post=shop.mail.send",
            "*=shop.db",
            "far=shop.far"
        ]
    );
}

#[test]
fn classes_have_bases_attributes_and_methods() {
    let file = python(
        "class Order(Base, Mixin[Row], metaclass=M):\n    KIND = 'order'\n    total: int\n    def __init__(self, store: Store):\n        self.store = store\n        self.client = Client()\n    @staticmethod\n    def free(a): pass\n    class Meta:\n        ordering = ['id']\n",
    );
    let order = &file.types[0];
    let fields: Vec<String> = order
        .fields
        .iter()
        .map(|field| {
            format!(
                "{}:{}{}",
                field.name,
                field.of.name,
                if field.embedded { "!" } else { "" }
            )
        })
        .collect();
    assert_eq!(
        fields,
        [
            "Base:Base!",
            "Mixin:Mixin!",
            "total:int",
            "store:Store",
            "client:result"
        ]
    );
    assert_eq!(&*file.types[1].name, "Order.Meta");
    assert!(file.values.iter().any(|value| &*value.name == "Order.KIND"));
    let init = function(&file, "__init__");
    assert_eq!(init.receiver.as_deref(), Some("self"));
    assert_eq!(init.params.len(), 1);
    assert_eq!(function(&file, "free").receiver, None);
}

#[test]
fn a_decorator_is_a_call_that_says_what_it_decorates() {
    let file = python(
        "@plain\n@called(1)\ndef f(): pass\nclass C(Base):\n    @m\n    def g(self): pass\n",
    );
    let module = function(&file, "<module>");
    let says: Vec<String> = module
        .body
        .stmts
        .iter()
        .filter_map(|stmt| match &stmt.kind {
            StmtKind::Expr(expr) => match &expr.kind {
                ExprKind::Call(call) => {
                    let on = call.decorates.as_ref()?;
                    Some(format!("{} on {}", show::expr(expr), show::expr(on)))
                }
                _ => None,
            },
            _ => None,
        })
        .collect();
    assert_eq!(
        says,
        [
            "plain() on f",
            "called(1) on f",
            "Base.__init_subclass__() on C",
            "m() on C.g"
        ]
    );
}

#[test]
fn roles_are_those_of_the_field() {
    let role = |name: &str, text: &str| {
        let tree = tree_of(&[(name, text.as_bytes())]);
        tree.files[0].role
    };
    assert_eq!(role("shop/tasks.py", ""), FileRole::Product);
    assert_eq!(
        role("shop/migrations/0001_initial.py", "x = 1"),
        FileRole::Product
    );
    assert_eq!(role("shop/tests/util.py", ""), FileRole::Test);
    assert_eq!(role("shop/test_tasks.py", ""), FileRole::Test);
    assert_eq!(role("conftest.py", ""), FileRole::Test);
    assert_eq!(role("shop/orders_pb2.py", ""), FileRole::Generated);
    assert_eq!(
        role("a.py", "# Code generated by x. DO NOT EDIT.\n"),
        FileRole::Generated
    );
    assert_eq!(role("vendor/a.py", ""), FileRole::Vendored);
}

/// Marks of bytes, line ends, tabs and the statements of Python 2 are no reason to lose a call.
#[test]
fn texts_of_all_kinds_are_read() {
    for text in [
        "\u{feff}def f():\n    g()\n",
        "def f():\r\n    g()\r\n",
        "def f():\n\tg()\n",
        "def f():\n    print 'a'\n    exec 'b'\n    g()\n",
        "# -*- coding: latin-1 -*-\ndef f():\n    g()",
    ] {
        let tree = tree_of(&[("a.py", text.as_bytes())]);
        let file = &tree.files[0];
        assert!(file.unparsed.is_empty(), "{text:?}");
        assert!(
            show::stmts(&function(file, "f").body).contains("g()"),
            "{text:?}"
        );
    }
}

#[test]
fn what_does_not_parse_is_told_and_the_rest_is_read() {
    let tree = tree_of(&[(
        "a.py",
        b"def f():\n    g()\n\ndef h(:\n    )]\n\ndef k():\n    m()\n",
    )]);
    let file = &tree.files[0];
    assert!(!file.unparsed.is_empty());
    assert_eq!(show::stmts(&function(file, "f").body), "g(); return");
}

#[test]
fn sizes_and_depths_are_bounded() {
    let whole = |text: &str| {
        let started = Instant::now();
        let tree = tree_of(&[("a.py", text.as_bytes())]);
        assert!(started.elapsed() < Duration::from_secs(60));
        tree.gaps.is_empty() && tree.files.iter().all(|file| file.unparsed.is_empty())
    };
    let nested = |open: &str, close: &str, times: usize| {
        format!("x = {}1{}\n", open.repeat(times), close.repeat(times))
    };
    for (open, close) in [
        ("(", ")"),
        ("f(", ")"),
        ("[", "]"),
        ("not ", ""),
        ("lambda: ", ""),
        ("a.b(", ")"),
    ] {
        assert!(whole(&nested(open, close, 20)), "{open}");
        assert!(!whole(&nested(open, close, 20_000)), "{open}");
    }
    let blocks = |times: usize| {
        let mut text = String::new();
        for depth in 0..times {
            text.push_str(&format!("{}if a:\n", " ".repeat(depth)));
        }
        format!("{text}{}b()\n", " ".repeat(times))
    };
    assert!(whole(&blocks(20)));
    assert!(!whole(&blocks(1_000)));
    assert!(whole(&format!("x = {}\n", vec!["'a'"; 20_000].join(" + "))));
    assert!(whole(&format!("x = {}\n", vec!["a"; 20_000].join(" and "))));
    let elifs = "elif a:\n    b()\n".repeat(5_000);
    assert!(whole(&format!("if a:\n    b()\n{elifs}")));
    let call = "bus.subscribe('é', lambda e: f(e)); ";
    assert!(whole(&format!("{}\n", call.repeat(2_000_000 / call.len()))));
    let rows = "    ('a', 1, {'b': 2}),\n".repeat(90_000);
    assert!(whole(&format!("ROWS = [\n{rows}]\n")));
}
