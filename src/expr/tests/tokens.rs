//! Tests of numbers, strings, blanks and comments.

use super::{reads, refuses};

#[test]
fn numbers() {
    reads(&[
        ("42", "42"),
        ("0x1F", "31"),
        ("0Xab", "171"),
        ("0o17", "15"),
        ("0b101", "5"),
        ("1_000", "1000"),
        ("007", "7"),
        (".5", "0.5"),
        ("5.", "5.0"),
        ("5.e2", "500.0"),
        ("1.5E-1_0", "1.5e-10"),
        ("1e-999", "0.0"),
        ("9223372036854775807", "9223372036854775807"),
        ("1..3", "(.. 1 3)"),
        (".5..3", "(.. 0.5 3)"),
    ]);
    refuses(&[
        ("9223372036854775808", 0, "not a whole number of 64 bits"),
        ("0x", 0, "not a whole number"),
        ("1e999", 0, "too large"),
        ("1e", 0, "not a float"),
        ("0b1e1", 0, "not a float"),
        ("0x1.8", 0, "not a whole number"),
        ("0b12", 3, "cannot be followed by `2`"),
        ("12px", 2, "cannot be followed by `p`"),
        ("1.2.3", 3, "expected an operator"),
    ]);
}

#[test]
fn strings_and_bytes() {
    reads(&[
        (r#""a\n\t\\\"b""#, r#""a\n\t\\\"b""#),
        (r"'it\'s'", r#""it's""#),
        (r"'\x41\101\u0042\u{43}\U00000044'", r#""AABCD""#),
        (r"'\xe9'", r#""é""#),
        (r"'\ud800'", "\"\u{fffd}\""),
        ("'a\rb'", r#""a\nb""#),
        ("`a\n\\``b`", r#""a\n\\`b""#),
        ("``", r#""""#),
        (r"b'a\xff\101é'", "[97, 255, 65, 195, 169]"),
        (r#"B"""#, "[]"),
    ]);
    refuses(&[
        ("x + 'open", 4, "no closing quote"),
        ("'a\nb'", 0, "no closing quote"),
        ("`open``", 0, "no closing quote"),
        (r"'a\q'", 2, "escape"),
        (r#"'\"'"#, 1, "escape"),
        (r"'\400'", 1, "escape"),
        (r"'\u{110000}'", 1, "escape"),
        (r"'\u{0000041}'", 1, "escape"),
        (r"b'\u0041'", 2, "bytes literal"),
    ]);
}

#[test]
fn blanks_and_comments() {
    reads(&[
        ("a // rest\n+ b", "(Add a b)"),
        ("/* one /* */ a /***/ + b //", "(Add a b)"),
        ("\u{a0}a\u{2003}+\u{85}b", "(Add a b)"),
        ("naïve٣", "naïve٣"),
    ]);
    refuses(&[
        ("a /* b", 2, "not closed"),
        ("", 0, "expected a value, found the end of the expression"),
        ("a ♥ b", 2, "no meaning"),
        ("x²", 1, "no meaning"),
        ("# a", 0, "only be used in the predicate"),
    ]);
}
