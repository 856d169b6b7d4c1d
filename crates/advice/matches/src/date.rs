//! Dates of matches, and how files count them.

use std::time::{Duration, UNIX_EPOCH};

/// A time since 1970 as its date in UTC, such as `2026-11-23`; nothing if it is no time of a match.
pub(crate) fn of_unix_time(time: Duration) -> String {
    // The year 10,000 and those after it have no such form.
    let known = time.as_secs() < 253_402_300_800;
    let text = known.then(|| humantime::format_rfc3339_seconds(UNIX_EPOCH + time).to_string());
    text.map_or_else(String::new, |text| text[..10].to_owned())
}

/// The time from 1970 to the beginning of a date in UTC.
pub(crate) fn unix_time(date: &str) -> Option<Duration> {
    let mut parts = date.splitn(3, '-').map(|part| part.parse::<u16>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let begin = humantime::parse_rfc3339(&format!("{year:04}-{month:02}-{day:02}T00:00:00Z"));
    begin.ok()?.duration_since(UNIX_EPOCH).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_counted_from_1970() {
        for (date, days) in [("1970-01-01", 0), ("2000-02-29", 11_016), ("2026-11-24", 20_781)] {
            let time = Duration::from_secs(86_400 * days);
            assert_eq!(unix_time(date), Some(time));
            assert_eq!(of_unix_time(time + Duration::from_secs(86_399)), date);
        }
        assert_eq!(unix_time("2026-1-5"), unix_time("2026-01-05"));
        for date in ["", "2026", "2026-02-30", "1969-12-31", "20260-01-01", "Nov 2, 2025"] {
            assert_eq!(unix_time(date), None, "{date}");
        }
        assert_eq!(of_unix_time(Duration::MAX), "");
    }
}
