//! What the comments of a fixture say has to be found.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

/// One statement about a line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark {
    file: String,
    line: u32,
    says: String,
}

impl Mark {
    /// Says something of a line.
    pub(crate) fn new((file, line): (String, u32), says: String) -> Self {
        Self { file, line, says }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.says)
    }
}

/// The marks of all files of a fixture; `//~` may stand several times on a line.
pub(crate) fn of(case: &Path) -> BTreeSet<Mark> {
    let mut marks = BTreeSet::new();
    let mut open = vec![case.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let file = path.strip_prefix(case).expect("below the case");
            let file = file.to_string_lossy().replace('\\', "/");
            let text = std::fs::read_to_string(&path).expect("a text");
            for (number, line) in text.lines().enumerate() {
                for says in line.split("//~").skip(1) {
                    let at = (file.clone(), number as u32 + 1);
                    marks.insert(Mark::new(at, says.trim().to_owned()));
                }
            }
        }
    }
    marks
}
