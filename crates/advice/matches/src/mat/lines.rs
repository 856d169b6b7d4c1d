//! What the lines of match text say, each by itself, apart from rows.

use tavola_rules::Backgammon;

use super::words::{is_points, numeral};

/// The variation of a tag or rule: `NackGammon`, `HyperGammon (3)`, `Hypergammon3`; `None` if it is
/// no variation that is known.
pub(crate) fn variation(name: &str) -> Option<Backgammon> {
    let lower = name.to_lowercase();
    const USUAL: &str = "backgammon standard normal regular classic default usual game rules start \
                         match western standart estándar standaard normales";
    let mut said = words(&lower);
    if !said.is_empty() && said.iter().all(|word| USUAL.split(' ').any(|it| it == *word)) {
        return Some(Backgammon::Standard);
    }
    said.retain(|word| !matches!(*word, "variant" | "variation" | "game" | "backgammon"));
    match said.concat().replace("checkers", "").as_str() {
        "nack" | "nackgammon" => Some(Backgammon::Nackgammon),
        "hyper" | "hypergammon" | "hypergammon3" | "3chequerhypergammon" => {
            Some(Backgammon::Hypergammon)
        }
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

/// A line that may be the head of a match or of a game: a longer one is none.
fn heading(line: &str) -> Option<&str> {
    const LONGEST: usize = 512;
    Some(line.trim()).filter(|line| line.len() <= LONGEST)
}

/// A heading with a number in it.
fn numbered(line: &str) -> Option<&str> {
    heading(line).filter(|line| line.bytes().any(|byte| byte.is_ascii_digit()))
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

/// `; [Event "Club evening"]`, also without the semicolon; with it known ones need no quotes.
pub(super) fn tag(line: &str) -> Option<(&str, &str)> {
    const UNQUOTED: &str = "player 1 elo|player 2 elo|player 1|player 2|match length|matchlength|\
        match id|event|round|site|place|eventdate|eventtime|date|variation|transcriber";
    let inner = line.trim_start_matches(';').trim().strip_prefix('[')?.strip_suffix(']')?;
    if let Some((name, value)) = inner.split_once('"') {
        return Some((name.trim(), value.strip_suffix('"').unwrap_or(value)));
    }
    let named = |name: &&str| {
        let found = inner.get(..name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name));
        found && inner[name.len()..].starts_with([' ', ':', '='])
    };
    let name = UNQUOTED.split('|').find(named).filter(|_| line.starts_with(';'))?;
    let (name, value) = inner.split_at(name.len());
    Some((name, value.trim_start_matches([' ', ':', '='])))
}

/// ` 7 point match`, `7-Punkte-Match`, `Match to 7`; `Some(None)` is a length too large.
pub(super) fn length(line: &str) -> Option<Option<u16>> {
    let lower = heading(line)?.to_lowercase();
    let bare = lower.split('(').next().unwrap_or_default().trim();
    let lower = if bare.is_empty() { lower.trim() } else { bare };
    if matches!(
        lower,
        "money game" | "money session" | "unlimited" | "unlimited match" | "unlimited game"
    ) {
        return Some(Some(0));
    }
    let words = words(lower);
    let in_digits = |it: &str| it.starts_with(|c: char| c.is_ascii_digit());
    let is_number = |it: &str| in_digits(it) || numeral(it).is_some();
    let mut numbers = words.iter().enumerate().filter(|(_, it)| is_number(it));
    let (at, number) = numbers.next().filter(|_| words.len() <= 6)?;
    if numbers.next().is_some() || lower.contains('"') {
        return None;
    }
    let is_match = |word: &str| {
        const ROOTS: &str = "match|partie|partita|partid|race|length|kamp|wedstr|mecz|maç|ottelu|zápas|\
            αγών|матч|マッチ|試合|比赛";
        ROOTS.split('|').any(|root| word.starts_with(root)) || word.ends_with("match")
    };
    // `Wins 2 points and the match` is no length.
    let of_match = words.iter().any(|word| is_match(word)) && (at == 0 || is_match(words[0]));
    let of_points = words.iter().any(|word| is_points(word));
    let plain = of_points && words.len() == 2 && at == 0;
    let to = !of_points && at + 1 == words.len() && (words.len() > 2 || words[0] == "length");
    // No sentence consists of these alone.
    let known = words.len() > 1
        && (of_points || words.iter().any(|word| BEFORE_LENGTH.contains(word)))
        && words.iter().all(|word| {
            is_number(word) || is_points(word) || is_match(word) || LENGTH_WORDS.contains(word)
        });
    ((of_match && (of_points || to)) || plain || known).then(|| match in_digits(number) {
        true => number.parse().ok(),
        false => numeral(number),
    })
}

/// What a length stands beside without the word `points`.
const BEFORE_LENGTH: [&str; 7] = ["to", "bis", "auf", "length", "limit", "target", "p"];

/// What stands beside the length in the head of a match.
const LENGTH_WORDS: [&str; 24] = [
    "a", "an", "the", "this", "is", "in", "to", "of", "first", "playing", "play", "up", "score",
    "limit", "target", "p", "crawford", "rule", "on", "bis", "auf", "a", "à", "en",
];

/// The words and numbers of a line: `3-point` has two.
fn words(line: &str) -> Vec<&str> {
    let apart = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    apart
        .flat_map(|word| {
            let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            [&word[..digits], &word[digits..]].into_iter().filter(|part| !part.is_empty())
        })
        .collect()
}

/// The number of ` Game 12`, `--- Game 12 of 15 ---`; in any language where a score follows.
pub(super) fn game_number(line: &str, before_score: bool) -> Option<u32> {
    let line = numbered(line)?;
    let line = line.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '(' | ')'));
    let words = words(line);
    let in_english = words.first().is_some_and(|word| word.eq_ignore_ascii_case("game"));
    let rest = &words[usize::from(in_english).min(words.len())..];
    let rest = match rest {
        [no, rest @ ..] if in_english && no.eq_ignore_ascii_case("no") => rest,
        rest => rest,
    };
    match rest {
        [number] if in_english => number.parse().ok(),
        [number, of, total] if in_english && of.eq_ignore_ascii_case("of") => {
            total.parse::<u32>().ok().and(number.parse().ok())
        }
        // With the score in brackets.
        [number, _, _] if in_english && line.contains('(') => number.parse().ok(),
        _ if !before_score || words.len() > 4 || words.iter().any(|word| is_points(word)) => None,
        _ => {
            let mut numbers = words.iter().filter_map(|word| word.parse().ok());
            let has_letters = words.iter().any(|word| word.starts_with(char::is_alphabetic));
            numbers.next().filter(|_| has_letters && numbers.next().is_none())
        }
    }
}

/// ` Ann : 0     Bob : 3`: names and points.
pub(super) fn score_line(line: &str) -> Option<[(&str, u32); 2]> {
    let line = numbered(line)?;
    let mut colons = line.match_indices(':').map(|(at, _)| at);
    let right_colon = colons.next_back()?;
    let right_points = line[right_colon + 1..].trim().parse().ok()?;
    // The left points end where the name on the right begins.
    for (left_colon, _) in line[..right_colon].match_indices(':') {
        let rest = line[left_colon + 1..right_colon].trim_start();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        // No score has a zero in front: the name begins with digits.
        let digits = if rest.starts_with('0') { 1 } else { digits };
        let name = &rest[digits..];
        // GNU Backgammon leaves no gap behind the points of a long name.
        if digits > 0 && !name.trim().is_empty() {
            let left_points = rest[..digits].parse().ok()?;
            let left = (line[..left_colon].trim(), left_points);
            let name = name.trim().trim_start_matches(['|', ',', ';']).trim_start();
            return Some([left, (name.strip_prefix("- ").unwrap_or(name).trim(), right_points)]);
        }
    }
    None
}

/// A score as people write it: `Ann = 0    Bob = 3`, `Ann (0)   Bob (3)`, `Ann - Bob : 0-3`.
pub(super) fn written_score(line: &str) -> Option<[(&str, u32); 2]> {
    let line = numbered(line)?;
    if let Some((names, points)) = line.rsplit_once(':')
        && let Some((one, two)) = names.split_once(" - ").or_else(|| names.split_once(" vs "))
        && let Some((left, right)) = points.trim().split_once('-')
    {
        let points = [left, right].map(|text| text.trim().parse().ok());
        return Some([(one.trim(), points[0]?), (two.trim(), points[1]?)]);
    }
    if let Some(score) = middle_score(line) {
        return Some(score);
    }
    let mut halves = line.split("  ").map(str::trim).filter(|half| !half.is_empty());
    let (left, right) = (halves.next()?, halves.next()?);
    let digit = |c: char| c.is_ascii_digit();
    let read = |half: &str| -> Option<(usize, u32)> {
        let words: Vec<&str> = half.split_whitespace().collect();
        let last = words.last().filter(|word| is_points(word)).map_or(0, |word| word.len());
        // What is in brackets behind the points, and the length behind a stroke, is passed over.
        let bare = half[..half.len() - last].trim_end();
        let stated = bare.rsplit_once(" (").filter(|(bare, _)| bare.ends_with(digit));
        let bare = stated.map_or(bare, |(points, _)| points).trim_end_matches([')', ']']);
        let bare = bare.rsplit_once('/').map_or(bare, |(points, _)| points.trim_end());
        let digits = bare.len() - bare.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let points = bare[bare.len() - digits..].parse().ok()?;
        let name = bare[..bare.len() - digits].trim_end_matches(['(', '[', '=', ':', ' ']);
        (!name.is_empty()).then_some((name.len(), points))
    };
    let ((one, left_points), (two, right_points)) = (read(left)?, read(right)?);
    let score = [(&left[..one], left_points), (&right[..two], right_points)];
    halves.next().is_none().then_some(score)
}

/// `Ann 0 - 3 Bob`, `Ann 0:3 Bob`.
fn middle_score(line: &str) -> Option<[(&str, u32); 2]> {
    line.match_indices(['-', ':']).find_map(|(at, _)| {
        let (left, right) = (line[..at].trim_end(), line[at + 1..].trim_start());
        let one = left.trim_end_matches(|c: char| c.is_ascii_digit());
        let two = right.trim_start_matches(|c: char| c.is_ascii_digit());
        let points = [left[one.len()..].parse(), right[..right.len() - two.len()].parse()];
        let apart = one.ends_with(' ') && two.starts_with(' ');
        let named = |name: &str| name.contains(char::is_alphabetic) && !name.contains(':');
        match points {
            [Ok(left), Ok(right)] if apart && named(one) && named(two) => {
                Some([(one.trim(), left), (two.trim(), right)])
            }
            _ => None,
        }
    })
}

/// A name, and the rating that some programs put after it: `Ann,1666`, `Ann (1666)`, `Ann [1666.5]`.
pub(super) fn without_rating(name: &str) -> (&str, Option<&str>) {
    let rated = [(',', ""), ('(', ")"), ('[', "]")].into_iter().find_map(|(open, close)| {
        let (before, rating) = name.strip_suffix(close)?.rsplit_once(open)?;
        let rating = rating.trim();
        let is_rating = open == ',' || rating.len() > 2;
        (is_rating && rating.parse::<f64>().is_ok() && !before.trim().is_empty())
            .then_some((before.trim(), Some(rating)))
    });
    rated.unwrap_or((name, None))
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
