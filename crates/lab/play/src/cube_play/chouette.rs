//! Games of a chouette between agents, one for each player.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use tavola_equity::Stakes;
use tavola_files::Failure;
use tavola_rules::chouette::{Chouette, ChouetteGame, TeamCubes};
use tavola_rules::{
    Backgammon, Cube, GameStage, GameState, Offer, Options, Outcome, Player, Position, WinKind,
};

use super::referee::Rolls;
use super::view::{BeforeRoll, CubeReply, CubeView};
use crate::agent::{AgentChoice, AgentError, Contender};
use crate::game::{ChoosingPlayer, DEFAULT_MAX_TURNS, GameLoop, Table};
use crate::random::match_game_rng;

/// A game with the agents of all seats. Players neither resign nor turn a cube that they were just
/// offered.
struct ChouetteTable<'a> {
    game: ChouetteGame,
    stakes: &'a Stakes,
    options: &'a Options,
    agents: &'a mut [Box<dyn Contender<Backgammon>>],
}

impl ChouetteTable<'_> {
    /// What the agent of `seat` sees of the cube, which is from the player on roll, and the agent.
    fn ask(&mut self, seat: usize, cube: Cube) -> (CubeView<'_>, &mut dyn Contender<Backgammon>) {
        let view = CubeView { stakes: self.stakes, cube, score: None, options: self.options };
        (view, &mut *self.agents[seat])
    }

    fn cube_of(&self, seat: usize) -> Option<Cube> {
        self.game.game_of(seat).map(GameState::cube)
    }

    /// The members whose cube is turned now, together where there is one cube.
    fn offers(&self) -> Vec<Vec<usize>> {
        let running = self.game.running();
        let may_double = running
            .into_iter()
            .filter(|&seat| self.game.game_of(seat).is_some_and(GameState::may_double));
        match self.game.cubes() {
            TeamCubes::One => vec![may_double.collect()],
            TeamCubes::Each => may_double.map(|seat| vec![seat]).collect(),
        }
    }

    /// The side on roll turns the cube, or cubes, and the other side answers.
    fn turn_cubes(&mut self, by: Player, position: &Position) -> Result<(), AgentError> {
        for seats in self.offers() {
            let Some(cube) = seats.first().and_then(|&seat| self.cube_of(seat)) else { continue };
            // The first of them is the captain, or the only one.
            let doubler = if by == Player::One { self.game.box_seat() } else { seats[0] };
            let (view, agent) = self.ask(doubler, cube);
            if agent.before_roll(&view, position)? != BeforeRoll::Double {
                continue;
            }
            self.game.double(&seats).map_err(AgentError::of)?;
            let answers: Vec<(usize, Vec<usize>)> = match by {
                // Each member answers alone, the box for all who offered together.
                Player::One => seats.iter().map(|&seat| (seat, vec![seat])).collect(),
                Player::Two => vec![(self.game.box_seat(), seats)],
            };
            for (answering, seats) in answers {
                let (view, agent) = self.ask(answering, cube);
                let done = match agent.answer(&view, position, Offer::Double)? {
                    CubeReply::Drop => self.game.drop_offer(&seats),
                    CubeReply::Take | CubeReply::Turn => self.game.take(&seats),
                };
                done.map_err(AgentError::of)?;
            }
        }
        // Who has dropped has thought the double too strong, and who has taken it has not.
        for (giver, taker) in self.game.open_extras() {
            self.game.extra(giver, taker).map_err(AgentError::of)?;
        }
        Ok(())
    }
}

impl Table<Backgammon> for ChouetteTable<'_> {
    fn before_roll(&mut self, position: &Position, _: u32) -> Result<ControlFlow<()>, AgentError> {
        let captain = self.game.game_of(self.game.captain());
        if let Some(GameStage::AfterRoll) = captain.map(GameState::phase) {
            // The opening roll lies on the table.
            return Ok(ControlFlow::Continue(()));
        }
        if let Some(by) = self.game.on_roll() {
            self.turn_cubes(by, position)?;
        }
        if self.game.running().is_empty() {
            return Ok(ControlFlow::Break(()));
        }
        self.game.roll().map_err(AgentError::of)?;
        Ok(ControlFlow::Continue(()))
    }

    /// By the cube of the captain, also for the box.
    fn choose(
        &mut self,
        situation: &ChoosingPlayer<'_, Backgammon>,
    ) -> Result<AgentChoice, AgentError> {
        let captain = self.game.captain();
        let cube = self.cube_of(captain).unwrap_or(Cube::START);
        let is_box = self.game.on_roll() == Some(Player::One);
        let mover = if is_box { self.game.box_seat() } else { captain };
        let (view, agent) = self.ask(mover, cube);
        let decision = agent.choose(&ChoosingPlayer { cube: Some(&view), ..*situation })?;
        match Outcome::of(&situation.afterstates[decision.index]) {
            Some(outcome) => self.game.win(WinKind::from(outcome)),
            None => self.game.end_turn(),
        }
        .map_err(AgentError::of)?;
        Ok(decision)
    }
}

/// Plays games of a chouette, each settled on its sheet, with the agents by seat. The same seed
/// gives the same dice. No game begins once `cancel` is set.
///
/// # Errors
///
/// [`Failure`]; the games before are settled.
pub fn play_chouette(
    chouette: &mut Chouette,
    agents: &mut [Box<dyn Contender<Backgammon>>],
    games: u32,
    seed: u64,
    cancel: &AtomicBool,
) -> Result<(), Failure> {
    let expected = chouette.accounts().len();
    if agents.len() != expected {
        let found = agents.len();
        let reason = format!("{found} agents, expected {expected}: one for each player");
        return Err(Failure::work(reason));
    }
    let options = Options { resignation: false, ..chouette.rules().money.clone() };
    let stakes = Stakes::money(&options).map_err(Failure::work)?;
    let mut played = GameLoop::new(options.start, DEFAULT_MAX_TURNS);
    for number in 0..games {
        let stopped = || Failure::stopped(format!("stopped after {number} games of the chouette"));
        if cancel.load(Ordering::Relaxed) {
            return Err(stopped());
        }
        let mut rng = match_game_rng(seed, u64::from(number), 0);
        let throw = options.opening.throw(&mut rng);
        let game = chouette.begin_game(&throw).map_err(Failure::work)?;
        let mut table =
            ChouetteTable { game, stakes: &stakes, options: &options, agents: &mut *agents };
        let mut rolls = Rolls { opening: Some(throw.dice), rng };
        let end = played.drive(&options.start.start_position(), &mut rolls, &mut table);
        if end.is_err() && cancel.load(Ordering::Relaxed) {
            return Err(stopped());
        }
        end.map_err(Failure::work)?;
        chouette.record(&table.game).map_err(Failure::work)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use tavola_evaluator::{CubefulEvaluator, PlayableGame};
    use tavola_rules::chouette::{ChouetteRules, Extras};

    use super::super::CubefulAgent;
    use super::*;

    #[test]
    fn a_chouette_of_five_is_played_to_fifty_games_with_accounts_that_sum_to_zero() {
        for cubes in [TeamCubes::One, TeamCubes::Each] {
            let names = (0..5).map(|seat| format!("seat {seat}")).collect();
            let rules =
                ChouetteRules { cubes, extras: Extras::Mandatory, ..ChouetteRules::default() };
            let mut chouette = Chouette::new(rules, names, (0..5).collect()).unwrap();
            let game = Backgammon::Standard;
            let agent = || -> Box<dyn Contender<Backgammon>> {
                Box::new(CubefulAgent::new(CubefulEvaluator::new(game, game.baseline(), None)))
            };
            let mut agents: Vec<_> = (0..5).map(|_| agent()).collect();
            let cancel = AtomicBool::new(false);
            play_chouette(&mut chouette, &mut agents, 50, 3, &cancel).unwrap();
            let sheet = chouette.sheet();
            assert_eq!(sheet.games.len(), 50);
            for game in sheet.games {
                assert_eq!(game.payments.iter().sum::<i64>(), 0);
                assert_eq!(game.accounts.iter().sum::<i64>(), 0);
            }
            // Doubles are taken and dropped, and the box goes round.
            let boxes: std::collections::HashSet<usize> =
                sheet.games.iter().map(|game| game.box_seat).collect();
            assert!(boxes.len() > 2, "{boxes:?}");
            assert!(sheet.games.iter().any(|game| game.payments.iter().any(|n| n.abs() > 4)));
            assert!(play_chouette(&mut chouette, &mut agents[..4], 1, 3, &cancel).is_err());
            cancel.store(true, Ordering::Relaxed);
            let stopped = play_chouette(&mut chouette, &mut agents, 1, 3, &cancel);
            assert!(stopped.unwrap_err().to_string().contains("after 0 games"));
        }
    }
}
