//! What is written down of a match: players, rules, and everything that was done in each game.
//!
//! A record is plain data. That it is legal is the business of [`Playback`](crate::Playback), which
//! every reader of files goes through.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tavola_rules::{Cube, Dice, GameResult, Options, Play, Player, Position, WinKind};

/// A match or a money session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Match {
    /// The names, first seat first; empty where they are not known.
    pub players: [String; 2],
    /// Where, when and by whom it was played.
    pub details: Details,
    /// The points that win the match, 0 for money.
    pub length: u16,
    /// What was agreed.
    pub options: Options,
    /// The games in the order in which they were played.
    pub games: Vec<Game>,
}

/// What a record says beside the games. Everything is text as the file has it, empty if it says
/// nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Details {
    /// The tournament.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub event: String,
    /// The round of the tournament.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub round: String,
    /// Where it was played.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// When, as `2026-11-23` where the file has a date that can be read.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub date: String,
    /// Who commented on it or entered it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub annotator: String,
    /// A comment on the whole match.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// Further facts of the file by their names there, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other: Vec<(String, String)>,
}

/// One game of a match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Game {
    /// The points of both seats before the game.
    pub score: [u32; 2],
    /// Whether it is the Crawford game.
    pub crawford: bool,
    /// What was done, in order.
    pub actions: Vec<RecordedAction>,
    /// How it ended; `None` if it was not finished, or the record stops before the end.
    pub result: Option<GameResult>,
    /// Why the record stops where it does, if something in the file could not be followed.
    pub broken: Option<String>,
    /// A comment on the game.
    pub comment: String,
    /// What a file says in a way of its own, kept to be written again.
    pub properties: Vec<Property>,
}

/// Something a player did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedAction {
    /// Who.
    pub player: Player,
    /// What.
    pub act: Act,
    /// A comment on it.
    pub comment: String,
    /// What a file says in a way of its own, kept to be written again.
    pub properties: Vec<Property>,
}

/// A property of an SGF file that has no place of its own in a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Property {
    /// Its name, such as `GS`: capitals, and digits behind them.
    #[schemars(regex(pattern = r"^[A-Z][A-Z0-9]{0,31}$"))]
    pub name: String,
    /// Its values, unescaped.
    pub values: Vec<String>,
}

/// What a player can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Rolls, and plays the roll; `None` if the record has the roll alone: the player resigned
    /// before playing, or the game was broken off.
    Roll(Dice, Option<Play>),
    /// Offers a double.
    Double,
    /// Takes an offered cube.
    Take,
    /// Drops an offered cube, and loses the game.
    Drop,
    /// Takes a double and turns the cube once more.
    Beaver,
    /// Answers a beaver by turning the cube once more.
    Raccoon,
    /// Offers to lose the game by so much.
    Resign(WinKind),
    /// Accepts a resignation.
    Accept,
    /// Refuses a resignation.
    Refuse,
    /// The player is on roll in this position with this cube, both from this player, whatever was
    /// before: a position that was set up.
    SetUp(Position, Cube),
}

impl Match {
    /// A match to `length` points, or for money if that is 0, without games.
    pub fn new(players: [String; 2], length: u16, options: Options) -> Self {
        Self { players, length, options, ..Self::default() }
    }

    /// Shows every text of the record.
    pub(crate) fn texts(&mut self, show: &mut dyn FnMut(&mut String)) {
        let Details { event, round, place, date, annotator, comment, other } = &mut self.details;
        let [one, two] = &mut self.players;
        let fixed = [one, two, event, round, place, date, annotator, comment];
        let other = other.iter_mut().flat_map(|(name, value)| [name, value]);
        fixed.into_iter().chain(other).for_each(&mut *show);
        let properties = |properties: &mut Vec<Property>, show: &mut dyn FnMut(&mut String)| {
            properties.iter_mut().flat_map(|it| &mut it.values).for_each(show);
        };
        for game in &mut self.games {
            show(&mut game.comment);
            game.broken.iter_mut().for_each(&mut *show);
            properties(&mut game.properties, show);
            for action in &mut game.actions {
                show(&mut action.comment);
                properties(&mut action.properties, show);
            }
        }
    }

    /// Whether it is played for money.
    pub fn is_money(&self) -> bool {
        self.length == 0
    }

    /// The score after the last game: that before it, and what it added.
    pub fn score(&self) -> [u32; 2] {
        self.games.last().map_or([0; 2], |game| {
            let mut score = game.score;
            if let Some(result) = &game.result {
                score[result.winner.index()] += result.points;
            }
            score
        })
    }

    /// The note on a score that is another than that after the last game.
    pub(crate) fn other_score(&self, score: [u32; 2]) -> Option<String> {
        let ([one, two], expected) = (score, self.score());
        let [left, right] = expected;
        (score != expected).then(|| {
            format!("the score is {one}-{two}, where the games before make {left}-{right}")
        })
    }

    /// Who has won the match; `None` while it runs, and always for money.
    pub fn winner(&self) -> Option<Player> {
        let score = self.score();
        let won = |player: Player| score[player.index()] >= u32::from(self.length);
        [Player::One, Player::Two].into_iter().find(|&player| !self.is_money() && won(player))
    }
}

impl RecordedAction {
    /// An action without a comment.
    pub fn new(player: Player, act: Act) -> Self {
        Self { player, act, comment: String::new(), properties: Vec::new() }
    }
}
