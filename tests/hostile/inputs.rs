//! The inputs of the fuzzer as they are, cut short, and again and again.

use crate::targets::{TARGETS, Target};
use crate::{corpus, run};

/// Bytes of a repetition. A reader that takes the square of it does not end in time.
const LONG: usize = 400_000;

/// How often an opening is repeated: deeper than anybody nests.
const DEEP: usize = 20_000;

fn each(name: &str) -> Target {
    let target = TARGETS.iter().find(|target| target.0 == name);
    *target.expect("a target of this name")
}

macro_rules! targets {
    ($($name:ident)*) => {
        $(mod $name {
            #[test]
            fn is_read() {
                super::is_read(super::each(stringify!($name)));
            }

            #[test]
            fn long_is_read() {
                super::long_is_read(super::each(stringify!($name)));
            }

            #[test]
            fn deep_is_read() {
                super::deep_is_read(super::each(stringify!($name)));
            }
        })*

        #[test]
        fn every_target_is_tested() {
            let tested = [$(stringify!($name)),*];
            let known: Vec<&str> = TARGETS.iter().map(|target| target.0).collect();
            assert_eq!(tested.as_slice(), known);
        }
    };
}

targets! {
    go rust scan sql_postgres sql_mysql sql_sqlite expr metadata_json flows_yaml config_yaml
    template plan
}

/// Each input whole, and what is left of it when it is cut at many places.
fn is_read(target: Target) {
    for input in corpus(target.0) {
        run(target, &input);
        for cut in (0..input.len()).step_by(input.len() / 60 + 1) {
            run(target, &input[..cut]);
            run(target, &input[cut..]);
        }
    }
}

/// Each input, and each line of one, until it is long.
fn long_is_read(target: Target) {
    for input in corpus(target.0) {
        run(target, &input.repeat(LONG / input.len().max(1)));
    }
    for input in corpus(target.0) {
        let lines = input.split_inclusive(|byte| *byte == b'\n');
        // The longest lines say most.
        let mut lines: Vec<&[u8]> = lines.collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.len()));
        for line in lines.iter().take(2) {
            run(target, &line.repeat(LONG / line.len().max(1) / 4));
        }
    }
}

/// Brackets, quotes and words that open something and never close it, at the end of each input.
fn deep_is_read(target: Target) {
    let openings = [
        "(",
        "[",
        "{",
        "{\"a\":",
        "- ",
        "a(",
        "!",
        "not ",
        "-",
        "a.b",
        "if a {",
        "func() {",
        "case when ",
        "(select ",
        "\"",
        "'",
        "`",
        "/*",
        "$$",
        "<",
        "&",
        "*",
        "|",
        "é",
        "{a}",
        "::",
    ];
    let inputs = corpus(target.0);
    let first = inputs.first().expect("an input to begin with");
    for opening in openings {
        let deep = opening.repeat(DEEP);
        run(target, deep.as_bytes());
        let half = &first[..first.len() / 2];
        run(target, &[half, deep.as_bytes()].concat());
    }
}
