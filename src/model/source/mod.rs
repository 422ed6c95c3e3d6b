//! What a source tree says, in terms that no language owns.
//!
//! A reader of one language turns each file into a [`SourceFile`]: declarations, and the bodies of
//! functions as statements and expressions. It resolves what the file alone decides (imports,
//! literals) and judges nothing. Everything behind it — the call graph, subscriptions, effects,
//! guards — reads these trees, so a further language is a further reader and a further rule pack.

mod expression;
mod statement;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

pub use expression::{Call, Closure, Expr, ExprKind, MadeField, Operator};
pub use statement::{Arm, AssignOp, Block, Handler, Leaves, Pattern, Stmt, StmtKind};

use super::evidence::Reason;
use super::place::{Place, Pos, Span};
use super::text::TextFile;

/// A source tree as read.
#[derive(Debug, Clone, Default)]
pub struct SourceTree {
    /// Files of which a tree was made, sorted by path.
    pub files: Vec<SourceFile>,
    /// Files of tests whose results are to be held against their source, sorted by path.
    pub tests: Vec<SourceFile>,
    /// How many files were looked at, those without a tree included.
    pub scanned: usize,
    /// How many of them nobody wanted a tree of.
    pub left_out: usize,
    /// Bytes of all files that were looked at.
    pub bytes: u64,
    /// Bytes of the files of which a tree was made.
    pub bytes_as_tree: u64,
    /// What could not be read.
    pub gaps: Vec<Reason>,
    /// First 16 hex digits of the SHA-256 over path and content of every file that was looked at,
    /// by path.
    pub digest: Arc<str>,
    /// How many files of each language were looked at.
    pub languages: BTreeMap<Language, usize>,
    /// Texts of the files of which a tree was made, sorted by path, so that a report can quote them.
    pub texts: Vec<Arc<TextFile>>,
}

/// A programming language with a reader of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Language {
    /// Go.
    Go,
    /// Python.
    Python,
    /// Rust.
    Rust,
}

impl Language {
    /// Every language, in the order of their names.
    pub const ALL: &[Language] = &[Language::Go, Language::Python, Language::Rust];

    /// The word used in ids, rules and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Language::Go => "go",
            Language::Python => "python",
            Language::Rust => "rust",
        }
    }

    /// What a person calls it.
    pub fn title(self) -> &'static str {
        match self {
            Language::Go => "Go",
            Language::Python => "Python",
            Language::Rust => "Rust",
        }
    }
}

/// What a file is there for. Only product files hold consumers that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileRole {
    /// Part of the product.
    Product,
    /// A test.
    Test,
    /// Written by a generator, by the mark the generator left.
    Generated,
    /// A copy of somebody else's code.
    Vendored,
}

/// One file.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Path relative to the audited root, with `/`.
    pub path: Arc<str>,
    /// Language.
    pub language: Language,
    /// What it is there for.
    pub role: FileRole,
    /// Qualified name of its package or module: the import path in Go
    /// (`github.com/a/b/internal/store`), the module path in Rust (`my_crate::store`) and Python
    /// (`shop.orders.tasks`).
    pub package: Arc<str>,
    /// Names that it brings in.
    pub imports: Vec<Import>,
    /// Types that it declares, inside functions too.
    pub types: Vec<TypeDecl>,
    /// Functions and methods that it declares, not its closures. What a module runs when it is
    /// loaded is one too, called `<module>`.
    pub functions: Vec<Function>,
    /// Constants and variables of the package; those of a class as `Class.name`.
    pub values: Vec<ValueDecl>,
    /// Parts that did not parse, as their first position.
    pub unparsed: Vec<Pos>,
}

impl SourceFile {
    /// The place of a position of this file.
    pub fn place(&self, at: Pos) -> Place {
        let end = Pos {
            line: at.line,
            column: at.column.saturating_add(1),
        };
        Place::File(Span {
            file: Arc::clone(&self.path),
            start: at,
            end,
        })
    }
}

/// A name that a file brings in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The name as the file uses it; `*` for everything of the package.
    pub name: Arc<str>,
    /// What it stands for: a qualified package, module or item.
    pub target: Arc<str>,
    /// Where it is written.
    pub at: Pos,
}

/// A reference to a type. Pointers and references are dropped: they change no meaning here.
///
/// A name is qualified where an import says how: `github.com/x/message.Router`,
/// `sqlx::PgPool`; a name of the file's own package stays bare. Kinds without a name have a word:
/// `[]` (list, `args` the element), `map` (key, value), `chan`, `func` (`args` the parameters, the
/// results in `returns`), `tuple`, `dyn` (any of the types in `args`), `result` (what the function in
/// `args` gives), `?` for what the reader does not model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeRef {
    /// Name or word.
    pub name: Arc<str>,
    /// Generic arguments, or the parts of a kind without a name.
    pub args: Vec<TypeRef>,
    /// Results of a `func`; empty for all else.
    pub returns: Vec<TypeRef>,
}

/// A type declaration.
#[derive(Debug, Clone)]
pub struct TypeDecl {
    /// Name.
    pub name: Arc<str>,
    /// What it is.
    pub kind: TypeKind,
    /// Fields of a struct, or of a variant as `Variant.field` / `Variant.0`.
    pub fields: Vec<Field>,
    /// Methods of an interface or trait: names and signatures. Default bodies are in
    /// [`SourceFile::functions`], with the trait as owner.
    pub methods: Vec<Signature>,
    /// Variants of an enum.
    pub variants: Vec<Arc<str>>,
    /// The type that an alias or a named type stands for; interfaces that an interface embeds, and
    /// traits that a trait requires.
    pub of: Vec<TypeRef>,
    /// Position of the name.
    pub at: Pos,
}

/// Kinds of type declarations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeKind {
    /// A struct, or a class.
    Struct,
    /// An enum.
    Enum,
    /// An interface or a trait.
    Interface,
    /// Another name for a type, or a type made of another.
    Alias,
}

/// A field.
#[derive(Debug, Clone)]
pub struct Field {
    /// Name; the last part of the type's name for an embedded one.
    pub name: Arc<str>,
    /// Type.
    pub of: TypeRef,
    /// True if its methods are methods of the struct.
    pub embedded: bool,
}

/// A method as an interface asks for it.
#[derive(Debug, Clone)]
pub struct Signature {
    /// Name.
    pub name: Arc<str>,
    /// Types of the parameters, without the receiver.
    pub params: Vec<TypeRef>,
    /// Types of the results.
    pub returns: Vec<TypeRef>,
}

/// A function or method.
#[derive(Debug, Clone)]
pub struct Function {
    /// Name.
    pub name: Arc<str>,
    /// The type whose method it is, bare or qualified as in [`TypeRef`].
    pub owner: Option<Arc<str>>,
    /// The trait that it implements for its owner.
    pub of_trait: Option<TypeRef>,
    /// Name of the receiver; `self` in Rust. None for functions without one.
    pub receiver: Option<Arc<str>>,
    /// Names of type parameters, with the types they are bound to (`T: Store`).
    pub generics: Vec<(Arc<str>, Vec<TypeRef>)>,
    /// Parameters, without the receiver.
    pub params: Vec<Param>,
    /// Types of the results; in Rust the one result, with `Result` and `impl` left in.
    pub returns: Vec<TypeRef>,
    /// Body; empty for one that only is declared.
    pub body: Block,
    /// Annotations and attributes, as written without their brackets.
    pub attributes: Vec<Arc<str>>,
    /// True if it only is there for tests.
    pub test: bool,
    /// Position of the name.
    pub at: Pos,
    /// Position just behind the body.
    pub end: Pos,
}

/// A parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Param {
    /// What it binds.
    pub pattern: Pattern,
    /// Type; `?` where none is written.
    pub of: TypeRef,
    /// What it is where no argument is given.
    pub default: Option<Box<Expr>>,
    /// True if it takes the rest of the arguments.
    pub rest: bool,
}

/// A constant or variable of a package, with its value where it has one.
#[derive(Debug, Clone)]
pub struct ValueDecl {
    /// Name.
    pub name: Arc<str>,
    /// True if nothing can assign to it.
    pub constant: bool,
    /// Type, where one is written.
    pub of: Option<TypeRef>,
    /// Value.
    pub value: Option<Expr>,
    /// Position of the name.
    pub at: Pos,
}
