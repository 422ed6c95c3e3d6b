//! Outlines: what the functions that guarantees name do, in order, and the statements of the whole
//! tree with who calls whom.
//!
//! Beside [`super::flow`] (one way to one effect) and [`super::trace`] (one run of the workers of a
//! queue) this keeps the shape of a function: transactions, conditions, errors. It judges nothing.

mod calls;
mod connection;
mod expr;
mod walk;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::guarantee::{Code, CodeClass, CodeFunction, Outline, Symbol, What};
use crate::model::nearest::nearest;
use crate::model::source::ExprKind;

use super::calls::Calls;
use super::frame::Analysis;
use super::program::{FnId, title};
use super::resolve::Callee;

use walk::Walk;

/// Reads what the tree says of the functions that are named.
pub(super) fn outlines<'a>(
    analysis: &Analysis<'a>,
    calls: &Calls<'a>,
    wanted: &BTreeSet<Arc<str>>,
) -> Code {
    let program = analysis.program;
    let mut code = Code::default();
    let ids: Vec<FnId> = program.functions().collect();
    for id in &ids {
        let (file, function) = (program.file(*id), program.function(*id));
        code.functions.push(CodeFunction {
            file: Arc::clone(&file.path),
            title: title(function),
            place: file.place(function.at),
        });
    }
    for file in &program.files {
        code.files.push(Arc::clone(&file.path));
        code.classes
            .extend(file.types.iter().map(|class| CodeClass {
                file: Arc::clone(&file.path),
                name: Arc::clone(&class.name),
                place: file.place(class.at),
            }));
    }
    code.files.sort();
    code.files.dedup();
    for site in &calls.sites {
        edges(analysis, site, &mut code);
    }
    code.calls.sort_unstable();
    code.calls.dedup();
    for name in wanted {
        let outline = outline(analysis, &code, &ids, name);
        code.outlines
            .push((Arc::clone(name), outline.map(Arc::new)));
    }
    code
}

/// Who is called, or given away to be called, and the statement of a call.
fn edges<'a>(analysis: &Analysis<'a>, site: &super::calls::Site<'a>, code: &mut Code) {
    let within = site.within.index();
    let frame = analysis.frame(site.within);
    for id in analysis.in_tree(site.call, &site.callee, &frame) {
        code.calls.push((within, id.index()));
    }
    for arg in &site.call.args {
        if matches!(arg.kind, ExprKind::Name(_) | ExprKind::Field { .. }) {
            analysis.refuel();
            if let Callee::Functions(ids, _) = analysis.resolve_callee(arg, usize::MAX, &frame) {
                let given = ids.into_iter().map(|id| (within, id.index()));
                code.calls.extend(given);
            }
        }
    }
    if analysis.is_statement(site.call, &site.callee, &frame) {
        let mut walk = Walk::new(analysis);
        let mut nodes = Vec::new();
        walk.statement(site.call, &site.callee, &frame, &mut nodes);
        let mut open = nodes;
        while let Some(node) = open.pop() {
            match node.what {
                What::Statement(_) => code.statements.push((within, node)),
                What::Branch { arms, .. } => open.extend(arms.into_iter().flatten()),
                _ => {}
            }
        }
    }
}

fn outline<'a>(
    analysis: &Analysis<'a>,
    code: &Code,
    ids: &[FnId],
    name: &str,
) -> Result<Outline, Arc<Reason>> {
    let found = code.named(name);
    let [at] = found[..] else {
        return Err(Arc::new(missing(code, name, &found)));
    };
    let Some(id) = ids.get(at).copied() else {
        return Err(Arc::new(missing(code, name, &[])));
    };
    let mut walk = Walk::new(analysis);
    let nodes = walk.whole(id);
    let mut decorators = Vec::new();
    for (call, within) in analysis.around_calls(id) {
        let frame = analysis.frame(*within);
        walk.call(call, &frame, &mut decorators);
    }
    let function = code.functions.get(at);
    Ok(Outline {
        name: walk.name_of(id),
        place: function.map_or_else(
            || {
                analysis
                    .program
                    .file(id)
                    .place(analysis.program.function(id).at)
            },
            |it| it.place.clone(),
        ),
        decorators,
        nodes,
        cut: walk.cut,
    })
}

/// Why a name leads to no one function, with where it may have gone.
fn missing(code: &Code, name: &str, found: &[usize]) -> Reason {
    let places: Vec<String> = found
        .iter()
        .filter_map(|at| code.functions.get(*at))
        .map(|one| one.place.to_string())
        .collect();
    let sentence = match places.is_empty() {
        true => format!(
            "no function `{name}` is in the source{}",
            elsewhere(code, name)
        ),
        false => format!(
            "`{name}` can be any of several functions: {}",
            places.join(", ")
        ),
    };
    Reason {
        why: Why::NotResolved,
        needs: Some(InputKind::Source),
        sentence,
        place: None,
        next_step: "correct the name in the guarantee: path/of/file.py::function or ::Class.method"
            .to_owned(),
    }
}

/// Where a function or class that is not where it is said to be may be found.
pub(in crate::facts) fn elsewhere(code: &Code, name: &str) -> String {
    let symbol = Symbol::of(name);
    let all = || {
        let functions = code.functions.iter().map(|it| (&it.title, &it.place));
        functions.chain(code.classes.iter().map(|it| (&it.name, &it.place)))
    };
    let last = |title: &str| title.rsplit('.').next().unwrap_or(title).to_owned();
    let moved = all()
        .find(|(title, _)| ***title == *symbol.title)
        .or_else(|| all().find(|(title, _)| last(title) == last(symbol.title)));
    if let Some((title, place)) = moved {
        return format!("; `{title}` is at {place}");
    }
    let titles: BTreeSet<&str> = all().map(|(title, _)| &**title).collect();
    let titles: Vec<&str> = titles.into_iter().collect();
    match nearest(symbol.title, &titles).and_then(|near| all().find(|(title, _)| ***title == *near))
    {
        Some((title, place)) => format!("; the nearest is `{title}` at {place}"),
        None => String::new(),
    }
}
