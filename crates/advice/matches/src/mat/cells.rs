//! The cells of a row: what each token is follows from its shape.
//!
//! A row number, a roll, a cube that is turned (`=> 2`), a word, a clock, a comment in brackets are
//! told apart by how they look, in whatever column and after whatever number of spaces.

use tavola_rules::{Dice, WinKind};

use super::plays::{is_count, is_move};
use super::words::{
    foreign, is_dance, is_points, looked, number, numeral, said_points, won_points, word,
};

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
#[derive(Clone, Debug)]
pub(super) struct Placed {
    /// The column at which it begins.
    pub(super) column: usize,
    /// Whether it stands a single space behind the one before.
    pub(super) close: bool,
    pub(super) cell: Cell,
}

/// The cells of a row or, behind a number inside it, of one of several.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    /// Its number, 0 where that can't be read.
    pub(super) number: Option<u32>,
    pub(super) cells: Vec<Placed>,
    /// What stood in brackets or behind a semicolon.
    pub(super) comment: String,
}

/// The most words of a result that begins with its number.
const LONGEST_RESULT: usize = 6;

/// The rows of a line; nothing if it is a sentence.
pub(super) fn rows(line: &str) -> Option<Vec<Row>> {
    looked(line);
    let colons = with_colons(line);
    let (text, comment, dump) = without_comments(colons.as_deref().unwrap_or(line));
    let tokens = tokens(&text);
    // A number with a colon has a roll or a word behind it, at once if it could be one of dice.
    let digits =
        |text: &str| (1..=4).contains(&text.len()) && text.chars().all(|c| c.is_ascii_digit());
    let number_with = |token: &str, ends: &[char]| {
        token.strip_suffix(ends).is_some_and(|it| digits(it.strip_prefix('#').unwrap_or(it)))
    };
    let numbered = match tokens.as_slice() {
        [first, ..] if number_with(first.text, &[')', '.']) => true,
        [Token { text: token, .. }, second, ..] => {
            let close = second.byte == tokens[0].byte + token.len() + 1;
            let dice = token.len() == 3 && token.chars().take(2).all(|c| matches!(c, '1'..='6'));
            let hash = token.starts_with('#') && digits(&token[1..]);
            let said = || word(second.text).or_else(|| foreign(second.text));
            let begins = || roll(second.text).is_some() || said().is_some();
            let of_cube =
                || matches!(said(), Some(Cell::Double | Cell::Take | Cell::Accept | Cell::Beaver));
            (hash && begins())
                || (number_with(token, &[':']) && (close || !dice || of_cube()) && begins())
        }
        _ => false,
    };
    let led = if numbered { 1 } else { led(&tokens) };
    let is_number = |token: &str| number_with(token, &[')']);
    let known = || tokens.iter().all(|it| is_vocabulary(it.text) || is_points(it.text));
    // A result in another language is set apart from the margin, a sentence is not.
    let apart = line.starts_with(' ') || matches!(tokens.len(), 1 | 3);
    let result = || apart && said_points(&text).is_some();
    let rolled =
        || line.starts_with(' ') && tokens.first().is_some_and(|it| roll(it.text).is_some());
    if led == 0 && !rolled() && !known() && !result() {
        return None;
    }
    let mut rows = Rows { text: &text, dump: dump.as_deref(), ..Rows::default() };
    rows.row.comment = comment;
    for (index, token) in tokens.iter().enumerate() {
        if index < led || is_number(token.text) {
            rows.end_cell(token.byte);
            rows.number(number(token.text).unwrap_or_default());
            continue;
        }
        let (first, token, byte) = (index == 0, token.text, token.byte);
        let gap = text.as_bytes()[..byte].iter().rev().take_while(|c| **c == b' ').count();
        let next = [1, 2].map(|ahead| tokens.get(index + ahead).map(|it| it.text));
        let behind_number =
            (index == led && led > 0) || (index > 0 && is_number(tokens[index - 1].text));
        let behind_move = index > 0 && is_move(tokens[index - 1].text);
        // `No double` is none.
        if index > 0 && tokens[index - 1].text.eq_ignore_ascii_case("no") && word(token).is_some() {
            continue;
        }
        // A dance stands behind its roll; a double is passed in a cell of its own.
        let behind_roll = index > 0 && gap == 1 && roll(tokens[index - 1].text).is_some();
        if behind_roll && matches!(word(token), Some(Cell::Drop)) && is_dance(token) {
            continue;
        }
        // A cube that is turned without a word.
        let turns = token.starts_with("=>") && (first || behind_number || behind_move);
        // A roll that can't be read is a cell, which is noted.
        let garbled = index == led && led > 0 && token.contains(|c: char| c.is_ascii_digit());
        let garbled = garbled && next[0].is_some_and(is_move);
        // `2 puan kazanır` begins with its number.
        let counted = token.starts_with(|c: char| c.is_ascii_digit()) && {
            let end = tokens.get(index + LONGEST_RESULT).map_or(text.len(), |it| it.byte);
            won_points(&text[byte..end]).is_some()
        };
        if turns
            || garbled
            || counted
            || begins_cell(token, next, first || behind_number || gap > 1, behind_move)
        {
            rows.end_cell(byte);
            let close = !first && !behind_number && gap == 1;
            rows.begun = Some((byte, tokens[index].column, close));
        }
    }
    rows.end_cell(text.len());
    rows.done.push(rows.row);
    Some(rows.done)
}

/// The rows of a line as they are put together.
#[derive(Default)]
struct Rows<'a> {
    text: &'a str,
    /// What stands behind `Illegal play`.
    dump: Option<&'a str>,
    done: Vec<Row>,
    row: Row,
    /// The cell that has begun: its byte and column, and whether it is close to the one before.
    begun: Option<(usize, usize, bool)>,
}

impl Rows<'_> {
    /// A number: that of a row which begins here, or a further one of the row.
    fn number(&mut self, number: u32) {
        if !self.row.cells.is_empty() {
            self.done.push(std::mem::take(&mut self.row));
        }
        self.row.number = Some(self.row.number.unwrap_or_default().max(number));
    }

    /// Adds the cell that has begun, which ends at this byte.
    fn end_cell(&mut self, end: usize) {
        let Some((from, column, close)) = self.begun.take() else { return };
        let row = &mut self.row;
        match cell(self.text[from..end].trim(), self.dump) {
            // A sentence behind a row.
            Some(Cell::Word(text)) if !row.cells.is_empty() && text.split(' ').count() > 3 => {
                row.comment.push_str(if row.comment.is_empty() { "" } else { "\n" });
                row.comment.push_str(&text);
            }
            Some(cell) => {
                // Who acts, or that someone does, is said by the place.
                let spoken = |last: &mut Placed| matches!(last.cell, Cell::Word(_));
                let before = if close && !matches!(cell, Cell::Word(_)) {
                    row.cells.pop_if(spoken)
                } else {
                    None
                };
                // `Accepts the double`.
                let answers = |it: &Placed| {
                    matches!(it.cell, Cell::Take | Cell::Accept | Cell::Drop | Cell::Refuse)
                };
                if close && cell == Cell::Double && row.cells.last().is_some_and(answers) {
                    return;
                }
                let (column, close) = match before {
                    Some(word) if !matches!(cell, Cell::Roll(..)) => (word.column, word.close),
                    _ => (column, close),
                };
                row.cells.push(Placed { column, close, cell });
            }
            None => {}
        }
    }
}

/// How many tokens of the form of a number stand before the first roll, with its play, or before a
/// cube that is turned: `[3] 31: 8/5`, `Move 3. 31: 8/5`, `4 - Doubles => 2`.
fn led(tokens: &[Token<'_>]) -> usize {
    let begins = |index: &usize| {
        let token = tokens[*index].text;
        let next = tokens.get(index + 1).map(|it| it.text);
        (roll(token).is_some() && next.is_none_or(|next| is_move(next) || is_dance(next)))
            || (next.is_some_and(|next| next.starts_with("=>")) && foreign(token).is_some())
    };
    let led = (0..tokens.len().min(4)).find(begins).unwrap_or(0);
    let has = |text: &str, of: fn(char) -> bool| text.contains(of);
    let before = tokens.iter().take(led).map(|it| it.text);
    let number =
        before.clone().any(|it| has(it, |c| c.is_ascii_digit()) || it.ends_with([')', '.']));
    let short =
        before.clone().filter(|it| has(it, char::is_alphabetic)).all(|it| it.chars().count() < 6);
    if (number && short) || before.clone().all(|it| !has(it, char::is_alphanumeric)) {
        led
    } else {
        0
    }
}

/// Whether a line has a roll and its play, or begins as a row does.
pub(super) fn begins_row(line: &str) -> bool {
    let tokens: Vec<&str> = line.split_whitespace().collect();
    let played = |pair: &[&str]| roll(pair[0]).is_some() && is_move(pair[1]);
    let first_word = tokens.iter().position(|it| it.starts_with(char::is_alphabetic));
    tokens[..first_word.unwrap_or(tokens.len())].windows(2).any(played) || begins_turn(line)
}

/// Whether a text begins with a roll, a turned cube or a word of the cube.
fn begins_turn(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    looked(first);
    let said = matches!(word(first), Some(Cell::Double | Cell::Take | Cell::Drop));
    said || roll(first).is_some() || first.starts_with("=>")
}

/// A word of a line and its place.
struct Token<'a> {
    text: &'a str,
    byte: usize,
    /// Where it begins, in characters.
    column: usize,
}

/// What stands between spaces. A number of a row ends with its parenthesis: `1)31: 8/5`.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut byte, mut column) = (0, 0);
    for part in text.split(' ') {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let number = if part[digits..].starts_with(')') { digits + 1 } else { 0 };
        let (before, behind) = part.split_at(number);
        for text in [before, behind].into_iter().filter(|it| !it.is_empty()) {
            tokens.push(Token { text, byte, column });
            byte += text.len();
            column += text.chars().count();
        }
        (byte, column) = (byte + 1, column + 1);
    }
    tokens
}

/// The brackets that hold clocks and comments.
const BRACKETS: [(char, char); 4] = [('[', ']'), ('{', '}'), ('(', ')'), ('<', '>')];

/// The most bytes of a clock.
const LONGEST_CLOCK: usize = 16;

/// A line without what stands in brackets and behind a semicolon; that; and the numbers of
/// `Illegal play (...)`. Columns stay where they are.
fn without_comments(line: &str) -> (String, String, Option<String>) {
    let (mut text, mut comment, mut dump) =
        (String::with_capacity(line.len()), String::new(), None);
    let mut rest = line;
    // Where the next closing bracket of each kind stands: it is searched for once.
    let mut closing = [Some(0); BRACKETS.len()];
    while let Some(c) = rest.chars().next() {
        let kind = BRACKETS.iter().position(|(open, _)| *open == c);
        let inner = kind.and_then(|kind| {
            let from = line.len() - rest.len() + 1;
            if closing[kind].is_some_and(|at| at < from) {
                closing[kind] = line[from..].find(BRACKETS[kind].1).map(|at| from + at);
                looked(&line[from..closing[kind].unwrap_or(line.len())]);
            }
            Some(&line[from..closing[kind]?])
        });
        let inner = inner.filter(|it| c != '<' || (it.len() <= LONGEST_CLOCK && is_clock(it)));
        if let Some(inner) = inner.filter(|it| !is_count(it)) {
            if is_result(inner) {
                text.push(' ');
                text.push_str(inner);
                text.push(' ');
                rest = &rest[inner.len() + 2..];
                continue;
            }
            if c == '(' && ends_in_illegal_play(&text) {
                // Without a set of numbers it is what was played.
                dump = Some(inner.to_owned());
            } else if !is_clock(inner) && !is_dance(inner) {
                comment.push_str(if comment.is_empty() { "" } else { "\n" });
                comment.push_str(inner.trim());
            }
            text.extend(std::iter::repeat_n(' ', inner.chars().count() + 2));
            rest = &rest[inner.len() + 2..];
            continue;
        }
        let follows_a_play =
            text.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '*' | ')'));
        let between =
            c == ';' && follows_a_play && rest[1..].split_whitespace().next().is_some_and(is_move);
        let is_hash =
            c == '#' && text.ends_with(' ') && !rest[1..].starts_with(|c: char| c.is_ascii_digit());
        if (c == ';' && !between) || rest.starts_with("//") || is_hash {
            // The cell of the other player may stand behind it.
            let spaced = |at: usize| rest[..at].ends_with(' ');
            let mut gaps = rest.match_indices("   ").map(|(at, _)| at).filter(|at| !spaced(*at));
            let cell = gaps.find(|at| begins_turn(&rest[*at..]));
            let said = &rest[..cell.unwrap_or(rest.len())];
            comment.push_str(if comment.is_empty() { "" } else { "\n" });
            comment.push_str(said.trim_start_matches([';', '/', '#']).trim());
            text.extend(std::iter::repeat_n(' ', said.chars().count()));
            rest = &rest[said.len()..];
            continue;
        }
        text.push(c);
        rest = &rest[c.len_utf8()..];
    }
    (without_clocks(text), comment, dump)
}

/// A text with blanks for clocks without brackets.
fn without_clocks(text: String) -> String {
    let part = |part: &str| match is_clock(part.trim_end()) {
        true => " ".repeat(part.chars().count()),
        false => part.to_owned(),
    };
    match text.split(' ').any(is_clock) {
        true => text.split_inclusive(' ').map(part).collect(),
        false => text,
    }
}

/// `Wins 2 points` in brackets, or only how many.
fn is_result(inner: &str) -> bool {
    let won = |cell| matches!(cell, Cell::Wins(_) | Cell::Loses(_));
    let counted = inner.split_once(' ').filter(|(count, _)| numeral(count).is_some());
    said_points(inner).or_else(|| word(inner)).is_some_and(won)
        || counted.is_some_and(|(_, unit)| is_points(unit))
}

/// Whether the words before a bracket say what stands in it.
fn ends_in_illegal_play(text: &str) -> bool {
    const WORDS: &str = "illegal play";
    let from = text.len().saturating_sub(2 * WORDS.len());
    let last = text.get(from..).unwrap_or_default().trim_end();
    let from = last.len().saturating_sub(WORDS.len());
    last.get(from..).is_some_and(|it| it.eq_ignore_ascii_case(WORDS))
}

/// `0:35`, `00:12:07`, `12.5s`.
fn is_clock(text: &str) -> bool {
    looked(text);
    if !text.contains([':', '.']) {
        return false;
    }
    let text = text.trim().trim_end_matches(['s', 'S', '"', '\'']);
    let parts: Vec<&str> = text.split(':').collect();
    let digits = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    match parts.as_slice() {
        // `2.` is the number of a row.
        [_] => text.contains('.') && !text.ends_with('.') && text.parse::<f64>().is_ok(),
        [first, rest @ ..] => {
            first.len() <= 3
                && digits(first)
                && rest.iter().enumerate().all(|(at, part)| match part.split_once('.') {
                    Some((whole, less)) if at + 1 == rest.len() => {
                        whole.len() == 2 && digits(&whole) && digits(&less)
                    }
                    _ => digits(part) && part.len() == 2,
                })
        }
        [] => false,
    }
}

/// What people write between two dice.
const BETWEEN: [char; 7] = [' ', '-', ',', '.', '/', 'x', '+'];

/// `63:`, `3-1:`, `6 3:`, `6/3:` with their length.
fn roll(text: &str) -> Option<(&str, usize)> {
    let dice = &text[..text.bytes().take(5).position(|c| c == b':')?];
    let mut digits = dice.chars().filter(|c| !BETWEEN.contains(c));
    let two = [digits.next()?, digits.next()?].iter().all(char::is_ascii_digit);
    let begins = dice.starts_with(|c: char| c.is_ascii_digit());
    (two && begins && digits.next().is_none()).then_some((dice, dice.len() + 1))
}

/// A line whose rolls have no colon, or stand in brackets, with a colon behind each: `1) 31 8/5 6/5`,
/// `(3-1) 8/5 6/5`. `None` if it has one, or begins with no number of a row and a roll.
fn with_colons(line: &str) -> Option<String> {
    let start = line.len() - line.trim_start().len();
    let number = line[start..].find([')', '.']).map(|at| start + at + 1)?;
    let digits = &line[start..number - 1];
    if digits.is_empty() || digits.len() > 4 || !digits.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let bare = |token: &str| -> Option<String> {
        let brackets = [("(", ")"), ("[", "]"), ("{", "}")];
        let token = token.strip_suffix([':', '=', ';', '>', '→']).unwrap_or(token);
        let inner = brackets.iter().find_map(|(open, close)| {
            token.strip_prefix(open)?.strip_suffix(close).map(|it| it.trim_end_matches(':'))
        });
        let dice: Vec<char> =
            inner.unwrap_or(token).chars().filter(|c| !BETWEEN.contains(c)).collect();
        // `6/5` is a move.
        let is_roll = dice.len() == 2 && dice.iter().all(|c| matches!(c, '1'..='6'));
        let is_roll = is_roll && !token.contains('/');
        is_roll.then(|| dice.iter().collect())
    };
    let (mut text, mut rest) = (line[..number].to_owned(), &line[number..]);
    // What stands around the dice of the first roll, which is so in all.
    let shape = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let mut first_shape: Option<String> = None;
    while !rest.is_empty() {
        let gap = rest.len() - rest.trim_start_matches(' ').len();
        let is_first = rest.len() == line.len() - number;
        text.push_str(&rest[..gap]);
        rest = &rest[gap..];
        // `3 1` and `(3 1)` have a space within.
        let word_from = |from: usize| rest[from..].find(' ').map_or(rest.len(), |at| from + at);
        let first = word_from(0);
        let second = word_from((first + 1).min(rest.len()));
        let token = &rest[..first];
        // Behind a single space dice are known that no move looks like.
        let plain = !text.ends_with("=> ") && !token.contains('-');
        let begins = gap > 1 || is_first || (gap == 1 && plain && first_shape.is_some());
        let no_roll = first_shape.is_none() && is_move(token) && bare(token).is_none();
        if roll(token).is_some() || no_roll {
            return None;
        }
        let fits = |end: &usize| {
            let shape = shape(&rest[..*end]);
            let in_brackets = shape.starts_with(['(', '[', '{']);
            let begins = begins || (in_brackets && gap == 1);
            begins && first_shape.as_ref().is_none_or(|first| *first == shape)
        };
        let ends = [second, first].into_iter().filter(|end| !rest[..*end].ends_with(' '));
        let ends = ends.filter(fits);
        let found = ends.filter_map(|end| Some((end, bare(&rest[..end])?))).next();
        let Some((end, dice)) = found else {
            text.push_str(token);
            rest = &rest[first..];
            continue;
        };
        first_shape.get_or_insert_with(|| shape(&rest[..end]));
        // What follows stays in its column.
        let behind = (end + 1).min(rest.len()).max(3).min(rest.len());
        text.push_str(&format!("{dice}:{}", " ".repeat(behind.saturating_sub(3))));
        rest = &rest[behind..];
    }
    first_shape.map(|_| text)
}

/// Whether a token can stand in a row without a number: no sentence consists of these alone.
fn is_vocabulary(token: &str) -> bool {
    const WORDS: &str = "point|points|and|the|match|a|gammon|backgammon|game|single|normal|cannot|\
        can't|move|no|play|illegal|to|at|bar|off|cube|legal|t";
    let plain = token.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    word(token).is_some()
        || roll(token).is_some()
        || is_dance(&plain)
        || token.starts_with("Pos=")
        || plain.chars().all(|c| c.is_ascii_digit())
        || numeral(&plain).is_some()
        || (token.contains(['/', '-']) && token.contains(|c: char| c.is_ascii_digit()))
        || WORDS.split('|').any(|word| word == plain)
        || token.starts_with('=')
}

/// Whether a cell begins with a token, given the next two. `apart`: behind a gap or a number;
/// `behind_move`: behind one of a play. A move such as `Bar/21` begins none, whatever follows.
fn begins_cell(token: &str, next: [Option<&str>; 2], apart: bool, behind_move: bool) -> bool {
    let letters = token.starts_with(char::is_alphabetic) && !is_move(token);
    let turn = |token: &&str| token.starts_with("=>") || token.starts_with("==>");
    let turned = next
        .into_iter()
        .flatten()
        .find(turn)
        .is_some_and(|turn| turn.ends_with(|c: char| c.is_ascii_digit()) || next[1].is_some());
    let split_roll = token.len() == 2
        && token.chars().all(|c| c.is_ascii_digit())
        && next[0].is_some_and(|next| next.starts_with(':'));
    roll(token).is_some()
        || split_roll
        || word(token).is_some()
        || (letters && behind_move && foreign(token).is_some())
        || (letters
            && (apart || behind_move)
            && turned
            && next[0].is_some_and(|next| !next.contains('/')))
        || (token.starts_with("???") && token.chars().all(|c| c == '?') && apart)
        || (letters && apart && !is_vocabulary(token))
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
    // A result in points says more than its first word.
    let known = word(text).or_else(|| foreign(text).filter(|_| said_points(text).is_none()));
    Some(match (known, turned) {
        (Some(Cell::Wins(_) | Cell::Loses(_)), _) if !is_counted(text) => {
            Cell::Word(text.to_owned())
        }
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
        (Some(Cell::Take), _) => Cell::Take,
        (_, Some(value)) => Cell::Turn(value),
        (Some(word), None) => word,
        (None, None) if text.starts_with('?') => Cell::Resign(None),
        (None, None) if said_points(text).is_some() => said_points(text)?,
        (None, None) => Cell::Word(text.to_owned()),
    })
}

/// Whether a number in a text is one of points: `wins 14.2% of the time` is no result.
fn is_counted(text: &str) -> bool {
    let mut words = text.split_whitespace().skip_while(|it| number(it).is_none());
    let Some(count) = words.next() else { return true };
    let unit = words.next().unwrap_or_default();
    let bare = count.trim_matches(|c: char| !c.is_alphanumeric());
    !count.contains('%')
        && (bare.parse::<u32>().is_ok() || numeral(bare).is_some() || count.contains(['p', 'P']))
        && !unit.to_lowercase().starts_with("pip")
}
