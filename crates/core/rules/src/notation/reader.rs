//! The reader that knows all forms of a position.

use std::fmt;

use super::counts::parse_counts_with_checkers;
use super::match_id::{self, GameProgress, MatchId};
use super::position_id::decode_position_id_with_checkers;
use super::situation::Situation;
use super::xgid::{self, Xgid, XgidSeat};
use super::{Input, NotationError, Quoted, fibs, ogid};
use crate::backgammon::Backgammon;
use crate::cube::Offer;
use crate::dice::Dice;
use crate::match_state::Player;

/// What a text says about a game, and what of it has no place in a [`Situation`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The situation.
    pub situation: Situation,
    /// Everything else that the text says, for a warning.
    pub ignored: Vec<Ignored>,
}

/// Something that a text says and that no answer depends on. Its `Display` is a warning in one
/// line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ignored {
    /// A limit to the value of the cube.
    LargestCube(u32),
    /// The Crawford flag where both players are one point from winning.
    CrawfordFlag,
    /// Points of a money session, of the player on roll and of the opponent.
    MoneyScore([u16; 2]),
    /// An offered resignation, 1 single to 3 backgammon.
    Resignation(u8),
    /// A game that is not being played.
    Progress(GameProgress),
    /// The code of a game that is not being played.
    GameState(Quoted),
    /// The number of games of a session.
    GameLimit(Quoted),
    /// A roll beside an offered cube.
    Roll(Dice),
    /// The player who has to decide, where what is offered or not says that it is the other one.
    Turn(Option<Offer>),
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ignored: ")?;
        match self {
            Self::LargestCube(value) => write!(f, "the position's largest cube {value}"),
            Self::CrawfordFlag => {
                f.write_str("the Crawford flag, as both players are one point from winning")
            }
            Self::MoneyScore([player, opponent]) => {
                write!(f, "the score {player}-{opponent} of a money session")
            }
            Self::Resignation(size) => write!(
                f,
                "the offered resignation of a {}",
                ["nothing", "single game", "gammon", "backgammon"][usize::from(*size).min(3)]
            ),
            Self::Progress(progress) => f.write_str(match progress {
                GameProgress::NotStarted => "the game has not started",
                GameProgress::Playing => "the game is being played",
                GameProgress::Over => "the game is over",
                GameProgress::Resigned => "the game is over by a resignation",
                GameProgress::Dropped => "the game is over by a dropped double",
            }),
            Self::GameState(state) => write!(f, "the game state {state}"),
            Self::GameLimit(games) => write!(f, "the number of games {games}"),
            Self::Roll(dice) => write!(f, "the roll {dice}, as the cube is offered"),
            Self::Turn(None) => f.write_str(
                "the opponent has to decide, where nothing is offered: cube and score may be \
                 meant for the other side",
            ),
            Self::Turn(Some(offer)) => {
                write!(f, "the player on roll has to decide, where the {offer} is theirs")
            }
        }
    }
}

impl Xgid {
    /// What of the XGID has no place in its [`situation`](Self::situation).
    pub fn ignored(&self) -> Vec<Ignored> {
        let mut ignored = Vec::new();
        if self.max_cube_exponent < Self::USUAL_MAX_CUBE {
            ignored.push(Ignored::LargestCube(1 << self.max_cube_exponent));
        }
        let [mut player, mut opponent] = [self.score_bottom, self.score_top];
        if self.turn == XgidSeat::Top {
            (player, opponent) = (opponent, player);
        }
        match self.match_length {
            0 if player > 0 || opponent > 0 => {
                ignored.push(Ignored::MoneyScore([player, opponent]))
            }
            length if self.rules == 1 => {
                ignored.extend(crawford_at_double_match_point(length, [player, opponent]));
            }
            _ => {}
        }
        ignored
    }
}

impl MatchId {
    /// What of the Match ID has no place in its [`situation`](Self::situation).
    pub fn ignored(&self) -> Vec<Ignored> {
        let mut ignored = Vec::new();
        if self.progress != GameProgress::Playing {
            ignored.push(Ignored::Progress(self.progress));
        }
        if let (true, Some(dice)) = (self.doubled, self.dice) {
            ignored.push(Ignored::Roll(dice));
        }
        if self.resignation > 0 {
            ignored.push(Ignored::Resignation(self.resignation));
        }
        if self.progress == GameProgress::Playing && self.resignation == 0 {
            // For money a player on roll answers a beaver.
            let (decides, beaver) = (self.turn == self.on_roll, self.match_length == 0);
            match self.doubled {
                false if !decides => ignored.push(Ignored::Turn(None)),
                true if decides && !beaver => ignored.push(Ignored::Turn(Some(Offer::Double))),
                _ => {}
            }
        }
        if self.match_length == 0 && self.scores != [0, 0] {
            let mut scores = self.scores;
            if self.on_roll == Player::Two {
                scores.swap(0, 1);
            }
            ignored.push(Ignored::MoneyScore(scores));
        }
        if self.crawford {
            ignored.extend(crawford_at_double_match_point(self.match_length, self.scores));
        }
        ignored
    }
}

/// The Crawford flag, where it means nothing. For money, with a length of 0, it is not looked at.
fn crawford_at_double_match_point(length: u16, scores: [u16; 2]) -> Option<Ignored> {
    scores.iter().all(|score| score.checked_add(1) == Some(length)).then_some(Ignored::CrawfordFlag)
}

/// Reads a position in any accepted form, with fifteen checkers a side.
///
/// As [`read_situation`], without what is ignored.
///
/// # Errors
///
/// [`NotationError`] says why the text is not of the form that it resembles, or lists the forms.
pub fn parse_situation(text: &str) -> Result<Situation, NotationError> {
    read_situation(text, Backgammon::Standard).map(|reading| reading.situation)
}

/// Reads a position of a game in any accepted form; `start` is its start position.
///
/// Prefixes such as `XGID=`, `GNU Position ID:` and `Match ID:`, surrounding whitespace and
/// base64 padding are accepted, so lines may be pasted from other programs.
///
/// # Errors
///
/// [`NotationError`] says why the text is not of the form that it resembles, or lists the forms.
///
/// ```
/// use tavola_rules::Backgammon;
/// use tavola_rules::notation::read_situation;
///
/// let text = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:2";
/// let reading = read_situation(text, Backgammon::Standard)?;
/// assert_eq!(reading.ignored[0].to_string(), "ignored: the position's largest cube 4");
/// # Ok::<(), tavola_rules::notation::NotationError>(())
/// ```
pub fn read_situation(text: &str, game: Backgammon) -> Result<Reading, NotationError> {
    let checkers = game.checkers();
    let bare = |position| Ok(Reading { situation: Situation::of(position), ignored: Vec::new() });
    let pair = |position_id: &str, match_id: &str| {
        let position = decode_position_id_with_checkers(position_id, checkers)?;
        let id = MatchId::decode(match_id)?;
        let input = Input { form: match_id::FORM, text: match_id };
        let situation = id.situation(position).map_err(|reason| input.score(reason))?;
        Ok(Reading { situation, ignored: id.ignored() })
    };
    let xgid = |text: &str| {
        let xgid = Xgid::decode_with_checkers(text, checkers)?;
        let input = Input { form: xgid::FORM, text };
        let situation = xgid.situation().map_err(|reason| input.score(reason))?;
        Ok(Reading { situation, ignored: xgid.ignored() })
    };
    if text.trim().eq_ignore_ascii_case("start") {
        return bare(game.start_position());
    }
    if fibs::looks_like_fibs(text.trim()) {
        return fibs::decode(text.trim(), checkers);
    }
    if let Some(word) = word_after(text, "xgid") {
        return xgid(word);
    }
    if let Some(word) = word_after(text, "ogid") {
        return ogid::decode(word, checkers);
    }
    let position_id = Labelled::Position.word(text);
    let match_id = Labelled::Match.word(text);
    if let (Some(position_id), Some(match_id)) = (position_id, match_id) {
        return pair(position_id, match_id);
    }

    let rest = position_id.unwrap_or(text).trim();
    let words: Vec<&str> = rest.split_whitespace().collect();
    if rest.starts_with('[') || rest.contains(',') {
        return bare(parse_counts_with_checkers(rest, checkers)?);
    }
    match (words[..].len(), rest.matches(':').count()) {
        (1, 0) if looks_like_position_id(rest) || position_id.is_some() => {
            bare(decode_position_id_with_checkers(rest, checkers)?)
        }
        (1, 1) => {
            let (position_id, match_id) = rest.split_once(':').unwrap_or((rest, ""));
            pair(position_id, match_id)
        }
        (1, 2..) if ogid::looks_like_ogid(rest) => ogid::decode(rest, checkers),
        (1.., 2..) => xgid(rest),
        (2, 0) if looks_like_position_id(words[0]) => pair(words[0], words[1]),
        (2.., 0) if words[0].parse::<i32>().is_ok() => {
            bare(parse_counts_with_checkers(rest, checkers)?)
        }
        (count, _) => Err(NotationError::Unrecognized {
            input: text.into(),
            nearest: match count {
                0 => "the text is empty".to_owned(),
                1 => near_a_position_id(rest),
                _ => format!("one form expected, found {count} words"),
            },
        }),
    }
}

/// An ID of GNU Backgammon behind its label, such as `Position ID: 4HPwATDgc/ABMA`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labelled {
    /// A Position ID.
    Position,
    /// A Match ID.
    Match,
}

impl Labelled {
    /// Its labels, and its length.
    const fn form(self) -> (&'static [&'static str], usize) {
        match self {
            Self::Position => {
                (&["position id", "position-id", "positionid", "gnubgid", "gnuid"], 14)
            }
            Self::Match => (&["match id", "match-id", "matchid"], 12),
        }
    }

    /// Whether a text has a label of it, or one in another language with such an ID.
    pub fn has(self, text: &str) -> bool {
        let lower = text.to_ascii_lowercase();
        self.form().0.iter().any(|label| lower.contains(label)) || self.foreign(text).is_some()
    }

    /// The word behind its label. GNU Backgammon writes labels in fourteen languages.
    fn word(self, text: &str) -> Option<&str> {
        let labels = self.form().0;
        labels.iter().find_map(|label| word_after(text, label)).or_else(|| self.foreign(text))
    }

    /// `ID de posición: 4HPwATDgc/ABMA`: a word of the right length behind a label with `ID`.
    fn foreign(self, text: &str) -> Option<&str> {
        let is_id = |word: &str| match self {
            Self::Position => decode_position_id_with_checkers(word, 15).is_ok(),
            Self::Match => MatchId::decode(word).is_ok(),
        };
        // It stands in the first two lines.
        text.match_indices(':').take(16).find_map(|(at, _)| {
            let label = text[..at].rsplit('\n').next()?;
            let word = text[at + 1..].strip_prefix(' ')?.split_whitespace().next()?;
            let names =
                |(at, _): (usize, &str)| !label[at + 2..].starts_with(char::is_alphanumeric);
            let labelled = word.len() == self.form().1 && label.match_indices("ID").any(names);
            (labelled && is_id(word)).then_some(word)
        })
    }
}

/// Whether a word is near enough to a Position ID that an error should say what is wrong with it.
fn looks_like_position_id(word: &str) -> bool {
    (10..=18).contains(&word.len())
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(&b))
}

/// What a word that is in no form lacks to be a Position ID.
fn near_a_position_id(word: &str) -> String {
    let is_right = |c: &char| c.is_ascii_alphanumeric() || "+/=".contains(*c);
    let found = word.chars().count();
    match word.chars().enumerate().find(|(_, c)| !is_right(c)) {
        Some((at, wrong)) if (10..=18).contains(&found) => format!(
            "the character {wrong:?} in place {} is not one of a Position ID: A to Z, a to z, 0 to 9, \
             + and /",
            at + 1
        ),
        _ => format!("14 characters expected for a Position ID, found {found}"),
    }
}

/// The word behind a label that a program has printed, such as `Position ID: ...`.
///
/// The letters of a label may also occur inside an ID. A label therefore starts a word, and `=`,
/// `:` or a blank follows it.
fn word_after<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let is_part_of_a_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    // ASCII lower case keeps every byte in its place.
    text.to_ascii_lowercase().match_indices(label).find_map(|(at, _)| {
        let (before, rest) = (&text.as_bytes()[..at], &text[at + label.len()..]);
        let ends = rest.starts_with(|c: char| matches!(c, '=' | ':') || c.is_whitespace());
        if before.last().is_some_and(is_part_of_a_word) || !ends {
            return None;
        }
        rest.trim_start_matches(|c: char| matches!(c, '=' | ':') || c.is_whitespace())
            .split_whitespace()
            .next()
    })
}
