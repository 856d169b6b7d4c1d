//! One game with the cube: the checkers go by the [`GameLoop`], the cube by the rules of
//! [`GameState`].

use std::ops::ControlFlow;

use rand::Rng;
use rand::rngs::ChaCha8Rng;
use tavola_equity::Stakes;
use tavola_rules::{
    Backgammon, Cube, Dice, GameResult, GameState, MatchScore, Offer, Options, Outcome, Phase,
    Player, Position, Session, WinKind,
};

use super::agent::{BeforeRoll, CubeAgent, CubeReply, ResignReply, TableView};
use super::terms::{CubeTerms, scores};
use crate::agent::{AgentError, Decision};
use crate::game::{GameError, GameLoop, RollSource, Situation, Table};
use crate::random::match_game_rng;

/// A roll of a game, with all that its luck depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rolled {
    /// Before the roll, from the player on roll.
    pub position: Position,
    /// What was rolled.
    pub dice: Dice,
    /// The player on roll.
    pub by: Player,
    /// From the player on roll.
    pub cube: Cube,
    /// The first roll of a game, which may follow rules of its own.
    pub opening: bool,
}

/// A game as luck sees it.
#[derive(Clone, Debug)]
pub struct TracedGame {
    /// Seen by each seat.
    pub stakes: [Stakes; 2],
    /// The rolls in order.
    pub rolls: Vec<Rolled>,
}

/// What happened at the table that is worth counting. Points are from seat one.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// The results of the games, in order.
    pub games: Vec<GameResult>,
    /// The rolls of the games, in order.
    pub trace: Vec<TracedGame>,
    /// Who won the match, if it was one.
    pub winner: Option<Player>,
    /// Whether it came to its end; otherwise the last game was too long.
    pub finished: bool,
}

/// An agent in a seat.
pub type Seated<'a> = &'a mut (dyn CubeAgent + 'static);

/// The two seats of a game while it is played.
struct CubeTable<'a> {
    game: GameState,
    /// Seen by each seat.
    stakes: [Stakes; 2],
    scores: [Option<MatchScore>; 2],
    options: &'a Options,
    agents: [Seated<'a>; 2],
    rolls: Vec<Rolled>,
    /// Whether the first roll is an opening roll.
    opening: bool,
}

/// A rule that an agent broke.
fn illegal(error: tavola_rules::ActionError) -> AgentError {
    AgentError(error.to_string())
}

impl CubeTable<'_> {
    /// The view of `who`, and the player.
    fn ask(&mut self, who: Player) -> (TableView<'_>, Seated<'_>) {
        let on_roll = self.game.on_roll().index();
        let view = TableView {
            stakes: &self.stakes[on_roll],
            cube: self.game.cube(),
            score: self.scores[on_roll],
            options: self.options,
        };
        (view, &mut *self.agents[who.index()])
    }

    /// The player on roll has doubled; ends with the game over or to be rolled on.
    fn answer_offers(&mut self, position: &Position) -> Result<(), AgentError> {
        while let (Phase::Offered(offer), Some(who)) = (self.game.phase(), self.game.to_act()) {
            let (view, agent) = self.ask(who);
            match agent.answer(&view, position, offer)? {
                CubeReply::Take => self.game.take(),
                CubeReply::Drop => self.game.drop_offer(),
                CubeReply::Turn if offer == Offer::Double => self.game.beaver(),
                CubeReply::Turn => self.game.raccoon(),
            }
            .map_err(illegal)?;
        }
        Ok(())
    }
}

impl Table<Backgammon> for CubeTable<'_> {
    fn before_roll(&mut self, position: &Position, _: u32) -> Result<ControlFlow<()>, AgentError> {
        if self.game.phase() == Phase::AfterRoll {
            // The opening roll lies on the table.
            return Ok(ControlFlow::Continue(()));
        }
        let player = self.game.on_roll();
        let (view, agent) = self.ask(player);
        match agent.before_roll(&view, position)? {
            BeforeRoll::Roll => {}
            BeforeRoll::Double => {
                self.game.double().map_err(illegal)?;
                self.answer_offers(position)?;
            }
            BeforeRoll::Resign(kind) => {
                self.game.resign(player, kind).map_err(illegal)?;
                let (view, opponent) = self.ask(player.flip());
                match opponent.answer_resignation(&view, position, kind)? {
                    ResignReply::Accept => self.game.accept_resignation().map(drop),
                    ResignReply::Refuse => self.game.refuse_resignation(),
                }
                .map_err(illegal)?;
            }
        }
        if self.game.result().is_some() {
            return Ok(ControlFlow::Break(()));
        }
        self.game.roll().map_err(illegal)?;
        Ok(ControlFlow::Continue(()))
    }

    fn choose(&mut self, situation: &Situation<'_, Backgammon>) -> Result<Decision, AgentError> {
        let player = self.game.on_roll();
        let (view, agent) = self.ask(player);
        let decision = agent.play(&view, situation)?;
        self.rolls.push(Rolled {
            position: *situation.state,
            dice: situation.roll,
            by: player,
            cube: self.game.cube(),
            opening: self.opening && self.rolls.is_empty(),
        });
        match Outcome::of(&situation.results[decision.index]) {
            Some(outcome) => self.game.win(WinKind::from(outcome)).map(drop),
            None => self.game.end_turn(),
        }
        .map_err(illegal)?;
        Ok(decision)
    }
}

/// The opening roll, if there is one, then fair ones.
struct Rolls<R> {
    opening: Option<Dice>,
    rng: R,
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
    agents: [Seated<'_>; 2],
    mut rng: ChaCha8Rng,
) -> Result<(Option<GameResult>, TracedGame), AgentError> {
    let running = "nobody plays on after a match";
    let (state, opening) = match start {
        Some(_) => (session.resume_game(Player::One, Cube::START).expect(running), None),
        None => {
            let throw = terms.options().opening.throw(&mut rng);
            (session.begin_game(&throw).expect(running), Some(throw.dice))
        }
    };
    let mut table = CubeTable {
        game: state,
        stakes: terms.stakes(session),
        scores: scores(session),
        options: terms.options(),
        agents,
        rolls: Vec::new(),
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
    Ok((result, TracedGame { stakes: table.stakes, rolls: table.rolls }))
}

/// Plays a game for money or a whole match between seats one and two. All rolls follow from seed,
/// number of the pair, and game of the match.
///
/// # Errors
///
/// [`AgentError`] if an agent fails or breaks a rule.
pub fn play(
    games: &mut GameLoop<Backgammon>,
    terms: &CubeTerms,
    start: Option<&Position>,
    [one, two]: [Seated<'_>; 2],
    (seed, pair): (u64, u64),
) -> Result<Played, AgentError> {
    let mut session = terms.session();
    let mut played = Played::default();
    loop {
        let rng = match_game_rng(seed, pair, session.games());
        let agents: [Seated<'_>; 2] = [&mut *one, &mut *two];
        let (result, traced) = game(games, terms, &session, start, agents, rng)?;
        played.trace.push(traced);
        let Some(result) = result else {
            return Ok(played);
        };
        session.record(&result).expect("the match was running");
        played.games.push(result);
        played.winner = session.winner();
        if played.winner.is_some() || session.match_score(Player::One).is_none() {
            played.finished = true;
            return Ok(played);
        }
    }
}
