//! Source trees through the public door: files in a directory become the neutral tree.

mod go_bodies;
mod go_declarations;
mod go_packages;
mod hostile;
mod laws;
mod python;
mod rust_bodies;
mod rust_items;
mod scan;
mod show;
mod tree;
mod walk;

use std::fs;
use std::path::Path;

use outbox_audit::input::files::Limits;
use outbox_audit::input::source::{Wanted, read};
use outbox_audit::model::source::{Function, SourceFile, SourceTree};

/// Reads a directory that holds these files.
fn tree_of(files: &[(&str, &[u8])]) -> SourceTree {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (name, bytes) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().expect("it lies in a directory")).expect("made");
        fs::write(path, bytes).expect("written");
    }
    read_all(directory.path())
}

fn read_all(root: &Path) -> SourceTree {
    read(&[root.to_owned()], root, &Limits::default(), &Wanted::All)
}

/// Reads one file, which has to be read whole.
fn file_of(name: &str, text: &str) -> SourceFile {
    let mut tree = tree_of(&[(name, text.as_bytes())]);
    assert_eq!(tree.gaps, [], "{text}");
    let file = tree.files.pop().expect("one file");
    assert_eq!(file.unparsed, [], "{text}");
    file
}

/// A file of Go with this behind its package clause.
fn go(text: &str) -> SourceFile {
    file_of("a.go", &format!("package a\n{text}"))
}

/// The body of a function of Go with these statements, as the neutral tree says it.
fn go_body(text: &str) -> String {
    let file = go(&format!("func f() {{\n{text}\n}}"));
    let function = file.functions.first().expect("one function");
    show::stmts(&function.body)
}

/// A file of Python, the module `shop.orders.tasks`.
fn python(text: &str) -> SourceFile {
    let files: [(&str, &[u8]); 3] = [
        ("shop/__init__.py", b""),
        ("shop/orders/__init__.py", b""),
        ("shop/orders/tasks.py", text.as_bytes()),
    ];
    let mut tree = tree_of(&files);
    assert_eq!(tree.gaps, [], "{text}");
    let file = tree.files.pop().expect("the file");
    assert_eq!(file.unparsed, [], "{text}");
    file
}

/// The body of a function of Python with these statements, as the neutral tree says it.
fn python_body(text: &str) -> String {
    let text = text.replace('\n', "\n    ");
    let file = python(&format!("def f():\n    {text}\n"));
    let function = file.functions.first().expect("one function");
    show::stmts(&function.body)
}

/// A file of Rust, in the module `app::one::two`.
fn rust(text: &str) -> SourceFile {
    let manifest: &[u8] = b"[package]\nname = \"app\"\n";
    let files = [
        ("Cargo.toml", manifest),
        ("src/one/two.rs", text.as_bytes()),
    ];
    let mut tree = tree_of(&files);
    assert_eq!(tree.gaps, [], "{text}");
    let file = tree.files.swap_remove(0);
    assert_eq!(file.unparsed, [], "{text}");
    file
}

/// The body of a function of Rust with these statements, as the neutral tree says it.
fn rust_body(text: &str) -> String {
    let file = rust(&format!("fn f() {{\n{text}\n}}"));
    let function = file.functions.first().expect("one function");
    show::stmts(&function.body)
}

fn function<'f>(file: &'f SourceFile, name: &str) -> &'f Function {
    let found = file
        .functions
        .iter()
        .find(|function| &*function.name == name);
    found.unwrap_or_else(|| panic!("no function {name}"))
}
