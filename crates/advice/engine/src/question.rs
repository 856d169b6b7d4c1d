//! A question: from texts to a position of a game with cube and score.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use tavola_equity::MatchEquityTable;
use tavola_evaluator::remote::OnFleet;
use tavola_evaluator::{PlayableGame, SituationOf, Written, WrittenForm};
use tavola_games::NamedGame;
use tavola_rules::board::Board;
use tavola_rules::notation::{self, Situation};
use tavola_rules::{Backgammon, Beavers, Cube, MatchScore, Outcome};

use crate::effort::Effort;
use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind, Lacking, Result};
use crate::live::words_of_win;
use crate::met;
use crate::operations::Operation;
use crate::protocol::answer_line;
use crate::request::{self, quote};
use crate::schema;
use crate::session::Evaluators;
use crate::terms::{self, ResolvedTerms};
use crate::watch::{EngineEvent, Warning, Watch};

/// Cube, score and the rules of money play, in place of those that a position carries.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Terms {
    /// `{"value": 2, "owner": "center"}`; the owner may be `player` or `opponent` [default: that of
    /// the position]
    #[serde(deserialize_with = "cube")]
    #[schemars(schema_with = "schema::cube_or_null")]
    pub cube: Option<Cube>,
    /// `{"length": 7, "player": 3, "opponent": 5, "crawford": false}` [default: the score of the
    /// position, else money]
    #[serde(rename = "match", deserialize_with = "score")]
    #[schemars(schema_with = "schema::score_or_null")]
    pub score: Option<MatchScore>,
    /// In place of it the points of the match that the position is of.
    #[schemars(skip)]
    pub points: Option<MatchPoints>,
    /// For money: whether gammons count single until the cube is turned [default: as the position
    /// says]
    pub jacoby: Option<bool>,
    /// For money: whether a double may be beavered [default: as the position says]
    pub beavers: Option<bool>,
    /// Whether a beaver may be answered by another turn of the cube.
    #[schemars(skip)]
    pub raccoons: bool,
    /// The match equity table: a name or an XML file; `None` is Kazaross-XG2.
    #[serde(skip)]
    pub met: Option<String>,
}

/// Points of a match whose length is known from the position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchPoints {
    /// Those of the player on roll and of the opponent; `None` are those of the position.
    pub score: Option<[u16; 2]>,
    /// Whether it is the Crawford game.
    pub crawford: bool,
}

impl MatchPoints {
    /// The score in the match of a position.
    fn in_match(self, of_position: Option<notation::MoneyOrMatch>) -> Result<MatchScore> {
        let Some(notation::MoneyOrMatch::Match(known)) = of_position else {
            let given = self.score.map_or("the Crawford game".to_owned(), |[player, opponent]| {
                format!("the score {player}-{opponent}")
            });
            return Err(EngineError::request(format_args!(
                "{given} is given, but the position names no match, expected its length too"
            ))
            .lacking(Lacking::MatchLength));
        };
        let [player, opponent] = self.score.unwrap_or([known.player(), known.opponent()]);
        let make = if self.crawford { MatchScore::crawford } else { MatchScore::new };
        make(known.length(), player, opponent).map_err(EngineError::request)
    }
}

/// A position of a game with what belongs to it, and how much work goes into the answer: what the
/// command line, requests in JSON and work for other processes say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Question {
    /// A game such as `nackgammon` or `puff:cap=none` [default: that of the interface, backgammon]
    #[schemars(with = "Option<String>")]
    pub game: NamedGame,
    /// A position in any notation of the game, `start`, or an array of 26 integers
    #[serde(deserialize_with = "position")]
    #[schemars(schema_with = "schema::position")]
    pub position: Option<String>,
    /// The roll, such as `[3, 1]` or `"31"` [default: that of the position]
    #[serde(deserialize_with = "dice")]
    #[schemars(schema_with = "schema::dice")]
    pub dice: Option<String>,
    /// Cube and score, in place of those that the position carries.
    #[serde(flatten)]
    pub terms: Terms,
    /// How much work goes into the answer.
    #[serde(flatten)]
    pub effort: Effort,
    /// The weights file of the network; `None` is the built-in one.
    #[serde(skip)]
    pub model: Option<PathBuf>,
}

/// The start of backgammon.
impl Default for Question {
    fn default() -> Self {
        Self::start(Backgammon::Standard.into())
    }
}

impl Question {
    /// The start of a game, evaluated by the built-in network.
    pub fn start(game: NamedGame) -> Self {
        let (terms, effort) = (Terms::default(), Effort::default());
        Self { game, position: None, dice: None, terms, effort, model: None }
    }

    /// The start of backgammon, evaluated by the network of a weights file or the built-in one.
    pub fn backgammon(model: Option<PathBuf>) -> Self {
        Self { model, ..Self::default() }
    }

    /// The question of a request in JSON, which has no null; what it does not name is that of
    /// `default`.
    pub(crate) fn read(fields: &Map<String, Value>, default: &Self) -> Result<Self> {
        let read: Self = request::read(fields)?;
        let game = if fields.contains_key("game") { read.game } else { default.game.clone() };
        Ok(Self { game, model: default.model.clone(), ..read })
    }

    /// Position, dice, cube and score of this game.
    fn situation<G: PlayableGame, O: Operation>(
        &self,
        game: &G,
        watch: &Watch<'_>,
    ) -> Result<SituationOf<G>> {
        if !G::HAS_CUBE {
            self.terms.refuse(&game.id())?;
        }
        let mut situation = match &self.position {
            None => Situation::of(game.start()),
            Some(text) => {
                let (situation, ignored) = game
                    .parse_with_warnings(text)
                    .map_err(|error| EngineError::new(ErrorKind::Position, error))?;
                for ignored in ignored {
                    (watch.events)(EngineEvent::Warning(Warning::Ignored(ignored)));
                }
                situation
            }
        };
        let example = game.numbers(game.rolls()[1].0);
        let read = |text: &String| roll(text, (&example, 6), |text| game.parse_roll(text));
        let given = self.dice.as_ref().map(read).transpose()?;
        let numbers = |roll: G::Roll| {
            game.numbers(roll).iter().map(u8::to_string).collect::<Vec<_>>().join("-")
        };
        if O::BEFORE_THE_ROLL {
            for roll in situation.dice.take().into_iter().chain(given) {
                let roll = numbers(roll);
                watch.ignored(format_args!(
                    "the roll {roll}, as the answer is about the position before it"
                ));
            }
        } else if let Some(roll) = given {
            let other = situation.dice.replace(roll);
            if let Some(other) = other.filter(|other| *other != roll) {
                let (other, roll) = (numbers(other), numbers(roll));
                watch.ignored(format_args!("the position's roll {other}, as {roll} is given"));
            }
        }
        if let Some(offer) = situation.offer {
            if situation.dice.is_some() {
                watch.ignored(format_args!("the offered {offer}, as a roll is given"));
                situation.offer = None;
            } else if !O::ABOUT_OFFERS {
                watch.ignored(format_args!("the offered {offer}, which `cube` answers"));
                situation.offer = None;
            }
        }
        self.terms.apply(&mut situation, watch)?;
        Ok(situation)
    }
}

/// The position of a request.
fn position<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Some(match Value::deserialize(deserializer)? {
        Value::Null => return Ok(None),
        Value::String(text) => text,
        Value::Array(numbers) => numbers.iter().map(Value::to_string).collect::<Vec<_>>().join(","),
        other => {
            let message = "expected a text or 26 integers";
            return Err(D::Error::custom(format_args!(
                "\"position\" is {}, {message}",
                quote(&other)
            )));
        }
    }))
}

/// The roll of a request: a text, or any other value as it was written.
fn dice<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(quote(&other)),
    })
}

fn cube<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Cube>, D::Error> {
    let example = r#"{"value": 2, "owner": "center"|"player"|"opponent"}"#;
    object("cube", example, deserializer)
}

fn score<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<MatchScore>, D::Error> {
    let example = r#"{"length": 7, "player": 3, "opponent": 5, "crawford": false}"#;
    object("match", example, deserializer)
}

/// An object that a type of the rules reads; `example` is one, for messages.
fn object<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    key: &str,
    example: &str,
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let quoted = quote(&value);
    serde_json::from_value(value).map_err(|error| {
        D::Error::custom(format_args!("{key:?} is {quoted}: {error}, for example {example}"))
    })
}

/// A roll from a text, which may be an array of JSON: there every die stands alone. `example` is one
/// of the game, whose dice have this number of faces.
pub(crate) fn roll<R, E: std::fmt::Display>(
    text: &str,
    (example, faces): (&[u8], u8),
    parse: impl Fn(&str) -> Result<R, E>,
) -> Result<R> {
    let error = |message: String| EngineError::new(ErrorKind::Dice, message);
    if !text.starts_with(['[', '{']) {
        return parse(text).map_err(|reason| error(reason.to_string()));
    }
    let is_die = |die: &&str| matches!(die.as_bytes(), [b'1'..=b'9']);
    let array = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or_default();
    let dice: Vec<&str> = array.split(',').map(str::trim).take_while(is_die).collect();
    let all = dice.len() == array.split(',').count();
    parse(&dice.join("-")).ok().filter(|_| all).ok_or_else(|| {
        let count = ["no", "one", "two", "three"].get(example.len()).copied().unwrap_or("some");
        error(format!(
            "\"dice\" is {text}, expected {count} numbers from 1 to {faces} such as {}",
            Value::from(example)
        ))
    })
}

impl Terms {
    /// Refuses them for a game that is played without; what asks for nothing is let through.
    pub(crate) fn refuse(&self, game: &str) -> Result<()> {
        let named = [
            ("cube", self.cube.is_some()),
            ("match", self.score.is_some() || self.points.is_some()),
            ("jacoby", self.jacoby == Some(true)),
            ("beavers", self.beavers == Some(true) || self.raccoons),
        ];
        match named.into_iter().find(|(_, given)| *given) {
            Some((key, _)) => Err(EngineError::unsupported(format_args!(
                "{key:?} is given, but {game} is played without a cube and without matches"
            ))),
            None => Ok(()),
        }
    }

    /// Puts what is given in the place of what the position carries.
    fn apply<P, D>(&self, situation: &mut Situation<P, D>, watch: &Watch<'_>) -> Result<()> {
        use notation::MoneyOrMatch::{Match, Money};
        if let Some(cube) = self.cube {
            let other = situation.cube.replace(cube);
            if let Some(other) = other.filter(|other| *other != cube && *other != Cube::START) {
                let (other, cube) = (terms::of_cube(other), terms::of_cube(cube));
                watch.ignored(format_args!("the position's {other}, as {cube} is given"));
            }
        }
        let score = match self.points {
            Some(points) => Some(points.in_match(situation.stakes)?),
            None => self.score,
        };
        if let Some(score) = score {
            let other = situation.stakes.replace(Match(score));
            if let Some(Match(other)) = other.filter(|other| *other != Match(score)) {
                let (other, score) = (terms::of_score(other), terms::of_score(score));
                watch.ignored(format_args!("the position's score {other}, as {score} is given"));
            }
        }
        let beavers = if self.raccoons { Some(true) } else { self.beavers };
        let is_match = matches!(situation.stakes, Some(Match(_)));
        for (key, flag) in [("jacoby", self.jacoby), ("beavers", beavers)] {
            if flag == Some(true) && is_match {
                return Err(EngineError::request(format_args!(
                    "{key:?} is true in a match, expected it in money play only"
                )));
            }
        }
        if !is_match && (self.jacoby.is_some() || beavers.is_some()) {
            let (j, b) = match situation.stakes {
                Some(Money { jacoby, beavers }) => (jacoby, beavers),
                _ => (false, None),
            };
            situation.stakes =
                Some(Money { jacoby: self.jacoby.unwrap_or(j), beavers: beavers.or(b) });
        }
        Ok(())
    }
}

/// A question about a position of the game `G`, with the engine that answers it.
pub struct PositionQuestion<'a, G: PlayableGame> {
    /// The engine.
    pub engine: &'a Engine,
    /// The game.
    pub game: &'a G,
    /// The position with all that is known of it.
    pub situation: SituationOf<G>,
    /// Who watches.
    pub watch: &'a Watch<'a>,
    /// Other processes that help, for operations that know of them.
    pub(crate) on_fleet: Option<OnFleet<'a>>,
    pub(crate) question: &'a Question,
}

impl<'a, G: PlayableGame> PositionQuestion<'a, G> {
    pub(crate) fn new<O: Operation>(
        engine: &'a Engine,
        game: &'a G,
        question: &'a Question,
        watch: &'a Watch<'a>,
    ) -> Result<Self> {
        let situation = question.situation::<G, O>(game, watch)?;
        Ok(Self { engine, game, situation, watch, on_fleet: None, question })
    }

    /// How much work goes into the answer.
    pub(crate) const fn effort(&self) -> &'a Effort {
        &self.question.effort
    }

    /// The position.
    pub const fn state(&self) -> &G::State {
        &self.situation.position
    }

    /// How the game has ended, from the player on roll; `None` while it goes on.
    pub fn outcome(&self) -> Option<Outcome> {
        self.game.outcome(self.state())
    }

    /// The roll, without which there is no answer.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `dice`.
    pub fn dice(&self) -> Result<G::Roll> {
        self.situation.dice.ok_or_else(|| {
            let example = self.game.rolls()[1].0;
            EngineError::new(
                ErrorKind::Dice,
                format_args!(
                    "no roll is given, expected \"dice\" such as {example}, or a position that \
                     carries its dice"
                ),
            )
            .lacking(Lacking::Dice)
        })
    }

    /// A play of the roll in words, and its afterstate.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `dice` or `play`.
    pub fn parse_play(&self, text: &str) -> Result<(G::Play, G::State)> {
        self.game
            .parse_play(text, self.state(), self.dice()?)
            .map_err(|error| EngineError::new(ErrorKind::Play, error))
    }

    /// An error if the game is over.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `position`.
    pub fn expect_unfinished(&self) -> Result<()> {
        match self.outcome() {
            None => Ok(()),
            Some(outcome) => Err(EngineError::new(
                ErrorKind::Position,
                format_args!("{}, expected a position in which it goes on", in_words(outcome)),
            )),
        }
    }

    /// Stakes and cube, in the form that the cube theory needs.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `cube`, `met`, or `unsupported` in a game without a cube.
    pub fn terms(&self) -> Result<ResolvedTerms> {
        self.terms_of(&self.situation)
    }

    /// What is played for in another situation of the question.
    ///
    /// # Errors
    ///
    /// As [`terms`](Self::terms).
    pub fn terms_of(&self, situation: &SituationOf<G>) -> Result<ResolvedTerms> {
        self.expect_cube()?;
        let length = match situation.stakes {
            Some(notation::MoneyOrMatch::Match(score)) => score.length(),
            _ => 0,
        };
        let name = self.question.terms.met.as_deref().unwrap_or(met::DEFAULT_MET);
        let table = self.engine.match_equities(name, length).map_err(|error| {
            let too_long = length > MatchEquityTable::MAX_LENGTH;
            if too_long { EngineError::new(ErrorKind::Cube, error) } else { error }
        })?;
        let raccoons = self.question.terms.raccoons;
        let beavers = if raccoons { Beavers::Raccoons } else { Beavers::Beavers };
        ResolvedTerms::new(situation, &table, beavers)
            .map_err(|error| EngineError::new(ErrorKind::Cube, error))
    }

    /// An error if the game is played without a cube.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `unsupported`.
    pub fn expect_cube(&self) -> Result<()> {
        if G::HAS_CUBE {
            return Ok(());
        }
        Err(EngineError::unsupported(format_args!(
            "{} is played without a cube, expected backgammon or a variant of it",
            self.game.id()
        )))
    }

    /// Does something with the evaluators of the game.
    pub(crate) fn with_session<T>(&self, work: impl FnOnce(&mut Evaluators<G>) -> T) -> Result<T> {
        self.watch.check()?;
        let model = self.question.model.as_ref();
        self.engine.sessions.with(self.engine, model, self.game, self.watch, work)
    }

    /// The answer with what it is about.
    pub(crate) fn answered<A>(self, answer: A) -> FullAnswer<A> {
        let xgid = match self.game.write_as(&self.situation, WrittenForm::Xgid) {
            Some(Ok(Written::Text(xgid))) => Some(xgid),
            _ => None,
        };
        FullAnswer {
            position: self.game.write_state(self.state()),
            dice: self.situation.dice.map(|dice| self.game.numbers(dice)),
            end: self.outcome().map(in_words),
            board: self.game.board_view(&self.situation, &[]),
            xgid,
            warnings: Vec::new(),
            answer,
        }
    }
}

/// How a finished game ended, in words.
pub(crate) fn in_words(outcome: Outcome) -> String {
    if outcome == Outcome::Draw {
        return "the game is over: a draw".to_owned();
    }
    let verb = if outcome.is_win() { "won" } else { "lost" };
    let kind = words_of_win(outcome.into());
    format!("the game is over: the player on roll has {verb} {kind}")
}

/// Something of a game for two players, or of a game for more.
#[derive(Clone, Debug, PartialEq)]
pub enum TwoOrMany<T, M> {
    /// For two.
    Two(T),
    /// For more.
    Many(M),
}

/// What an operation answers about a position of any game.
pub type AnyAnswer<O> =
    TwoOrMany<FullAnswer<<O as Operation>::Answer>, FullAnswer<<O as Operation>::Many>>;

/// An answer with what it is about.
#[derive(Debug)]
pub struct FullAnswer<A> {
    /// The position in the game's own notation.
    pub position: String,
    /// The dice, the highest first.
    pub dice: Option<Vec<u8>>,
    /// How the game has ended, in words; `None` while it goes on.
    pub end: Option<String>,
    /// The board.
    pub board: Board,
    /// Position, cube and score as an XGID, where the game has one.
    pub xgid: Option<String>,
    /// What has no influence on the answer, and doubts about it.
    pub warnings: Vec<String>,
    /// The answer of the operation.
    pub answer: A,
}

impl<A: Serialize> FullAnswer<A> {
    /// The line that `batch` answers to a request with this text as its id.
    pub fn to_line(&self, id: Option<&str>) -> String {
        answer_line(id, &self.answer, &self.warnings)
    }
}
