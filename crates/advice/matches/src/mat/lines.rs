//! What the lines of match text say, each by itself, apart from rows.

use tavola_rules::Backgammon;

/// The variation of a tag or rule: `NackGammon`, `HyperGammon (3)`, `Hypergammon3`; `None` if it is
/// no variation that is known.
pub(crate) fn variation(name: &str) -> Option<Backgammon> {
    let letters: String = name.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    match letters.to_ascii_lowercase().as_str() {
        "backgammon" | "standard" | "normal" => Some(Backgammon::Standard),
        "nackgammon" => Some(Backgammon::Nackgammon),
        "hypergammon" | "hypergammon3" | "3chequerhypergammon" => Some(Backgammon::Hypergammon),
        "longgammon" => Some(Backgammon::Longgammon),
        _ => None,
    }
}

/// How match text calls a variation, as GNU Backgammon does; nothing for the usual game.
pub(super) fn variation_name(start: Backgammon) -> &'static str {
    match start {
        Backgammon::Standard => "",
        Backgammon::Nackgammon => "NackGammon",
        Backgammon::Hypergammon => "HyperGammon (3)",
        Backgammon::Longgammon => "LongGammon",
    }
}

/// Tabs as the spaces that they stand for, and every other kind of space as the usual one.
pub(super) fn expand_tabs(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut column = 0;
    for c in line.chars() {
        let c = if c != '\t' && c.is_whitespace() { ' ' } else { c };
        if c == '\t' {
            let width = 8 - column % 8;
            text.extend(std::iter::repeat_n(' ', width));
            column += width;
        } else {
            text.push(c);
            column += 1;
        }
    }
    text
}

/// `; [Event "Club evening"]`, also without the semicolon.
pub(super) fn tag(line: &str) -> Option<(&str, &str)> {
    let inner = line.trim_start_matches(';').trim().strip_prefix('[')?.strip_suffix(']')?;
    let (name, value) = inner.split_once('"')?;
    Some((name.trim(), value.strip_suffix('"').unwrap_or(value)))
}

/// ` 7 point match`; `Some(None)` is a length too large.
pub(super) fn length(line: &str) -> Option<Option<u16>> {
    let lower = line.to_ascii_lowercase();
    let lower = lower.trim_start_matches("match to ").trim();
    if matches!(lower, "money game" | "money session" | "unlimited match") {
        return Some(Some(0));
    }
    let (number, rest) = lower.split_once(|c: char| c.is_whitespace() || c == '-')?;
    let rest = rest.trim().trim_end_matches('.');
    if !matches!(rest, "point match" | "points match" | "point" | "points") {
        return None;
    }
    if !number.chars().all(|c| c.is_ascii_digit()) || number.is_empty() {
        return None;
    }
    Some(number.parse().ok())
}

/// The number of ` Game 12`.
pub(super) fn game_number(line: &str) -> Option<u32> {
    let lower = line.to_ascii_lowercase();
    lower.strip_prefix("game")?.trim().trim_end_matches([':', '.']).trim().parse().ok()
}

/// ` Ann : 0     Bob : 3`: names and points.
pub(super) fn score_line(line: &str) -> Option<[(&str, u32); 2]> {
    let line = line.trim();
    let mut colons = line.match_indices(':').map(|(at, _)| at);
    let right_colon = colons.next_back()?;
    let right_points = line[right_colon + 1..].trim().parse().ok()?;
    // The left points end where the name on the right begins.
    for (left_colon, _) in line[..right_colon].match_indices(':') {
        let rest = line[left_colon + 1..right_colon].trim_start();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let name = &rest[digits..];
        // GNU Backgammon leaves no gap behind the points of a long name.
        if digits > 0 && !name.trim().is_empty() {
            let left_points = rest[..digits].parse().ok()?;
            let left = (line[..left_colon].trim(), left_points);
            return Some([left, (name.trim(), right_points)]);
        }
    }
    None
}

/// A name, and the rating that some programs put after it: `Ann,1666`.
pub(super) fn without_rating(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once(',') {
        Some((before, rating)) if rating.trim().parse::<f64>().is_ok() => {
            (before.trim(), Some(rating.trim()))
        }
        _ => (name, None),
    }
}

/// A date as `2026-11-23` if it is one of year, month and day; otherwise as it is.
pub(super) fn date(text: &str) -> String {
    let parts: Vec<&str> = text.split(['.', '-', '/']).map(str::trim).collect();
    match parts.as_slice() {
        [year, month, day]
            if year.len() == 4 && parts.iter().all(|part| part.parse::<u16>().is_ok()) =>
        {
            format!("{year}-{month:0>2}-{day:0>2}")
        }
        _ => text.to_owned(),
    }
}
