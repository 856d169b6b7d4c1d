//! What a page asks of a game beyond what programs ask: phases, and boards with plays on them.

use tavola_evaluator::NetEvaluator;
use tavola_games::{PlayableGame, Tables};
use tavola_net::Weights;
use tavola_rules::board::Theme;
use tavola_rules::notation::{Form, Situation};
use tavola_rules::{Backgammon, moves};

use crate::failure::{Blame, Outcome};
use crate::judge::Judge;

/// The colours of a board on a page, light or dark: its own paper lies under it.
const THEME: Theme = Theme { background: "#f6f0e4", ..Theme::WOOD };

/// The arrows of the plays of A and B, in colours that people with any kind of colour vision tell
/// apart (Okabe and Ito 2008, "Color Universal Design").
const ARROWS: [&str; 2] = ["#0072b2", "#d55e00"];

/// A game whose networks can be profiled.
pub trait Pictured: PlayableGame {
    /// The network of these weights, which errors call `name`.
    fn network(&self, weights: &Weights, name: &str) -> Outcome<NetEvaluator<Self>>;

    /// The position and the roll as a text that commands read, as far as the notation goes.
    fn identify(&self, state: &Self::State, roll: Self::Roll) -> String;

    /// The board as SVG, where it can be done with arrows for these plays, each given by its
    /// result.
    fn picture(&self, state: &Self::State, roll: Self::Roll, plays: &[Self::State]) -> String;
}

impl Pictured for Backgammon {
    fn network(&self, weights: &Weights, name: &str) -> Outcome<NetEvaluator<Self>> {
        let judge = Judge::new(weights, name)?;
        if let Some(warning) = judge.suits(*self)? {
            crate::report::warning::warn(&warning);
        }
        Ok(judge.evaluator)
    }

    fn identify(&self, state: &Self::State, roll: Self::Roll) -> String {
        let situation = Situation { dice: Some(roll), ..Situation::from(*state) };
        Form::Xgid.write(&situation).expect("no cube and no score are too large to be written")
    }

    fn picture(&self, state: &Self::State, roll: Self::Roll, plays: &[Self::State]) -> String {
        let situation = Situation { dice: Some(roll), ..Situation::from(*state) };
        let plays = plays.iter().filter_map(|result| moves::play_to(state, roll, result));
        self.board_view(&situation, &plays.zip(ARROWS).collect::<Vec<_>>()).svg(&THEME)
    }
}

impl Pictured for Tables {
    fn network(&self, weights: &Weights, name: &str) -> Outcome<NetEvaluator<Self>> {
        NetEvaluator::new(weights, self.clone()).or_input_in(format_args!("cannot use {name}"))
    }

    fn identify(&self, state: &Self::State, _: Self::Roll) -> String {
        self.write_state(state)
    }

    fn picture(&self, state: &Self::State, roll: Self::Roll, _: &[Self::State]) -> String {
        self.board(state, Some(roll)).svg(&Theme::default())
    }
}
