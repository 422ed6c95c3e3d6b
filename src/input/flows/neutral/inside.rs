//! Places inside a text of a YAML file, whichever way YAML wrote it: block, folded, quoted.

use crate::model::place::Place;
use crate::model::text::TextFile;

use super::at::At;

/// Finds what stands in a scalar again in the file, by its words in order.
pub(super) struct Inside<'f> {
    file: &'f TextFile,
    whole: Place,
    /// For each word of the value: where it begins in the value, and in the file.
    words: Vec<(usize, usize, usize)>,
}

impl<'f> Inside<'f> {
    pub(super) fn new(at: &At<String>, file: &'f TextFile) -> Self {
        let raw = at.span_text(file);
        let begin = at.begin() as usize;
        let mut words = Vec::new();
        let mut from = 0;
        let mut value_from = 0;
        for word in at.value.split_whitespace() {
            let Some(in_value) = at.value.get(value_from..).and_then(|rest| rest.find(word)) else {
                break;
            };
            // A word that is escaped in the file ends what can be placed.
            let Some(in_raw) = raw.get(from..).and_then(|rest| rest.find(word)) else {
                break;
            };
            words.push((value_from + in_value, begin + from + in_raw, word.len()));
            value_from += in_value + word.len();
            from += in_raw + word.len();
        }
        Self {
            file,
            whole: at.place(file),
            words,
        }
    }

    /// The place of a stretch of the value; the whole scalar where it cannot be told.
    pub(super) fn place(&self, start: u32, end: u32) -> Place {
        let offset = |offset: usize| {
            let at = self.words.partition_point(|(value, _, _)| *value <= offset);
            let (value, raw, length) = self.words.get(at.checked_sub(1)?)?;
            let within = offset - value;
            (within <= *length).then_some(raw + within)
        };
        match (offset(start as usize), offset(end as usize)) {
            (Some(start), Some(end)) if start <= end => self.file.place(start as u32, end as u32),
            (Some(start), _) => self.file.place(start as u32, start as u32),
            _ => self.whole.clone(),
        }
    }
}
