//! A text file that was read, and the one function that turns its offsets into lines and columns.

use std::sync::Arc;

use super::place::{Place, Pos, Span};

/// Characters are counted anew from the nearest of these, so a one-line file of many megabytes
/// costs no more per position than a short line.
const CHECKPOINT: usize = 64;

/// A UTF-8 text file held in memory, addressed by byte offsets of at most 4 GiB.
#[derive(Debug)]
pub struct TextFile {
    /// Path relative to the audited root, with `/`.
    pub path: Arc<str>,
    text: String,
    /// Offset of the first byte of each line.
    lines: Vec<u32>,
    /// Characters before each multiple of `CHECKPOINT` bytes.
    chars: Vec<u32>,
}

impl TextFile {
    /// Indexes the text once; linear in its length.
    pub fn new(path: impl Into<Arc<str>>, text: String) -> Self {
        let bytes = text.as_bytes();
        let mut lines = vec![0];
        lines.extend(memchr::memchr_iter(b'\n', bytes).map(|at| at as u32 + 1));
        let mut chars = Vec::with_capacity(bytes.len() / CHECKPOINT + 1);
        let mut seen = 0u32;
        for chunk in bytes.chunks(CHECKPOINT) {
            chars.push(seen);
            seen += count_chars(chunk);
        }
        chars.push(seen);
        Self {
            path: path.into(),
            text,
            lines,
            chars,
        }
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The line and column of a byte offset; an offset beyond the end is the end.
    pub fn pos(&self, offset: u32) -> Pos {
        let offset = (offset as usize).min(self.text.len()) as u32;
        let line = self.lines.partition_point(|start| *start <= offset);
        let start = line
            .checked_sub(1)
            .and_then(|at| self.lines.get(at))
            .copied()
            .unwrap_or(0);
        Pos {
            line: line as u32,
            column: self.chars_between(start, offset) + 1,
        }
    }

    /// The place of a stretch of bytes.
    pub fn place(&self, start: u32, end: u32) -> Place {
        Place::File(Span {
            file: Arc::clone(&self.path),
            start: self.pos(start),
            end: self.pos(end.max(start)),
        })
    }

    /// The byte offset of a position, when the file has it.
    pub fn offset(&self, pos: Pos) -> Option<u32> {
        let at = pos.line.checked_sub(1)? as usize;
        let start = *self.lines.get(at)?;
        let wanted = self.chars_before(start) + pos.column.checked_sub(1)?;
        let block = self.chars.partition_point(|before| *before <= wanted);
        let block = block.checked_sub(1)?;
        let mut seen = self.chars.get(block).copied()?;
        let from = block * CHECKPOINT;
        let bytes = self.text.as_bytes().get(from..).unwrap_or(&[]);
        let mut offset = self.text.len();
        for (within, byte) in bytes.iter().enumerate() {
            if byte & 0xC0 != 0x80 {
                if seen == wanted {
                    offset = from + within;
                    break;
                }
                seen += 1;
            }
        }
        let last = match self.lines.get(at + 1) {
            Some(next) => *next as usize - 1,
            None => self.text.len(),
        };
        (seen == wanted && offset <= last).then_some(offset as u32)
    }

    /// The text of a line without its line end; 1-based.
    pub fn line(&self, line: u32) -> Option<&str> {
        let at = line.checked_sub(1)? as usize;
        let start = *self.lines.get(at)? as usize;
        let end = self
            .lines
            .get(at + 1)
            .map_or(self.text.len(), |next| *next as usize);
        let text = self.text.get(start..end)?;
        Some(text.trim_end_matches(['\n', '\r']))
    }

    /// Short stretches are counted as they stand; long ones between their checkpoints.
    fn chars_between(&self, start: u32, end: u32) -> u32 {
        if (end - start) as usize <= CHECKPOINT {
            let bytes = self.text.as_bytes();
            return bytes
                .get(start as usize..end as usize)
                .map_or(0, count_chars);
        }
        self.chars_before(end) - self.chars_before(start)
    }

    fn chars_before(&self, offset: u32) -> u32 {
        let offset = offset as usize;
        let block = offset / CHECKPOINT;
        let base = self.chars.get(block).copied().unwrap_or(0);
        let rest = self.text.as_bytes().get(block * CHECKPOINT..offset);
        base + rest.map_or(0, count_chars)
    }
}

/// Counts the characters that begin in a piece of UTF-8.
fn count_chars(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_are_one_based_and_count_characters() {
        let file = TextFile::new("a", "aé\nb".to_owned());
        assert_eq!(file.pos(0), Pos { line: 1, column: 1 });
        assert_eq!(file.pos(3), Pos { line: 1, column: 3 });
        assert_eq!(file.pos(4), Pos { line: 2, column: 1 });
        assert_eq!(file.pos(99), Pos { line: 2, column: 2 });
        assert_eq!(file.offset(Pos { line: 1, column: 3 }), Some(3));
        assert_eq!(file.offset(Pos { line: 1, column: 4 }), None);
        assert_eq!(file.offset(Pos { line: 2, column: 2 }), Some(5));
        assert_eq!(file.offset(Pos { line: 2, column: 3 }), None);
        assert_eq!(file.offset(Pos { line: 2, column: 1 }), Some(4));
        assert_eq!(file.line(1), Some("aé"));
        assert_eq!(file.line(3), None);
    }

    #[test]
    fn a_long_line_of_wide_characters_is_counted_right_across_checkpoints() {
        let file = TextFile::new("a", "é".repeat(5000));
        let pos = file.pos(9000);
        assert_eq!(
            pos,
            Pos {
                line: 1,
                column: 4501
            }
        );
        assert_eq!(file.offset(pos), Some(9000));
    }

    #[test]
    fn every_character_is_found_again_by_its_position() {
        let text = "aé\r\n".repeat(2000) + &"日本x".repeat(3000) + "\n";
        let file = TextFile::new("a", text.clone());
        for (offset, _) in text.char_indices() {
            assert_eq!(file.offset(file.pos(offset as u32)), Some(offset as u32));
        }
        let end = text.len() as u32;
        assert_eq!(file.offset(file.pos(end)), Some(end));
    }
}
