//! What a question is about: from texts to a position of a game.

use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tavola_equity::MatchEquityTable;
use tavola_evaluator::remote::OnFleet;
use tavola_evaluator::{PlayableGame, SituationOf, Written, WrittenForm};
use tavola_games::AnyGame;
use tavola_rules::board::Board;
use tavola_rules::notation::{self, Situation};
use tavola_rules::{Backgammon, Beavers, Cube, MatchScore, Outcome};

use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind, Lacking};
use crate::met;
use crate::operations::Operation;
use crate::protocol::answer_line;
use crate::request::quote;
use crate::schema;
use crate::session::Session;
use crate::terms::{self, Terms};
use crate::watch::{EngineEvent, Warning, Watch};

/// Cube, score and the rules of money play, in place of those that a position carries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CubeAndScore {
    /// The cube.
    pub cube: Option<Cube>,
    /// The score; this is a game of a match.
    pub score: Option<MatchScore>,
    /// In place of it the points of the match that the position is of.
    pub points: Option<MatchPoints>,
    /// For money: whether gammons count only once the cube was turned.
    pub jacoby: Option<bool>,
    /// For money: whether a double may be beavered.
    pub beavers: Option<bool>,
    /// Whether a beaver may be answered by another turn of the cube.
    pub raccoons: bool,
    /// The match equity table: a name or an XML file; `None` is Kazaross-XG2.
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
    fn in_match(
        self,
        of_position: Option<notation::MoneyOrMatch>,
    ) -> Result<MatchScore, EngineError> {
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

/// A position with what belongs to it, as texts.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The game.
    pub game: AnyGame,
    /// The position in a notation of the game; `None` is the start.
    pub position: Option<String>,
    /// The dice, in place of those that the position carries.
    pub dice: Option<String>,
    /// Cube and score, in place of those that the position carries.
    pub stakes: CubeAndScore,
    /// The weights file of the network; `None` is the built-in one.
    pub model: Option<PathBuf>,
}

impl Subject {
    /// The start of a game, evaluated by the built-in network.
    pub fn start(game: AnyGame) -> Self {
        Self { game, position: None, dice: None, stakes: CubeAndScore::default(), model: None }
    }

    /// The start of backgammon, evaluated by the network of a weights file or the built-in one.
    pub fn backgammon(model: Option<PathBuf>) -> Self {
        Self { model, ..Self::start(Backgammon::Standard.into()) }
    }

    /// Position, dice, cube and score of this game.
    fn situation<G: PlayableGame, O: Operation>(
        &self,
        game: &G,
        watch: &Watch<'_>,
    ) -> Result<SituationOf<G>, EngineError> {
        self.refuse_stakes(game)?;
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
        let given = self.dice.as_ref().map(|text| dice(game, text)).transpose()?;
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
        self.stakes.apply(&mut situation, watch)?;
        Ok(situation)
    }

    /// Refuses cube and score for a game that is played without; what asks for nothing is let
    /// through.
    fn refuse_stakes<G: PlayableGame>(&self, game: &G) -> Result<(), EngineError> {
        let CubeAndScore { cube, score, points, jacoby, beavers, raccoons, .. } = &self.stakes;
        let named = [
            ("cube", cube.is_some()),
            ("match", score.is_some() || points.is_some()),
            ("jacoby", *jacoby == Some(true)),
            ("beavers", *beavers == Some(true) || *raccoons),
        ];
        match named.into_iter().find(|(_, given)| *given) {
            Some((key, _)) if !G::HAS_CUBE => Err(EngineError::unsupported(format_args!(
                "{key:?} is given, but {} is played without a cube and without matches",
                game.id()
            ))),
            _ => Ok(()),
        }
    }
}

/// What a request in JSON is about.
#[derive(Deserialize, schemars::JsonSchema)]
pub(crate) struct About {
    /// A game such as `nackgammon` or `puff:cap=none` [default: that of the interface, backgammon]
    game: Option<String>,
    /// A position in any notation of the game, `start`, or an array of 26 integers
    #[schemars(schema_with = "schema::position")]
    position: Value,
    /// The roll, such as `[3, 1]` or `"31"` [default: that of the position]
    #[schemars(schema_with = "schema::dice")]
    dice: Option<Value>,
    /// `{"value": 2, "owner": "center"}`; the owner may be `player` or `opponent` [default: that of
    /// the position]
    #[schemars(schema_with = "schema::cube_or_null")]
    cube: Option<Value>,
    /// `{"length": 7, "player": 3, "opponent": 5, "crawford": false}` [default: the score of the
    /// position, else money]
    #[serde(rename = "match")]
    #[schemars(schema_with = "schema::score_or_null")]
    score: Option<Value>,
    /// For money: whether gammons count single until the cube is turned [default: as the position
    /// says]
    jacoby: Option<bool>,
    /// For money: whether a double may be beavered [default: as the position says]
    beavers: Option<bool>,
}

impl About {
    /// The subject. What the request does not name is that of `default`.
    pub(crate) fn subject(self, default: &Subject) -> Result<Subject, EngineError> {
        let game = match self.game {
            None => default.game.clone(),
            Some(text) => text.parse().map_err(|error| EngineError::new(ErrorKind::Game, error))?,
        };
        let position = match self.position {
            Value::String(text) => text,
            Value::Array(numbers) => {
                numbers.iter().map(Value::to_string).collect::<Vec<_>>().join(",")
            }
            other => {
                return Err(EngineError::new(
                    ErrorKind::Position,
                    format_args!(
                        "\"position\" is {}, expected a text or 26 integers",
                        quote(&other)
                    ),
                ));
            }
        };
        let dice = self.dice.map(|value| match value {
            Value::String(text) => text,
            other => quote(&other),
        });
        let cube = r#"{"value": 2, "owner": "center"|"player"|"opponent"}"#;
        let score = r#"{"length": 7, "player": 3, "opponent": 5, "crawford": false}"#;
        let stakes = CubeAndScore {
            cube: object("cube", self.cube, cube)?,
            score: object("match", self.score, score)?,
            jacoby: self.jacoby,
            beavers: self.beavers,
            ..default.stakes.clone()
        };
        let model = default.model.clone();
        Ok(Subject { game, position: Some(position), dice, stakes, model })
    }
}

/// An object that a type of the rules reads; `example` is one, for messages.
fn object<T: DeserializeOwned>(
    key: &str,
    value: Option<Value>,
    example: &str,
) -> Result<Option<T>, EngineError> {
    let Some(value) = value else { return Ok(None) };
    let quoted = quote(&value);
    serde_json::from_value(value).map(Some).map_err(|error| {
        EngineError::request(format_args!("{key:?} is {quoted}: {error}, for example {example}"))
    })
}

/// A roll from a text, which may be an array of JSON: there every die stands alone.
fn dice<G: PlayableGame>(game: &G, text: &str) -> Result<G::Roll, EngineError> {
    let error = |message: String| EngineError::new(ErrorKind::Dice, message);
    if !text.starts_with(['[', '{']) {
        return game.parse_roll(text).map_err(|reason| error(reason.to_string()));
    }
    let is_die = |die: &&str| matches!(die.as_bytes(), [b'1'..=b'6']);
    let array = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or_default();
    let dice: Vec<&str> = array.split(',').map(str::trim).take_while(is_die).collect();
    let all = dice.len() == array.split(',').count();
    let roll = game.parse_roll(&dice.join("-")).ok().filter(|_| all);
    roll.ok_or_else(|| {
        let example = game.numbers(game.rolls()[1].0);
        let count = ["no", "one", "two", "three"].get(example.len()).copied().unwrap_or("some");
        error(format!(
            "\"dice\" is {text}, expected {count} numbers from 1 to 6 such as {}",
            Value::from(example)
        ))
    })
}

impl CubeAndScore {
    /// Puts what is given in the place of what the position carries.
    fn apply<P, D>(
        &self,
        situation: &mut Situation<P, D>,
        watch: &Watch<'_>,
    ) -> Result<(), EngineError> {
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
    pub(crate) subject: &'a Subject,
}

impl<'a, G: PlayableGame> PositionQuestion<'a, G> {
    pub(crate) fn new<O: Operation>(
        engine: &'a Engine,
        game: &'a G,
        subject: &'a Subject,
        watch: &'a Watch<'a>,
    ) -> Result<Self, EngineError> {
        let situation = subject.situation::<G, O>(game, watch)?;
        Ok(Self { engine, game, situation, watch, on_fleet: None, subject })
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
    pub fn dice(&self) -> Result<G::Roll, EngineError> {
        self.situation.dice.ok_or_else(|| {
            let example = self.game.rolls()[1].0;
            EngineError::new(
                ErrorKind::Dice,
                format_args!(
                    "no roll is given, expected \"dice\" such as {example}, or a position that \
                     carries them"
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
    pub fn parse_play(&self, text: &str) -> Result<(G::Play, G::State), EngineError> {
        self.game
            .parse_play(text, self.state(), self.dice()?)
            .map_err(|error| EngineError::new(ErrorKind::Play, error))
    }

    /// An error if the game is over.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `position`.
    pub fn expect_unfinished(&self) -> Result<(), EngineError> {
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
    pub fn terms(&self) -> Result<Terms, EngineError> {
        self.terms_of(&self.situation)
    }

    /// What is played for in another situation of the question.
    ///
    /// # Errors
    ///
    /// As [`terms`](Self::terms).
    pub fn terms_of(&self, situation: &SituationOf<G>) -> Result<Terms, EngineError> {
        self.expect_cube()?;
        let length = match situation.stakes {
            Some(notation::MoneyOrMatch::Match(score)) => score.length(),
            _ => 0,
        };
        let name = self.subject.stakes.met.as_deref().unwrap_or(met::DEFAULT_MET);
        let table = self.engine.match_equities(name, length).map_err(|error| {
            let too_long = length > MatchEquityTable::MAX_LENGTH;
            if too_long { EngineError::new(ErrorKind::Cube, error) } else { error }
        })?;
        let raccoons = self.subject.stakes.raccoons;
        let beavers = if raccoons { Beavers::Raccoons } else { Beavers::Beavers };
        Terms::new(situation, &table, beavers)
            .map_err(|error| EngineError::new(ErrorKind::Cube, error))
    }

    /// An error if the game is played without a cube.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `unsupported`.
    pub fn expect_cube(&self) -> Result<(), EngineError> {
        if G::HAS_CUBE {
            return Ok(());
        }
        Err(EngineError::unsupported(format_args!(
            "{} is played without a cube, expected backgammon or a variant of it",
            self.game.id()
        )))
    }

    /// Does something with the evaluators of the game.
    pub(crate) fn with_session<T>(
        &self,
        work: impl FnOnce(&mut Session<G>) -> T,
    ) -> Result<T, EngineError> {
        self.watch.check()?;
        let model = self.subject.model.as_ref();
        let answer = self.engine.sessions.with(self.engine, model, self.game, self.watch, work)?;
        Ok(answer)
    }

    /// The weights file of the network that answers, unless it is the built-in one.
    pub(crate) fn model(&self) -> Option<&'a PathBuf> {
        self.subject.model.as_ref()
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
            outcome: self.outcome(),
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
    let kind = match outcome.points().abs() {
        1 => "a single game",
        2 => "a gammon",
        _ => "a backgammon",
    };
    format!("the game is over: the player on roll has {verb} {kind}")
}

/// An answer with what it is about.
#[derive(Debug)]
pub struct FullAnswer<A> {
    /// The position in the game's own notation.
    pub position: String,
    /// The dice, the highest first.
    pub dice: Option<Vec<u8>>,
    /// How the game has ended, from the player on roll; `None` while it goes on.
    pub outcome: Option<Outcome>,
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

impl<A> FullAnswer<A> {
    /// How the game has ended in words, if it has.
    pub fn end(&self) -> Option<String> {
        self.outcome.map(in_words)
    }
}
