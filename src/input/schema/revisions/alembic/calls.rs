//! What a call of a revision does: an operation, a statement on a connection, a function of the
//! file, or something outside, which may do anything.

use std::sync::Arc;

use crate::model::source::{Block, Call, Expr, ExprKind, Param, Pattern};
use crate::sql::cursor::QualifiedName;

use super::super::module::{Args, Bound, Names, is_harmless};
use super::super::statement::Step;
use super::body::Body;
use super::columns::Reader;
use super::execute::execute;
use super::operations::Operation;
use super::types::data_type;

/// Functions of the file call each other as deep as this.
const MOST_CALLS: usize = 8;

/// Packages whose calls make things, and change no table by themselves.
const MAKERS: [&str; 4] = ["sqlalchemy", "sqlalchemy_utils", "sqlmodel", "alembic"];

/// Methods of connections and sessions that run the statement they are handed.
const RUNS: [&str; 4] = ["execute", "exec_driver_sql", "scalar", "scalars"];

/// Methods that make or drop tables, or may run anything.
const DEFINES: [&str; 7] = [
    "create_all",
    "drop_all",
    "create",
    "drop",
    "run_sync",
    "upgrade",
    "downgrade",
];

/// Operations of a batch that change its table.
const OF_A_BATCH: [&str; 11] = [
    "add_column",
    "alter_column",
    "create_check_constraint",
    "create_exclude_constraint",
    "create_foreign_key",
    "create_index",
    "create_primary_key",
    "create_unique_constraint",
    "drop_column",
    "drop_constraint",
    "drop_index",
];

impl<'a> Body<'_, 'a> {
    pub(super) fn call(&mut self, of: &'a Expr, call: &'a Call) {
        let place = self.module.place(of);
        let qualified = self.module.qualified(&call.callee);
        if let Some(name) = qualified
            .as_deref()
            .and_then(|name| name.strip_prefix("alembic.op."))
        {
            return self.operation(of, name, call, None);
        }
        match &call.callee.kind {
            ExprKind::Field { of: on, name, .. } => {
                if let Some(Bound::Batch { schema, table }) = self.names.get_of(on) {
                    let table = QualifiedName {
                        schema: schema.clone(),
                        name: Arc::clone(table),
                    };
                    return self.operation(of, name, call, Some(table));
                }
                if RUNS.contains(&&**name)
                    && let Some(sql) = call.args.first()
                {
                    let read = Reader {
                        module: self.module,
                        names: &self.names,
                        dialect: self.dialect,
                    };
                    for step in execute(&read, sql, &place) {
                        self.add(step, &place);
                    }
                    return;
                }
                let unbound_batch = OF_A_BATCH.contains(&&**name)
                    && matches!(self.names.get_of(on), Some(Bound::Unknown));
                let of_a_type = || data_type(self.module, &self.names, on, self.dialect).is_some();
                if unbound_batch || (DEFINES.contains(&&**name) && !of_a_type()) {
                    let sentence = format!("what `{name}` does was not read");
                    return self.add(Step::unread(None, sentence, place.clone()), &place);
                }
            }
            ExprKind::Name(name) => {
                if let Some(function) = self.module.function(name) {
                    return self.inside(of, call, &function.params, &function.body);
                }
            }
            _ => {}
        }
        if let ExprKind::Closure(closure) = &self.module.resolve(&call.callee, &self.names).kind {
            return self.inside(of, call, &closure.params, &closure.body);
        }
        if let Some(outside) = self.outside(&call.callee) {
            let sentence = format!("`{outside}` is called, which is not read here");
            self.add(Step::unread(None, sentence, place.clone()), &place);
        }
    }

    fn operation(
        &mut self,
        of: &'a Expr,
        name: &str,
        call: &'a Call,
        batch: Option<QualifiedName>,
    ) {
        let place = self.module.place(of);
        let read = Reader {
            module: self.module,
            names: &self.names,
            dialect: self.dialect,
        };
        let steps = Operation::new(read, name, Args(call), place.clone(), batch).steps();
        for step in steps {
            self.add(step, &place);
        }
    }

    /// The qualified name of what is called, if it stands in a package that may do anything.
    fn outside(&self, callee: &Expr) -> Option<String> {
        let mut head = callee;
        while let ExprKind::Field { of, .. } = &head.kind {
            head = of;
        }
        let ExprKind::Name(name) = &head.kind else {
            return None;
        };
        let target = self.module.imported(name)?;
        let package = target.split('.').next().unwrap_or_default();
        let known = MAKERS.contains(&package) || is_harmless(target);
        (!known).then(|| self.module.qualified(callee))?
    }

    /// A function of the file, with its parameters bound.
    fn inside(&mut self, of: &'a Expr, call: &'a Call, params: &'a [Param], body: &'a Block) {
        let place = self.module.place(of);
        let args = Args(call);
        if self.calls >= MOST_CALLS || args.are_open() {
            let sentence = "a function of the revision is called in a way that is not followed";
            return self.add(
                Step::unread(None, sentence.to_owned(), place.clone()),
                &place,
            );
        }
        let outer = self.names.clone();
        let mut inner = Names::default();
        std::mem::swap(&mut self.names, &mut inner);
        // What the arguments stand for is told where the call is.
        for (at, param) in params.iter().enumerate() {
            let Pattern::Name(name, _) = &param.pattern else {
                continue;
            };
            let value = args.get(at, name).or(param.default.as_deref());
            std::mem::swap(&mut self.names, &mut inner);
            let bound = self.bound(value);
            std::mem::swap(&mut self.names, &mut inner);
            self.names.bind(name, bound);
        }
        self.calls += 1;
        self.block(body);
        self.calls -= 1;
        self.names = outer;
    }
}
