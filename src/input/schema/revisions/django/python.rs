//! `RunPython`: what the function that it runs may do to tables. Moving rows by way of the models
//! changes no table; SQL on a connection and code outside the file may.

use crate::model::place::Place;
use crate::model::source::{Block, Call, Expr, ExprKind, Stmt, StmtKind};

use super::super::module::{Args, Names, names_are};
use super::super::statement::{Sql, Step};
use super::operations::Run;

/// Functions of the file call each other as deep as this.
const MOST_CALLS: usize = 8;

/// The deepest expression that calls are looked for in.
const MOST_DEPTH: usize = 200;

/// Packages whose calls change no table by themselves. Django's own change rows, but for those that
/// are handed SQL, which are looked at.
const HARMLESS: [&str; 20] = [
    "django",
    "json",
    "uuid",
    "datetime",
    "logging",
    "re",
    "os",
    "time",
    "decimal",
    "hashlib",
    "collections",
    "itertools",
    "functools",
    "string",
    "math",
    "random",
    "typing",
    "enum",
    "copy",
    "secrets",
];

/// Calls of one function, with what they speak of.
#[derive(Default)]
struct Calls<'a> {
    all: Vec<(&'a Call, Place)>,
    /// True if something was nested too deep to be looked at.
    cut: bool,
}

impl<'a> Run<'_, 'a> {
    pub(super) fn run_python(&mut self, args: Args<'a>, place: &Place) -> Option<()> {
        let code = self
            .read
            .module
            .resolve(args.get(0, "code")?, self.read.names);
        match &code.kind {
            ExprKind::Name(name) => {
                let Some(function) = self.read.module.function(name) else {
                    return self.unread_code(code, place);
                };
                self.code(&function.body, 0);
                Some(())
            }
            ExprKind::Closure(closure) => {
                self.code(&closure.body, 0);
                Some(())
            }
            _ => {
                let name = self.read.module.qualified(code);
                match name.is_some_and(|name| name.ends_with("RunPython.noop")) {
                    true => Some(()),
                    false => self.unread_code(code, place),
                }
            }
        }
    }

    fn unread_code(&mut self, code: &'a Expr, place: &Place) -> Option<()> {
        let name = self.read.module.qualified(code);
        let name = name.map_or_else(String::new, |name| format!(" `{name}`"));
        let says = format!("the code{name} that is run stands elsewhere and was not read");
        self.emit.unread(None, says, place);
        Some(())
    }

    fn code(&mut self, body: &'a Block, depth: usize) {
        let mut calls = Calls::default();
        self.block(body, &mut calls, 0);
        let tables = self.tables(&calls);
        let mut unread: Vec<(String, Place)> = Vec::new();
        for (call, place) in &calls.all {
            if let Some(says) = self.one_call(call, place, depth) {
                unread.push((says, place.clone()));
            }
        }
        if calls.cut {
            let place = calls.all.first().map(|(_, place)| place.clone());
            let place = place.unwrap_or(Place::Path(self.read.module.source.path.clone()));
            unread.push((
                "code that is nested deeper than is followed".to_owned(),
                place,
            ));
        }
        for (says, place) in unread {
            if tables.is_empty() {
                self.emit.unread(None, says.clone(), &place);
            }
            for table in &tables {
                self.emit.unread(Some(table), says.clone(), &place);
            }
        }
    }

    /// Tables of the models that the code asks for by name.
    fn tables(&self, calls: &Calls<'a>) -> Vec<String> {
        let mut tables: Vec<String> = calls
            .all
            .iter()
            .filter(|(call, _)| names_are(call, "get_model"))
            .filter_map(|(call, _)| {
                let args = Args(call);
                let text = |of: &'a Expr| self.read.module.text(of, self.read.names);
                let first = text(args.get(0, "app_label")?)?;
                let (app, model) = match (first.split_once('.'), args.get(1, "model_name")) {
                    (_, Some(model)) => (first.clone(), text(model)?),
                    (Some((app, model)), None) => (app.to_owned(), model.to_owned()),
                    (None, None) => return None,
                };
                let key = (app.as_str().into(), model.to_ascii_lowercase());
                Some(self.state.models.get(&key)?.table.clone())
            })
            .collect();
        tables.sort();
        tables.dedup();
        tables
    }

    /// Why a call may change a table, unless what it does was read.
    fn one_call(&mut self, call: &'a Call, place: &Place, depth: usize) -> Option<String> {
        let names = Names::default();
        if let ExprKind::Name(name) = &call.callee.kind {
            if let Some(function) = self.read.module.function(name) {
                if depth >= MOST_CALLS {
                    return Some("functions that call each other deeper than is followed".into());
                }
                self.code(&function.body, depth + 1);
                return None;
            }
        }
        if names_are(call, "execute") || names_are(call, "executemany") {
            let of = call.args.first()?;
            if let Some(text) = self.read.module.text(of, self.read.names) {
                let sql = Sql::raw(text, place.clone(), self.emit.dialect);
                self.emit.add(Step::MayRun(
                    sql,
                    "is run by code, which may leave it out".into(),
                ));
                return None;
            }
            let begins = self.read.module.beginning(of, &names).unwrap_or_default();
            let word = begins.split_whitespace().next().unwrap_or_default();
            let moves = ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "MERGE"];
            let moves = moves.iter().any(|verb| verb.eq_ignore_ascii_case(word));
            return (!moves || begins.contains(';'))
                .then(|| "SQL that is made at run time was not read".to_owned());
        }
        let mut head = &call.callee;
        let mut fields = 0;
        while let ExprKind::Field { of, .. } = &head.kind {
            head = of;
            fields += 1;
        }
        let ExprKind::Name(name) = &head.kind else {
            return None;
        };
        // `schema_editor.alter_field(…)`: operations on tables, called by hand.
        if &**name == "schema_editor" && fields == 1 {
            return Some("tables are changed by code, which was not read".to_owned());
        }
        let target = self.read.module.imported(name)?;
        let package = target.split('.').next().unwrap_or_default();
        let called = self.read.module.qualified(&call.callee)?;
        (!HARMLESS.contains(&package))
            .then(|| format!("`{called}` is called, which is not read here"))
    }

    fn block(&self, block: &'a Block, calls: &mut Calls<'a>, depth: usize) {
        block
            .stmts
            .iter()
            .for_each(|stmt| self.statement(stmt, calls, depth + 1));
    }

    fn statement(&self, stmt: &'a Stmt, calls: &mut Calls<'a>, depth: usize) {
        let mut exprs: Vec<&'a Expr> = Vec::new();
        let mut blocks: Vec<&'a Block> = Vec::new();
        match &stmt.kind {
            StmtKind::Let {
                values, otherwise, ..
            } => {
                exprs.extend(values);
                blocks.push(otherwise);
            }
            StmtKind::Assign { values, .. } | StmtKind::Return(values) => exprs.extend(values),
            StmtKind::Expr(of) | StmtKind::Defer(of) | StmtKind::Spawn(of) => exprs.push(of),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                exprs.push(condition);
                blocks.extend([then, otherwise]);
            }
            StmtKind::Loop { over, body, .. } => {
                exprs.extend(over);
                blocks.push(body);
            }
            StmtKind::Match { of, arms } => {
                exprs.extend(of);
                for arm in arms {
                    exprs.extend(&arm.guard);
                    blocks.push(&arm.body);
                }
            }
            StmtKind::Block(block) => blocks.push(block),
            StmtKind::With { of, body, .. } => {
                exprs.push(of);
                blocks.push(body);
            }
            StmtKind::Try {
                body,
                handlers,
                finally,
            } => {
                blocks.push(body);
                blocks.extend(handlers.iter().map(|handler| &handler.body));
                blocks.push(finally);
            }
            StmtKind::Leave => {}
        }
        exprs
            .into_iter()
            .for_each(|of| self.expression(of, calls, depth));
        blocks
            .into_iter()
            .for_each(|block| self.block(block, calls, depth));
    }

    fn expression(&self, of: &'a Expr, calls: &mut Calls<'a>, depth: usize) {
        if depth > MOST_DEPTH {
            calls.cut = true;
            return;
        }
        let mut inner = |of: &'a Expr| self.expression(of, calls, depth + 1);
        match &of.kind {
            ExprKind::Call(call) => {
                inner(&call.callee);
                call.args.iter().for_each(inner);
                calls.all.push((call, self.read.module.place(of)));
            }
            ExprKind::Field { of, .. } | ExprKind::Not(of) => inner(of),
            ExprKind::Cast { value, .. } => inner(value),
            ExprKind::Index { of, by } => {
                inner(of);
                inner(by);
            }
            ExprKind::Make { fields, .. } => fields.iter().for_each(|field| inner(&field.value)),
            ExprKind::Binary { left, right, .. } => {
                inner(left);
                inner(right);
            }
            ExprKind::Other(parts) => parts.iter().for_each(inner),
            ExprKind::Block(block) => self.block(block, calls, depth + 1),
            ExprKind::Closure(closure) => self.block(&closure.body, calls, depth + 1),
            _ => {}
        }
    }
}
