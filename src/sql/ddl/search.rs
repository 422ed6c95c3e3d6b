//! Where names without a schema are looked for: PostgreSQL's search path, MySQL's database in use.

use std::sync::Arc;

use crate::model::schema::Dialect;

/// The schemas, first the one in which new objects are made.
#[derive(Debug, Clone, Default)]
pub(super) struct SearchPath {
    schemas: Vec<Arc<str>>,
    /// What holds again behind the transaction, after `SET LOCAL`.
    behind: Option<Vec<Arc<str>>>,
    default: Vec<Arc<str>>,
}

impl SearchPath {
    pub(super) fn new(dialect: Dialect) -> Self {
        let schemas: Vec<Arc<str>> = match dialect {
            Dialect::Postgres => vec![Arc::from("public")],
            _ => Vec::new(),
        };
        Self {
            default: schemas.clone(),
            schemas,
            behind: None,
        }
    }

    /// Where a new object is made.
    pub(super) fn first(&self) -> Option<Arc<str>> {
        self.schemas.first().cloned()
    }

    /// Where else an object is looked for.
    pub(super) fn further(&self) -> &[Arc<str>] {
        self.schemas.get(1..).unwrap_or_default()
    }

    /// Sets it; names that stand for something else are left out.
    pub(super) fn set(&mut self, schemas: Vec<Arc<str>>, local: bool) {
        let before = std::mem::replace(
            &mut self.schemas,
            schemas
                .into_iter()
                .filter(|name| {
                    !name.is_empty()
                        && &**name != "pg_catalog"
                        && !name.starts_with(['$', '"'])
                        && &**name != super::catalog::TEMPORARY
                })
                .collect(),
        );
        match local {
            true => drop(self.behind.get_or_insert(before)),
            false => self.behind = None,
        }
    }

    /// As it is when nothing was set.
    pub(super) fn reset(&mut self) {
        self.schemas.clone_from(&self.default);
        self.behind = None;
    }

    /// Puts another schema before all others and gives what was there, for [`SearchPath::put_back`].
    pub(super) fn put_first(&mut self, schema: Arc<str>) -> Vec<Arc<str>> {
        let before = self.schemas.clone();
        self.schemas.insert(0, schema);
        before
    }

    /// Takes back what [`SearchPath::put_first`] did.
    pub(super) fn put_back(&mut self, schemas: Vec<Arc<str>>) {
        self.schemas = schemas;
    }

    /// What `SET LOCAL` did ends.
    pub(super) fn end_of_transaction(&mut self) {
        if let Some(behind) = self.behind.take() {
            self.schemas = behind;
        }
    }
}
