//! Parsing a stretch of a file by itself, for what stands between the brackets of a macro.

use tree_sitter::{Node, Point, Range, Tree};

use super::Lower;
use crate::input::source::syntax::{children, parse_with};

/// Macros within macros are read so deep; each level is parsed again.
const MOST_MACROS: usize = 16;

impl Lower<'_> {
    /// Parses a stretch of the text as an expression; none if it is none. What it needs around it
    /// is borrowed from the text: a `;` behind, else a bracket on either side.
    pub(super) fn parsed(&mut self, range: Range) -> Option<Stretch> {
        if self.in_macros > MOST_MACROS {
            return None;
        }
        let text = self.read.whole();
        if is_deep(text.get(range.start_byte..range.end_byte)?) {
            return None;
        }
        let (before, rest) = text.as_bytes().split_at_checked(range.start_byte)?;
        let behind = rest.get(range.end_byte - range.start_byte..)?;
        let end = range.end_byte;
        let mut ranges = vec![range];
        let in_block = match memchr::memchr(b';', behind) {
            Some(at) => {
                ranges.push(one_byte(end + at, range.end_point));
                false
            }
            None => {
                let open = memchr::memrchr(b'{', before)?;
                let close = memchr::memchr(b'}', behind)?;
                ranges.insert(0, one_byte(open, Point::new(0, 0)));
                ranges.push(one_byte(end + close, range.end_point));
                true
            }
        };
        self.parser.set_included_ranges(&ranges).ok()?;
        let tree = parse_with(&mut self.parser, text, end - range.start_byte)?;
        let whole = !tree.root_node().has_error();
        whole.then_some(Stretch { tree, in_block })
    }
}

/// Brackets within brackets that are parsed as one stretch. Deeper ones are gone into level by level:
/// the parser takes long over what it cannot end, and each level would be parsed again.
const MOST_BRACKETS: usize = 200;

/// True if more brackets are open at once; those in texts count too, which only makes the stretch
/// be read piece by piece.
fn is_deep(text: &str) -> bool {
    let mut open = 0usize;
    text.bytes().any(|byte| {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        open > MOST_BRACKETS
    })
}

/// A stretch that was parsed by itself.
pub(super) struct Stretch {
    tree: Tree,
    /// True if it stands between borrowed brackets.
    in_block: bool,
}

impl Stretch {
    /// Its one expression.
    pub(super) fn only(&self) -> Option<Node<'_>> {
        let mut outer = self.tree.root_node();
        if self.in_block {
            let block = children(outer).into_iter().next()?;
            outer = inside(block);
        }
        let all = children(outer).into_iter();
        let mut all = all.filter(|node| node.kind() != "empty_statement");
        let node = all.next()?;
        let alone = all.next().is_none();
        let is_item = node.kind().ends_with("_item") || node.kind().ends_with("_declaration");
        (alone && !is_item).then(|| inside(node))
    }
}

/// The expression of a statement that is one.
fn inside(node: Node<'_>) -> Node<'_> {
    match (node.kind(), children(node).as_slice()) {
        ("expression_statement", [inner]) => *inner,
        _ => node,
    }
}

/// A byte of the text as a range of its own. Rows and columns are not asked for.
fn one_byte(at: usize, near: Point) -> Range {
    Range {
        start_byte: at,
        end_byte: at + 1,
        start_point: near,
        end_point: Point::new(near.row, near.column + 1),
    }
}
