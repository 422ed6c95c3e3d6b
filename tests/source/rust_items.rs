//! What items of Rust give.

use outbox_audit::model::place::Pos;
use outbox_audit::model::source::{FileRole, Function, SourceFile, TypeDecl, TypeKind};

use crate::{function, rust, show, tree_of};

fn type_of<'f>(file: &'f SourceFile, name: &str) -> &'f TypeDecl {
    let found = file.types.iter().find(|decl| &*decl.name == name);
    found.unwrap_or_else(|| panic!("no type {name}"))
}

fn fields(decl: &TypeDecl) -> Vec<String> {
    let all = decl.fields.iter();
    all.map(|field| format!("{}: {}", field.name, show::type_ref(&field.of)))
        .collect()
}

fn generics(function: &Function) -> Vec<String> {
    let all = function.generics.iter();
    all.map(|(name, bounds)| {
        let bounds: Vec<_> = bounds.iter().map(show::type_ref).collect();
        format!("{name}: {}", bounds.join("+"))
    })
    .collect()
}

#[test]
fn methods_have_owner_trait_and_generics() {
    let file = rust(
        "use sqlx::PgPool;\nuse crate::bus as b;\nimpl<S: Store + 'static> b::Handler<Created> for Worker<S> where S: Clone {\n\
         async fn handle<T>(&self, e: &Created, db: PgPool) -> Result<(), Error> where T: Into<String> { Ok(()) }\n}\n\
         impl Worker<u8> { pub fn new() -> Self { Self } const MAX: u8 = 1; type Out = u8; }",
    );
    let handle = function(&file, "handle");
    assert_eq!(handle.owner.as_deref(), Some("Worker"));
    assert_eq!(handle.receiver.as_deref(), Some("self"));
    let of_trait = handle.of_trait.as_ref().map(show::type_ref);
    assert_eq!(of_trait.as_deref(), Some("app::bus::Handler<Created>"));
    assert_eq!(generics(handle), ["S: Store+Clone", "T: Into<String>"]);
    assert_eq!(
        show::signature(&handle.params, &handle.returns),
        "(e: Created, db: sqlx::PgPool) -> Result<tuple, Error>"
    );
    let new = function(&file, "new");
    assert_eq!(
        (new.receiver.as_deref(), new.of_trait.as_ref()),
        (None, None)
    );
    assert_eq!(show::signature(&new.params, &new.returns), "() -> Worker");
    assert_eq!(&*file.values[0].name, "Worker::MAX");
    assert_eq!(type_of(&file, "Worker::Out").kind, TypeKind::Alias);
}

#[test]
fn traits_tell_their_methods_and_default_bodies_belong_to_them() {
    let file = rust(
        "pub trait Handler: Send + crate::Base { type E; fn run(&mut self, n: u8) -> bool; fn twice(self: Arc<Self>) { self.run(1); } }",
    );
    let decl = type_of(&file, "Handler");
    assert_eq!(decl.kind, TypeKind::Interface);
    let of: Vec<String> = decl.of.iter().map(show::type_ref).collect();
    assert_eq!(of, ["Send", "app::Base"]);
    let names: Vec<&str> = decl.methods.iter().map(|method| &*method.name).collect();
    assert_eq!(names, ["run", "twice"]);
    assert_eq!(decl.methods[0].params.len(), 1);
    assert_eq!(file.functions.len(), 1);
    let twice = function(&file, "twice");
    assert_eq!(twice.owner.as_deref(), Some("Handler"));
    assert_eq!(twice.receiver.as_deref(), Some("self"));
    assert_eq!(show::stmts(&twice.body), "self.run(1)");
}

#[test]
fn structs_and_enums_have_fields_and_variants() {
    let file = rust(
        "use std::sync::Arc;\nstruct S { #[serde(x)] pub a: Arc<dyn Bus + Send>, b: [u8; 4], c: Box<dyn Fn(E) -> bool + Send> }\n\
         struct T(pub u8, String);\nenum Kind { Made(Created), Sent { id: u64, at: &'static str }, None = 3 }\ntype R<T> = Result<T, E>;\nstruct U;",
    );
    assert_eq!(
        fields(type_of(&file, "S")),
        [
            "a: std::sync::Arc<dyn<Bus>>",
            "b: []<u8>",
            "c: Box<dyn<func<E> -> (bool)>>"
        ]
    );
    assert_eq!(fields(type_of(&file, "T")), ["0: u8", "1: String"]);
    let kind = type_of(&file, "Kind");
    assert_eq!(
        kind.variants.iter().map(|it| &**it).collect::<Vec<_>>(),
        ["Made", "Sent", "None"]
    );
    assert_eq!(
        fields(kind),
        ["Made.0: Created", "Sent.id: u64", "Sent.at: str"]
    );
    assert_eq!(show::type_ref(&type_of(&file, "R").of[0]), "Result<T, E>");
    assert_eq!(type_of(&file, "U").kind, TypeKind::Struct);
}

#[test]
fn parameters_keep_patterns_and_traits() {
    let file = rust(
        "fn f<const N: usize>(State(db): State<Pool>, (a, _): (A, B), _: u8, g: impl Fn(E) -> F + Send, mut h: &mut H, xs: &[T]) -> impl Future<Output = R> {}",
    );
    let found = function(&file, "f");
    assert_eq!(
        show::signature(&found.params, &found.returns),
        "(State{0: db}: State<Pool>, tuple{0: a, 1: _}: tuple<A, B>, _: u8, \
         g: impl<func<E> -> (F)>, h: H, xs: []<T>) -> impl<Future<R>>"
            .replace("tuple{", "{")
    );
    assert_eq!(generics(found), ["N: "]);
}

#[test]
fn attributes_stand_by_their_function_and_tests_are_known() {
    let file = rust(
        "#[tracing::instrument(skip(self))]\n#[inline]\nfn a() {}\n#[test]\nfn b() {}\n#[tokio::test(flavor = \"x\")]\nasync fn c() {}\n#[cfg(not(test))]\nfn d() {}\n#[cfg(all(test, unix))] fn e() {}",
    );
    let a: Vec<&str> = function(&file, "a")
        .attributes
        .iter()
        .map(|it| &**it)
        .collect();
    assert_eq!(a, ["tracing::instrument(skip(self))", "inline"]);
    let tests: Vec<bool> = file
        .functions
        .iter()
        .map(|function| function.test)
        .collect();
    assert_eq!(tests, [false, true, true, false, true]);
}

#[test]
fn use_trees_are_flattened_and_resolved() {
    let file = rust(
        "mod store;\nuse std::{fmt, sync::{Arc, mpsc as chan}};\nuse crate::a::*;\nuse self::b::B;\nuse super::super::c::{self, D};\nuse store::Pg;\nuse ::tokio::spawn;\nuse x as _;",
    );
    let all: Vec<String> = file
        .imports
        .iter()
        .map(|import| format!("{}={}", import.name, import.target))
        .collect();
    assert_eq!(
        all,
        [
            "fmt=std::fmt",
            "Arc=std::sync::Arc",
            "chan=std::sync::mpsc",
            "*=app::a",
            "B=app::one::two::b::B",
            "c=app::c",
            "D=app::c::D",
            "Pg=app::one::two::store::Pg",
            "spawn=tokio::spawn",
            "_=x",
        ]
    );
}

#[test]
fn modules_have_the_path_of_their_file() {
    let tree = tree_of(&[
        ("Cargo.toml", b"[workspace]\nmembers = [\"x\"]\n"),
        (
            "x/Cargo.toml",
            b"[package]\nname = \"my-app\" # c\n[dependencies]\nname = \"no\"\n",
        ),
        ("x/src/lib.rs", b""),
        ("x/src/main.rs", b""),
        ("x/src/a/mod.rs", b""),
        (
            "x/src/a/b.rs",
            b"mod c { mod d {} } #[cfg(test)] mod tests { fn t() {} }",
        ),
        ("x/src/bin/work-er.rs", b""),
        ("x/tests/it.rs", b""),
        ("x/tests/it/help.rs", b""),
        (
            "y/Cargo.toml",
            b"[package]\nname = 'y'\n\n[lib]\nname = \"why\"\n",
        ),
        ("y/src/z.rs", b""),
    ]);
    assert_eq!(tree.gaps, []);
    let all = tree.files.iter();
    let all: Vec<String> = all
        .map(|file| format!("{} {}", file.path, file.package))
        .collect();
    assert_eq!(
        all,
        [
            "x/src/a/b.rs my_app::a::b",
            "x/src/a/b.rs my_app::a::b::c",
            "x/src/a/b.rs my_app::a::b::c::d",
            "x/src/a/b.rs my_app::a::b::tests",
            "x/src/a/mod.rs my_app::a",
            "x/src/bin/work-er.rs work_er",
            "x/src/lib.rs my_app",
            "x/src/main.rs my_app",
            "x/tests/it.rs it",
            "x/tests/it/help.rs it::help",
            "y/src/z.rs why::z",
        ]
    );
    let tests = tree
        .files
        .iter()
        .find(|file| file.package.ends_with("tests"));
    let tests = tests.expect("the module");
    assert_eq!(tests.role, FileRole::Test);
    assert!(tests.functions[0].test);
    let role = |path: &str| {
        let found = tree.files.iter().find(|file| &*file.path == path);
        found.map(|file| file.role)
    };
    assert_eq!(role("x/tests/it.rs"), Some(FileRole::Test));
    assert_eq!(role("x/src/a/b.rs"), Some(FileRole::Product));
}

#[test]
fn items_inside_functions_and_macros_belong_to_the_module() {
    let file = rust(
        "fn f() { use a::B; struct In { b: B } fn g() { h() } g() }\nlazy_static! { static ref POOL: Pool = connect(\"x\"); }\ninventory::submit! { Job::new(\"n\") }\nthread_local!(static X: u8 = k());",
    );
    assert_eq!(fields(type_of(&file, "In")), ["b: a::B"]);
    assert_eq!(show::stmts(&function(&file, "g").body), "h()");
    assert_eq!(show::stmts(&function(&file, "f").body), "g()");
    let values: Vec<String> = file
        .values
        .iter()
        .map(|value| {
            let is = value.value.as_ref().map(show::expr).unwrap_or_default();
            format!("{} = {is}", value.name)
        })
        .collect();
    assert_eq!(values[0], "POOL = connect(\"x\")");
    assert_eq!(values[1], "_ = inventory::submit!({ Job::new(\"n\") })");
    assert!(values[2].contains("k()"), "{values:?}");
}

#[test]
fn places_count_characters() {
    let file = rust("/* é */ fn wide() { \"é\"; x.y().z::<T>(1) }");
    let wide = function(&file, "wide");
    assert_eq!(
        wide.at,
        Pos {
            line: 1,
            column: 12
        }
    );
    assert_eq!(
        wide.end,
        Pos {
            line: 1,
            column: 43
        }
    );
    let show = show::calls(&wide.body);
    assert_eq!(show, ["1:32 z", "1:28 y"]);
}
