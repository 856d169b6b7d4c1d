//! Chouette: one player, the box, against a team whose captain plays the checkers (BG-58 to BG-63).
//!
//! There are no new rules of movement. What differs is who sits where, who may turn which cube, and who
//! pays whom: [`Chouette`] keeps the seats and the accounts, a [`ChouetteGame`] the cubes of one
//! game. Members are numbered from 0 as they came.
//!
//! Where the sources are silent, this is the custom that was chosen:
//!
//! - A captain who drops goes to the end of the queue at once; the next member in order who still
//!   plays is captain.
//! - The game in which box and last captain are left decides who sits in the box next: the box stays
//!   if it wins it, and otherwise the captain takes its place and it goes to the end of the queue.
//!   A captain who loses it goes to the end.
//! - With cubes of their own, a member to whom the box drops has won and is out of that game; so is
//!   one who drops to the box.
//!
//! ```
//! use tavola_rules::{Chouette, ChouetteCubes, ChouetteSide, WinKind};
//!
//! // The box wins a gammon with the cube at 2 from three opponents: +12, and -4 for each.
//! let mut chouette = Chouette::new(4, ChouetteCubes::One)?;
//! let mut game = chouette.begin();
//! game.double(ChouetteSide::Team, None)?;
//! game.take(chouette.box_player())?;
//! game.win(ChouetteSide::Box, WinKind::Gammon)?;
//! chouette.record(&game)?;
//! assert_eq!(chouette.balances(), [12, -4, -4, -4]);
//! # Ok::<(), tavola_rules::ChouetteError>(())
//! ```

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::cube::{Cube, CubeOwner};
use crate::match_state::WinKind;

/// Whether the team shares a cube (BG-63).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChouetteCubes {
    /// One cube for the whole team; the captain decides.
    #[default]
    One,
    /// A cube between the box and each member.
    Individual,
}

/// The two sides of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChouetteSide {
    /// The one.
    Box,
    /// The others.
    Team,
}

impl ChouetteSide {
    /// The other side.
    #[must_use]
    pub const fn flip(self) -> Self {
        match self {
            Self::Box => Self::Team,
            Self::Team => Self::Box,
        }
    }
}

/// Why something can't be done in a chouette.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChouetteError {
    /// Two players have a game, not a chouette.
    #[error("{found} players, expected 3 to {}", Chouette::MOST_PLAYERS)]
    Players {
        /// Players asked for.
        found: usize,
    },
    /// The order does not name everybody once.
    #[error("the order does not name each of {players} players once")]
    Order {
        /// Players of the chouette.
        players: usize,
    },
    /// That player has no cube with the box now.
    #[error(
        "player {player} is not playing against the box, expected a member of the team in play"
    )]
    NotPlaying {
        /// His number.
        player: usize,
    },
    /// A single member of a team with one cube can't turn it.
    #[error(
        "player {player} doubles alone, but the team has one cube; expected the captain's double"
    )]
    OneCube {
        /// His number.
        player: usize,
    },
    /// The cube belongs to the other side, or can't go higher.
    #[error("the cube of player {player} is not the {side:?}'s to turn")]
    NotAvailable {
        /// The member whose cube it is.
        player: usize,
        /// Who wanted to turn it.
        side: ChouetteSide,
    },
    /// There is nothing to answer.
    #[error("player {player} answers a double that was not offered")]
    NothingOffered {
        /// His number.
        player: usize,
    },
    /// A double must be answered first.
    #[error("the double to player {player} waits for its answer")]
    OfferPending {
        /// Who has to answer.
        player: usize,
    },
    /// The game has ended, for everybody.
    #[error("the game is over")]
    GameOver,
    /// It has not.
    #[error("the game goes on, expected one that is over")]
    GameRunning,
    /// It belongs to another table.
    #[error("the game began with another order of players")]
    OtherTable,
}

/// How a member stands with the box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
enum Standing {
    /// They play, with this cube, seen by the member.
    Playing(Cube),
    /// A double by this side waits for the other's answer; the cube as before it.
    Offered(Cube, ChouetteSide),
    /// It is settled: the points that the member won from the box.
    Settled(i64),
}

/// The players of a chouette: who is in the box, who is captain, who is next, and what they have won.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chouette {
    cubes: ChouetteCubes,
    /// Box, captain, and the queue.
    order: Vec<usize>,
    balances: Vec<i64>,
    games: u32,
}

impl Chouette {
    /// More than a table holds.
    pub const MOST_PLAYERS: usize = 32;

    /// So many players, in the order of their numbers: 0 in the box, 1 captain.
    ///
    /// # Errors
    ///
    /// [`ChouetteError::Players`].
    pub fn new(players: usize, cubes: ChouetteCubes) -> Result<Self, ChouetteError> {
        Self::seated(&(0..players).collect::<Vec<_>>(), cubes)
    }

    /// The players in this order: box, captain, and the others as they come.
    ///
    /// # Errors
    ///
    /// [`ChouetteError::Players`], [`ChouetteError::Order`].
    pub fn seated(order: &[usize], cubes: ChouetteCubes) -> Result<Self, ChouetteError> {
        let players = order.len();
        if !(3..=Self::MOST_PLAYERS).contains(&players) {
            return Err(ChouetteError::Players { found: players });
        }
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if sorted.into_iter().ne(0..players) {
            return Err(ChouetteError::Order { players });
        }
        Ok(Self { cubes, order: order.to_vec(), balances: vec![0; players], games: 0 })
    }

    /// Everybody rolls for his seat: the highest is the box, the second captain, the rest follow;
    /// ties are rolled again among the tied (BG-59).
    ///
    /// # Errors
    ///
    /// [`ChouetteError::Players`].
    pub fn rolled(
        players: usize,
        cubes: ChouetteCubes,
        rng: &mut impl Rng,
    ) -> Result<Self, ChouetteError> {
        if !(3..=Self::MOST_PLAYERS).contains(&players) {
            return Err(ChouetteError::Players { found: players });
        }
        let all: Vec<usize> = (0..players).collect();
        Self::seated(&by_rolls(&all, &mut |_| rng.random_range(1..=6)), cubes)
    }

    /// Who plays against all others.
    pub fn box_player(&self) -> usize {
        self.order[0]
    }

    /// Who plays the checkers of the team.
    pub fn captain(&self) -> usize {
        self.order[1]
    }

    /// Box, captain, and the queue.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// What each player has won, by number, in stakes. The sum is zero.
    pub fn balances(&self) -> &[i64] {
        &self.balances
    }

    /// Games recorded.
    pub const fn games(&self) -> u32 {
        self.games
    }

    /// The next game.
    pub fn begin(&self) -> ChouetteGame {
        let standings = vec![Standing::Playing(Cube::START); self.order.len() - 1];
        ChouetteGame {
            cubes: self.cubes,
            began: self.order.clone(),
            team: self.order[1..].to_vec(),
            standings,
            decided: None,
        }
    }

    /// Settles a game that is over (BG-60) and moves the seats (BG-61).
    ///
    /// # Errors
    ///
    /// [`ChouetteError::GameRunning`], [`ChouetteError::OtherTable`].
    pub fn record(&mut self, game: &ChouetteGame) -> Result<(), ChouetteError> {
        if game.began != self.order {
            return Err(ChouetteError::OtherTable);
        }
        let Some((captain, winner)) = game.decided else {
            return Err(ChouetteError::GameRunning);
        };
        let old_box = self.order[0];
        for (player, points) in game.payments()? {
            self.balances[player] += points;
        }
        let mut queue: Vec<usize> =
            game.team.iter().copied().filter(|&player| player != captain).collect();
        let next_box = match winner {
            ChouetteSide::Box => {
                queue.push(captain);
                old_box
            }
            ChouetteSide::Team => {
                queue.push(old_box);
                captain
            }
        };
        self.order = [&[next_box], &queue[..]].concat();
        self.games += 1;
        Ok(())
    }
}

/// Players by their rolls, the highest first; the tied roll again among themselves.
fn by_rolls(players: &[usize], roll: &mut impl FnMut(usize) -> u8) -> Vec<usize> {
    let mut rolled: Vec<(u8, usize)> =
        players.iter().map(|&player| (roll(player), player)).collect();
    rolled.sort_by_key(|&(roll, _)| std::cmp::Reverse(roll));
    let mut order = Vec::with_capacity(players.len());
    for tied in rolled.chunk_by(|a, b| a.0 == b.0) {
        let tied: Vec<usize> = tied.iter().map(|&(_, player)| player).collect();
        match tied[..] {
            [single] => order.push(single),
            _ => order.extend(by_rolls(&tied, roll)),
        }
    }
    order
}

/// The cubes of one game of a chouette. Whose turn it is, and that cubes are turned before the roll,
/// is the business of whoever moves the checkers.
///
/// A method that returns an error has changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChouetteGame {
    cubes: ChouetteCubes,
    /// The order in which the game began: the box, then the members of `standings`.
    began: Vec<usize>,
    /// The team, the captain first, with those who dropped as captain at the end.
    team: Vec<usize>,
    standings: Vec<Standing>,
    /// The last captain, and who won between him and the box.
    decided: Option<(usize, ChouetteSide)>,
}

impl ChouetteGame {
    /// Who plays against the others.
    pub fn box_player(&self) -> usize {
        self.began[0]
    }

    /// Who plays the checkers of the team: the first in order who is still in the game; `None` when
    /// it is over.
    pub fn captain(&self) -> Option<usize> {
        self.team.iter().copied().find(|&player| self.is_playing(player))
    }

    /// The cube between the box and a member, seen by the member; `None` if he is not in the game.
    pub fn cube(&self, player: usize) -> Option<Cube> {
        match self.standing(player).ok()? {
            Standing::Playing(cube) | Standing::Offered(cube, _) => Some(cube),
            Standing::Settled(_) => None,
        }
    }

    /// Whether everybody's game is over.
    pub fn is_over(&self) -> bool {
        self.captain().is_none()
    }

    /// Whether a member still plays against the box.
    pub fn is_playing(&self, player: usize) -> bool {
        self.cube(player).is_some()
    }

    /// A side turns the cube: for the whole team, or between the box and one member (`None` and
    /// `Some`). With one cube only the former; with individual ones, `None` turns all that the side
    /// may turn.
    ///
    /// # Errors
    ///
    /// [`ChouetteError`]: after the game, while a double is open, a cube of the other side.
    pub fn double(&mut self, by: ChouetteSide, member: Option<usize>) -> Result<(), ChouetteError> {
        if self.is_over() {
            return Err(ChouetteError::GameOver);
        }
        let playing: Vec<usize> = self.playing().collect();
        let turnable = |&player: &usize| self.may_turn(by, player);
        let doubled: Vec<usize> = match (member, self.cubes) {
            (Some(player), ChouetteCubes::One) => return Err(ChouetteError::OneCube { player }),
            (Some(player), ChouetteCubes::Individual) => vec![player],
            (None, ChouetteCubes::One) => playing,
            (None, ChouetteCubes::Individual) => {
                let some: Vec<usize> = playing.iter().copied().filter(turnable).collect();
                if some.is_empty() { playing } else { some }
            }
        };
        for &player in &doubled {
            if let Standing::Offered(..) = self.standing(player)? {
                return Err(ChouetteError::OfferPending { player });
            }
            if !self.is_playing(player) {
                return Err(ChouetteError::NotPlaying { player });
            }
            if !self.may_turn(by, player) {
                return Err(ChouetteError::NotAvailable { player, side: by });
            }
        }
        for player in doubled {
            if let Standing::Playing(cube) = self.standing(player)? {
                *self.standing_mut(player)? = Standing::Offered(cube, by);
            }
        }
        Ok(())
    }

    /// A player takes what was offered to him: a member the box's double, the box the team's. The
    /// box takes all that are open to it.
    ///
    /// # Errors
    ///
    /// [`ChouetteError::NothingOffered`], [`ChouetteError::NotPlaying`].
    pub fn take(&mut self, player: usize) -> Result<(), ChouetteError> {
        for member in self.offered_to(player)? {
            if let Standing::Offered(cube, by) = self.standing(member)? {
                let owner = match by {
                    ChouetteSide::Box => CubeOwner::Player,
                    ChouetteSide::Team => CubeOwner::Opponent,
                };
                let cube = Cube::new(cube.exponent() + 1, owner)
                    .expect("a double that may be offered has a cube to turn");
                *self.standing_mut(member)? = Standing::Playing(cube);
            }
        }
        Ok(())
    }

    /// A player drops what was offered to him: he pays the value before the double and that game is
    /// over; the box drops to all that are open to it. If the captain drops, the next is captain.
    ///
    /// # Errors
    ///
    /// [`ChouetteError::NothingOffered`], [`ChouetteError::NotPlaying`].
    pub fn drop_offer(&mut self, player: usize) -> Result<(), ChouetteError> {
        let members = self.offered_to(player)?;
        let winner = match player == self.box_player() {
            true => ChouetteSide::Team,
            false => ChouetteSide::Box,
        };
        let captain = self.captain();
        for &member in &members {
            if let Standing::Offered(cube, _) = self.standing(member)? {
                self.settle(member, winner, i64::from(cube.value()));
            }
        }
        if captain == Some(player) && self.captain().is_some() {
            // He has given up the captaincy with the game.
            self.team.retain(|&other| other != player);
            self.team.push(player);
        }
        self.note_end(captain, winner);
        Ok(())
    }

    /// The box, one of whose opponents' doubles alone it wants to answer, takes or drops that one.
    ///
    /// # Errors
    ///
    /// [`ChouetteError::NothingOffered`] unless that member has doubled the box,
    /// [`ChouetteError::OneCube`] where the team has one cube.
    pub fn box_answers(&mut self, member: usize, reply: BoxReply) -> Result<(), ChouetteError> {
        if self.cubes == ChouetteCubes::One {
            return Err(ChouetteError::OneCube { player: member });
        }
        let Standing::Offered(cube, ChouetteSide::Team) = self.standing(member)? else {
            return Err(ChouetteError::NothingOffered { player: self.box_player() });
        };
        match reply {
            BoxReply::Take => {
                let cube = Cube::new(cube.exponent() + 1, CubeOwner::Opponent)
                    .expect("a double that may be offered has a cube to turn");
                *self.standing_mut(member)? = Standing::Playing(cube);
            }
            BoxReply::Drop => {
                let captain = self.captain();
                self.settle(member, ChouetteSide::Team, i64::from(cube.value()));
                self.note_end(captain, ChouetteSide::Team);
            }
        }
        Ok(())
    }

    /// A side has borne off its last checker.
    ///
    /// # Errors
    ///
    /// [`ChouetteError::GameOver`], [`ChouetteError::OfferPending`].
    pub fn win(&mut self, winner: ChouetteSide, win: WinKind) -> Result<(), ChouetteError> {
        let captain = self.captain().ok_or(ChouetteError::GameOver)?;
        for (player, standing) in self.members() {
            if let Standing::Offered(_, by) = standing {
                let player = if by == ChouetteSide::Box { player } else { self.box_player() };
                return Err(ChouetteError::OfferPending { player });
            }
        }
        for player in self.playing().collect::<Vec<_>>() {
            let cube = self.cube(player).expect("who plays has a cube");
            self.settle(player, winner, i64::from(cube.value() * win.multiplier()));
        }
        self.decided = Some((captain, winner));
        Ok(())
    }

    /// What each player gets, by number, the box included. The sum is zero.
    ///
    /// # Errors
    ///
    /// [`ChouetteError::GameRunning`].
    pub fn payments(&self) -> Result<Vec<(usize, i64)>, ChouetteError> {
        let mut payments = Vec::with_capacity(self.began.len());
        let mut paid_by_box = 0;
        for (player, standing) in self.members() {
            let Standing::Settled(points) = standing else {
                return Err(ChouetteError::GameRunning);
            };
            paid_by_box += points;
            payments.push((player, points));
        }
        payments.insert(0, (self.box_player(), -paid_by_box));
        Ok(payments)
    }

    fn members(&self) -> impl Iterator<Item = (usize, Standing)> + '_ {
        self.began[1..].iter().copied().zip(self.standings.iter().copied())
    }

    fn playing(&self) -> impl Iterator<Item = usize> + '_ {
        self.began[1..].iter().copied().filter(|&player| self.is_playing(player))
    }

    fn index(&self, player: usize) -> Result<usize, ChouetteError> {
        let member = self.began[1..].iter().position(|&other| other == player);
        member.ok_or(ChouetteError::NotPlaying { player })
    }

    fn standing(&self, player: usize) -> Result<Standing, ChouetteError> {
        Ok(self.standings[self.index(player)?])
    }

    fn standing_mut(&mut self, player: usize) -> Result<&mut Standing, ChouetteError> {
        let index = self.index(player)?;
        Ok(&mut self.standings[index])
    }

    fn may_turn(&self, by: ChouetteSide, player: usize) -> bool {
        self.cube(player).is_some_and(|cube| {
            let own = match by {
                ChouetteSide::Team => cube,
                ChouetteSide::Box => cube.flip(),
            };
            own.doubled().is_some()
        })
    }

    /// The members whose cubes a player has to answer for.
    fn offered_to(&self, player: usize) -> Result<Vec<usize>, ChouetteError> {
        let members: Vec<usize> = if player == self.box_player() {
            let by_team = |standing| matches!(standing, Standing::Offered(_, ChouetteSide::Team));
            self.members().filter(|&(_, s)| by_team(s)).map(|(member, _)| member).collect()
        } else {
            match self.standing(player)? {
                Standing::Offered(_, ChouetteSide::Box) => vec![player],
                _ => Vec::new(),
            }
        };
        if members.is_empty() { Err(ChouetteError::NothingOffered { player }) } else { Ok(members) }
    }

    fn settle(&mut self, player: usize, winner: ChouetteSide, points: i64) {
        let signed = if winner == ChouetteSide::Team { points } else { -points };
        if let Ok(standing) = self.standing_mut(player) {
            *standing = Standing::Settled(signed);
        }
    }

    /// If nobody plays any more, the last captain's result decides the seats.
    fn note_end(&mut self, captain: Option<usize>, winner: ChouetteSide) {
        if let Some(captain) = captain.filter(|_| self.is_over()) {
            self.decided = Some((captain, winner));
        }
    }
}

/// How the box answers a member's double.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoxReply {
    /// It plays on for twice the value.
    Take,
    /// It pays that member.
    Drop,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_roll_is_the_box_and_the_tied_roll_again() {
        // 0 and 2 tie with 5, then 2 throws higher; 1 and 3 tie twice.
        let mut rolls = [5, 2, 5, 2, 6, 1, 6, 4, 3, 3, 1, 2].into_iter();
        let mut first = Vec::new();
        let order = by_rolls(&[0, 1, 2, 3, 4], &mut |player| {
            first.push(player);
            rolls.next().unwrap()
        });
        assert_eq!(order[0], 4, "the only 6");
        assert_eq!(order[1..3], [2, 0], "1 against 6");
        assert_eq!(order[3..], [1, 3], "4 against 3");
        assert_eq!(first, [0, 1, 2, 3, 4, 0, 2, 1, 3]);
    }
}
