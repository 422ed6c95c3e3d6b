//! `RunPython`: what the function that it runs may do to tables. Moving rows by way of the models
//! changes no table; SQL on a connection and code outside the file may.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::place::Place;
use crate::model::source::{Block, Call, Expr, ExprKind, Stmt, StmtKind};

use super::super::module::{Args, Names, is_harmless, moves_data, names_are};
use super::super::statement::{Sql, Step};
use super::operations::Run;

/// The deepest expression that calls are looked for in.
const MOST_DEPTH: usize = 200;

/// What is known of code while it is gone through.
#[derive(Default)]
struct Code<'a> {
    /// Functions of the file that were gone through.
    seen: Vec<Arc<str>>,
    /// Tables of the models that it asks for by name.
    tables: BTreeSet<String>,
    /// What was not read.
    unread: Vec<(String, Place)>,
    /// Calls of the function that is gone through.
    calls: Vec<(&'a Call, Place)>,
    /// Where something is nested too deep.
    cut: Option<Place>,
}

impl<'a> Run<'_, 'a> {
    pub(super) fn run_python(&mut self, args: Args<'a>, place: &Place) -> Option<()> {
        let code = self
            .read
            .module
            .resolve(args.get(0, "code")?, self.read.names);
        match &code.kind {
            ExprKind::Name(name) => {
                let module = self.read.module;
                let of_class = || module.function_of(Some(super::CLASS), name);
                let Some(function) = module.function(name).or_else(of_class) else {
                    return self.unread_code(code, place);
                };
                self.code(&function.body);
                Some(())
            }
            ExprKind::Closure(closure) => {
                self.code(&closure.body);
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

    /// What code does that was not read may be done to each table that it asks for, or, where it
    /// asks for none, to any.
    fn code(&mut self, body: &'a Block) {
        let mut code = Code::default();
        let mut open = vec![body];
        while let Some(body) = open.pop() {
            self.block(body, &mut code, 0);
            for (call, place) in std::mem::take(&mut code.calls) {
                code.tables.extend(self.asked_for(call));
                if let ExprKind::Name(name) = &call.callee.kind
                    && let Some(function) = self.read.module.function(name)
                {
                    if !code.seen.contains(name) {
                        code.seen.push(Arc::clone(name));
                        open.push(&function.body);
                    }
                    continue;
                }
                if let Some(says) = self.one_call(call, &place) {
                    code.unread.push((says, place));
                }
            }
        }
        if let Some(place) = code.cut {
            let says = "code that is nested deeper than is followed".to_owned();
            code.unread.push((says, place));
        }
        for (says, place) in code.unread {
            if code.tables.is_empty() {
                self.emit.unread(None, says.clone(), &place);
            }
            for table in &code.tables {
                self.emit.unread(Some(table), says.clone(), &place);
            }
        }
    }

    /// The table of `apps.get_model("app", "Model")`.
    fn asked_for(&self, call: &'a Call) -> Option<String> {
        if !names_are(call, "get_model") {
            return None;
        }
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
    }

    /// Why a call may change a table, unless what it does was read.
    fn one_call(&mut self, call: &'a Call, place: &Place) -> Option<String> {
        let names = Names::default();
        if names_are(call, "execute") || names_are(call, "executemany") {
            let of = call.args.first()?;
            if let Some(text) = self.read.module.text(of, self.read.names) {
                let sql = Sql::raw(text, place.clone(), self.emit.dialect);
                let why = "is run by code, which may leave it out";
                self.emit.add(Step::MayRun(sql, why.into()));
                return None;
            }
            let begins = self.read.module.beginning(of, &names).unwrap_or_default();
            return (!moves_data(&begins))
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
        let called = self.read.module.qualified(&call.callee)?;
        // Django's own change rows; what is handed SQL was looked at.
        let known = target.split('.').next() == Some("django") || is_harmless(&called);
        (!known).then(|| format!("`{called}` is called, which is not read here"))
    }

    fn block(&self, block: &'a Block, code: &mut Code<'a>, depth: usize) {
        block
            .stmts
            .iter()
            .for_each(|stmt| self.statement(stmt, code, depth + 1));
    }

    fn statement(&self, stmt: &'a Stmt, code: &mut Code<'a>, depth: usize) {
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
            StmtKind::Leave(_) => {}
        }
        exprs
            .into_iter()
            .for_each(|of| self.expression(of, code, depth));
        blocks
            .into_iter()
            .for_each(|block| self.block(block, code, depth));
    }

    fn expression(&self, of: &'a Expr, code: &mut Code<'a>, depth: usize) {
        if depth > MOST_DEPTH {
            code.cut.get_or_insert_with(|| self.read.module.place(of));
            return;
        }
        let mut inner = |of: &'a Expr| self.expression(of, code, depth + 1);
        match &of.kind {
            ExprKind::Call(call) => {
                inner(&call.callee);
                call.args.iter().for_each(inner);
                code.calls.push((call, self.read.module.place(of)));
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
            ExprKind::Block(block) => self.block(block, code, depth + 1),
            ExprKind::Closure(closure) => self.block(&closure.body, code, depth + 1),
            _ => {}
        }
    }
}
