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

/// Today, in UTC, as `YYYY-MM-DD`.
///
/// The error says that the clock of the machine cannot be read.
pub fn today() -> Result<String, String> {
    let seconds = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_err(|_| "the clock stands before 1970; give the day with --as-of".to_owned())?
        .as_secs();
    Ok(day_of(seconds / 86_400))
}

/// The civil date of a number of days since 1970-01-01.
///
/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
fn day_of(days: u64) -> String {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_since_1970_become_dates() {
        for (days, date) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_787, "2026-11-30"),
        ] {
            assert_eq!(day_of(days), date);
        }
    }

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
