//! Migrations of Django, read and never run. Its operations speak of models; what they do to tables
//! follows from the models as the migrations before have left them.

mod changes;
mod emit;
mod fields;
mod keys;
mod models;
mod names;
mod operations;
mod python;
mod state;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::place::Place;
use crate::model::schema::Dialect;

use super::graph::{Need, Node};
use super::module::{Bound, Module, Names};
use super::statement::Step;

use emit::Emit;
use fields::FieldReader;
use operations::Run;
pub(super) use state::State;

/// The class that every migration is.
const CLASS: &str = "Migration";

/// True if a module is a migration.
pub(super) fn is_migration(module: &Module<'_>) -> bool {
    let mut types = module.source.types.iter();
    types.any(|decl| &*decl.name == CLASS) && module.imports("django.db")
}

/// The folder and the name of a migration, by its path.
fn folder_and_name(path: &str) -> (&str, &str) {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    (folder, file.strip_suffix(".py").unwrap_or(file))
}

/// What migrations stand on, as it is written: the app, the name, where.
type Pairs = Vec<(Arc<str>, Arc<str>, Place)>;

/// The pairs of `dependencies` and the like; none where a part of them was not read.
fn pairs(module: &Module<'_>, word: &str) -> Option<Pairs> {
    let names = Names::default();
    let name = format!("{CLASS}.{word}");
    let Some(value) = module.value(&name) else {
        return (!module.has(&name)).then(Vec::new);
    };
    let mut out = Vec::new();
    for part in module.list(value, &names)? {
        // `migrations.swappable_dependency(settings.AUTH_USER_MODEL)`: an app outside.
        if module.call(part, &names).is_some() {
            continue;
        }
        let [app, migration] = module.list(part, &names)?[..] else {
            return None;
        };
        out.push((
            module.text(app, &names)?.into(),
            module.text(migration, &names)?.into(),
            module.place(part),
        ));
    }
    Some(out)
}

/// The apps of some migrations, by the folder of each.
pub(super) struct Apps {
    by_folder: BTreeMap<String, Arc<str>>,
    /// Names of each app's migrations, sorted.
    names: BTreeMap<Arc<str>, Vec<Arc<str>>>,
    /// Migrations that another one replaces, with that one.
    replaced: BTreeMap<(Arc<str>, Arc<str>), Arc<str>>,
}

impl Apps {
    /// An app is called as the migrations of its folder call it, else as its folder is.
    pub(super) fn of(modules: &[Module<'_>]) -> Self {
        let mut files: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for module in modules {
            let (folder, name) = folder_and_name(&module.source.path);
            files.entry(folder).or_default().push(name);
        }
        let mut by_folder: BTreeMap<String, Arc<str>> = BTreeMap::new();
        for (folder, names) in &files {
            let above = folder.rsplit('/').nth(1).unwrap_or_default();
            let called: Vec<Arc<str>> = modules
                .iter()
                .filter(|module| folder_and_name(&module.source.path).0 == *folder)
                .flat_map(|module| pairs(module, "dependencies").unwrap_or_default())
                .filter(|(_, name, _)| names.contains(&&**name))
                .map(|(app, _, _)| app)
                .collect();
            let label = match called.iter().find(|app| ***app == *above) {
                Some(app) => Arc::clone(app),
                None if !above.is_empty() => above.into(),
                None => called.first().cloned().unwrap_or_else(|| "app".into()),
            };
            by_folder.insert((*folder).to_owned(), label);
        }
        let mut names: BTreeMap<Arc<str>, Vec<Arc<str>>> = BTreeMap::new();
        let mut replaced = BTreeMap::new();
        for module in modules {
            let (folder, name) = folder_and_name(&module.source.path);
            let Some(app) = by_folder.get(folder) else {
                continue;
            };
            names.entry(Arc::clone(app)).or_default().push(name.into());
            for (of, old, _) in pairs(module, "replaces").unwrap_or_default() {
                replaced.insert((of, old), Arc::from(name));
            }
        }
        names.values_mut().for_each(|names| names.sort());
        Self {
            by_folder,
            names,
            replaced,
        }
    }

    pub(super) fn app(&self, module: &Module<'_>) -> Arc<str> {
        let folder = folder_and_name(&module.source.path).0;
        let found = self.by_folder.get(folder);
        found.map_or_else(|| folder.into(), Arc::clone)
    }

    /// True if another migration of the tree stands for this one.
    pub(super) fn is_replaced(&self, module: &Module<'_>) -> bool {
        let name = folder_and_name(&module.source.path).1;
        let key = (self.app(module), Arc::from(name));
        self.replaced.contains_key(&key)
    }

    /// The migration as a node of the graph; what of it is made at run time is told in the steps.
    pub(super) fn node(&self, module: &Module<'_>) -> (Node, Vec<Step>) {
        let app = self.app(module);
        let name = folder_and_name(&module.source.path).1;
        let class = module.source.types.iter().find(|decl| &*decl.name == CLASS);
        let whole = Place::Path(Arc::clone(&module.source.path));
        let place = class.map_or(whole, |class| module.source.place(class.at));
        let mut unread = Vec::new();
        let mut needs = Vec::new();
        match pairs(module, "dependencies") {
            Some(pairs) => {
                for (of, on, place) in pairs {
                    // Apps that are installed have their migrations elsewhere.
                    if let Some(names) = self.names.get(&of) {
                        needs.extend(self.need(of, &on, names, place));
                    }
                }
            }
            None => {
                let says = format!("what {} stands on was not read", module.source.path);
                unread.push(Step::unread(None, says, place.clone()));
            }
        }
        let node = Node {
            group: app,
            name: name.into(),
            needs,
            place,
            labelled: false,
        };
        (node, unread)
    }

    fn need(&self, app: Arc<str>, on: &Arc<str>, names: &[Arc<str>], place: Place) -> Option<Need> {
        let on = match &**on {
            "__first__" => names.first()?,
            "__latest__" => names.last()?,
            _ => on,
        };
        let key = (Arc::clone(&app), Arc::clone(on));
        let name = self.replaced.get(&key).unwrap_or(on);
        Some(Need {
            group: Some(app),
            name: Arc::clone(name),
            place,
        })
    }
}

/// What a migration does, given the models as those before have left them.
pub(super) fn steps(
    module: &Module<'_>,
    app: &Arc<str>,
    state: &mut State,
    dialect: Dialect,
) -> Vec<Step> {
    // Lists of operations may have names of their own in the class.
    let mut names = Names::default();
    for (name, value) in module.values_of(CLASS) {
        names.bind(&name, Bound::Written(value));
    }
    let name = format!("{CLASS}.operations");
    let mut run = Run {
        read: FieldReader {
            module,
            names: &names,
            app,
            dialect,
        },
        state,
        emit: Emit {
            dialect,
            steps: Vec::new(),
            on: true,
        },
    };
    match module.value(&name) {
        Some(list) => run.all(list),
        None if module.has(&name) => {
            let place = Place::Path(Arc::clone(&module.source.path));
            let says = "operations that are made at run time were not read".to_owned();
            run.emit.unread(None, says, &place);
        }
        None => {}
    }
    run.emit.steps
}

/// The engine that a migration is written for, where it says so.
pub(super) fn dialect(module: &Module<'_>) -> Option<Dialect> {
    module
        .imports("django.contrib.postgres")
        .then_some(Dialect::Postgres)
}
