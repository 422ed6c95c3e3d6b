//! A text that knows how long it may become.

/// Characters of a text as the limit counts them.
pub(super) fn length(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// A document being written; what would make it too long is not taken, and the document is then
/// given up as a whole.
pub(super) struct Page {
    out: String,
    used: usize,
    most: usize,
}

impl Page {
    /// An empty document of at most so many characters.
    pub(super) fn new(most: usize) -> Self {
        Self {
            out: String::new(),
            used: 0,
            most,
        }
    }

    /// Appends text.
    pub(super) fn push(&mut self, text: &str) {
        if self.is_full() {
            return;
        }
        self.used += length(text);
        if self.is_full() {
            self.out = String::new();
        } else {
            self.out.push_str(text);
        }
    }

    /// Appends a line.
    pub(super) fn line(&mut self, text: &str) {
        self.push(text);
        self.push("\n");
    }

    /// A heading between two empty lines.
    pub(super) fn heading(&mut self, text: &str) {
        self.push("\n## ");
        self.push(text);
        self.push("\n\n");
    }

    /// The head of a table.
    pub(super) fn head(&mut self, titles: &[&str]) {
        let rule = vec!["---"; titles.len()];
        for cells in [titles, &rule] {
            self.line(&format!("| {} |", cells.join(" | ")));
        }
    }

    /// A row of a table; its cells are escaped already.
    pub(super) fn row(&mut self, cells: &[String]) {
        self.line(&format!("| {} |", cells.join(" | ")));
    }

    /// True once the text has become too long; writing more is useless.
    pub(super) fn is_full(&self) -> bool {
        self.used > self.most
    }

    /// The text; none if it has become too long.
    pub(super) fn finish(self) -> Option<String> {
        (!self.is_full()).then_some(self.out)
    }
}
