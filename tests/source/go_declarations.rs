//! What declarations of Go give.

use outbox_audit::model::place::Pos;
use outbox_audit::model::source::{SourceFile, TypeDecl, TypeKind};

use crate::{file_of, function, go, show};

fn type_of<'f>(file: &'f SourceFile, name: &str) -> &'f TypeDecl {
    let found = file.types.iter().find(|decl| &*decl.name == name);
    found.unwrap_or_else(|| panic!("no type {name}"))
}

fn fields(decl: &TypeDecl) -> Vec<String> {
    let field = |field: &outbox_audit::model::source::Field| {
        let mark = if field.embedded { "+" } else { "" };
        format!("{mark}{}: {}", field.name, show::type_ref(&field.of))
    };
    decl.fields.iter().map(field).collect()
}

fn values(file: &SourceFile) -> Vec<String> {
    let value = |value: &outbox_audit::model::source::ValueDecl| {
        let word = if value.constant { "const" } else { "var" };
        let of = value.of.as_ref().map(show::type_ref).unwrap_or_default();
        let is = value.value.as_ref().map(show::expr).unwrap_or_default();
        format!("{word} {} {of} = {is}", value.name)
    };
    file.values.iter().map(value).collect()
}

#[test]
fn methods_have_their_owner_without_pointer_and_generics() {
    let file = go(
        "func (s *Store[K, V]) Put(ctx C, a, b int, more ...string) (int, error) { return 0, nil }\nfunc (Plain) Get() {}\nfunc Free[T any, S Store | ~string](t T) T { return t }\nfunc declared(x int) bool",
    );
    let put = function(&file, "Put");
    assert_eq!(put.owner.as_deref(), Some("Store"));
    assert_eq!(put.receiver.as_deref(), Some("s"));
    assert_eq!(
        show::signature(&put.params, &put.returns),
        "(ctx: C, a: int, b: int, more…: string) -> int, error"
    );
    let generics = |name: &str| -> Vec<String> {
        let all = function(&file, name).generics.iter();
        all.map(|(name, bounds)| {
            let bounds: Vec<_> = bounds.iter().map(show::type_ref).collect();
            format!("{name}: {}", bounds.join("+"))
        })
        .collect()
    };
    assert_eq!(generics("Put"), ["K: ", "V: "]);
    assert_eq!(generics("Free"), ["T: any", "S: Store+string"]);
    let get = function(&file, "Get");
    assert_eq!(get.owner.as_deref(), Some("Plain"));
    assert_eq!(get.receiver, None);
    let declared = function(&file, "declared");
    assert_eq!(declared.owner, None);
    assert!(declared.body.stmts.is_empty());
    assert_eq!(
        show::signature(&declared.params, &declared.returns),
        "(x: int) -> bool"
    );
}

#[test]
fn places_count_characters_and_ends_lie_behind_the_body() {
    let file = go("/* é */ func Wide() {\n}\n");
    let wide = function(&file, "Wide");
    assert_eq!(
        wide.at,
        Pos {
            line: 2,
            column: 14
        }
    );
    assert_eq!(wide.end, Pos { line: 3, column: 2 });
}

#[test]
fn structs_embed_and_keep_the_types_of_their_fields() {
    let file = go(
        "import m \"example.com/x/message\"\ntype S struct {\n\t*sync.Mutex\n\tm.Router\n\tBase[int]\n\ta, b int `db:\"a\"`\n\tf func(ctx C, x ...int) (err error)\n\tl []*m.Message\n\tk map[string][4]chan<- bool\n\tin struct{ x int }\n\te interface{}\n}",
    );
    assert_eq!(
        fields(type_of(&file, "S")),
        [
            "+Mutex: sync.Mutex",
            "+Router: example.com/x/message.Router",
            "+Base: Base<int>",
            "a: int",
            "b: int",
            "f: func<C, int> -> (error)",
            "l: []<example.com/x/message.Message>",
            "k: map<string, []<chan<bool>>>",
            "in: struct@11:5",
            "e: any",
        ]
    );
    let inner = type_of(&file, "struct@11:5");
    assert_eq!(inner.kind, TypeKind::Struct);
    assert_eq!(fields(inner), ["x: int"]);
}

#[test]
fn interfaces_tell_their_methods_and_what_they_embed() {
    let file = go(
        "type I interface {\n\tio.Reader\n\tBase\n\tDo(ctx C, n int) (string, error)\n\tStop()\n}\ntype Num interface { ~int | ~string }",
    );
    let decl = type_of(&file, "I");
    assert_eq!(decl.kind, TypeKind::Interface);
    let of: Vec<String> = decl.of.iter().map(show::type_ref).collect();
    assert_eq!(of, ["io.Reader", "Base"]);
    let methods: Vec<String> = decl
        .methods
        .iter()
        .map(|method| {
            let types = |all: &[_]| all.iter().map(show::type_ref).collect::<Vec<_>>().join(",");
            format!(
                "{}({})({})",
                method.name,
                types(&method.params),
                types(&method.returns)
            )
        })
        .collect();
    assert_eq!(methods, ["Do(C,int)(string,error)", "Stop()()"]);
}

#[test]
fn named_types_and_aliases_stand_for_another() {
    let file =
        go("type Handler func(e *Event) error\ntype A = other.B\ntype (\n\tX int\n\tY []X\n)");
    for (name, of) in [
        ("Handler", "func<Event> -> (error)"),
        ("A", "other.B"),
        ("X", "int"),
        ("Y", "[]<X>"),
    ] {
        let decl = type_of(&file, name);
        assert_eq!(decl.kind, TypeKind::Alias);
        assert_eq!(decl.of.iter().map(show::type_ref).collect::<Vec<_>>(), [of]);
    }
}

#[test]
fn types_inside_functions_are_declared_too() {
    let file = go("func f() {\n\ttype row struct{ id int }\n\tvar r row\n\tg(r)\n}");
    assert_eq!(fields(type_of(&file, "row")), ["id: int"]);
}

#[test]
fn a_constant_without_a_value_repeats_the_line_above() {
    let file = go(
        "const (\n\tA Kind = iota + 1\n\tB\n\t_\n\tC, D = \"c\", \"d\"\n)\nconst Topic = \"orders.\" + Suffix",
    );
    assert_eq!(
        values(&file),
        [
            "const A Kind = (iota + 1)",
            "const B Kind = (iota + 1)",
            "const _ Kind = (iota + 1)",
            "const C  = \"c\"",
            "const D  = \"d\"",
            "const Topic  = (\"orders.\" + Suffix)",
        ]
    );
}

#[test]
fn variables_of_the_package_have_types_and_values() {
    let file =
        go("var (\n\ta, b = 1, g()\n\tc string\n)\nvar _ Store = (*pg)(nil)\nvar x, err = h()");
    assert_eq!(
        values(&file),
        [
            "var a  = 1",
            "var b  = g()",
            "var c string = ",
            "var _ Store = (nil as pg)",
            "var x  = h()",
            "var err  = ",
        ]
    );
}

#[test]
fn functions_of_tests_are_tests() {
    let file = file_of(
        "a_test.go",
        "package a\nfunc TestX(t *testing.T) {}\nfunc help() {}",
    );
    assert!(file.functions.iter().all(|function| function.test));
    assert!(
        !go("func f() {}")
            .functions
            .iter()
            .any(|function| function.test)
    );
}

#[test]
fn named_results_are_variables_of_the_body_and_a_bare_return_gives_them() {
    let file = go(
        "func f() (n int, err error) {\n\tg := func() (s string) { return }\n\tif g() == \"\" { return }\n\treturn 1, nil\n}",
    );
    assert_eq!(
        show::stmts(&function(&file, "f").body),
        "let n: int; let err: error; \
         let g = fn() -> string { let s: string; return s }; \
         if (g() == \"\") { return n, err }; return 1, nil"
    );
}
