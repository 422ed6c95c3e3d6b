//! Where a guarantee is enforced: that the function, the migration and the index are there.

use std::collections::BTreeSet;

use crate::facts::source::outline::elsewhere;
use crate::model::evidence::{InputKind, ObservedBy};
use crate::model::guarantee::{Enforcement, Guarantee, Symbol};
use crate::model::nearest::nearest;
use crate::model::place::Place;
use crate::model::schema::{Schema, SchemaOrigin};
use crate::model::scope::ContractPart;

use super::answer::{fails, holds, missing_input, shown, unread_source};
use super::statement::same;
use super::{Asked, Context};

/// What became of each thing that is said to enforce it.
pub(super) fn parts(context: &Context<'_>, guarantee: &Guarantee) -> Vec<ContractPart> {
    let at = guarantee.place.clone().unwrap_or(Place::CommandLine);
    let asked = Asked { context, at: &at };
    let part = |one: &Enforcement| match one {
        Enforcement::Code(name) => code(&asked, name),
        Enforcement::Migration(name) => migration(&asked, name),
        Enforcement::Index(name) => index(&asked, name),
    };
    guarantee.enforced_by.iter().map(part).collect()
}

fn code(asked: &Asked<'_>, name: &str) -> ContractPart {
    let Some(code) = asked.context.code else {
        return unread_source(asked, name);
    };
    let symbol = Symbol::of(name);
    let functions = code
        .functions
        .iter()
        .map(|it| (&it.file, &it.title, &it.place));
    let classes = code
        .classes
        .iter()
        .map(|it| (&it.file, &it.name, &it.place));
    let mut found = functions
        .chain(classes)
        .filter(|(file, title, _)| symbol.is(file, title));
    match found.next() {
        Some((_, title, place)) => holds(place, format!("`{title}` stands here")),
        None => fails(
            asked.at,
            format!(
                "no function or class `{name}` is in the source{}",
                elsewhere(code, name)
            ),
        ),
    }
}

/// Stems of the files of a schema and of the source.
fn migration(asked: &Asked<'_>, name: &str) -> ContractPart {
    let mut read = false;
    let mut files: BTreeSet<&str> = BTreeSet::new();
    for state in asked.context.states {
        if state.kind == InputKind::Schema && !state.read.is_empty() {
            read = true;
            files.extend(state.read.iter().map(|it| &*it.name));
        }
    }
    if let Some(code) = asked.context.code {
        read = true;
        files.extend(code.files.iter().map(|file| &**file));
    }
    if !read {
        let sentence = format!(
            "the migration `{name}` was not looked for: neither source nor schema was read"
        );
        return missing_input(
            asked,
            InputKind::Source,
            sentence,
            "give the tree with the migrations",
        );
    }
    if let Some(file) = files.iter().find(|file| stem(file) == name) {
        return shown(
            InputKind::Source,
            ObservedBy::Text,
            &Place::Path((*file).into()),
            format!("the migration `{name}` is there"),
        );
    }
    let number = |name: &str| name.split(['_', '-']).next().map(str::to_owned);
    let stems: Vec<&str> = files.iter().map(|file| stem(file)).collect();
    let near = nearest(name, &stems).or_else(|| {
        let mut stems = stems.iter().copied();
        let own = number(name).filter(|own| own.chars().all(|it| it.is_ascii_digit()))?;
        stems.find(|stem| number(stem).as_deref() == Some(&*own))
    });
    let hint = near.map_or_else(String::new, |near| format!("; the nearest is `{near}`"));
    fails(
        asked.at,
        format!("no migration `{name}` is in the tree{hint}"),
    )
}

fn stem(path: &str) -> &str {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

fn index(asked: &Asked<'_>, name: &str) -> ContractPart {
    let Some(schema) = asked.context.schema else {
        let sentence = format!("the index `{name}` was not looked for: no schema was read");
        return missing_input(
            asked,
            InputKind::Schema,
            sentence,
            "give the schema or a database",
        );
    };
    let (table, bare) = match name.rsplit_once('.') {
        Some((table, bare)) => (Some(table), bare),
        None => (None, name),
    };
    let all = all(schema);
    let found = all.iter().find(|one| {
        one.name.eq_ignore_ascii_case(bare) && table.is_none_or(|it| same(it, one.table))
    });
    let Some(found) = found else {
        let names: Vec<&str> = all.iter().map(|one| one.name).collect();
        let hint = nearest(bare, &names).map_or_else(String::new, |near| {
            let table = all
                .iter()
                .find(|one| one.name == near)
                .map_or("", |one| one.table);
            format!("; the nearest is `{near}` of {table}")
        });
        return fails(
            asked.at,
            format!("no index `{name}` is in the schema{hint}"),
        );
    };
    let (input, by) = match schema.origin {
        SchemaOrigin::Declared => (InputKind::Schema, ObservedBy::Text),
        SchemaOrigin::Live => (InputKind::Database, ObservedBy::Catalog),
    };
    shown(
        input,
        by,
        found.place,
        format!("the index `{bare}` of {} is there", found.table),
    )
}

struct Named<'s> {
    table: &'s str,
    name: &'s str,
    place: &'s Place,
}

fn all(schema: &Schema) -> Vec<Named<'_>> {
    let mut all = Vec::new();
    for table in &schema.tables {
        for enforcer in &table.enforcers {
            all.push(Named {
                table: &table.name,
                name: &enforcer.name,
                place: &enforcer.evidence.place,
            });
        }
        for index in &table.indexes {
            all.push(Named {
                table: &table.name,
                name: &index.name,
                place: &index.place,
            });
        }
    }
    all
}
