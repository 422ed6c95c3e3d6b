//! Calendar days, `YYYY-MM-DD`: of that form they sort as text.

/// Reads a day of the Gregorian calendar and gives it back as it stands.
///
/// The error says what is wrong with it.
pub fn parse_day(text: &str) -> Result<&str, String> {
    let wrong = || "a day is written YYYY-MM-DD".to_owned();
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else {
        return Err(wrong());
    };
    if [year.len(), month.len(), day.len()] != [4, 2, 2]
        || !text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-')
    {
        return Err(wrong());
    }
    let number = |part: &str| part.parse::<u32>().map_err(|_| wrong());
    let (year, month, day) = (number(year)?, number(month)?, number(day)?);
    let days = days_of(year, month).ok_or_else(|| format!("there is no month {month}"))?;
    if day == 0 || day > days {
        return Err(format!("month {month} of {year} has {days} days"));
    }
    Ok(text)
}

/// Days of a month, if there is such a month.
fn days_of(year: u32, month: u32) -> Option<u32> {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31),
        4 | 6 | 9 | 11 => Some(30),
        2 => Some(if leap { 29 } else { 28 }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_that_exist_are_read() {
        for day in ["2026-01-31", "2024-02-29", "2000-02-29", "0001-12-01"] {
            assert_eq!(parse_day(day), Ok(day));
        }
    }

    #[test]
    fn days_that_do_not_exist_are_refused() {
        for day in [
            "2026-02-29",
            "1900-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-04-31",
            "2026-01-00",
            "26-01-01",
            "2026/01/01",
            "2026-1-1",
            "+026-01-01",
            "2026-01-01T00:00",
            "",
            "tomorrow",
        ] {
            assert!(parse_day(day).is_err(), "{day}");
        }
    }
}
