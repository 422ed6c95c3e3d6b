//! Tests of the parser's rules.
