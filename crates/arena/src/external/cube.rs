//! What an engine is asked where there is a cube.

use std::fmt::Write as _;

use tavola_rules::notation::encode_position_id;
use tavola_rules::{Backgammon, Beavers, CubeOwner, Offer, Position, WinKind};

use super::{CUBE, EngineError, ExternalAgent};
use tavola_play::Situation;
use tavola_play::{AgentError, Decision};
use tavola_play::{BeforeRoll, CubeAgent, CubeReply, ResignReply, TableView, most_to_lose};

/// What the game is played for, seen by the player on roll: the words after a question.
fn terms(view: &TableView<'_>) -> String {
    let owner = match view.cube.owner() {
        CubeOwner::Center => "center",
        CubeOwner::Player => "player",
        CubeOwner::Opponent => "opponent",
    };
    let mut words = format!(" {CUBE} {} {owner}", view.cube.value());
    let written = match view.score {
        Some(score) => {
            let crawford = if score.is_crawford() { " crawford" } else { "" };
            let (player, opponent) = (score.player(), score.opponent());
            write!(words, " match {} {player} {opponent}{crawford}", score.length())
        }
        None => {
            let jacoby = if view.options.jacoby { " jacoby" } else { "" };
            let beavers = match view.options.beavers {
                Beavers::Off => "",
                Beavers::Beavers => " beavers",
                Beavers::Raccoons => " raccoons",
            };
            write!(words, " money{jacoby}{beavers}")
        }
    };
    written.expect("a string takes whatever is written");
    words
}

fn reported(error: EngineError) -> AgentError {
    AgentError(error.to_string())
}

/// The engine is not asked about resignations: it never resigns, and accepts nothing less than the
/// [most that can be lost](most_to_lose).
impl CubeAgent for ExternalAgent {
    fn before_roll(
        &mut self,
        view: &TableView<'_>,
        position: &Position,
    ) -> Result<BeforeRoll, AgentError> {
        if view.stakes.may_double(view.cube).is_err() {
            return Ok(BeforeRoll::Roll);
        }
        let request = format!("double {}{}", encode_position_id(position), terms(view));
        self.ask(&request, |answer| match answer {
            "double yes" => Ok(BeforeRoll::Double),
            "double no" => Ok(BeforeRoll::Roll),
            _ => Err("\"double yes\" or \"double no\""),
        })
        .map_err(reported)
    }

    fn answer(
        &mut self,
        view: &TableView<'_>,
        position: &Position,
        offer: Offer,
    ) -> Result<CubeReply, AgentError> {
        let request = format!("answer {} {offer}{}", encode_position_id(position), terms(view));
        self.ask(&request, |answer| match answer {
            "answer take" => Ok(CubeReply::Take),
            "answer drop" => Ok(CubeReply::Drop),
            "answer turn" => Ok(CubeReply::Turn),
            _ => Err("\"answer take\", \"answer drop\" or \"answer turn\""),
        })
        .map_err(reported)
    }

    fn answer_resignation(
        &mut self,
        _: &TableView<'_>,
        position: &Position,
        offered: WinKind,
    ) -> Result<ResignReply, AgentError> {
        let enough = offered >= most_to_lose(position);
        Ok(if enough { ResignReply::Accept } else { ResignReply::Refuse })
    }

    fn play(
        &mut self,
        view: &TableView<'_>,
        situation: &Situation<'_, Backgammon>,
    ) -> Result<Decision, AgentError> {
        let index = self.index(situation, &terms(view)).map_err(reported)?;
        Ok(Decision { index, probs: None, choice: tavola_data::Choice::Best })
    }

    fn fork(&self) -> Box<dyn CubeAgent> {
        Box::new(self.another())
    }
}
