//! Any bytes, and the inputs of the fuzzer with pieces taken out, put in, doubled and moved.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::targets::TARGETS;
use crate::{corpus, run};

/// Pieces that mean something to one reader or another.
const PIECES: &[&str] = &[
    "\0",
    "\u{feff}",
    "\u{202e}",
    "é",
    "😀",
    "\r\n",
    "\t",
    "\\",
    "'",
    "\"",
    "`",
    "$$",
    "/*",
    "*/",
    "--",
    "//",
    "#",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    ";",
    ",",
    ":",
    ".",
    "..",
    "=",
    "&a",
    "*a",
    "<<: ",
    "!!",
    "|\n",
    "9999999999999999999",
    "-1",
    "1e999",
    "0x",
    "null",
    "NULL",
    "b'",
    "r#\"",
    "E'",
    "@",
    "?",
    "%",
    "::",
    "->",
    "=>",
    "func ",
    "fn ",
    "impl ",
    "struct ",
    "select ",
    " WHERE ",
    " ON CONFLICT ",
    "CREATE TABLE ",
    "BEGIN ",
    "END",
    "candidate",
    "older",
];

#[derive(Debug, Clone)]
enum Edit {
    Remove,
    Repeat(usize),
    Put(&'static str),
    Bytes(Vec<u8>),
    /// Another place of the same length takes this one's bytes.
    CopyTo(Index),
}

fn edits() -> impl Strategy<Value = Vec<(Index, usize, Edit)>> {
    let edit = prop_oneof![
        Just(Edit::Remove),
        (1..40usize).prop_map(Edit::Repeat),
        select(PIECES).prop_map(Edit::Put),
        prop::collection::vec(any::<u8>(), 1..8).prop_map(Edit::Bytes),
        any::<Index>().prop_map(Edit::CopyTo),
    ];
    prop::collection::vec((any::<Index>(), 0..60usize, edit), 1..8)
}

fn edited(mut text: Vec<u8>, edits: Vec<(Index, usize, Edit)>) -> Vec<u8> {
    for (at, length, edit) in edits {
        let at = at.index(text.len() + 1);
        let end = (at + length).min(text.len());
        let piece = text[at..end].to_vec();
        let new = match edit {
            Edit::Remove => Vec::new(),
            Edit::Repeat(times) => piece.repeat(times),
            Edit::Put(new) => new.as_bytes().to_vec(),
            Edit::Bytes(new) => new,
            Edit::CopyTo(to) => {
                let to = to.index(text.len() + 1);
                text.splice(to..to, piece);
                continue;
            }
        };
        text.splice(at..end, new);
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn inputs_that_are_twisted_are_read(which in any::<Index>(), edits in edits()) {
        for target in TARGETS {
            let inputs = corpus(target.0);
            let text = inputs[which.index(inputs.len())].clone();
            run(*target, &edited(text, edits.clone()));
        }
    }

    #[test]
    fn pieces_in_any_order_are_read(pieces in prop::collection::vec(select(PIECES), 0..60)) {
        for target in TARGETS {
            run(*target, pieces.concat().as_bytes());
        }
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for target in TARGETS {
            run(*target, &bytes);
        }
    }
}
