//! Laws of the source readers: no bytes make them panic, and what they say does not hang on
//! comments and line ends.

use outbox_audit::model::source::SourceFile;
use proptest::prelude::*;

use crate::{show, tree_of};

/// Pieces that make trouble when they stand side by side.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "package a\n",
        "import \"x/y\"\n",
        "func ",
        "f",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "type ",
        "struct",
        "interface",
        "map",
        "chan ",
        "<-",
        ":=",
        "=",
        "+",
        "...",
        ".",
        ",",
        ";",
        "\n",
        "\"",
        "`",
        "'",
        "\\",
        "//",
        "/*",
        "*/",
        "if ",
        "else ",
        "for ",
        "range ",
        "switch ",
        "case ",
        "default",
        ":",
        "select ",
        "go ",
        "defer ",
        "return ",
        "const ",
        "var ",
        "iota",
        "nil",
        "1",
        "\"s\"",
        "`r`",
        "é",
        "\r\n",
        "\u{feff}",
        "x",
        "fn ",
        "impl ",
        "mod ",
        "use ",
        "::",
        "<",
        ">",
        "'a",
        "#[",
        "!",
        "?",
        "match ",
        "=>",
        "|",
        "let ",
        "async ",
        "r#\"",
        "\"#",
        "trait ",
        "enum ",
        "where ",
        "&",
        "*",
        "move ",
        "\u{0}",
        "pub ",
        "macro_rules! ",
        "$",
        "def ",
        "class ",
        "lambda ",
        "with ",
        "as ",
        "try:",
        "except ",
        "finally:",
        "elif ",
        "async for ",
        "yield ",
        "from . import ",
        "@",
        "\"\"\"",
        "f'{",
        "}'",
        "\n    ",
        "\n\t",
        "%",
        ".format(",
        "**",
        "in ",
        "super()",
    ])
}

fn bodies(file: &SourceFile) -> Vec<String> {
    let all = file.functions.iter();
    all.map(|function| format!("{}{}", function.name, show::stmts(&function.body)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn no_pieces_make_a_reader_panic(pieces in prop::collection::vec(piece(), 0..60)) {
        let text = pieces.concat();
        let tree = tree_of(&[("a.go", text.as_bytes()), ("b.rs", text.as_bytes()), ("c.py", text.as_bytes())]);
        prop_assert_eq!(tree.scanned, 3);
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let tree = tree_of(&[("a.go", &bytes), ("b.rs", &bytes), ("c.py", &bytes)]);
        prop_assert_eq!(tree.scanned, 3);
    }

    #[test]
    fn comments_and_line_ends_change_nothing(which in prop::collection::vec(0..4usize, 12)) {
        let lines = [
            "package a", "type T struct {", "a int", "}", "func f() {", "x := g(", "1,", ")", "if x {", "h()", "}", "}",
        ];
        let plain = lines.join("\n");
        let ends = ["\n", "\r\n", " // g(2)\n", " /* h() */\n\n"];
        let dressed: String = lines
            .iter()
            .zip(which)
            .map(|(line, end)| format!("{line}{}", ends[end]))
            .collect();
        let one = tree_of(&[("a.go", plain.as_bytes())]);
        let other = tree_of(&[("a.go", dressed.as_bytes())]);
        prop_assert_eq!(bodies(&one.files[0]), bodies(&other.files[0]));
        prop_assert_eq!(&other.files[0].unparsed, &[]);
    }
}
