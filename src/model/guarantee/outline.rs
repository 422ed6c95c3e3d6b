//! What a function does, in order, with the functions of the tree that it calls put in: statements,
//! transactions, conditions, errors. Facts of the source, which kinds of guarantees are held against.

use std::sync::Arc;

use crate::model::evidence::Reason;
use crate::model::place::Place;

/// What the source says of guarantees.
#[derive(Debug, Clone, Default)]
pub struct Code {
    /// Functions and methods, in the order of files.
    pub functions: Vec<CodeFunction>,
    /// Classes: path of the file, name, where.
    pub classes: Vec<CodeClass>,
    /// Who calls whom, by place in `functions`, sorted.
    pub calls: Vec<(usize, usize)>,
    /// Statements of SQL: the function in which each stands, and what it is.
    pub statements: Vec<(usize, Node)>,
    /// Outlines by the names that guarantees use, sorted by name.
    pub outlines: Vec<(Arc<str>, Outlined)>,
    /// Paths of all files of the tree.
    pub files: Vec<Arc<str>>,
}

/// An outline, or why there is none.
pub type Outlined = Result<Arc<Outline>, Arc<Reason>>;

/// A function of the tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeFunction {
    /// Its file.
    pub file: Arc<str>,
    /// `Class.method` or its name.
    pub title: Arc<str>,
    /// Where its name stands.
    pub place: Place,
}

/// A class of the tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeClass {
    /// Its file.
    pub file: Arc<str>,
    /// Its name.
    pub name: Arc<str>,
    /// Where its name stands.
    pub place: Place,
}

/// What a function does.
#[derive(Debug, Clone)]
pub struct Outline {
    /// Its file and title, `file::title`.
    pub name: Arc<str>,
    /// Where its name stands.
    pub place: Place,
    /// What stands around it, as written: decorators with their arguments.
    pub decorators: Vec<Node>,
    /// What it does.
    pub nodes: Vec<Node>,
    /// Where more calls follow than are gone through.
    pub cut: Option<Place>,
}

/// One thing that a function does.
#[derive(Debug, Clone)]
pub struct Node {
    /// Where.
    pub place: Place,
    /// What.
    pub what: What,
}

/// Kinds of things that a function does.
#[derive(Debug, Clone)]
pub enum What {
    /// It runs SQL.
    Statement(Ran),
    /// It calls something.
    Call(Called),
    /// It goes one of several ways.
    Branch {
        /// What the ways are chosen by.
        test: Test,
        /// The ways; an empty one where nothing is done.
        arms: Vec<Vec<Node>>,
    },
    /// It does something again and again.
    Loop {
        /// True if it goes over something that ends.
        each: bool,
        /// Its condition, or what it goes over; none if it only ends from inside.
        test: Option<Test>,
        /// What it does.
        body: Vec<Node>,
    },
    /// It does something in a transaction of its own, or in a savepoint of the one around.
    Transaction(Vec<Node>),
    /// It catches errors.
    Try {
        /// What may fail.
        body: Vec<Node>,
        /// What is done about it.
        handlers: Vec<Caught>,
        /// What is done in any case.
        finally: Vec<Node>,
    },
    /// A statement has run before on the connection whose transaction follows: where connections begin
    /// transactions by themselves, what follows is a savepoint.
    Begun,
    /// It commits.
    Commit,
    /// It gives a value back.
    Return(Test),
    /// It raises an error, by its type; the one that was caught where none is named.
    Raise(Option<Arc<str>>),
    /// It leaves a loop, or begins its next round.
    Leave,
    /// It gives something a value: a name or a field, and the value.
    Assign(Arc<str>, Test),
}

/// A statement that is run.
#[derive(Debug, Clone, Default)]
pub struct Ran {
    /// The text; none if it is built at run time.
    pub sql: Option<Arc<str>>,
    /// The text as far as it is known.
    pub shown: Arc<str>,
    /// True if it runs on another connection than every transaction around it.
    pub apart: bool,
    /// What is given for each placeholder, by position.
    pub given: Vec<Test>,
    /// What is given by name.
    pub named: Vec<(Arc<str>, Test)>,
}

/// A call.
#[derive(Debug, Clone, Default)]
pub struct Called {
    /// What is called, as written.
    pub shown: Arc<str>,
    /// Qualified names that it can be: of functions of the tree `file::title`, of others their path.
    pub names: Vec<Arc<str>>,
    /// Functions that are given to it, by name.
    pub given: Vec<Arc<str>>,
    /// What is given to it by position.
    pub args: Vec<Test>,
    /// What is given to it by name.
    pub named: Vec<(Arc<str>, Test)>,
    /// What it does, of a function of the tree; none if that is not gone through.
    pub body: Option<Vec<Node>>,
    /// True if nothing says what it does.
    pub unknown: bool,
}

/// Errors that are caught.
#[derive(Debug, Clone)]
pub struct Caught {
    /// Their types, qualified as far as imports say; empty for all.
    pub takes: Vec<Arc<str>>,
    /// True if one of them is the violation of a unique key.
    pub unique: bool,
    /// What is done.
    pub body: Vec<Node>,
}

/// An expression as far as it is asked about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Test {
    /// As written, shortened.
    pub shown: Arc<str>,
    /// Names and fields in it: `row.status`, `MAX_ATTEMPTS`.
    pub names: Vec<Arc<str>>,
    /// Texts and numbers in it that are known, those behind names of constants too.
    pub literals: Vec<Arc<str>>,
    /// What it is as a whole, where that is known.
    pub constant: Option<Arc<str>>,
    /// True if two values are compared by their order.
    pub ordered: bool,
    /// Of a question about how many rows a statement changed: whether it holds where it changed none.
    pub no_row: Option<bool>,
    /// True if any one of several conditions is enough.
    pub either: bool,
    /// Types that a value is asked to be of: `isinstance(error, TimeoutError)`.
    pub types: Vec<Arc<str>>,
    /// What is called in it, by name.
    pub calls: Vec<Arc<str>>,
}

impl Code {
    /// The outline of a function that a guarantee names.
    pub fn outline(&self, name: &str) -> Option<&Outlined> {
        let at = self
            .outlines
            .binary_search_by(|(known, _)| (**known).cmp(name));
        at.ok()
            .and_then(|at| self.outlines.get(at))
            .map(|(_, outline)| outline)
    }

    /// The functions that a name of the manifest means, by place.
    pub fn named(&self, name: &str) -> Vec<usize> {
        let all = self.functions.iter().enumerate();
        let fits = |one: &CodeFunction| Symbol::of(name).is(&one.file, &one.title);
        all.filter(|(_, one)| fits(one)).map(|(at, _)| at).collect()
    }
}

/// A name of the manifest, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol<'s> {
    /// The file, as far as its path is given.
    pub file: Option<&'s str>,
    /// The function or class.
    pub title: &'s str,
}

impl<'s> Symbol<'s> {
    /// `path/of/file.py::Class.method`, `Class.method`.
    pub fn of(name: &'s str) -> Self {
        match name.split_once("::") {
            Some((file, title)) => Self {
                file: Some(file),
                title,
            },
            None => Self {
                file: None,
                title: name,
            },
        }
    }

    /// True of that function or class of that file.
    pub fn is(&self, file: &str, title: &str) -> bool {
        self.title == title && self.file.is_none_or(|wanted| ends_at_folder(file, wanted))
    }
}

/// True if a path ends in another, at a `/`.
pub fn ends_at_folder(path: &str, end: &str) -> bool {
    let before = path.strip_suffix(end.trim_start_matches("./"));
    before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
}
