//! What may differ between machines leaves a text: last digits and times.

/// The text with every number that has more than four decimals rounded to four.
pub fn rounded(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | '-' | '+');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(at);
        out.push_str(before);
        let end = number.find(|c| !is_part(c)).unwrap_or(number.len());
        let (number, after) = number.split_at(end);
        let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        match number.parse::<f64>() {
            Ok(value) if decimals > 4 || number.contains("e-") => {
                out.push_str(&format!("{value:.4}"));
            }
            _ => out.push_str(number),
        }
        rest = after;
    }
    out.push_str(rest);
    out.replace("-0.0000", "0.0000")
}

/// The text without what JSON reports say of the program, the machine and the threads.
pub fn without_provenance(text: &str) -> String {
    const KEY: &str = "\"provenance\":";
    let mut parts = text.split(KEY);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut depth = 0;
        let end = part.find(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth == 0
        });
        out += &format!("{KEY}_{}", &part[end.map_or(0, |end| end + 1)..]);
    }
    out
}

/// The text with `_` for times and speeds: numbers before ` s`, ` ms`, ` games/s` or ` matches/s`,
/// and those of JSON keys that end in `seconds` or `per_s`.
pub fn without_times(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(at);
        out.push_str(before);
        let end =
            number.find(|c: char| !matches!(c, '0'..='9' | '.' | ',')).unwrap_or(number.len());
        let end = number[..end].trim_end_matches([',', '.']).len();
        let (number, after) = number.split_at(end);
        let is_time = [" s", " ms", " games/s", " matches/s"].iter().any(|unit| {
            after.strip_prefix(unit).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        });
        let is_keyed = ["seconds\":", "per_s\":"].iter().any(|key| out.ends_with(key));
        out.push_str(if is_time || is_keyed { "_" } else { number });
        rest = after;
    }
    out.push_str(rest);
    out
}

#[test]
fn long_decimals_are_rounded_and_everything_else_stays() {
    let text = r#"{"a":-0.00001,"b":0.166551,"c":1.25,"d":1e-7} 4HPwATDgc/ABMA 13/8 6/5 v1.2.3"#;
    let expected = r#"{"a":0.0000,"b":0.1666,"c":1.25,"d":0.0000} 4HPwATDgc/ABMA 13/8 6/5 v1.2.3"#;
    assert_eq!(rounded(text), expected);
}

#[test]
fn provenance_is_masked_with_all_that_is_in_it() {
    let text = r#"{"a":1,"provenance":{"version":"1","machine":{"cpu":"x"}}} {"provenance":{}}"#;
    assert_eq!(without_provenance(text), r#"{"a":1,"provenance":_} {"provenance":_}"#);
}

#[test]
fn times_and_speeds_are_masked_and_other_numbers_stay() {
    let text = r#"60 games now in 0.8 s, 1,072.9 games/s; A in 0.0 s {"seconds":0.25,"games":6}"#;
    let expected = r#"60 games now in _ s, _ games/s; A in _ s {"seconds":_,"games":6}"#;
    assert_eq!(without_times(text), expected);
}
