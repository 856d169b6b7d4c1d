//! The exact game: positions, dice, plays, results, cube and match rules, notations.

pub mod backgammon;
pub mod board;
pub mod cube;
pub mod dice;
pub mod game;
pub mod match_state;
pub mod movegen;
pub mod moves;
pub mod notation;
pub mod options;
pub mod outcome;
pub mod perft;
pub mod position;

pub use backgammon::Backgammon;
pub use cube::{
    Action, ActionError, CenteredFace, Cube, CubeError, CubeOwner, GameState, Offer, Phase,
    Resignation,
};
pub use dice::Dice;
pub use game::{Cell, CellKind, Game};
pub use match_state::{
    AfterGame, CubeUse, Ending, GameResult, MatchPhase, MatchScore, MatchScoreError, Player,
    Session, SessionError, WinKind,
};
pub use moves::{Play, Step};
pub use options::{Beavers, Opening, OpeningThrow, Options, OptionsError};
pub use outcome::Outcome;
pub use position::Position;
