//! Spans of time, in microseconds.

/// Units, by the word of SQL.
const UNITS: [(&str, i64); 9] = [
    ("MICROSECOND", 1),
    ("MILLISECOND", 1_000),
    ("SECOND", 1_000_000),
    ("MINUTE", 60_000_000),
    ("HOUR", 3_600_000_000),
    ("DAY", 86_400_000_000),
    ("WEEK", 604_800_000_000),
    ("MONTH", 2_592_000_000_000),
    ("YEAR", 31_536_000_000_000),
];

/// How long a unit is; a month counts 30 days.
pub(super) fn unit(word: &str) -> Option<i64> {
    let upper = word.to_ascii_uppercase();
    let mut units = UNITS.into_iter();
    let found = units.find(|(name, _)| upper == *name || upper.strip_suffix('S') == Some(name));
    found.map(|(_, micros)| micros)
}

/// How long a text says: `5 minutes`, `-120 seconds`, `00:02:00`.
pub(super) fn of_text(text: &str) -> Option<i64> {
    if let [hours, minutes, seconds] = text.trim().split(':').collect::<Vec<_>>()[..] {
        let part = |text: &str, micros: i64| text.parse::<i64>().ok()?.checked_mul(micros);
        let sum = part(hours, 3_600_000_000)?.checked_add(part(minutes, 60_000_000)?)?;
        return sum.checked_add(part(seconds, 1_000_000)?);
    }
    let mut sum = 0_i64;
    let mut words = text.split_whitespace();
    while let Some(number) = words.next() {
        let number: i64 = number.parse().ok()?;
        sum = sum.checked_add(number.checked_mul(unit(words.next()?)?)?)?;
    }
    Some(sum)
}
