//! The value of a number token.

use super::ast::ExprKind;

/// Reads a number as written (source: expr-lang v1.17 parser/parser.go, `parseSecondary`).
///
/// The error is one sentence on why it is no number.
pub(super) fn number(written: &str) -> Result<ExprKind, String> {
    let plain = written.replace('_', "").to_ascii_lowercase();
    if let Some(digits) = plain.strip_prefix("0x") {
        return whole(written, digits, 16);
    }
    if plain.contains(['.', 'e']) {
        return match plain.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(ExprKind::Float(value)),
            Ok(_) => Err(format!("the number `{written}` is too large for a float")),
            Err(_) => Err(format!("`{written}` is not a float")),
        };
    }
    if let Some(digits) = plain.strip_prefix("0b") {
        return whole(written, digits, 2);
    }
    if let Some(digits) = plain.strip_prefix("0o") {
        return whole(written, digits, 8);
    }
    whole(written, &plain, 10)
}

fn whole(written: &str, digits: &str, radix: u32) -> Result<ExprKind, String> {
    i64::from_str_radix(digits, radix)
        .map(ExprKind::Int)
        .map_err(|_| format!("`{written}` is not a whole number of 64 bits"))
}
