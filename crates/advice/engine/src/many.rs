//! Questions about games for more than two players, whose answers have a number for each player. A
//! network looks at what each play leads to, or one or two rolls further.

use std::mem;

use schemars::JsonSchema;
use serde::Serialize;
use tavola_evaluator::search::SearchProgress;
use tavola_games::TablesDice;
use tavola_games::many::{ManyEvaluator, ManyGame, RuleBasedPlayer};
use tavola_rules::board::{Board, Charset, Color};

use crate::effort::Effort;
use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind, Lacking, Result};
use crate::question::{FullAnswer, Question, roll};
use crate::watch::{EngineEvent, Warning, Watch};

/// The deepest lookahead; the rolls of the second player ahead are sampled.
pub const MOST_PLY: u8 = 2;

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
    roll: Option<TablesDice>,
    question: &'a Question,
    watch: &'a Watch<'a>,
}

impl<'a, G: ManyGame> ManyQuestion<'a, G> {
    pub(crate) fn new(
        engine: &'a Engine,
        game: &'a G,
        question: &'a Question,
        watch: &'a Watch<'a>,
    ) -> Result<Self> {
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
        let (example, _) = game.rolls_of_a_turn()[1];
        let dice = (example.numbers(), game.dice().1);
        let read = |text: &String| roll(text, dice, |text| game.parse_roll(text));
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

    /// The evaluator with the network that was named, or the built-in one of the game.
    fn evaluator(&self) -> Result<ManyEvaluator<G>> {
        let id = self.game.id();
        let network = self.engine.network(self.question.model.as_deref(), &id)?;
        let evaluator = ManyEvaluator::new(network.weights(), self.game).map_err(|error| {
            if network.is_built_in() {
                let message =
                    format!("no network for {id} is built in, expected a weights file for it");
                return EngineError::new(ErrorKind::Model, message).lacking(Lacking::Network);
            }
            let what = format!("{} can't evaluate {id}", network.name());
            EngineError::caused(ErrorKind::Model, what, &error)
        })?;
        let trained = network.weights().game.clone();
        if trained != id {
            self.warn(Warning::OtherGame { network: trained, game: id });
        }
        Ok(evaluator)
    }

    fn warn(&self, warning: Warning) {
        (self.watch.events)(EngineEvent::Warning(warning));
    }

    /// Every play of the roll, or of the dice that are offered.
    pub(crate) fn plays(&self) -> Result<Vec<(String, G::State)>> {
        let error = |message: &str| EngineError::new(ErrorKind::Dice, message);
        match (self.roll, self.game.rolls(&self.state)) {
            _ if self.is_over() => Ok(Vec::new()),
            (None, true) => {
                let (example, _) = self.game.rolls_of_a_turn()[1];
                let message = format!("no roll is given, expected \"dice\" such as {example}");
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

    /// The plays, best first: by the network, or where the game has none by its rules of thumb.
    pub(crate) fn best(&self) -> Result<ManyPlays> {
        let (seat, mut plays) = (self.game.on_roll(&self.state), self.plays()?);
        let legal = plays.len();
        if plays.is_empty() {
            return Ok(ManyPlays { plays: Vec::new(), legal });
        }
        let plays = match self.evaluator() {
            Ok(mut evaluator) => self.ranked(seat, plays, &mut evaluator)?,
            Err(error) if error.lacks() == Some(Lacking::Network) => {
                self.warn(Warning::NoNetwork { game: self.game.id(), player: "rule-based" });
                let value = |after: &G::State| RuleBasedPlayer::value(self.game, after, seat);
                plays.sort_by(|(_, a), (_, b)| value(b).total_cmp(&value(a)));
                let named = plays.into_iter().map(|(play, after)| ManyPlay {
                    play,
                    position: self.written(&after),
                    payoffs: Vec::new(),
                });
                named.collect()
            }
            Err(error) => return Err(error),
        };
        Ok(ManyPlays { plays, legal })
    }

    fn ply(&self) -> u8 {
        self.question.effort.ply.unwrap_or(Effort::DEFAULT_PLY)
    }

    /// The plays of a seat with what everyone can expect behind each, best first for the seat.
    fn ranked(
        &self,
        seat: usize,
        plays: Vec<(String, G::State)>,
        evaluator: &mut ManyEvaluator<G>,
    ) -> Result<Vec<ManyPlay>> {
        let ply = self.ply();
        let (mut names, states): (Vec<String>, Vec<G::State>) = plays.into_iter().unzip();
        let ranked = evaluator.ranked(seat, &states, ply, |done, of| {
            (self.watch.events)(EngineEvent::Search(SearchProgress { ply, done, of }));
            self.watch.check()
        })?;
        let named = ranked.into_iter().map(|(play, payoffs)| ManyPlay {
            play: mem::take(&mut names[play]),
            position: self.written(&states[play]),
            payoffs,
        });
        Ok(named.collect())
    }

    /// What everyone can expect.
    pub(crate) fn evaluation(&self) -> Result<ManyEvaluation> {
        let won = self.game.payoffs(&self.state);
        let over = won.is_some();
        let mut payoffs = match won {
            Some(payoffs) => payoffs,
            None => self.evaluator()?.payoffs(&self.state, self.ply()),
        };
        // From numbers by seat to numbers in turn order.
        payoffs.rotate_left(self.game.on_roll(&self.state));
        Ok(ManyEvaluation { payoffs, over })
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
pub(crate) fn refuse<const N: usize>(given: [(&str, bool); N]) -> Result<()> {
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((key, _)) => Err(EngineError::request(format_args!(
            "{key:?} is given, expected it in games for two alone"
        ))),
    }
}
