//! Migrations of every kind as one history: nodes of the graph, and what each does when its turn
//! comes.

use std::sync::Arc;

use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::place::Place;
use crate::model::schema::Dialect;
use crate::model::source::SourceFile;
use crate::model::text::TextFile;

use super::graph::Node;
use super::module::Module;
use super::statement::Step;
use super::{alembic, django};

/// A migration of a kind.
enum Source<'a> {
    /// What it does is told by itself.
    Alembic(Vec<Step>),
    /// What it does follows from those before; some of it is told beforehand.
    Django(Module<'a>, Arc<str>, Vec<Step>),
}

/// All migrations of some files.
pub(super) struct History<'a> {
    pub(super) nodes: Vec<Node>,
    sources: Vec<Source<'a>>,
    /// Files that are no migrations.
    pub(super) strangers: Vec<Reason>,
    dialect: Dialect,
}

impl<'a> History<'a> {
    pub(super) fn of(files: &'a [(Arc<TextFile>, SourceFile)], dialect: Dialect) -> Self {
        let mut out = Self {
            nodes: Vec::new(),
            sources: Vec::new(),
            strangers: Vec::new(),
            dialect,
        };
        let mut of_django = Vec::new();
        for (text, file) in files {
            let module = Module::new(text, file);
            if alembic::is_revision(&module) {
                let (node, mut steps) = alembic::node(&module);
                steps.extend(alembic::steps(&module, dialect));
                out.nodes.push(node);
                out.sources.push(Source::Alembic(steps));
            } else if django::is_migration(&module) {
                of_django.push(module);
            } else {
                out.strangers.push(stranger(&file.path));
            }
        }
        let apps = django::Apps::of(&of_django);
        for module in of_django {
            if apps.is_replaced(&module) {
                continue;
            }
            let (node, steps) = apps.node(&module);
            let app = apps.app(&module);
            out.nodes.push(node);
            out.sources.push(Source::Django(module, app, steps));
        }
        out
    }

    /// What they do in that order, with the position of the node that does it.
    pub(super) fn steps(&self, order: &[usize]) -> Vec<(usize, Vec<Step>)> {
        let mut state = django::State::default();
        let made = order.iter().filter_map(|at| {
            let steps = match self.sources.get(*at)? {
                Source::Alembic(steps) => steps.clone(),
                Source::Django(module, app, before) => {
                    let mut steps = before.clone();
                    steps.extend(django::steps(module, app, &mut state, self.dialect));
                    steps
                }
            };
            Some((*at, steps))
        });
        made.collect()
    }
}

fn stranger(path: &Arc<str>) -> Reason {
    Reason {
        why: Why::NotResolved,
        needs: Some(InputKind::Schema),
        sentence: format!("{path} is no migration of a kind that is read"),
        place: Some(Place::Path(Arc::clone(path))),
        next_step: "name the migrations themselves, or the folder that holds them".to_owned(),
    }
}
