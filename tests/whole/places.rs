//! Every place that a report prints can be opened, and what stands there is what is quoted.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::audit::{check_in, copy, json_with, list, system, text};

const SYSTEMS: &[(&str, &[&str])] = &[
    ("nexuscrm", &[]),
    ("nexuscrm-repaired", &[]),
    ("shop", &[]),
    ("shop", &["--dialect", "sqlite"]),
];

/// Files of one system, by the names that reports use; read once.
struct Files<'a> {
    folder: &'a Path,
    lines: BTreeMap<String, Vec<Vec<char>>>,
}

impl<'a> Files<'a> {
    fn new(folder: &'a Path) -> Self {
        Self {
            folder,
            lines: BTreeMap::new(),
        }
    }

    /// A line of a file, numbered from one.
    fn line(&mut self, file: &str, line: usize) -> &[char] {
        let lines = self.lines.entry(file.to_owned()).or_insert_with(|| {
            let text = fs::read_to_string(self.folder.join(file))
                .unwrap_or_else(|error| panic!("{file} cannot be opened: {error}"));
            text.lines().map(|line| line.chars().collect()).collect()
        });
        let count = lines.len();
        line.checked_sub(1)
            .and_then(|at| lines.get(at))
            .unwrap_or_else(|| panic!("{file} has no line {line}, but {count}"))
    }

    /// What stands at a place of the JSON; a span over several lines ends with its first.
    fn at(&mut self, place: &Value) -> String {
        let number = |key: &str| {
            place[key]
                .as_u64()
                .unwrap_or_else(|| panic!("{place}: {key}")) as usize
        };
        let (line, column) = (number("line"), number("column"));
        let (end_line, end_column) = (number("end_line"), number("end_column"));
        assert!(
            (line, column) <= (end_line, end_column),
            "{place} ends before it begins"
        );
        let file = text(place, "file");
        let last = self.line(&file, end_line).len();
        assert!(
            end_column <= last + 1,
            "{place} ends behind its line of {last}"
        );
        let first = self.line(&file, line);
        assert!(
            (1..=first.len() + 1).contains(&column),
            "{place} begins behind its line"
        );
        let end = if line == end_line {
            end_column - 1
        } else {
            first.len()
        };
        first[column - 1..end].iter().collect()
    }
}

/// Every object below that has a place, with it.
fn placed<'a>(value: &'a Value, found: &mut Vec<(&'a Value, &'a Value)>) {
    match value {
        Value::Object(fields) => {
            for (key, each) in fields {
                // A reason about a whole file names no line.
                if key == "place" && each.get("line").is_some() {
                    found.push((value, each));
                }
                placed(each, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|each| placed(each, found)),
        _ => {}
    }
}

#[test]
fn every_place_of_the_json_opens_at_its_text() {
    for (name, flags) in SYSTEMS {
        let folder = system(name);
        let mut files = Files::new(&folder);
        let report = json_with(&folder, flags);
        let mut places = Vec::new();
        placed(&report, &mut places);
        assert!(places.len() > 10, "{name}: {} places", places.len());
        for (owner, place) in &places {
            let stands = files.at(place);
            assert!(
                !stands.trim().is_empty(),
                "{name}: nothing stands at {place}"
            );
            // A value's source is quoted as it is written, but for the escapes of JSON.
            if owner.get("source").is_some() {
                let what = text(owner, "what");
                let written = stands.replace("\\\"", "\"");
                assert!(
                    written.contains(&what),
                    "{name}: {what} is not at {place} but {written}"
                );
            }
            if let Some(field) = owner.get("field").and_then(Value::as_str) {
                assert!(
                    stands.contains(field),
                    "{name}: {field} is not at {place} but {stands}"
                );
            }
        }
        for finding in list(&report, "obligations")
            .iter()
            .filter_map(|each| each.get("finding"))
        {
            assert!(
                finding["place"].is_object(),
                "{name}: a finding without a place: {finding}"
            );
        }
    }
}

/// `path:line:column`, if the text is one.
fn place_of(text: &str) -> Option<(&str, usize, usize)> {
    let mut parts = text.rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    let path = parts.next()?;
    (!path.is_empty() && !path.contains(char::is_whitespace)).then_some((path, line, column))
}

/// True if the quote is the line, cut at `…`, tabs widened, secrets covered.
fn quotes(quote: &str, line: &[char]) -> bool {
    let line: Vec<char> = line
        .iter()
        .collect::<String>()
        .replace('\t', "    ")
        .chars()
        .collect();
    let inner = quote.trim_start_matches('…').trim_end_matches('…');
    let inner: Vec<char> = inner.chars().collect();
    let same = |part: &[char]| {
        part.iter()
            .zip(&inner)
            .all(|(one, shown)| one == shown || *shown == '*')
    };
    let (cut_before, cut_after) = (quote.starts_with('…'), quote.ends_with('…'));
    match (cut_before, cut_after) {
        (false, false) => line.len() == inner.len() && same(&line),
        (false, true) => line.len() > inner.len() && same(&line),
        (true, false) => line.len() > inner.len() && same(&line[line.len() - inner.len()..]),
        (true, true) => line.windows(inner.len()).any(same),
    }
}

/// A system as it is bundled, or with its metadata on one line.
struct Layout {
    title: String,
    folder: PathBuf,
    flags: &'static [&'static str],
    /// Fewest quotes that its report has.
    quotes: usize,
    _copy: Option<tempfile::TempDir>,
}

fn layouts() -> Vec<Layout> {
    let mut layouts: Vec<Layout> = SYSTEMS
        .iter()
        .map(|(name, flags)| Layout {
            title: format!("{name} {flags:?}"),
            folder: system(name),
            flags,
            quotes: if *name == "nexuscrm" { 20 } else { 0 },
            _copy: None,
        })
        .collect();
    let copy = copy("nexuscrm");
    let file = copy.path().join("metadata/flows.json");
    let flows: Value =
        serde_json::from_str(&fs::read_to_string(&file).expect("its text")).expect("JSON");
    fs::write(&file, flows.to_string()).expect("it is written");
    layouts.push(Layout {
        title: "nexuscrm on one line".to_owned(),
        folder: copy.path().to_owned(),
        flags: &[],
        quotes: 20,
        _copy: Some(copy),
    });
    layouts
}

/// Asserts that a quote with marks below it shows that place of the line.
fn shows(title: &str, quote: &str, marks: &str, line: &[char], column: usize) {
    assert!(quotes(quote, line), "{title}:{column} is not\n{quote}");
    let before = marks.chars().take_while(|one| *one == ' ').count();
    let wide = marks
        .chars()
        .skip(before)
        .take_while(|one| *one == '^')
        .count();
    assert!(wide > 0, "{title}: no marks in {marks}");
    // A tab is shown as four spaces.
    let shown = |each: &char| if *each == '\t' { 4 } else { 1 };
    let columns: usize = line[..column - 1].iter().map(shown).sum();
    assert!(
        quote.starts_with('…') || before == columns,
        "{title}\n{quote}\n{marks}"
    );
    let marked = quote.chars().skip(before).take(wide);
    for (shown, written) in marked.zip(&line[column - 1..]) {
        let same = shown == *written || matches!(shown, '*' | '…');
        assert!(
            same,
            "{title}:{column}: {written} is not what is marked\n{quote}\n{marks}"
        );
    }
}

#[test]
fn the_terminal_quotes_the_line_and_marks_the_column() {
    for layout in layouts() {
        let title = &layout.title;
        for width in ["60", "120"] {
            let mut files = Files::new(&layout.folder);
            let output = terminal(&layout.folder, layout.flags, width);
            let lines: Vec<&str> = output.lines().collect();
            let mut quoted = 0;
            for (at, text) in lines.iter().enumerate() {
                let place = text.trim_start().strip_prefix("--> ").and_then(place_of);
                let Some((path, line, column)) = place else {
                    continue;
                };
                let source = files.line(path, line);
                assert!((1..=source.len() + 1).contains(&column), "{title}: {text}");
                let below = lines.get(at + 2).and_then(|line| line.split_once(" | "));
                let Some((_, quote)) =
                    below.filter(|(number, _)| number.trim() == line.to_string())
                else {
                    continue;
                };
                let (_, marks) = lines[at + 3]
                    .split_once("| ")
                    .expect("marks below the quote");
                shows(
                    &format!("{title} {path}:{line}"),
                    quote,
                    marks,
                    source,
                    column,
                );
                quoted += 1;
            }
            assert!(quoted >= layout.quotes, "{title}: {quoted} quotes");
        }
    }
}

fn terminal(folder: &Path, flags: &[&str], width: &str) -> String {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .current_dir(folder)
        .env("COLUMNS", width)
        .args(["check", "--verbose", "--as-of", crate::audit::DAY])
        .args(flags)
        .output()
        .expect("it starts");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn the_markdown_names_places_that_can_be_opened_and_quotes_them() {
    for layout in layouts() {
        let title = &layout.title;
        let mut files = Files::new(&layout.folder);
        let flags = [&["--format", "markdown"], layout.flags].concat();
        let page = check_in(&layout.folder, &flags).stdout;
        let mut places = 0;
        for (path, line, column) in page.split('`').filter_map(place_of) {
            let length = files.line(path, line).len();
            assert!(column <= length + 1, "{title}: {path}:{line}:{column}");
            places += 1;
        }
        assert!(places > 0, "{title}: places in the markdown");
        let lines: Vec<&str> = page.lines().collect();
        let mut quoted = 0;
        for (at, text) in lines.iter().enumerate() {
            let place = text
                .strip_prefix("at `")
                .and_then(|rest| rest.split('`').next());
            let Some((path, line, column)) = place.and_then(place_of) else {
                continue;
            };
            let quote = lines.get(at + 2) == Some(&"```text");
            if quote && lines[at + 4].trim_start().starts_with('^') {
                let source = files.line(path, line);
                shows(
                    &format!("{title} {path}:{line}"),
                    lines[at + 3],
                    lines[at + 4],
                    source,
                    column,
                );
                quoted += 1;
            }
        }
        assert!(quoted >= layout.quotes, "{title}: {quoted} quotes");
    }
}
