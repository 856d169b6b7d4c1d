//! The chouette: one player, the box, against a team that a captain leads.
//!
//! A game of it is a set of money games that share dice and checkers: a [`GameState`] for each
//! member of the team, in which [`Player::One`] is the box. [`ChouetteGame`] keeps these in step, and
//! [`Chouette`] keeps the order of the players, the accounts and the score sheet. Neither knows
//! checkers, so both serve every way of playing them.
//!
//! ```
//! use tavola_rules::chouette::{Chouette, ChouetteRules};
//! use tavola_rules::{OpeningThrow, Player, WinKind};
//!
//! let names = ["Ann", "Ben", "Cleo", "Dan"].map(str::to_owned).to_vec();
//! let mut chouette = Chouette::new(ChouetteRules::default(), names, vec![0, 1, 2, 3])?;
//! let throw = OpeningThrow { starter: Player::Two, dice: "31".parse()?, ties: 0 };
//! let mut game = chouette.begin_game(&throw)?;
//! game.end_turn()?; // Ben, the captain, has played 3-1
//! game.double(&[1, 2, 3])?; // Ann, the box, doubles
//! game.drop_offer(&[3])?; // Dan pays one point and is out
//! game.take(&[1, 2])?;
//! game.roll()?;
//! game.win(WinKind::Gammon)?; // Ann wins a gammon
//! assert_eq!(chouette.record(&game)?.payments, [9, -4, -4, -1]);
//! assert_eq!(chouette.order(), [0, 2, 3, 1]); // Ann stays, Cleo is captain
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod sheet;
mod terms;
#[cfg(test)]
mod tests;

use rand::{Rng, RngExt};
use serde::Serialize;

pub use self::sheet::ScoreSheet;
pub use self::terms::{BoxPasses, ChouetteRules, Extras, TeamCubes};
use crate::game_state::{ActionError, GameState};
use crate::match_state::{GameResult, Player, WinKind};
use crate::options::OpeningThrow;
use crate::session::{Session, SessionError};

/// The fewest players: a box and a team of two.
pub const FEWEST: usize = 3;

/// How seats follow each other by the dice, the highest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DiceOrder {
    /// The seats, in their order.
    pub seats: Vec<usize>,
    /// What each seat threw: those who tied threw again among themselves.
    pub throws: Vec<Vec<u8>>,
}

impl DiceOrder {
    /// A die of `sides` sides for each of `seats`, until no two have thrown the same.
    pub fn throw(seats: usize, sides: u8, rng: &mut impl Rng) -> Self {
        let mut throws = vec![Vec::new(); seats];
        loop {
            let tied: Vec<usize> = (0..seats)
                .filter(|&seat| {
                    (0..seats).any(|other| other != seat && throws[other] == throws[seat])
                })
                .collect();
            if tied.is_empty() {
                break;
            }
            for seat in tied {
                throws[seat].push(rng.random_range(1..=sides));
            }
        }
        let mut order: Vec<usize> = (0..seats).collect();
        order.sort_by(|&a, &b| throws[b].cmp(&throws[a]));
        Self { seats: order, throws }
    }
}

/// Why something is impossible in a chouette. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChouetteError {
    /// Too few players.
    #[error("{found} players, expected at least {FEWEST} for a box and a team")]
    TooFew {
        /// How many there are.
        found: usize,
    },
    /// The order is not one of the players.
    #[error("{found:?} is not an order of {players} players, expected each seat from 0 once")]
    Order {
        /// What was given.
        found: Vec<usize>,
        /// How many players there are.
        players: usize,
    },
    /// There is no such member, or the member is out of this game.
    #[error("seat {seat} is not in the game, expected one of {running:?}")]
    NotRunning {
        /// The seat.
        seat: usize,
        /// The members that play on.
        running: Vec<usize>,
    },
    /// The one cube is turned for the whole team, and the box answers it for all.
    #[error("seats {found:?} are given, expected {running:?}: the team has one cube")]
    OneCube {
        /// The seats.
        found: Vec<usize>,
        /// The members that play on.
        running: Vec<usize>,
    },
    /// There is no such extra to give.
    #[error("seat {giver} can't give seat {taker} an extra, expected {expected:?}")]
    Extra {
        /// Who gives.
        giver: usize,
        /// Who takes.
        taker: usize,
        /// The givers and takers that are left.
        expected: Vec<(usize, usize)>,
    },
    /// The rules of the game between the box and a member forbid it.
    #[error("seat {seat} against the box: {reason}")]
    Action {
        /// The member.
        seat: usize,
        /// Why.
        reason: ActionError,
    },
    /// The options of money play.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The game goes on, or is one of another order of players.
    #[error("the game is not a finished one of this chouette, expected its last game at its end")]
    OtherGame,
}

/// The game of a member against the box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MemberGame {
    /// The seat of the member.
    pub seat: usize,
    /// Cube and turn; [`Player::One`] is the box.
    pub game: GameState,
}

/// A bet of a member who has dropped against one who has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Extra {
    /// The seat that has dropped, and stands by the box now.
    pub giver: usize,
    /// The seat that has taken.
    pub taker: usize,
    /// What the giver has paid for it.
    pub paid: u32,
}

/// One running game of a chouette without its checkers.
///
/// A method that returns an error has changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChouetteGame {
    cubes: TeamCubes,
    extras_rule: Extras,
    box_seat: usize,
    /// In the order of the team.
    team: Vec<MemberGame>,
    /// The captain, or the last one.
    captain: usize,
    /// The result of the game that ended last.
    last: Option<GameResult>,
    /// Who has taken a double of the box in this turn.
    takers: Vec<usize>,
    /// Who has dropped one in this turn, and may still give an extra.
    droppers: Vec<usize>,
    extras: Vec<Extra>,
}

impl ChouetteGame {
    /// How many cubes are on the table.
    pub const fn cubes(&self) -> TeamCubes {
        self.cubes
    }

    /// The seat of the box.
    pub const fn box_seat(&self) -> usize {
        self.box_seat
    }

    /// Every member's game against the box, in the order of the team.
    pub fn team(&self) -> &[MemberGame] {
        &self.team
    }

    /// The members that play on, the captain first.
    pub fn running(&self) -> Vec<usize> {
        let running = self.team.iter().filter(|member| member.game.result().is_none());
        running.map(|member| member.seat).collect()
    }

    /// Who moves the team's checkers: the first member that plays on, or played to the end.
    pub const fn captain(&self) -> usize {
        self.captain
    }

    /// The game of a member that plays on; all of them share turn and dice.
    pub fn game_of(&self, seat: usize) -> Option<&GameState> {
        let is_it = |member: &&MemberGame| member.seat == seat && member.game.result().is_none();
        self.team.iter().find(is_it).map(|member| &member.game)
    }

    /// Whose turn it is, [`Player::One`] for the box; `None` when the game is over.
    pub fn on_roll(&self) -> Option<Player> {
        self.game_of(self.captain).map(GameState::on_roll)
    }

    /// What a seat has won so far in this game; the sum over all is 0.
    pub fn payment(&self, seat: usize) -> i64 {
        let of_member = |member: &MemberGame| match member.game.result() {
            Some(GameResult { winner: Player::One, points, .. }) => -i64::from(points),
            Some(GameResult { winner: Player::Two, points, .. }) => i64::from(points),
            None => 0,
        };
        let of_seat = |seat| self.team.iter().filter(move |member| member.seat == seat);
        let against_box: i64 = match seat == self.box_seat {
            true => -self.team.iter().map(of_member).sum::<i64>(),
            false => of_seat(seat).map(of_member).sum(),
        };
        let of_extra = |extra: &Extra| {
            let won = of_seat(extra.taker).map(of_member).sum::<i64>() + i64::from(extra.paid);
            match seat {
                _ if seat == extra.taker => won,
                _ if seat == extra.giver => -won,
                _ => 0,
            }
        };
        against_box + self.extras.iter().map(of_extra).sum::<i64>()
    }

    /// The extras of this game.
    pub fn extras(&self) -> &[Extra] {
        &self.extras
    }

    /// Whether the only taker must take the extras that are given.
    pub fn extras_are_mandatory(&self) -> bool {
        self.extras_rule == Extras::Mandatory
    }

    /// The extras that may be given before the roll: who has dropped, and the only taker.
    pub fn open_extras(&self) -> Vec<(usize, usize)> {
        let &[taker] = &self.takers[..] else { return Vec::new() };
        // All cubes have been answered, and no other member plays on at an earlier value.
        let is_alone = self.running() == [taker];
        let is_open = is_alone && self.extras_rule != Extras::Off;
        self.droppers.iter().filter(|_| is_open).map(|&giver| (giver, taker)).collect()
    }

    /// A member who has dropped gives an extra to the only taker, who takes it.
    ///
    /// # Errors
    ///
    /// [`ChouetteError::Extra`].
    pub fn extra(&mut self, giver: usize, taker: usize) -> Result<(), ChouetteError> {
        let expected = self.open_extras();
        let cube = self.game_of(taker).map(GameState::cube);
        let Some(cube) = cube.filter(|_| expected.contains(&(giver, taker))) else {
            return Err(ChouetteError::Extra { giver, taker, expected });
        };
        self.extras.push(Extra { giver, taker, paid: cube.value() / 2 });
        self.droppers.retain(|&seat| seat != giver);
        Ok(())
    }

    /// The side on roll turns the cube of these members: the box offers to each of them, or they
    /// offer to the box. The one cube is turned for all that play on.
    ///
    /// # Errors
    ///
    /// [`ChouetteError::NotRunning`], [`ChouetteError::OneCube`], [`ChouetteError::Action`].
    pub fn double(&mut self, seats: &[usize]) -> Result<(), ChouetteError> {
        self.check_one_cube(seats)?;
        self.act(seats, GameState::double)
    }

    /// The cubes of these members are taken, by each of them or by the box.
    ///
    /// # Errors
    ///
    /// As [`double`](Self::double).
    pub fn take(&mut self, seats: &[usize]) -> Result<(), ChouetteError> {
        let by_members = self.check_answer(seats)?;
        self.act(seats, GameState::take)?;
        self.takers.extend(seats.iter().filter(|_| by_members));
        Ok(())
    }

    /// The cubes of these members are dropped, by each of them or by the box: their games are over,
    /// and they may only advise.
    ///
    /// # Errors
    ///
    /// As [`double`](Self::double).
    pub fn drop_offer(&mut self, seats: &[usize]) -> Result<(), ChouetteError> {
        let by_members = self.check_answer(seats)?;
        self.act(seats, GameState::drop_offer)?;
        self.droppers.extend(seats.iter().filter(|_| by_members));
        Ok(())
    }

    /// The offered cubes of these members are turned once more at once, where each has one and the
    /// options allow it.
    ///
    /// # Errors
    ///
    /// As [`double`](Self::double).
    pub fn beaver(&mut self, seats: &[usize]) -> Result<(), ChouetteError> {
        self.check_one_cube(seats)?;
        self.act(seats, GameState::beaver)
    }

    /// The side on roll rolls; all offers have been answered.
    ///
    /// # Errors
    ///
    /// [`ChouetteError::Action`].
    pub fn roll(&mut self) -> Result<(), ChouetteError> {
        self.act(&self.running(), GameState::roll)?;
        self.takers.clear();
        self.droppers.clear();
        Ok(())
    }

    /// The side on roll has moved.
    ///
    /// # Errors
    ///
    /// [`ChouetteError::Action`].
    pub fn end_turn(&mut self) -> Result<(), ChouetteError> {
        self.act(&self.running(), GameState::end_turn)
    }

    /// The side on roll has borne off its last checker.
    ///
    /// # Errors
    ///
    /// [`ChouetteError::Action`].
    pub fn win(&mut self, win: WinKind) -> Result<(), ChouetteError> {
        self.act(&self.running(), |game| game.win(win).map(drop))
    }

    /// The one cube is turned for all, and the box answers it for all.
    fn check_one_cube(&self, seats: &[usize]) -> Result<(), ChouetteError> {
        let running = self.running();
        let is_all =
            running.len() == seats.len() && running.iter().all(|seat| seats.contains(seat));
        if self.cubes == TeamCubes::One && !is_all {
            return Err(ChouetteError::OneCube { found: seats.to_vec(), running });
        }
        Ok(())
    }

    /// Members answer a double of the box each for themselves, and the box answers for all. Gives
    /// whether members answer.
    fn check_answer(&self, seats: &[usize]) -> Result<bool, ChouetteError> {
        let answers = seats.first().and_then(|&seat| self.game_of(seat)?.to_act());
        match answers {
            Some(Player::One) => self.check_one_cube(seats).map(|()| false),
            _ => Ok(true),
        }
    }

    fn act(
        &mut self,
        seats: &[usize],
        act: impl Fn(&mut GameState) -> Result<(), ActionError>,
    ) -> Result<(), ChouetteError> {
        let running = self.running();
        let mut next = self.clone();
        for &seat in seats {
            let member = next.team.iter_mut().find(|member| member.seat == seat);
            let Some(member) = member.filter(|_| running.contains(&seat)) else {
                return Err(ChouetteError::NotRunning { seat, running });
            };
            act(&mut member.game).map_err(|reason| ChouetteError::Action { seat, reason })?;
            next.last = member.game.result().or(next.last);
        }
        if let Some(&captain) = next.running().first() {
            next.captain = captain;
        }
        *self = next;
        Ok(())
    }

    /// Who has won at the board, once no member plays on.
    fn winner(&self) -> Option<Player> {
        self.last.filter(|_| self.running().is_empty()).map(|result| result.winner)
    }
}

/// A finished game as the score sheet has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SettledGame {
    /// The seat of the box.
    pub box_seat: usize,
    /// The captain at the end.
    pub captain: usize,
    /// What each seat has won or, below zero, paid; the sum is 0.
    pub payments: Vec<i64>,
    /// The accounts after it; the sum is 0.
    pub accounts: Vec<i64>,
}

/// A chouette: players by seat, their order, accounts, and the games so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chouette {
    rules: ChouetteRules,
    session: Session,
    names: Vec<String>,
    /// Seats: the box, the captain, and those in line.
    order: Vec<usize>,
    games: Vec<SettledGame>,
}

impl Chouette {
    /// A chouette of these players; `order` has their seats, the box first and the captain second,
    /// as [`DiceOrder`] finds them.
    ///
    /// # Errors
    ///
    /// [`ChouetteError::TooFew`], [`ChouetteError::Order`], [`ChouetteError::Session`].
    pub fn new(
        rules: ChouetteRules,
        names: Vec<String>,
        order: Vec<usize>,
    ) -> Result<Self, ChouetteError> {
        let players = names.len();
        if players < FEWEST {
            return Err(ChouetteError::TooFew { found: players });
        }
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..players) {
            return Err(ChouetteError::Order { found: order, players });
        }
        let session = Session::money(&rules.money)?;
        Ok(Self { rules, session, names, order, games: Vec::new() })
    }

    /// What it is played by.
    pub const fn rules(&self) -> &ChouetteRules {
        &self.rules
    }

    /// The seats: the box, the captain, and those in line behind.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// What each seat has won in sum; the sum over all is 0.
    pub fn accounts(&self) -> Vec<i64> {
        let mut accounts = self.games.last().map(|game| game.accounts.clone()).unwrap_or_default();
        accounts.resize(self.names.len(), 0);
        accounts
    }

    /// A player joins between two games, at the end of the line; gives the seat.
    pub fn join(&mut self, name: String) -> usize {
        self.names.push(name);
        let seat = self.names.len() - 1;
        self.order.push(seat);
        seat
    }

    /// A player leaves between two games; the account stays on the sheet. Behind a box that leaves
    /// the captain is box.
    ///
    /// # Errors
    ///
    /// [`ChouetteError::NotRunning`] for a seat that does not play, [`ChouetteError::TooFew`].
    pub fn leave(&mut self, seat: usize) -> Result<(), ChouetteError> {
        if !self.order.contains(&seat) {
            return Err(ChouetteError::NotRunning { seat, running: self.order.clone() });
        }
        if self.order.len() == FEWEST {
            return Err(ChouetteError::TooFew { found: FEWEST - 1 });
        }
        self.order.retain(|&other| other != seat);
        Ok(())
    }

    /// The next game, with the opening roll on the table; [`Player::One`] is the box.
    ///
    /// # Errors
    ///
    /// [`ChouetteError::Session`].
    pub fn begin_game(&self, throw: &OpeningThrow) -> Result<ChouetteGame, ChouetteError> {
        let (&box_seat, team) = self.order.split_first().expect("there are three at least");
        let member = |&seat: &usize| Ok(MemberGame { seat, game: self.session.begin_game(throw)? });
        let members = team.iter().map(member).collect::<Result<Vec<_>, SessionError>>()?;
        Ok(ChouetteGame {
            cubes: self.rules.cubes,
            extras_rule: self.rules.extras,
            box_seat,
            team: members,
            captain: team[0],
            last: None,
            takers: Vec::new(),
            droppers: Vec::new(),
            extras: Vec::new(),
        })
    }

    /// Settles a finished game and passes box and captaincy on: a box that has won
    /// stays and the captain goes to the end of the line; a box that has lost goes there and the
    /// captain is box.
    ///
    /// # Errors
    ///
    /// [`ChouetteError::OtherGame`].
    pub fn record(&mut self, game: &ChouetteGame) -> Result<&SettledGame, ChouetteError> {
        let of_game =
            std::iter::once(game.box_seat).chain(game.team.iter().map(|member| member.seat));
        let Some(winner) = game.winner().filter(|_| of_game.eq(self.order.iter().copied())) else {
            return Err(ChouetteError::OtherGame);
        };
        let payments: Vec<i64> = (0..self.names.len()).map(|seat| game.payment(seat)).collect();
        let accounts = self.accounts().iter().zip(&payments).map(|(a, b)| a + b).collect();
        let stays = match self.rules.box_passes {
            BoxPasses::ByBoard => winner == Player::One,
            BoxPasses::ByBalance => payments[game.box_seat] >= 0,
        };
        // The end of the line is for the captain who began the game, or for the box.
        let (to_front, to_back) = match stays {
            true => (game.box_seat, game.team[0].seat),
            false => (game.captain, game.box_seat),
        };
        self.order.retain(|&seat| seat != to_front && seat != to_back);
        self.order.insert(0, to_front);
        self.order.push(to_back);
        let (box_seat, captain) = (game.box_seat, game.captain);
        self.games.push(SettledGame { box_seat, captain, payments, accounts });
        Ok(self.games.last().expect("one was pushed"))
    }

    /// The score sheet.
    pub fn sheet(&self) -> ScoreSheet<'_> {
        ScoreSheet {
            players: &self.names,
            rules: &self.rules,
            order: &self.order,
            games: &self.games,
            accounts: self.accounts(),
        }
    }
}
