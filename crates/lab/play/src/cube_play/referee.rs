//! One game with the cube: the checkers go by the [`GameLoop`], the cube by the rules of
//! [`GameState`].

use std::ops::ControlFlow;

use rand::Rng;
use rand::rngs::ChaCha8Rng;
use tavola_equity::{EfficiencyModel, OutcomeProbs, Stakes, cube_decision};
use tavola_evaluator::cubeful::stage;
use tavola_rules::{
    Backgammon, Cube, Dice, GameEnding, GameResult, GameStage, GameState, MatchScore, Offer,
    Options, Outcome, Player, Position, Session, WinKind,
};

use super::terms::{CubeTerms, scores};
use super::view::{BeforeRoll, CubeReply, CubeView, ResignReply};
use crate::agent::{AgentChoice, AgentError};
use crate::format::{
    CubeTurn, DoubleOrResign, DuelUnit, Format, Played, Rolled, Score, SeatedAgent, Trace,
};
use crate::game::{ChoosingPlayer, GameError, GameLoop, RollSource, Table};
use crate::random::match_game_rng;

/// The two seats of a game while it is played.
struct CubeDriver<'a> {
    game: GameState,
    /// Seen by each seat.
    stakes: [Stakes; 2],
    scores: [Option<MatchScore>; 2],
    options: &'a Options,
    agents: [SeatedAgent<'a, Backgammon>; 2],
    rolls: Vec<Rolled<Position, Dice>>,
    afterstates: Vec<Position>,
    actions: Vec<CubeTurn>,
    /// Whether the first roll is an opening roll.
    opening: bool,
}

impl CubeDriver<'_> {
    /// What `who` sees, and the agent of `who`.
    fn ask(&mut self, who: Player) -> (CubeView<'_>, SeatedAgent<'_, Backgammon>) {
        let on_roll = self.game.on_roll().index();
        let view = CubeView {
            stakes: &self.stakes[on_roll],
            cube: self.game.cube(),
            score: self.scores[on_roll],
            options: self.options,
        };
        (view, &mut *self.agents[who.index()])
    }

    /// Writes down what a player did.
    fn note(&mut self, by: Player, action: DoubleOrResign) {
        self.actions.push(CubeTurn { before_roll: self.rolls.len(), by, action });
    }

    /// The player on roll has doubled; ends with the game over or to be rolled on.
    fn answer_offers(&mut self, position: &Position) -> Result<(), AgentError> {
        while let (GameStage::Offered(offer), Some(who)) = (self.game.phase(), self.game.to_act()) {
            let before = self.game.cube().value();
            let (view, agent) = self.ask(who);
            let (done, action) = match agent.answer(&view, position, offer)? {
                CubeReply::Take => (self.game.take(), DoubleOrResign::Take),
                CubeReply::Drop => (self.game.drop_offer(), DoubleOrResign::Drop),
                // The cube stands where it stood before the double until it is taken.
                CubeReply::Turn if offer == Offer::Double => {
                    (self.game.beaver(), DoubleOrResign::Redouble { to: 4 * before })
                }
                CubeReply::Turn => {
                    (self.game.raccoon(), DoubleOrResign::Redouble { to: 8 * before })
                }
            };
            done.map_err(AgentError::of)?;
            self.note(who, action);
        }
        Ok(())
    }
}

impl Table<Backgammon> for CubeDriver<'_> {
    fn before_roll(&mut self, position: &Position, _: u32) -> Result<ControlFlow<()>, AgentError> {
        if self.game.phase() == GameStage::AfterRoll {
            // The opening roll lies on the table.
            return Ok(ControlFlow::Continue(()));
        }
        let player = self.game.on_roll();
        let (view, agent) = self.ask(player);
        match agent.before_roll(&view, position)? {
            BeforeRoll::Roll => {}
            BeforeRoll::Double => {
                let to = 2 * self.game.cube().value();
                self.game.double().map_err(AgentError::of)?;
                self.note(player, DoubleOrResign::Double { to });
                self.answer_offers(position)?;
            }
            BeforeRoll::Resign(kind) => {
                self.game.resign(player, kind).map_err(AgentError::of)?;
                self.note(player, DoubleOrResign::Resign(kind));
                let (view, opponent) = self.ask(player.flip());
                let reply = opponent.answer_resignation(&view, position, kind)?;
                let (done, action) = match reply {
                    ResignReply::Accept => (
                        self.game.accept_resignation().map(drop),
                        DoubleOrResign::AcceptResignation,
                    ),
                    ResignReply::Refuse => {
                        (self.game.refuse_resignation(), DoubleOrResign::RefuseResignation)
                    }
                };
                done.map_err(AgentError::of)?;
                self.note(player.flip(), action);
            }
        }
        if self.game.result().is_some() {
            return Ok(ControlFlow::Break(()));
        }
        self.game.roll().map_err(AgentError::of)?;
        Ok(ControlFlow::Continue(()))
    }

    fn choose(
        &mut self,
        situation: &ChoosingPlayer<'_, Backgammon>,
    ) -> Result<AgentChoice, AgentError> {
        let player = self.game.on_roll();
        let (view, agent) = self.ask(player);
        let decision = agent.choose(&ChoosingPlayer { cube: Some(&view), ..*situation })?;
        self.rolls.push(Rolled {
            state: *situation.state,
            roll: situation.roll,
            by: player,
            cube: self.game.cube(),
            opening: self.opening && self.rolls.is_empty(),
        });
        let after = situation.afterstates[decision.index];
        self.afterstates.push(after);
        match Outcome::of(&after) {
            Some(outcome) => self.game.win(WinKind::from(outcome)).map(drop),
            None => self.game.end_turn(),
        }
        .map_err(AgentError::of)?;
        Ok(decision)
    }
}

/// The opening roll, if there is one, then fair ones.
pub(super) struct Rolls<R> {
    pub(super) opening: Option<Dice>,
    pub(super) rng: R,
}

impl<R: Rng> RollSource<Backgammon> for Rolls<R> {
    fn roll(&mut self, _: &Backgammon, _: u32) -> Dice {
        self.opening.take().unwrap_or_else(|| Dice::roll(&mut self.rng))
    }
}

/// Plays one game of a session; without a result if it was too long. From `start`, seat one is on
/// roll and may double; without it the opening roll decides who begins.
fn game(
    games: &mut GameLoop<Backgammon>,
    terms: &CubeTerms,
    session: &Session,
    start: Option<&Position>,
    agents: [SeatedAgent<'_, Backgammon>; 2],
    mut rng: ChaCha8Rng,
) -> Result<(Option<GameResult>, Trace<Backgammon>), AgentError> {
    let running = "no play follows the end of a match";
    let (state, opening) = match start {
        Some(_) => (session.resume_game(Player::One, Cube::START).expect(running), None),
        None => {
            let throw = terms.options().opening.throw(&mut rng);
            (session.begin_game(&throw).expect(running), Some(throw.dice))
        }
    };
    let mut table = CubeDriver {
        game: state,
        stakes: terms.stakes(session),
        scores: scores(session),
        options: terms.options(),
        agents,
        rolls: Vec::new(),
        afterstates: Vec::new(),
        actions: Vec::new(),
        opening: opening.is_some(),
    };
    let position = start.copied().unwrap_or(terms.options().start.start_position());
    // Otherwise it was too long, since no game starts finished: that was looked at before.
    if let Err(GameError::NoChoice { reason, .. }) =
        games.drive(&position, &mut Rolls { opening, rng }, &mut table)
    {
        return Err(reason);
    }
    let result = table.game.result();
    let CubeDriver { stakes, rolls, afterstates, actions, .. } = table;
    let points = result.map(|result| points(&result));
    Ok((result, Trace { stakes: Some(stakes), rolls, afterstates, actions, points }))
}

impl Score {
    /// Counts a game of a match, or for money.
    fn add(&mut self, result: &GameResult, options: &Options) {
        let &GameResult { cube, ending, .. } = result;
        let count = |is: bool| u32::from(is);
        self.games += 1;
        self.points += points(result);
        self.turned += count(cube > 1);
        self.dropped += count(ending == GameEnding::Dropped);
        self.resigned += count(matches!(ending, GameEnding::Resigned(_)));
        let kind = match ending {
            GameEnding::Played(kind) | GameEnding::Resigned(kind) => kind,
            GameEnding::Dropped => WinKind::Single,
        };
        self.gammons += count(kind != WinKind::Single);
        self.capped += count(cube > 1 && options.cube_limit == Some(cube));
        self.highest_cube = self.highest_cube.max(cube);
    }
}

/// Points of seat one.
fn points(result: &GameResult) -> i32 {
    sign(result.winner) * i32::try_from(result.points).unwrap_or(i32::MAX)
}

/// Of points of the winner, from seat one.
fn sign(winner: Player) -> i32 {
    if winner == Player::One { 1 } else { -1 }
}

impl Format<Backgammon> for CubeTerms {
    fn play(
        &self,
        games: &mut GameLoop<Backgammon>,
        start: Option<&Position>,
        [one, two]: [SeatedAgent<'_, Backgammon>; 2],
        seed: u64,
        number: u64,
    ) -> Result<Played<Backgammon>, AgentError> {
        let mut session = self.session();
        let (mut score, mut traces) = (Score::default(), Vec::new());
        loop {
            let rng = match_game_rng(seed, number, session.games());
            let agents: [SeatedAgent<'_, Backgammon>; 2] = [&mut *one, &mut *two];
            let (result, trace) = game(games, self, &session, start, agents, rng)?;
            traces.push(trace);
            let Some(result) = result else {
                return Ok(Played { score: None, traces });
            };
            session.record(&result).expect("the match was running");
            score.add(&result, self.options());
            if let Some(winner) = session.winner() {
                score.points = sign(winner);
            } else if session.match_score(Player::One).is_some() {
                continue;
            }
            return Ok(Played { score: Some(score), traces });
        }
    }

    /// By the cube model: points, or twice the probability of winning the match.
    fn value(
        &self,
        stakes: Option<&Stakes>,
        cube: Cube,
        position: &Position,
        probs: &OutcomeProbs,
    ) -> f64 {
        let stakes = stakes.expect("a game with a cube has stakes");
        let probs = probs.cumulative();
        let value = if Outcome::of(position).is_some() {
            stakes.cubeless(&probs, cube)
        } else {
            let efficiency = EfficiencyModel::default().at(stage(position));
            stakes.expectation(cube_decision(&probs, stakes, cube, efficiency).best(), cube)
        };
        if self.match_length().is_none() { value.0 } else { 2.0 * value.0 }
    }

    fn unit(&self) -> DuelUnit {
        if self.match_length().is_none() { DuelUnit::Games } else { DuelUnit::Matches }
    }

    fn terms(&self) -> Option<String> {
        Some(self.to_string())
    }
}
