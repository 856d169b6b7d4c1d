//! What the lines and cells of match text say, each by itself.

use tavola_rules::{Dice, WinKind};

/// What stands in a cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell<'a> {
    Roll(Dice, &'a str),
    /// A roll that no two dice show, such as `00:`.
    NoRoll(&'a str),
    Double,
    Take,
    Drop,
    Beaver,
    Raccoon,
    Resign(Option<WinKind>),
    Refuse,
    Wins(u32),
    Loses(u32),
    SetUp(&'a str),
}

/// Tabs as the spaces that they stand for.
pub(super) fn expand_tabs(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut column = 0;
    for c in line.chars() {
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
    lower.strip_prefix("game")?.trim().parse().ok()
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
        if digits > 0 && name.starts_with(' ') {
            let left_points = rest[..digits].parse().ok()?;
            let left = (line[..left_colon].trim(), left_points);
            return Some([left, (name.trim(), right_points)]);
        }
    }
    None
}

/// A name without the rating that some programs put after it: `Ann,1666`.
pub(super) fn without_rating(name: &str) -> &str {
    match name.rsplit_once(',') {
        Some((before, rating)) if rating.trim().parse::<f64>().is_ok() => before.trim(),
        _ => name,
    }
}

/// A play without dice that were not used, `0/0`.
pub(super) fn without_unused(text: &str) -> String {
    let words = text.split_whitespace().filter(|word| !matches!(*word, "0/0" | "25/25" | "-"));
    words.collect::<Vec<_>>().join(" ")
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

/// Whether a row has a number, and its cells with the columns at which they begin.
pub(super) fn cells(line: &str) -> (bool, Vec<(usize, Cell<'_>)>) {
    // The number of the row.
    let trimmed = line.trim_start();
    let digits = trimmed.len() - trimmed.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let from = match trimmed[digits..].strip_prefix(')') {
        Some(rest) => line.len() - rest.len(),
        None => 0,
    };
    let mut starts = Vec::new();
    let mut before = ' ';
    for (at, c) in line[from..].char_indices() {
        if (before.is_whitespace() || before == ')') && !c.is_whitespace() {
            let at = from + at;
            if begins_cell(&line[at..]) {
                starts.push(at);
            }
        }
        before = c;
    }
    let ends = starts.iter().skip(1).copied().chain([line.len()]);
    let (mut column, mut counted) = (0, 0);
    let cells = starts
        .iter()
        .zip(ends)
        .filter_map(|(&start, end)| {
            column += line[counted..start].chars().count();
            counted = start;
            Some((column, cell(line[start..end].trim())?))
        })
        .collect();
    (from > 0, cells)
}

/// Whether the text begins with a roll or a word that begins a cell.
pub(super) fn begins_cell(text: &str) -> bool {
    let bytes = text.as_bytes();
    let roll = bytes.len() > 2
        && bytes[..2].iter().all(u8::is_ascii_digit)
        && text[2..].trim_start().starts_with(':');
    let word: String =
        text.chars().take_while(|c| c.is_alphabetic()).collect::<String>().to_ascii_lowercase();
    roll || matches!(
        word.as_str(),
        "doubles"
            | "double"
            | "redoubles"
            | "takes"
            | "take"
            | "accepts"
            | "drops"
            | "drop"
            | "passes"
            | "beavers"
            | "beaver"
            | "raccoons"
            | "raccoon"
            | "wins"
            | "losses"
            | "loses"
            | "resigns"
            | "resign"
            | "resigned"
            | "refuses"
            | "rejects"
            | "set"
    ) || (text.starts_with("???") && text.trim_matches('?').trim().is_empty())
}

pub(super) fn cell(text: &str) -> Option<Cell<'_>> {
    if text.as_bytes().first()?.is_ascii_digit() {
        let (dice, play) = text.split_once(':')?;
        return Some(match dice.trim().parse() {
            Ok(dice) => Cell::Roll(dice, play),
            Err(_) => Cell::NoRoll(text),
        });
    }
    let lower = text.to_ascii_lowercase();
    let word: String = lower.chars().take_while(|c| c.is_alphabetic()).collect();
    let number = || {
        let digits: String = lower
            .chars()
            .skip_while(|c| !c.is_ascii_digit())
            .take_while(char::is_ascii_digit)
            .collect();
        digits.parse().ok()
    };
    Some(match word.as_str() {
        "doubles" | "double" | "redoubles" => Cell::Double,
        "takes" | "take" | "accepts" => Cell::Take,
        "drops" | "drop" | "passes" => Cell::Drop,
        "beavers" | "beaver" => Cell::Beaver,
        "raccoons" | "raccoon" => Cell::Raccoon,
        "refuses" | "rejects" => Cell::Refuse,
        "wins" => Cell::Wins(number()?),
        "losses" | "loses" => Cell::Loses(number()?),
        "set" => Cell::SetUp(text.split_once('=')?.1.trim()),
        "resigns" | "resign" | "resigned" => Cell::Resign(if lower.contains("backgammon") {
            Some(WinKind::Backgammon)
        } else if lower.contains("gammon") {
            Some(WinKind::Gammon)
        } else {
            None
        }),
        _ => Cell::Resign(None),
    })
}
