//! Two SQL values compared without knowing the type of the column: an answer only where every type
//! and collation gives the same.

use std::cmp::Ordering;

use crate::model::schema::SqlLiteral;

/// A boolean is the number 0 or 1 to every engine that lets the two meet.
fn digits(literal: &SqlLiteral) -> Option<&str> {
    match literal {
        SqlLiteral::Bool(true) => Some("1"),
        SqlLiteral::Bool(false) => Some("0"),
        SqlLiteral::Number(number) => Some(number),
        SqlLiteral::String(_) | SqlLiteral::Null => None,
    }
}

/// Whether the column's value equals a literal of the predicate.
pub(super) fn equal(one: &SqlLiteral, other: &SqlLiteral) -> Option<bool> {
    if let (SqlLiteral::String(one), SqlLiteral::String(other)) = (one, other) {
        return equal_text(one, other);
    }
    let (one, other) = (digits(one)?, digits(other)?);
    // A column may round a fraction, and a float an integer of more than seven digits.
    if !is_integer(one) || decimal(one)?.abs() >= 1e7 {
        return None;
    }
    match decimal(one)? == decimal(other)? {
        false => Some(false),
        // 5 and 5.0 are one number and two texts: the column's type decides.
        true => is_integer(other).then_some(true),
    }
}

/// Two texts that differ are unequal only if no collation and no type reads them as equal.
fn equal_text(one: &str, other: &str) -> Option<bool> {
    if one == other {
        return Some(true);
    }
    if !one.is_ascii() || !other.is_ascii() {
        return None;
    }
    let plain = |text: &str| text.trim_end().to_ascii_lowercase();
    let is_number = |text: &str| {
        text.trim_start()
            .starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first))
    };
    const TRUTHS: [&str; 10] = [
        "t", "true", "y", "yes", "on", "f", "false", "n", "no", "off",
    ];
    let (one, other) = (plain(one), plain(other));
    let is_truth = |text: &str| TRUTHS.contains(&text);
    let may_be_one = one == other
        || (is_number(&one) && is_number(&other))
        || (is_truth(&one) && is_truth(&other));
    (!may_be_one).then_some(false)
}

/// Numbers are ordered only where their order as texts is the same.
pub(super) fn order(one: &SqlLiteral, other: &SqlLiteral) -> Option<Ordering> {
    match equal(one, other) {
        Some(true) => return Some(Ordering::Equal),
        Some(false) => {}
        None => return None,
    }
    let (one, other) = (digits(one)?, digits(other)?);
    if !is_canonical(one) || !is_canonical(other) {
        return None;
    }
    let numbers = decimal(one)?.partial_cmp(&decimal(other)?)?;
    (numbers == one.cmp(other)).then_some(numbers)
}

/// True if the engine prints the number as it is written.
fn is_canonical(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let plain =
        |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(|fraction| plain(fraction) && !fraction.ends_with('0'))
        && number != "-0"
}

fn is_integer(number: &str) -> bool {
    let digits = number.trim_start_matches(['-', '+']);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The number, where fifteen digits hold it exactly enough to be compared on every engine.
pub(super) fn decimal(number: &str) -> Option<f64> {
    let significant = number.split(['e', 'E']).next()?;
    let plain = number
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    let count = significant.bytes().filter(u8::is_ascii_digit).count();
    if !plain || count > 15 {
        return None;
    }
    let value: f64 = number.parse().ok()?;
    let is_zero = !significant
        .bytes()
        .any(|byte| (b'1'..=b'9').contains(&byte));
    (value.is_finite() && (value == 0.0) == is_zero).then_some(value)
}
