//! From the arguments that name a position and a roll to what they mean.

use tavola_games::AnyGame;
use tavola_rules::notation::Situation;
use tavola_rules::{Backgammon, Dice};

use crate::args::{PositionArgs, RollArgs};
use crate::failure::{Blame, Failure, Outcome};
use crate::query;

/// A position with what belongs to it.
#[derive(Clone, Debug)]
pub struct Question {
    /// The variant of backgammon.
    pub game: Backgammon,
    /// Checkers, and the dice, cube and score that are known.
    pub situation: Situation,
}

impl Question {
    /// The position of the arguments.
    pub fn new(args: &PositionArgs) -> Outcome<Self> {
        let AnyGame::Backgammon(game) = args.game else {
            return Err(Failure::input(format_args!(
                "this command does not know {}, expected backgammon or a variant of it",
                args.game
            )));
        };
        let situation = match &args.position {
            Some(text) => query::parse_position(text, game).or_input()?,
            None => Situation::from(game.start_position()),
        };
        Ok(Self { game, situation })
    }

    /// The same with the roll of the arguments in place of one that the position carries.
    pub fn with_roll(args: &PositionArgs, roll: &RollArgs) -> Outcome<Self> {
        let mut question = Self::new(args)?;
        if let Some(text) = &roll.roll {
            question.situation.dice = Some(text.parse().or_input()?);
        }
        Ok(question)
    }

    /// The roll, which the command can't do without.
    pub fn dice(&self) -> Outcome<Dice> {
        self.situation.dice.ok_or_else(|| {
            Failure::input("no roll is given, expected --roll 31 or a position that carries dice")
        })
    }
}
