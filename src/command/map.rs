//! `map`: the consumers of a source tree and what each can reach.

use std::path::PathBuf;

use crate::cli::{MapArgs, MapFormat};
use crate::facts;
use crate::input::files::Limits;
use crate::input::git;
use crate::input::source;
use crate::model::phase::Phase;
use crate::{report, rules};

use super::output::{Failure, complain, options, to_stdout};
use super::progress;

/// Reads, maps and prints.
pub(super) fn run(arguments: MapArgs) -> Result<u8, Failure> {
    let path = arguments.path.clone().unwrap_or_else(|| PathBuf::from("."));
    for path in arguments.sources.iter().chain([&path]) {
        if !path.exists() {
            return Err(Failure::error(format!(
                "{} does not exist; name the source tree to map",
                path.display()
            )));
        }
    }
    // The places of a single file are told from its directory.
    let root = match path.parent() {
        Some(parent) if path.is_file() => parent.to_owned(),
        _ => path.clone(),
    };
    let packs: Vec<&str> = rules::builtin_names();
    let rules = rules::load(&packs, &arguments.rules)?;
    let roots = if arguments.sources.is_empty() {
        vec![path]
    } else {
        arguments.sources.clone()
    };
    let shown = progress::start(false);
    let tree = source::read(&roots, &root, &Limits::default(), &source::Wanted::Product);
    progress::begin(Phase::Map);
    let mut mapped = facts::source::map_on_deep_stack(&tree, &rules)
        .map_err(|reason| Failure::error(reason.sentence))?;
    drop(shown);
    if let Some(revision) = &arguments.changed_since {
        let changed = git::changed_since(&root, revision).ok_or_else(|| {
            Failure::error(format!(
                "git does not say what differs from `{revision}`: name a revision of the repository around {}",
                root.display()
            ))
        })?;
        mapped.keep(|file| changed.contains(file));
    }
    for gap in &mapped.gaps {
        complain(&format!(
            "unknown: {}\n  next: {}\n",
            gap.sentence, gap.next_step
        ));
    }
    to_stdout(|out| match arguments.format {
        MapFormat::Terminal => {
            report::write_map_table(&mapped, &options(arguments.verbose, false), out)
        }
        MapFormat::Json => report::write_map_json(&mapped, out),
        MapFormat::Mermaid => report::write_map_mermaid(&mapped, out),
        MapFormat::Dot => report::write_map_dot(&mapped, out),
    })?;
    Ok(0)
}
