//! From a path to a configuration: finding the file, reading its bytes, reading its text.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::fields::{Fields, Sink, Text};
use super::problem::{Problem, Problems};
use super::secret::shown;
use super::tree::{self, Node, NodeKind};
use super::types::Config;
use super::{gate, guarantees, inputs, promises, queue, syntax};
use crate::model::scope::Declarations;
use crate::model::text::TextFile;

/// Name of the file that is looked for.
pub const FILE_NAME: &str = "outbox-audit.yaml";

/// A configuration is written by hand; anything larger is a mistake or an attack.
const MAX_BYTES: u64 = 1024 * 1024;

/// Looks for the file in a directory (or beside a file) and upward, to the root of the repository or
/// of the file system. The nearest one counts; none is no error.
pub fn find(from: &Path) -> Option<PathBuf> {
    // Resolved where it exists, so that `..` and links do not lead to folders it does not lie in.
    let start = from
        .canonicalize()
        .or_else(|_| std::path::absolute(from))
        .ok()?;
    for directory in start.ancestors() {
        let file = directory.join(FILE_NAME);
        // Anything of that name is taken, so that a directory or a dead link is reported, not passed by.
        if file.symlink_metadata().is_ok() {
            return Some(file);
        }
        if directory.join(".git").exists() {
            return None;
        }
    }
    None
}

/// A configuration and what is wrong with it so far. It may be used for one thing while anything
/// is: to look further for what else is wrong.
#[derive(Debug)]
pub struct Draft {
    /// What could be read of it.
    pub config: Config,
    /// What is wrong with keys and values, in the order of the file.
    pub problems: Vec<Problem>,
    /// True if what it says of `inputs` can be followed.
    pub inputs_hold: bool,
}

/// Reads the file at `path`; messages and places call it `shown_as`.
///
/// # Errors
/// Everything wrong with it, or why it cannot be read at all.
pub fn load(path: &Path, shown_as: &str) -> Result<Config, Problems> {
    draft(path, shown_as).and_then(finished)
}

/// As [`load`], for a caller that can find more problems in the same round.
///
/// # Errors
/// Why it cannot be read at all.
pub fn draft(path: &Path, shown_as: &str) -> Result<Draft, Problems> {
    let text = read(path).map_err(|(sentence, help)| {
        let problem = Problem::of_file(shown_as, sentence);
        Problems {
            file: shown_as.into(),
            list: vec![match help {
                Some(help) => problem.help(help),
                None => problem,
            }],
        }
    })?;
    let base = path.parent().unwrap_or(Path::new(""));
    drafted(TextFile::new(shown_as, text), base)
}

/// The configuration, if nothing is wrong with it.
///
/// # Errors
/// Everything that is.
pub fn finished(draft: Draft) -> Result<Config, Problems> {
    if draft.problems.is_empty() {
        return Ok(draft.config);
    }
    Err(Problems {
        file: Arc::clone(&draft.config.file.path),
        list: draft.problems,
    })
}

type Refusal = (String, Option<&'static str>);

fn read(path: &Path) -> Result<String, Refusal> {
    let io = |error: std::io::Error| {
        let help = match error.kind() {
            std::io::ErrorKind::NotFound => Some("`outbox-audit init` writes one"),
            _ => None,
        };
        (
            format!("the configuration cannot be read: {}", plain(&error)),
            help,
        )
    };
    let metadata = path.metadata().map_err(io)?;
    if metadata.is_dir() {
        return Err(("the configuration is a directory, not a file".into(), None));
    }
    if !metadata.is_file() {
        return Err(("the configuration is not a regular file".into(), None));
    }
    let too_large = || {
        let sentence = "the configuration is larger than 1 MiB, so it is not read";
        (
            sentence.to_owned(),
            Some("flows and schema belong in files of their own, under `inputs`"),
        )
    };
    if metadata.len() > MAX_BYTES {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(io)?;
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(io)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(too_large());
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes().get(..good).unwrap_or_default();
        let line = 1 + memchr::memchr_iter(b'\n', bytes).count();
        let sentence = format!(
            "the configuration is not UTF-8: byte {} in line {line}",
            good + 1
        );
        (sentence, Some("save it as UTF-8"))
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// The system's words without its number.
fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    let plain = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = plain.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(letters).collect()
    })
}

/// Reads the text of a configuration; paths in it are relative to `base`.
///
/// # Errors
/// Everything wrong with it, in the order of the file.
pub fn parse(file: TextFile, base: &Path) -> Result<Config, Problems> {
    drafted(file, base).and_then(finished)
}

fn drafted(file: TextFile, base: &Path) -> Result<Draft, Problems> {
    let file = Arc::new(file);
    let refused = |list: Vec<Problem>| Problems {
        file: Arc::clone(&file.path),
        list,
    };
    let root =
        tree::read(file.text()).map_err(|error| refused(vec![syntax::problem(&file, &error)]))?;
    if root.kind == NodeKind::Null {
        let problem = Problem::of_file(&file.path, "the configuration is empty");
        return Err(refused(vec![
            problem.help("the least it holds is `version: 1`"),
        ]));
    }
    let sink = Sink::new(&file);
    let read = whole(&sink, &file, &root, base);
    let problems = sink.into_problems();
    match read {
        Some((config, inputs_hold)) => Ok(Draft {
            config,
            problems,
            inputs_hold,
        }),
        None => Err(refused(problems)),
    }
}

/// The configuration, and whether its inputs can be followed; none where it is no configuration.
fn whole<'t>(
    sink: &'t Sink<'t>,
    file: &Arc<TextFile>,
    root: &'t Node,
    base: &Path,
) -> Option<(Config, bool)> {
    let top = Text {
        value: "",
        start: root.start,
        end: root.end,
    };
    let root = sink.fields(top, root, String::new())?;
    version(sink, &root)?;
    let gate = gate::gate(sink, &root);
    let before = sink.count();
    let inputs = inputs::inputs(sink, &root, base);
    let inputs_are_clean = sink.count() == before;
    let (outbox, record_key_template) = queue::outbox(sink, &root);
    let declarations = Declarations {
        flag: gate.flag,
        natural_keys: gate::natural_keys(sink, &root),
        record_key_template,
        horizon_seconds: queue::horizon(sink, &root),
        contracts: promises::contracts(sink, &root),
        exclusions: promises::exclusions(sink, &root),
        waivers: promises::waivers(sink, &root),
        tests: promises::tests(sink, &root),
        assertions: promises::assertions(sink, &root),
        guarantees: guarantees::guarantees(sink, &root),
        deferred: gate::deferred(sink, &root, &gate.named),
        named: gate.named,
    };
    let config = Config {
        base: base.to_owned(),
        declarations,
        gate_pack: gate.pack,
        inputs,
        outbox,
        packs: gate::declared(sink, root.texts("packs")),
        rules: inputs::paths(sink, root.texts("rules"), base),
        limits: inputs::limits(&root),
        file: Arc::clone(file),
    };
    let before = sink.count();
    let named = root.names("inputs");
    root.finish();
    // Without the key, a misspelt one may be what it was meant to be.
    let inputs_hold = inputs_are_clean && (named || sink.count() == before);
    Some((config, inputs_hold))
}

/// The version decides what the rest means, so nothing is read under one that is not known.
fn version(sink: &Sink<'_>, root: &Fields<'_>) -> Option<()> {
    match root.text("version") {
        None => {
            root.missing("version", "add `version: 1`");
            Some(())
        }
        Some(text) if sink.written(text) == "1" => Some(()),
        Some(text) => {
            let sentence = format!("version `{}` is not known", shown(text.value));
            let problem = sink.problem(text, sentence);
            sink.push(problem.label("this outbox-audit reads `version: 1`"));
            None
        }
    }
}
