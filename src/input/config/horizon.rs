//! Durations: `7d`, `12h`, `30m`, `90s`.

/// Reads a duration into seconds.
///
/// # Errors
/// A sentence: not of that form, zero, or longer than a hundred years.
pub fn parse_seconds(text: &str) -> Result<u64, &'static str> {
    const LONGEST: u64 = 100 * 366 * 86_400;
    const FORM: &str = "a duration is a number and d, h, m or s, for example `7d`";
    let unit = match text.chars().last() {
        Some('d') => 86_400,
        Some('h') => 3_600,
        Some('m') => 60,
        Some('s') => 1,
        _ => return Err(FORM),
    };
    let digits = text.get(..text.len() - 1).unwrap_or_default();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(FORM);
    }
    let seconds = digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(unit))
        .filter(|seconds| *seconds <= LONGEST)
        .ok_or("a duration is at most a hundred years")?;
    if seconds == 0 {
        return Err("a duration is not zero");
    }
    Ok(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unit_is_read() {
        for (text, seconds) in [
            ("7d", 604_800),
            ("12h", 43_200),
            ("30m", 1_800),
            ("90s", 90),
        ] {
            assert_eq!(parse_seconds(text), Ok(seconds));
        }
    }

    #[test]
    fn other_forms_are_refused() {
        for text in [
            "",
            "d",
            "7",
            "7 d",
            "-1d",
            "1.5h",
            "7days",
            "0s",
            "99999999999999999999d",
            "40000d",
            "7é",
        ] {
            assert!(parse_seconds(text).is_err(), "{text}");
        }
    }
}
