//! The cells of a row: what each token is follows from its shape.
//!
//! A row number, a roll, a cube that is turned (`=> 2`), a word, a clock, a comment in brackets are
//! told apart by how they look, in whatever column and after whatever number of spaces.

use tavola_rules::{Dice, WinKind};

/// What stands in a cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    /// A roll, and what stands behind it.
    Roll(Dice, String),
    /// A roll that no two dice show, such as `00:`.
    NoRoll(String),
    /// The cube is turned to this value, in whatever words.
    Turn(u32),
    Double,
    Take,
    Drop,
    Beaver,
    Raccoon,
    Resign(Option<WinKind>),
    Accept,
    Refuse,
    Wins(u32),
    Loses(u32),
    SetUp(String),
    /// A word that means nothing by itself.
    Word(String),
}

/// A cell and its place.
#[derive(Debug)]
pub(super) struct Placed {
    /// The column at which it begins.
    pub(super) column: usize,
    /// Whether it stands a single space behind the one before.
    pub(super) close: bool,
    pub(super) cell: Cell,
}

/// The cells of a row or, behind a number inside it, of one of several.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) numbered: bool,
    pub(super) cells: Vec<Placed>,
    /// What stood in brackets or behind a semicolon.
    pub(super) comment: String,
}

/// The rows of a line; nothing if it is a sentence.
pub(super) fn rows(line: &str) -> Option<Vec<Row>> {
    let (text, comment, dump) = without_comments(line);
    let chars: Vec<char> = text.chars().collect();
    let tokens = tokens(&chars);
    let is_number = |token: &str| {
        token.strip_suffix([')', '.']).is_some_and(|digits| {
            (1..=4).contains(&digits.len()) && digits.chars().all(|c| c.is_ascii_digit())
        })
    };
    let numbered = tokens.first().is_some_and(|(_, token)| is_number(token));
    if !numbered && !tokens.iter().all(|(_, token)| is_vocabulary(token)) {
        return None;
    }
    let mut rows = vec![Row { comment, ..Row::default() }];
    let mut starts = Vec::new();
    for (index, (at, token)) in tokens.iter().enumerate() {
        let first = index == 0;
        if is_number(token) && (first || token.ends_with(')')) {
            let row = rows.last_mut().expect("there is one");
            finish(row, &chars, &mut starts, *at, dump.as_deref());
            if !row.cells.is_empty() {
                rows.push(Row::default());
            }
            rows.last_mut().expect("there is one").numbered = true;
            continue;
        }
        let gap = chars[..*at].iter().rev().take_while(|c| **c == ' ').count();
        let next: Vec<&str> = tokens[index + 1..].iter().take(2).map(|it| it.1.as_str()).collect();
        let behind_number = index > 0 && is_number(&tokens[index - 1].1);
        if begins_cell(token, &next, first || behind_number || gap > 1) {
            starts.push((*at, !first && !behind_number && gap == 1));
        }
    }
    let row = rows.last_mut().expect("there is one");
    finish(row, &chars, &mut starts, chars.len(), dump.as_deref());
    Some(rows)
}

/// Adds the cells that begin here, the last of which ends there.
fn finish(
    row: &mut Row,
    chars: &[char],
    starts: &mut Vec<(usize, bool)>,
    end: usize,
    dump: Option<&str>,
) {
    let ends: Vec<usize> = starts.iter().skip(1).map(|it| it.0).chain([end]).collect();
    for ((column, close), end) in starts.drain(..).zip(ends) {
        let text: String = chars[column..end].iter().collect();
        if let Some(cell) = cell(text.trim(), dump) {
            row.cells.push(Placed { column, close, cell });
        }
    }
}

fn tokens(chars: &[char]) -> Vec<(usize, String)> {
    let mut tokens: Vec<(usize, String)> = Vec::new();
    let mut inside = false;
    for (at, &c) in chars.iter().enumerate() {
        if c == ' ' {
            inside = false;
            continue;
        }
        // A number of a row ends with its parenthesis: `1)31: 8/5`.
        let number = tokens.last().is_some_and(|(_, token)| {
            token.ends_with(')') && token[..token.len() - 1].chars().all(|c| c.is_ascii_digit())
        });
        if inside && !number {
            tokens.last_mut().expect("inside one").1.push(c);
        } else {
            tokens.push((at, c.to_string()));
            inside = true;
        }
    }
    tokens
}

/// A line without what stands in brackets and behind a semicolon; that; and the numbers of
/// `Illegal play (...)`. Columns stay where they are.
fn without_comments(line: &str) -> (String, String, Option<String>) {
    let (mut text, mut comment, mut dump) = (String::new(), String::new(), None);
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let close = match c {
            '[' => ']',
            '{' => '}',
            '(' => ')',
            _ => '\0',
        };
        let inner = rest[c.len_utf8()..].split_once(close).map(|(inner, _)| inner);
        let inner = inner.filter(|_| close != '\0');
        if let Some(inner) = inner.filter(|it| !is_count(it)) {
            let whole = inner.chars().count() + 2;
            if c == '(' && text.trim_end().to_ascii_lowercase().ends_with("illegal play") {
                // Without a set of numbers it is what was played.
                dump = Some(inner.to_owned());
            } else if !is_clock(inner) && !is_dance(inner) {
                comment.push_str(if comment.is_empty() { "" } else { "\n" });
                comment.push_str(inner.trim());
            }
            text.extend(std::iter::repeat_n(' ', whole));
            rest = &rest[inner.len() + 2..];
            continue;
        }
        if c == ';' || rest.starts_with("//") || (c == '#' && text.ends_with(' ')) {
            comment.push_str(if comment.is_empty() { "" } else { "\n" });
            comment.push_str(rest.trim_start_matches([';', '/', '#']).trim());
            break;
        }
        text.push(c);
        rest = &rest[c.len_utf8()..];
    }
    // Clocks without brackets.
    for (at, token) in tokens(&text.chars().collect::<Vec<_>>()) {
        if is_clock(&token) {
            let count = token.chars().count();
            text = text
                .chars()
                .enumerate()
                .map(|(index, c)| if (at..at + count).contains(&index) { ' ' } else { c })
                .collect();
        }
    }
    (text, comment, dump)
}

/// `(2)` behind a move.
fn is_count(inner: &str) -> bool {
    inner.trim_start_matches(['x', 'X']).parse::<u8>().is_ok_and(|count| count < 10)
}

/// `0:35`, `00:12:07`, `12.5s`.
fn is_clock(text: &str) -> bool {
    let text = text.trim().trim_end_matches(['s', 'S', '"', '\'']);
    let parts: Vec<&str> = text.split(':').collect();
    let digits = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    match parts.as_slice() {
        [_] => text.contains('.') && text.parse::<f64>().is_ok(),
        [first, rest @ ..] => {
            first.len() <= 3
                && digits(first)
                && rest.iter().all(|part| digits(part) && part.len() == 2)
        }
        [] => false,
    }
}

/// What is said of a roll that can't be played.
pub(super) fn is_dance(text: &str) -> bool {
    let letters: String = text.chars().filter(|c| c.is_alphabetic()).collect();
    let letters = letters.to_lowercase();
    let words = [
        "dance",
        "dances",
        "danced",
        "cannotmove",
        "cantmove",
        "nomove",
        "noplay",
        "nomoves",
        "nolegalmove",
        "fan",
        "fans",
        "oo",
        "pass",
        "passes",
    ];
    letters.is_empty() || words.contains(&letters.as_str())
}

/// `63:`, `3-1:`, `6 3:` with their length.
fn roll(text: &str) -> Option<(&str, usize)> {
    let (dice, _) = text.split_once(':')?;
    let digits: Vec<char> = dice.chars().filter(|c| !matches!(c, ' ' | '-' | ',')).collect();
    (digits.len() == 2
        && dice.len() <= 4
        && dice.starts_with(|c: char| c.is_ascii_digit())
        && digits.iter().all(char::is_ascii_digit))
    .then_some((dice, dice.len() + 1))
}

/// What a word by itself means.
fn word(token: &str) -> Option<Cell> {
    let letters: String = token.chars().take_while(|c| c.is_alphabetic()).collect();
    Some(match letters.to_lowercase().as_str() {
        "doubles" | "double" | "redoubles" | "redouble" => Cell::Double,
        "takes" | "take" => Cell::Take,
        "accepts" | "accept" => Cell::Accept,
        "drops" | "drop" | "passes" | "pass" => Cell::Drop,
        "beavers" | "beaver" => Cell::Beaver,
        "raccoons" | "raccoon" | "racoons" | "racoon" => Cell::Raccoon,
        "refuses" | "refuse" | "rejects" | "reject" | "declines" | "decline" => Cell::Refuse,
        "wins" | "win" | "won" => Cell::Wins(0),
        "losses" | "loses" | "lost" | "loss" => Cell::Loses(0),
        "set" => Cell::SetUp(String::new()),
        "resigns" | "resign" | "resigned" | "concedes" | "concede" | "conceded" | "forfeits"
        | "timeout" => Cell::Resign(None),
        _ => return None,
    })
}

/// Whether a token can stand in a row without a number: no sentence consists of these alone.
fn is_vocabulary(token: &str) -> bool {
    let plain = token.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    word(token).is_some()
        || roll(token).is_some()
        || is_dance(&plain)
        || token.starts_with("Pos=")
        || plain.chars().all(|c| c.is_ascii_digit())
        || (token.contains(['/', '-']) && token.contains(|c: char| c.is_ascii_digit()))
        || matches!(
            plain.as_str(),
            "point"
                | "points"
                | "and"
                | "the"
                | "match"
                | "a"
                | "gammon"
                | "backgammon"
                | "game"
                | "single"
                | "normal"
                | "cannot"
                | "can't"
                | "move"
                | "no"
                | "play"
                | "illegal"
                | "to"
                | "at"
                | "bar"
                | "off"
                | "cube"
                | "legal"
                | "t"
        )
        || token.starts_with('=')
}

/// Whether a cell begins with a token, given the next two. `apart`: behind a gap or a number.
fn begins_cell(token: &str, next: &[&str], apart: bool) -> bool {
    let letters = token.starts_with(char::is_alphabetic);
    let turn = |token: &&&str| token.starts_with("=>") || token.starts_with("==>");
    let turned = next
        .iter()
        .find(turn)
        .is_some_and(|turn| turn.ends_with(|c: char| c.is_ascii_digit()) || next.len() > 1);
    let split_roll = token.len() == 2
        && token.chars().all(|c| c.is_ascii_digit())
        && next.first().is_some_and(|next| next.starts_with(':'));
    roll(token).is_some()
        || split_roll
        || word(token).is_some()
        || (letters && apart && turned && next.first().is_some_and(|next| !next.contains('/')))
        || (token.starts_with("???") && token.chars().all(|c| c == '?') && apart)
        || (letters && apart && !is_move(token) && !is_vocabulary(token))
}

/// Whether a token is a part of a play.
fn is_move(token: &str) -> bool {
    token.contains(['/', '-']) && token.chars().any(|c| c.is_ascii_digit())
        || matches!(token.to_ascii_lowercase().as_str(), "bar" | "off" | "b" | "o")
}

fn number(text: &str) -> Option<u32> {
    let digits = text.chars().skip_while(|c| !c.is_ascii_digit());
    digits.take_while(char::is_ascii_digit).collect::<String>().parse().ok()
}

fn cell(text: &str, dump: Option<&str>) -> Option<Cell> {
    if let Some((dice, length)) = roll(text) {
        let digits: String = dice.chars().filter(char::is_ascii_digit).collect();
        let mut play = text[length..].trim().to_owned();
        if let Some(dump) = dump.filter(|_| play.to_ascii_lowercase().starts_with("illegal play")) {
            play = format!("illegal play ({dump})");
        }
        return Some(match digits.parse() {
            Ok(dice) => Cell::Roll(dice, play),
            Err(_) => Cell::NoRoll(text.to_owned()),
        });
    }
    let lower = text.to_lowercase();
    let turned = lower.split_once("=>").and_then(|(_, value)| number(value));
    Some(match (word(text), turned) {
        (Some(Cell::Wins(_)), _) => Cell::Wins(number(text)?),
        (Some(Cell::Loses(_)), _) => Cell::Loses(number(text)?),
        (Some(Cell::SetUp(_)), _) => Cell::SetUp(text.split_once('=')?.1.trim().to_owned()),
        (Some(Cell::Resign(_)), _) => Cell::Resign(if lower.contains("backgammon") {
            Some(WinKind::Backgammon)
        } else if lower.contains("gammon") {
            Some(WinKind::Gammon)
        } else {
            None
        }),
        (Some(drop @ (Cell::Drop | Cell::Refuse)), _) => drop,
        (_, Some(value)) => Cell::Turn(value),
        (Some(word), None) => word,
        (None, None) if text.starts_with('?') => Cell::Resign(None),
        (None, None) => Cell::Word(text.to_owned()),
    })
}

/// A play as the notation reads it: `25/21(2) 6/off` for `25-21x2 6 / o`; and the words beside it.
pub(super) fn play(text: &str) -> (String, String) {
    let mut lower = text.to_lowercase().replace(['\u{2013}', '\u{2014}'], "-").replace(',', " ");
    for c in ['/', '-'] {
        for spaced in [format!(" {c} "), format!(" {c}"), format!("{c} ")] {
            while let Some(at) = lower.find(&spaced) {
                // Dashes by themselves are no move.
                let before = lower[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '*');
                let behind = lower[at + spaced.len()..].starts_with(|c: char| c.is_alphanumeric());
                let joined = if before && behind { c.to_string() } else { " ".to_owned() };
                lower.replace_range(at..at + spaced.len(), &joined);
            }
        }
    }
    let (mut moves, mut words) = (Vec::<String>::new(), Vec::new());
    for token in lower.split_whitespace() {
        let token = token.trim_end_matches(['.', ';', '!', '?']);
        let count = token.strip_prefix('x').or(token.strip_suffix('x'));
        if let (Some(count), Some(last)) = (count.filter(|it| is_count(it)), moves.last_mut()) {
            last.push_str(&format!("({count})"));
            continue;
        }
        let is_play = token.contains(['/', '-']) && token.chars().any(|c| c.is_ascii_digit())
            || (token.starts_with('(') && !moves.is_empty());
        if !is_play {
            words.push(token.to_owned());
            continue;
        }
        let (points, count) = match token.split_once(['(', 'x']) {
            Some((points, count)) => (points, count.trim_end_matches(')')),
            None => (token, ""),
        };
        let point = |point: &str| {
            let bare = point.trim_end_matches('*');
            let hit = if bare.len() < point.len() { "*" } else { "" };
            match bare {
                "b" | "br" => format!("bar{hit}"),
                "o" | "of" => format!("off{hit}"),
                _ => point.to_owned(),
            }
        };
        let points: Vec<String> = points.split(['/', '-']).map(point).collect();
        let unused = points.len() == 2 && points[0] == points[1];
        if points.iter().all(String::is_empty) && !count.is_empty() {
            if let Some(last) = moves.last_mut() {
                last.push_str(&format!("({count})"));
            }
        } else if !unused {
            let count = if count.is_empty() { String::new() } else { format!("({count})") };
            moves.push(points.join("/") + &count);
        }
    }
    (moves.join(" "), words.join(" "))
}

/// The moves of a play as pairs of points, each as often as it is counted.
pub(crate) fn moves(play: &str) -> Option<Vec<(u8, u8)>> {
    let mut moves = Vec::new();
    for token in play.split_whitespace() {
        let (points, count) = token.split_once('(').unwrap_or((token, "1)"));
        let count: u8 = count.trim_end_matches(')').parse().ok()?;
        let point = |text: &str| match text.trim_end_matches('*') {
            "bar" => Some(25),
            "off" => Some(0),
            text => text.parse().ok().filter(|point| *point <= 25),
        };
        let points: Vec<u8> = points.split('/').map(point).collect::<Option<_>>()?;
        for _ in 0..count.min(4) {
            moves.extend(points.windows(2).map(|pair| (pair[0], pair[1])));
        }
    }
    (!moves.is_empty() && moves.len() <= 8).then_some(moves)
}
