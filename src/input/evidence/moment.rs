//! Times of results: with a zone as RFC 3339 has it, or without one, as several runners write them.

use chrono::{DateTime, NaiveDateTime};

use crate::model::tests::Moment;

/// The time, if it is one.
pub(super) fn parse(text: &str) -> Option<Moment> {
    let text = text.trim();
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(Moment {
            seconds: time.timestamp(),
            zoned: true,
        });
    }
    ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"]
        .into_iter()
        .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
        .map(|time| Moment {
            seconds: time.and_utc().timestamp(),
            zoned: false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_told_apart_from_clocks_without_one() {
        let zoned = |seconds| {
            Some(Moment {
                seconds,
                zoned: true,
            })
        };
        assert_eq!(parse("1970-01-01T01:00:00.250+01:00"), zoned(0));
        assert_eq!(parse("1970-01-01T00:00:00Z"), zoned(0));
        assert_eq!(
            parse("1970-01-02T00:00:00"),
            Some(Moment {
                seconds: 86_400,
                zoned: false
            })
        );
        assert_eq!(parse("yesterday"), None);
        assert_eq!(parse(""), None);
    }
}
