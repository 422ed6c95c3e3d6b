//! `check`: reads the configuration, audits, prints the report.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::cli::{CheckArgs, Output};
use crate::input::config::database::DatabaseRef;
use crate::input::config::{self, Config, ConfiguredPath, Draft, problem::Problems, render};
use crate::input::files::{self, Limits};
use crate::input::gather::{Database, Sources};
use crate::input::names::KnownNames;
use crate::model::inputs::ReadInput;
use crate::model::outbox::OutboxStates;
use crate::model::phase::Phase;
use crate::model::report::Report;
use crate::model::scope::Declared;
use crate::report::{self, RenderOptions};
use crate::rules::{self, PackError};
use crate::{AuditRequest, audit, checks};

use super::output::{self, Failure, Pending};
use super::progress;

impl From<PackError> for Failure {
    fn from(error: PackError) -> Self {
        Failure::error(error)
    }
}

/// Runs it; gives the exit status of the verdict.
pub(super) fn run(arguments: CheckArgs) -> Result<u8, Failure> {
    if let Some(threads) = arguments.threads {
        // Set once per process; a second call in a test is no problem.
        let _ = rayon::ThreadPoolBuilder::new()
            .num_threads(threads.into())
            .build_global();
    }
    let path = arguments.path.clone().unwrap_or_else(|| PathBuf::from("."));
    let draft = drafted(&arguments, &path)?;
    let options = output::options(arguments.verbose, arguments.quiet);
    let verbose = arguments.verbose;
    let format = arguments.format;
    let outputs = arguments.outputs.clone();
    named_once(&outputs)?;
    // As one of the threads that share the work: each thread keeps memory of its own, and one that
    // only waits would keep what it gave back from the others.
    let report = rayon::scope(|_| audited(arguments, &path, draft.as_ref()))?;
    progress::begin(Phase::Write);
    write_files(&report, &outputs)?;
    output::to_stdout(|out| report::write(&report, format, &options, out))?;
    if verbose {
        output::complain(&progress::times());
    }
    let status = report.exit_status;
    // The process ends here; giving back a million small pieces first only takes time.
    std::mem::forget(report);
    Ok(status)
}

/// Audits as `check` does, and gives the report.
pub(super) fn audit_again(arguments: CheckArgs) -> Result<Report, Failure> {
    let path = arguments.path.clone().unwrap_or_else(|| PathBuf::from("."));
    let draft = drafted(&arguments, &path)?;
    audited(arguments, &path, draft.as_ref())
}

/// The configuration that was named, or that is found upward, when nothing is wrong with it.
pub(super) fn configuration(arguments: &CheckArgs, path: &Path) -> Result<Option<Config>, Failure> {
    let Some(draft) = drafted(arguments, path)? else {
        return Ok(None);
    };
    let config = config::finished(draft).map_err(|problems| told(&problems))?;
    Ok(Some(config))
}

fn drafted(arguments: &CheckArgs, path: &Path) -> Result<Option<Draft>, Failure> {
    let file = match &arguments.config {
        Some(file) => file.clone(),
        None => match config::find(path) {
            Some(file) => file,
            None if path.exists() => return Ok(None),
            None => {
                return Err(Failure::error(format!(
                    "{} does not exist; name the project to audit",
                    path.display()
                )));
            }
        },
    };
    let shown = file
        .file_name()
        .map_or_else(|| file.to_string_lossy(), |name| name.to_string_lossy())
        .into_owned();
    config::draft(&file, &shown)
        .map(Some)
        .map_err(|problems| told(&problems))
}

fn told(problems: &Problems) -> Failure {
    let style = match output::colours(&std::io::stderr()) {
        true => render::Style::Colour,
        false => render::Style::Plain,
    };
    Failure::Message(render::render(&problems.file, &problems.list, style))
}

fn audited(arguments: CheckArgs, path: &Path, draft: Option<&Draft>) -> Result<Report, Failure> {
    if let Some(draft) = draft.filter(|draft| !draft.inputs_hold) {
        // What is read would not be what was meant, so its names would say nothing.
        refuse(draft, &KnownNames::default())?;
    }
    let _shown = progress::start(arguments.quiet);
    let request = request(arguments, path, draft.map(|draft| &draft.config))?;
    audit(request, |inputs| match draft {
        Some(draft) => refuse(draft, &KnownNames::of(inputs)),
        None => Ok(()),
    })
}

/// Everything wrong with the configuration at once: keys, values, and names that lead nowhere.
fn refuse(draft: &Draft, names: &KnownNames<'_>) -> Result<(), Failure> {
    let ids: Vec<&str> = checks::CHECKS.iter().map(|check| check.info.id).collect();
    let mut list = draft.problems.clone();
    let packs = rules::builtin_names();
    list.extend(config::check_names(&draft.config, names, &ids, &packs));
    if list.is_empty() {
        return Ok(());
    }
    list.sort_by(|a, b| a.place.cmp(&b.place));
    Err(told(&Problems {
        file: Arc::clone(&draft.config.file.path),
        list,
    }))
}

/// What was typed wins over what is configured.
pub(super) fn request(
    arguments: CheckArgs,
    path: &Path,
    config: Option<&Config>,
) -> Result<AuditRequest, Failure> {
    let as_of = match &arguments.as_of {
        Some(day) => day.clone(),
        None => config::date::today().map_err(Failure::error)?,
    };
    let subject = subject(path);
    let packs = if arguments.packs.is_empty() {
        config.map_or_else(Vec::new, configured_packs)
    } else {
        arguments.packs.clone()
    };
    let mut rules = config.map_or_else(Vec::new, |config| paths(&config.rules));
    rules.extend(arguments.rules.clone());
    Ok(AuditRequest {
        declarations: config.map_or_else(Default::default, |config| config.declarations.clone()),
        outbox_table: config
            .and_then(|config| config.outbox.table.as_ref())
            .map(|table| Arc::clone(&table.value)),
        outbox_columns: config
            .map(|config| {
                config
                    .outbox
                    .columns
                    .iter()
                    .map(|(part, column)| (*part, Arc::clone(&column.value)))
                    .collect()
            })
            .unwrap_or_default(),
        outbox_states: config
            .map(|config| states(&config.outbox.states))
            .unwrap_or_default(),
        outbox_cutoffs: config
            .map(|config| config.outbox.cutoffs.clone())
            .unwrap_or_default(),
        outbox_sample: arguments.sample,
        outbox_stream: arguments.stream_payloads,
        packs,
        rules,
        configuration: config.map(|config| ReadInput {
            name: Arc::clone(&config.file.path),
            digest: Some(files::digest(config.file.text().as_bytes())),
            summary: "".into(),
        }),
        subject,
        stage: arguments.stage,
        fail_on: arguments.fail_on,
        no_waivers: arguments.no_waivers,
        as_of,
        begins: progress::begin,
        sources: sources(arguments, path, config),
    })
}

fn states(configured: &config::OutboxStates) -> OutboxStates {
    let words = |list: &[Declared]| list.iter().map(|word| Arc::clone(&word.value)).collect();
    OutboxStates {
        ready: words(&configured.ready),
        claimed: words(&configured.claimed),
        done: words(&configured.done),
        dead: words(&configured.dead),
    }
}

fn configured_packs(config: &Config) -> Vec<String> {
    config
        .gate_pack
        .iter()
        .chain(&config.packs)
        .map(|pack| pack.value.to_string())
        .collect()
}

fn subject(path: &Path) -> Arc<str> {
    let shown = path.to_string_lossy().replace('\\', "/");
    if shown != "." {
        return shown.trim_end_matches('/').into();
    }
    path.canonicalize()
        .ok()
        .and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
        .unwrap_or(shown)
        .into()
}

fn sources(arguments: CheckArgs, path: &Path, config: Option<&Config>) -> Sources {
    let given = |typed: Vec<PathBuf>, configured: Option<&Vec<ConfiguredPath>>| -> Vec<PathBuf> {
        if typed.is_empty() {
            configured.map_or_else(Vec::new, |list| paths(list))
        } else {
            typed.iter().map(|path| absolute(path)).collect()
        }
    };
    let inputs = config.map(|config| &config.inputs);
    let root = match config {
        Some(config) => config.base.clone(),
        None => absolute(path),
    };
    let configured = inputs.and_then(|inputs| inputs.answers.as_ref());
    let answers = match &arguments.answers {
        Some(file) => Some(absolute(file)),
        None => configured.map(|configured| configured.path.clone()),
    };
    let database = match (
        &arguments.database,
        inputs.and_then(|inputs| inputs.database.as_ref()),
    ) {
        (Some(typed), _) => Some(database(typed, &typed.label())),
        (None, Some(configured)) => {
            Some(database(&configured.reference, &configured.declared.value))
        }
        (None, None) => None,
    };
    let limits = config.map_or_else(Limits::default, |config| Limits {
        max_file_bytes: config.limits.max_file_bytes,
        max_files: usize::try_from(config.limits.max_files).unwrap_or(usize::MAX),
        timeout: Duration::from_secs(config.limits.timeout_seconds),
    });
    Sources {
        flows: given(arguments.flows, inputs.map(|inputs| &inputs.flows)),
        schema: given(arguments.schema, inputs.map(|inputs| &inputs.schema)),
        source: given(arguments.source, inputs.map(|inputs| &inputs.source)),
        dialect: arguments
            .dialect
            .or_else(|| inputs.and_then(|inputs| inputs.dialect)),
        tests: given(arguments.tests, inputs.map(|inputs| &inputs.tests)),
        root,
        database,
        answers,
        limits,
        outbox: None,
        notice: Some(output::complain),
        search: true,
    }
}

fn database(reference: &DatabaseRef, label: &str) -> Database {
    match reference {
        DatabaseRef::Sqlite(file) => Database::Sqlite {
            path: absolute(file),
            name: label.strip_prefix("sqlite:").unwrap_or(label).into(),
        },
        DatabaseRef::Env(_) | DatabaseRef::Url(_) => Database::Server {
            reference: reference.clone(),
            name: label.into(),
        },
    }
}

fn paths(list: &[ConfiguredPath]) -> Vec<PathBuf> {
    list.iter().map(|path| path.path.clone()).collect()
}

/// Resolved where it exists, so that names relative to the root come out the same however the
/// path was typed.
fn absolute(path: &Path) -> PathBuf {
    path.canonicalize()
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}

/// Two reports of one path: the second would take the place of the first.
fn named_once(outputs: &[Output]) -> Result<(), Failure> {
    let mut paths = BTreeSet::new();
    for output in outputs {
        if !paths.insert(absolute(&output.path)) {
            return Err(Failure::error(format!(
                "{} is named by two --output: give each its own path",
                output.path.display()
            )));
        }
    }
    Ok(())
}

/// All of them or none: each is written beside its place before the first is moved.
fn write_files(report: &Report, outputs: &[Output]) -> Result<(), Failure> {
    let plain = RenderOptions::default();
    let mut pending = Vec::with_capacity(outputs.len());
    for wanted in outputs {
        pending.push(Pending::write(&wanted.path, |out| {
            report::write(report, wanted.format, &plain, out)
        })?);
    }
    pending.into_iter().try_for_each(Pending::finish)
}
