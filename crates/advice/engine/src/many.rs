//! Questions about games for more than two players, whose answers have a number for each player. A
//! network looks at what each play leads to, or one or two rolls further.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use tavola_games::many::{ManyEvaluator, ManyGame, RuleBasedPlayer, ThreeDice};
use tavola_rules::board::{Board, Charset, Color};

use crate::effort::Effort;
use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind, Lacking};
use crate::network::LoadedNetwork;
use crate::question::{FullAnswer, Question, roll};
use crate::watch::{EngineEvent, Warning, Watch};

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
    /// The plays, those for the player on roll, best first.
    pub plays: Vec<ManyPlay>,
    /// How many plays there are.
    #[serde(skip)]
    pub legal: usize,
}

/// What a position is worth before the roll.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ManyEvaluation {
    /// Expected points of the player who decides next, and of the others in turn order; what
    /// they have won if the game is over.
    pub payoffs: Vec<f32>,
    /// Whether the game is over.
    pub over: bool,
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
}

/// A question about a position of a game for more than two players, with the engine that answers it.
pub struct ManyQuestion<'a, G: ManyGame> {
    engine: &'a Engine,
    game: &'a G,
    state: G::State,
    roll: Option<ThreeDice>,
    question: &'a Question,
    watch: &'a Watch<'a>,
}

impl<'a, G: ManyGame> ManyQuestion<'a, G> {
    pub(crate) fn new(
        engine: &'a Engine,
        game: &'a G,
        question: &'a Question,
        watch: &'a Watch<'a>,
    ) -> Result<Self, EngineError> {
        question.terms.refuse(&game.id())?;
        let Effort { level, ply, preset, time, sure } = question.effort;
        refuse([
            ("level", level.is_some()),
            ("time", time.is_some()),
            ("sure", sure.is_some()),
            ("preset", preset != Default::default()),
        ])?;
        if let Some(ply) = ply.filter(|ply| *ply > MOST_PLY) {
            return Err(EngineError::request(format_args!(
                "\"ply\" is {ply}, expected 0 to {MOST_PLY} in games for more than two players"
            )));
        }
        let state = game
            .parse_state(question.position.as_deref().unwrap_or("start"))
            .map_err(|error| EngineError::new(ErrorKind::Position, error))?;
        let rolls = game.rolls_of_a_turn();
        let faces = rolls[rolls.len() - 1].0.numbers()[0];
        let read =
            |text: &String| roll(text, (rolls[1].0.numbers(), faces), |text| game.parse_roll(text));
        let roll = question.dice.as_ref().map(read).transpose()?;
        Ok(Self { engine, game, state, roll, question, watch })
    }

    /// The answer with what it is about.
    pub(crate) fn answered<A>(&self, answer: A) -> FullAnswer<A> {
        FullAnswer {
            position: self.game.write_state(&self.state),
            dice: self.roll.map(|roll| roll.numbers().to_vec()),
            end: self.is_over().then(|| "the game is over".to_owned()),
            board: Board::from(self.game.board(&self.state, self.roll)),
            xgid: None,
            warnings: Vec::new(),
            answer,
        }
    }

    /// That what is asked has no answer in such a game.
    pub(crate) fn two_alone(&self) -> EngineError {
        match self.question.game.two() {
            Err(error) => EngineError::unsupported(error),
            Ok(game) => EngineError::unsupported(game),
        }
    }

    fn is_over(&self) -> bool {
        self.game.payoffs(&self.state).is_some()
    }

    /// The network that was named, or the built-in one, of which a user should know something.
    fn network(&self) -> Result<LoadedNetwork, EngineError> {
        let network = self.engine.network(self.question.model.as_deref(), &self.game.id())?;
        let (trained, game) = (network.weights().game.clone(), self.game.id());
        if trained != game && !self.is_over() {
            self.warn(Warning::OtherGame { network: trained, game });
        }
        Ok(network)
    }

    fn warn(&self, warning: Warning) {
        (self.watch.events)(EngineEvent::Warning(warning));
    }

    /// Every play of the roll, or of the dice that are offered.
    pub(crate) fn plays(&self) -> Result<Vec<(String, G::State)>, EngineError> {
        let error = |message: &str| EngineError::new(ErrorKind::Dice, message);
        match (self.roll, self.game.rolls(&self.state)) {
            _ if self.is_over() => Ok(Vec::new()),
            (None, true) => {
                let (example, _) = self.game.rolls_of_a_turn()[1];
                let dice: Vec<_> = example.numbers().iter().map(ToString::to_string).collect();
                let message =
                    format!("no roll is given, expected \"dice\" such as {}", dice.join("-"));
                Err(error(&message).lacking(Lacking::Dice))
            }
            (Some(_), false) => Err(error(
                "a roll is given, expected none: the player decides on the offered dice first",
            )),
            (roll, _) => Ok(self.game.plays(&self.state, roll)),
        }
    }

    /// A state in the notation of the game.
    pub(crate) fn written(&self, state: &G::State) -> String {
        self.game.write_state(state)
    }

    /// The plays, best first.
    pub(crate) fn best(&self) -> Result<ManyPlays, EngineError> {
        let (seat, mut plays) = (self.game.on_roll(&self.state), self.plays()?);
        let (network, legal) = (self.engine.network(self.model(), &self.game.id())?, plays.len());
        if network.is_built_in() && ManyEvaluator::new(network.weights(), self.game).is_err() {
            let value =
                |(_, after): &(String, G::State)| RuleBasedPlayer::value(self.game, after, seat);
            plays.sort_by(|a, b| value(b).total_cmp(&value(a)));
            self.warn(Warning::NoNetwork { game: self.game.id(), player: "rule-based" });
            let named = plays.into_iter().map(|(play, after)| ManyPlay {
                play,
                position: self.written(&after),
                payoffs: Vec::new(),
            });
            return Ok(ManyPlays { plays: named.collect(), legal });
        }
        self.network()?;
        let mut evaluator = evaluator(self.engine, self.game, self.model())?;
        let plays = ranked(self.game, seat, plays, &mut evaluator, self.ply(), self.watch)?;
        Ok(ManyPlays { plays, legal })
    }

    fn model(&self) -> Option<&Path> {
        self.question.model.as_deref()
    }

    fn ply(&self) -> u8 {
        self.question.effort.ply.unwrap_or_default()
    }

    /// What everyone can expect.
    pub(crate) fn evaluation(&self) -> Result<ManyEvaluation, EngineError> {
        let won = self.game.payoffs(&self.state);
        let over = won.is_some();
        let payoffs = match won {
            Some(payoffs) => payoffs,
            None => {
                self.network()?;
                let mut evaluator = evaluator(self.engine, self.game, self.model())?;
                evaluator.payoffs(&self.state, self.ply())
            }
        };
        let seat = self.game.on_roll(&self.state);
        Ok(ManyEvaluation { payoffs: in_turn_order(seat, payoffs), over })
    }

    /// The board.
    pub(crate) fn shown(&self) -> ManyShown {
        let view = self.game.board(&self.state, self.roll);
        let players = view.players.iter().map(|player| player.name).collect();
        ManyShown {
            game: self.game.id(),
            rules: self.game.brief(),
            position: self.written(&self.state),
            players,
            on_roll: view.on_roll,
            over: self.is_over(),
            board: Board::from(view).text(Charset::Unicode, Color::Never),
        }
    }
}

/// Refuses what only questions about games for two have, by its key and whether it is given.
pub(crate) fn refuse<const N: usize>(given: [(&str, bool); N]) -> Result<(), EngineError> {
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((key, _)) => Err(EngineError::request(format_args!(
            "{key:?} is given, expected it in games for two alone"
        ))),
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
