//! Interfaces of handlers: those that a field keeps many of by a key.

use std::collections::BTreeSet;

use crate::model::source::{TypeKind, TypeRef};

use super::super::frame::Analysis;

/// Interfaces that fields keep many of by a key.
pub(super) fn of(analysis: &Analysis<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let program = analysis.program;
    for file in &program.files {
        let fields = file.types.iter().flat_map(|decl| &decl.fields);
        for field in fields.filter(|field| is_table(&field.of)) {
            let mut open: Vec<&TypeRef> = field.of.args.iter().skip(1).collect();
            while let Some(of) = open.pop() {
                open.extend(&of.args);
                let name = program.type_name(file, of);
                let decl = program.type_named(&name);
                if decl.is_some_and(|(_, decl)| decl.kind == TypeKind::Interface) {
                    found.insert(name);
                }
            }
        }
    }
    found
}

/// True of a type that keeps values by a key.
fn is_table(of: &TypeRef) -> bool {
    let last = of.name.rsplit([':', '.']).next().unwrap_or_default();
    of.args.len() >= 2 && (last == "map" || last.ends_with("Map"))
}
