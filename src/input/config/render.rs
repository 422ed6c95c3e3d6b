//! Problems as text of 80 columns: sentence, place, the line with the stretch marked, what to do.

use super::problem::{Problem, Quote};

const WIDTH: usize = 80;
/// More than these are counted only: the file is then another one, not one with mistakes.
const SHOWN: usize = 50;

/// Whether the text carries terminal colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// None: files, pipes, `NO_COLOR`.
    Plain,
    /// ANSI colours: a terminal.
    Colour,
}

impl Style {
    fn paint(self, code: &str, text: &str) -> String {
        match self {
            Style::Plain => text.to_owned(),
            Style::Colour => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        }
    }

    fn red(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    fn blue(self, text: &str) -> String {
        self.paint("1;34", text)
    }
}

/// All problems of a file, and the line that counts them.
pub fn render(file: &str, problems: &[Problem], style: Style) -> String {
    let mut text = String::new();
    for problem in problems.iter().take(SHOWN) {
        text += &one(problem, style);
        text.push('\n');
    }
    let count = match problems.len() {
        1 => "1 problem".to_owned(),
        several => format!("{several} problems"),
    };
    let shown = if problems.len() > SHOWN {
        format!(", the first {SHOWN} shown")
    } else {
        String::new()
    };
    let error = style.red("error");
    text + &format!("{error}: {count} in {file}{shown}; nothing was audited\n")
}

fn one(problem: &Problem, style: Style) -> String {
    let mut text = format!(
        "{}: {}\n",
        style.red("error"),
        wrapped(&problem.sentence, 7)
    );
    let line = problem.place.span().map(|span| span.start.line.to_string());
    let margin = " ".repeat(line.as_deref().map_or(1, str::len));
    text += &format!("{margin}{} {}\n", style.blue("-->"), problem.place);
    let bar = style.blue("|");
    let mut label = problem.label.as_deref();
    if let (Some(quote), Some(line)) = (&problem.quote, &line) {
        let room = WIDTH - margin.len() - 3;
        let window = Window::of(quote, room);
        text += &format!(
            "{margin} {bar}\n{} {bar} {}\n",
            style.blue(line),
            window.line
        );
        let fits = |label: &&str| window.indent + window.width + 1 + label.chars().count() <= room;
        let beside = label.filter(fits);
        let marks = "^".repeat(window.width) + &beside.map_or(String::new(), |it| format!(" {it}"));
        text += &format!(
            "{margin} {bar} {}{}\n",
            " ".repeat(window.indent),
            style.red(&marks)
        );
        if beside.is_some() {
            label = None;
        }
    }
    for more in [label, problem.help.as_deref()].into_iter().flatten() {
        let mark = style.blue("=");
        text += &format!("{margin} {mark} {}\n", wrapped(more, margin.len() + 3));
    }
    text
}

/// The part of a line that is shown.
struct Window {
    line: String,
    indent: usize,
    width: usize,
}

impl Window {
    /// Cuts a long line so that the marked stretch is in sight.
    fn of(quote: &Quote, room: usize) -> Self {
        let characters: Vec<char> = quote
            .line
            .chars()
            .map(|each| match each {
                '\t' => ' ',
                other if other.is_control() => '·',
                other => other,
            })
            .collect();
        let at = quote.column.saturating_sub(1) as usize;
        let width = (quote.width as usize).clamp(1, room / 2);
        let from = if at + width < room { 0 } else { at - room / 4 };
        let mut line: String = characters.iter().skip(from).take(room).collect();
        if from > 0 {
            line = line.chars().skip(1).collect();
            line.insert(0, '…');
        }
        if characters.len() > from + room {
            line.pop();
            line.push('…');
        }
        Self {
            line: line.trim_end().to_owned(),
            indent: at - from,
            width,
        }
    }
}

/// Breaks text between words; lines behind the first begin with `indent` blanks, and the first
/// is taken to stand behind as many characters.
fn wrapped(text: &str, indent: usize) -> String {
    let mut lines = String::new();
    let mut column = indent;
    for word in text.split(' ') {
        let length = word.chars().count();
        if column > indent && column + 1 + length > WIDTH {
            lines += &format!("\n{}", " ".repeat(indent));
            column = indent;
        } else if column > indent {
            lines.push(' ');
            column += 1;
        }
        lines += word;
        column += length;
    }
    lines
}
