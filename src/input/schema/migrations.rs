//! Migration files: the way up is replayed, the way down is not.

use std::ops::Range;

/// Markers of goose, sql-migrate, dbmate, Play evolutions and MyBatis, in lower case, and whether
/// what follows is the way down.
const MARKERS: [(&str, bool); 10] = [
    ("-- +goose up", false),
    ("-- +goose down", true),
    ("-- +migrate up", false),
    ("-- +migrate down", true),
    ("-- migrate:up", false),
    ("-- migrate:down", true),
    ("# --- !ups", false),
    ("# --- !downs", true),
    ("-- !downs", true),
    ("-- //@undo", true),
];

/// True for a file that holds a way down alone: `0001_init.down.sql`.
pub fn is_way_down(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    [".down.sql", "_down.sql", "/down.sql", ".undo.sql"]
        .iter()
        .any(|end| path.ends_with(end))
}

/// The stretches of a script that run on the way up, by byte offsets.
pub fn way_up(text: &str) -> Vec<Range<usize>> {
    let mut stretches = Vec::new();
    let mut start = Some(0);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let comment = line.starts_with("--") || line.starts_with('#');
        if comment && let Some(down) = marker(line) {
            match (down, start) {
                (true, Some(from)) => {
                    stretches.push(from..at);
                    start = None;
                }
                (false, None) => start = Some(at),
                _ => {}
            }
        }
        at += line.len();
    }
    if let Some(from) = start {
        stretches.push(from..text.len());
    }
    stretches
}

fn marker(line: &str) -> Option<bool> {
    let line = line.trim_end().to_ascii_lowercase();
    MARKERS
        .iter()
        .find(|(marker, _)| line.starts_with(marker))
        .map(|(_, down)| *down)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_down_is_left_out() {
        let text = "-- +goose Up\nA;\n-- +goose Down\nB;\n-- +goose Up\nC;\n";
        let parts: Vec<&str> = way_up(text).into_iter().map(|part| &text[part]).collect();
        assert_eq!(parts, ["-- +goose Up\nA;\n", "-- +goose Up\nC;\n"]);
        assert_eq!(way_up("A;\n").first(), Some(&(0..3)));
        assert!(is_way_down("db/0001_init.down.sql"));
        assert!(!is_way_down("db/0001_countdown.sql"));
    }
}
