//! Questions about games for more than two players: plays, evaluations and boards.
//!
//! They have operations of their own, since an answer has a number for each player and there is no
//! cube. A network looks at what each play leads to, or one or two rolls further. `batch` takes
//! them by the same names as those of games for two.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use tavola_games::many::{AnyManyGame, ManyEvaluator, ManyGame, RuleBasedPlayer, ThreeDice};
use tavola_games::{UnknownGame, with_many_game};
use tavola_rules::board::{Board, Charset, Color};

use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind, Lacking};
use crate::network::Network;
use crate::operations::Asking;
use crate::protocol::answer_line;
use crate::watch::{Warning, Watch};
use crate::{request, schema};

/// A position of a game for more than two players, as texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManySubject {
    /// The game.
    pub game: AnyManyGame,
    /// The position; `None` is the start.
    pub position: Option<String>,
    /// The dice.
    pub dice: Option<String>,
    /// The weights file of the network; `None` is the built-in one.
    pub model: Option<PathBuf>,
    /// Plies of lookahead, at most [`MOST_PLY`].
    pub ply: u8,
}

/// The deepest lookahead; the rolls of the second player ahead are sampled.
pub const MOST_PLY: u8 = 2;

/// How many of the plays that are best at 0-ply are looked at further.
const CANDIDATES: usize = 8;

/// A play of a roll, or of the dice that are offered.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ManyPlay {
    /// The play in words.
    pub play: String,
    /// What it leads to, in the notation of the game.
    pub position: String,
    /// Expected points of the player who makes the play, and of the others in turn order; absent
    /// where only the rules were asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub payoffs: Vec<f32>,
}

/// The plays of a roll.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ManyPlays {
    /// The plays, those for the player on roll, best first where they are evaluated.
    pub plays: Vec<ManyPlay>,
    /// What a user should know of the network.
    #[serde(serialize_with = "in_words", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub warnings: Vec<Warning>,
}

/// What a position is worth before the roll.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ManyEvaluation {
    /// Expected points of the player who decides next, and of the others in turn order; what
    /// they have won if the game is over.
    pub payoffs: Vec<f32>,
    /// Whether the game is over.
    pub over: bool,
    /// What a user should know of the network.
    #[serde(serialize_with = "in_words", skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// Writes warnings as texts.
fn in_words<S: Serializer>(warnings: &[Warning], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(warnings.iter().map(Warning::to_string))
}

/// A position with its board.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ManyShown {
    /// The game.
    pub game: String,
    /// The rules in a few sentences.
    pub rules: &'static str,
    /// The position in the notation of the game.
    pub position: String,
    /// The board as text.
    pub board: String,
    /// The players in the order of their seats.
    pub players: Vec<&'static str>,
    /// The seat that decides next, from 0.
    pub on_roll: usize,
    /// Whether the game is over.
    pub over: bool,
    /// The board to draw.
    #[serde(skip)]
    pub drawing: Board,
}

/// A state with what else a question needs.
struct ManyQuestion<'a, G: ManyGame> {
    engine: &'a Engine,
    game: &'a G,
    state: G::State,
    subject: &'a ManySubject,
}

impl<'a, G: ManyGame> ManyQuestion<'a, G> {
    fn new(engine: &'a Engine, game: &'a G, subject: &'a ManySubject) -> Result<Self, EngineError> {
        let state = game
            .parse_state(subject.position.as_deref().unwrap_or("start"))
            .map_err(|error| EngineError::new(ErrorKind::Position, error))?;
        if subject.ply > MOST_PLY {
            return Err(EngineError::request(format_args!(
                "ply {} is given, expected 0 to {MOST_PLY} in games for more than two players",
                subject.ply
            )));
        }
        Ok(Self { engine, game, state, subject })
    }

    fn evaluator(&self) -> Result<ManyEvaluator<G>, EngineError> {
        evaluator(self.engine, self.game, self.subject.model.as_deref())
    }

    /// The network that was named, or the built-in one, of which a user should know something.
    fn network(&self) -> Result<(Network, Vec<Warning>), EngineError> {
        let network = self.engine.network(self.subject.model.as_deref(), &self.game.id())?;
        let (trained, game) = (network.weights().game.clone(), self.game.id());
        let differs = trained != game;
        let warning = differs.then_some(Warning::OtherGame { network: trained, game });
        Ok((network, warning.into_iter().collect()))
    }

    fn roll(&self) -> Result<Option<ThreeDice>, EngineError> {
        let dice = self.subject.dice.as_deref();
        let roll = dice.map(|dice| self.game.parse_roll(dice)).transpose();
        roll.map_err(|error| EngineError::new(ErrorKind::Dice, error))
    }

    /// Every play of the roll, or of the dice that are offered.
    fn plays(&self) -> Result<Vec<(String, G::State)>, EngineError> {
        if self.game.payoffs(&self.state).is_some() {
            return Ok(Vec::new());
        }
        let error = |message: &str| EngineError::new(ErrorKind::Dice, message);
        match (self.roll()?, self.game.rolls(&self.state)) {
            (None, true) => {
                let message = "no roll is given, expected \"dice\" such as 5-3-2";
                Err(error(message).lacking(Lacking::Dice))
            }
            (Some(_), false) => Err(error(
                "a roll is given, expected none: the player decides on the offered dice first",
            )),
            (roll, _) => Ok(self.game.plays(&self.state, roll)),
        }
    }

    fn legal(&self) -> Result<ManyPlays, EngineError> {
        Ok(self.named(self.plays()?))
    }

    fn named(&self, plays: Vec<(String, G::State)>) -> ManyPlays {
        let named = plays.into_iter().map(|(play, after)| {
            let position = self.game.write_state(&after);
            ManyPlay { play, position, payoffs: Vec::new() }
        });
        ManyPlays { plays: named.collect(), warnings: Vec::new() }
    }

    fn best(&self, watch: &Watch<'_>) -> Result<ManyPlays, EngineError> {
        let (seat, mut plays) = (self.game.on_roll(&self.state), self.plays()?);
        let (network, warnings) = self.network()?;
        if network.is_built_in() && ManyEvaluator::new(network.weights(), self.game).is_err() {
            let value =
                |(_, after): &(String, G::State)| RuleBasedPlayer::value(self.game, after, seat);
            plays.sort_by(|a, b| value(b).total_cmp(&value(a)));
            let warning = Warning::NoNetwork { game: self.game.id(), player: "rule-based" };
            return Ok(ManyPlays { warnings: vec![warning], ..self.named(plays) });
        }
        let mut evaluator = self.evaluator()?;
        let plays = ranked(self.game, seat, plays, &mut evaluator, self.subject.ply, watch)?;
        Ok(ManyPlays { plays, warnings })
    }

    fn eval(&self) -> Result<ManyEvaluation, EngineError> {
        let payoffs = match self.game.payoffs(&self.state) {
            Some(payoffs) => payoffs,
            None => self.evaluator()?.payoffs(&self.state, self.subject.ply),
        };
        let over = self.game.payoffs(&self.state).is_some();
        let seat = self.game.on_roll(&self.state);
        let warnings = if over { Vec::new() } else { self.network()?.1 };
        Ok(ManyEvaluation { payoffs: in_turn_order(seat, payoffs), over, warnings })
    }

    fn show(&self) -> Result<ManyShown, EngineError> {
        let view = self.game.board(&self.state, self.roll()?);
        let players = view.players.iter().map(|player| player.name).collect();
        let (on_roll, drawing) = (view.on_roll, Board::from(view));
        Ok(ManyShown {
            game: self.game.id(),
            rules: self.game.brief(),
            position: self.game.write_state(&self.state),
            board: drawing.text(Charset::Unicode, Color::Never),
            players,
            on_roll,
            over: self.game.payoffs(&self.state).is_some(),
            drawing,
        })
    }
}

/// Numbers by seat as numbers in turn order from this one.
pub(crate) fn in_turn_order(seat: usize, mut payoffs: Vec<f32>) -> Vec<f32> {
    payoffs.rotate_left(seat);
    payoffs
}

/// The plays of a seat with what everyone can expect behind each, best first for the seat; the best
/// [`CANDIDATES`] of them at this number of plies.
pub(crate) fn ranked<G: ManyGame>(
    game: &G,
    seat: usize,
    plays: Vec<(String, G::State)>,
    evaluator: &mut ManyEvaluator<G>,
    ply: u8,
    watch: &Watch<'_>,
) -> Result<Vec<ManyPlay>, EngineError> {
    let mut value = |after: &G::State, ply: u8| in_turn_order(seat, evaluator.payoffs(after, ply));
    let mut plays: Vec<_> = plays
        .into_iter()
        .map(|(play, after)| {
            let position = game.write_state(&after);
            let payoffs = value(&after, 0);
            (ManyPlay { play, position, payoffs }, after)
        })
        .collect();
    let best_first =
        |a: &(ManyPlay, G::State), b: &(ManyPlay, _)| b.0.payoffs[0].total_cmp(&a.0.payoffs[0]);
    plays.sort_by(best_first);
    if ply > 0 {
        let candidates = plays.len().min(CANDIDATES);
        let candidates = &mut plays[..candidates];
        for (play, after) in candidates.iter_mut() {
            watch.check()?;
            play.payoffs = value(after, ply);
        }
        candidates.sort_by(best_first);
    }
    Ok(plays.into_iter().map(|(play, _)| play).collect())
}

/// The network of a weights file, or the built-in one of the game.
pub(crate) fn evaluator<G: ManyGame>(
    engine: &Engine,
    game: &G,
    model: Option<&Path>,
) -> Result<ManyEvaluator<G>, EngineError> {
    let network = engine.network(model, &game.id())?;
    ManyEvaluator::new(network.weights(), game).map_err(|error| {
        if network.is_built_in() {
            let id = game.id();
            let message =
                format!("no network for {id} is built in, expected a weights file for it");
            return EngineError::new(ErrorKind::Model, message).lacking(Lacking::Network);
        }
        let what = format!("{} can't evaluate {}", network.name(), game.id());
        EngineError::caused(ErrorKind::Model, what, &error)
    })
}

impl Engine {
    /// Every play of a roll in a game for more than two players.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `position` or `dice`.
    pub fn many_legal(&self, subject: &ManySubject) -> Result<ManyPlays, EngineError> {
        with_many_game!(&subject.game, |game| ManyQuestion::new(self, game, subject)?.legal())
    }

    /// The plays of a roll, best first for the player who makes them, by what the network
    /// expects for every player behind each.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `position`, `dice` or `model`, or the caller canceled.
    pub fn many_best(
        &self,
        subject: &ManySubject,
        watch: &Watch<'_>,
    ) -> Result<ManyPlays, EngineError> {
        with_many_game!(&subject.game, |game| ManyQuestion::new(self, game, subject)?.best(watch))
    }

    /// What a position is worth to every player before the roll.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `position` or `model`.
    pub fn many_eval(&self, subject: &ManySubject) -> Result<ManyEvaluation, EngineError> {
        with_many_game!(&subject.game, |game| ManyQuestion::new(self, game, subject)?.eval())
    }

    /// A position with its board.
    ///
    /// # Errors
    ///
    /// [`EngineError`] of kind `position` or `dice`.
    pub fn many_show(&self, subject: &ManySubject) -> Result<ManyShown, EngineError> {
        with_many_game!(&subject.game, |game| ManyQuestion::new(self, game, subject)?.show())
    }
}

/// The game of a request, if it is one for more than two players.
pub(crate) fn game_of(object: &Map<String, Value>) -> Result<Option<AnyManyGame>, EngineError> {
    match object.get("game").and_then(Value::as_str).map(str::parse) {
        Some(Ok(game)) => Ok(Some(game)),
        Some(Err(error @ UnknownGame::Options(_))) => Err(EngineError::new(ErrorKind::Game, error)),
        _ => Ok(None),
    }
}

/// A request in JSON about such a game.
#[derive(Deserialize, JsonSchema)]
struct Request {
    op: String,
    #[serde(rename = "game")]
    _game: String,
    position: String,
    #[schemars(schema_with = "schema::dice")]
    dice: Option<Value>,
    #[schemars(range(min = 1))]
    top: Option<u16>,
    #[serde(default)]
    #[schemars(range(max = MOST_PLY))]
    ply: u8,
}

/// The answer to a request in JSON about such a game.
pub(crate) fn answer(
    engine: &Engine,
    Asking { id, mut fields, default, watch }: Asking<'_>,
    game: AnyManyGame,
) -> Result<String, EngineError> {
    request::check(&schema::object(schema::properties_of::<Request>()), &mut fields)?;
    let Request { op, position, dice, top, ply, .. } = request::read(&fields)?;
    let dice = dice.map(|dice| match dice {
        Value::String(text) => text,
        Value::Array(dice) => dice.iter().map(Value::to_string).collect::<Vec<_>>().join("-"),
        other => other.to_string(),
    });
    let model = default.model.clone();
    let subject = ManySubject { game, position: Some(position), dice, model, ply };
    fn line(id: Option<&str>, answer: &impl Serialize) -> Result<String, EngineError> {
        Ok(answer_line(id, answer, &[]))
    }
    match op.as_str() {
        "legal" => line(id, &engine.many_legal(&subject)?),
        "best" => {
            let mut answer = engine.many_best(&subject, watch)?;
            answer.plays.truncate(top.map_or(usize::MAX, usize::from));
            line(id, &answer)
        }
        "eval" => line(id, &engine.many_eval(&subject)?),
        "show" => line(id, &engine.many_show(&subject)?),
        _ => Err(EngineError::unsupported(format_args!(
            "op {op:?} is for games for two, expected legal, best, eval or show in {game}"
        ))),
    }
}
