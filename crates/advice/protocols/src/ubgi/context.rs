//! What a session has said about the game: position, dice, score, cube.
//!
//! The protocol names the players `p0` and `p1`, in every turn; everything else of the
//! project is seen from the player on roll. This module is where the two meet.

use tavola_rules::notation::{self, NotationError, Situation, Xgid, XgidSeat, read_situation};
use tavola_rules::{Backgammon, Cube, CubeOwner, Dice, MatchScore, Offer, Player, Position};

use super::command::{Notation, player};
use super::refusal::{Fault, Refusal, refused};

/// The most points of a match.
pub(super) const LONGEST_MATCH: u16 = 255;

/// What was said so far.
#[derive(Clone, Debug)]
pub(super) struct Context {
    pub(super) position: Option<Position>,
    pub(super) dice: Option<Dice>,
    pub(super) offer: Option<Offer>,
    /// The player on roll; p0 is player one.
    pub(super) turn: Player,
    pub(super) is_match: bool,
    pub(super) length: u16,
    pub(super) score: [u16; 2],
    pub(super) crawford: bool,
    pub(super) jacoby: bool,
    pub(super) beavers: bool,
    pub(super) cube_value: u32,
    pub(super) cube_owner: Option<Player>,
}

impl Default for Context {
    /// Nothing but money play with a centered cube.
    fn default() -> Self {
        Self {
            position: None,
            dice: None,
            offer: None,
            turn: Player::One,
            is_match: false,
            length: 1,
            score: [0, 0],
            crawford: false,
            jacoby: false,
            beavers: false,
            cube_value: 1,
            cube_owner: None,
        }
    }
}

/// `on` or `off`, and the words that other programs write.
pub(super) fn flag(text: &str) -> Result<bool, Refusal> {
    match text {
        "on" | "true" | "1" => Ok(true),
        "off" | "false" | "0" => Ok(false),
        _ => Err(refused(format_args!("{text:?}, expected on or off"))),
    }
}

/// A number in this range.
pub(super) fn number(text: &str, least: u16, most: u16) -> Result<u16, Refusal> {
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number
        .ok_or_else(|| refused(format_args!("{text:?}, expected a number from {least} to {most}")))
}

impl Context {
    /// A new game of the same session.
    pub(super) fn new_game(&mut self) {
        let Self { position, dice, offer, cube_value, cube_owner, .. } = Self::default();
        *self = Self { position, dice, offer, cube_value, cube_owner, ..self.clone() };
    }

    /// A new session: what is not named is that of a new one.
    pub(super) fn new_session(&mut self, words: &[(String, String)]) -> Result<(), Refusal> {
        let mut new = Self { turn: self.turn, ..Self::default() };
        for (key, text) in words {
            match key.as_str() {
                "type" => new.set_type(text)?,
                "length" => new.length = number(text, 1, LONGEST_MATCH)?,
                "jacoby" => new.jacoby = flag(text)?,
                "crawford" => new.crawford = flag(text)?,
                _ => {
                    return Err(Refusal::new(
                        Fault::Command,
                        format_args!(
                            "newsession {key:?}, expected type, length, jacoby or crawford"
                        ),
                    ));
                }
            }
        }
        *self = new;
        Ok(())
    }

    pub(super) fn set_type(&mut self, text: &str) -> Result<(), Refusal> {
        self.is_match = match text {
            "money" => false,
            "match" => true,
            _ => return Err(refused(format_args!("type {text:?}, expected money or match"))),
        };
        Ok(())
    }

    pub(super) fn set_score(&mut self, player: Player, text: &str) -> Result<(), Refusal> {
        self.score[player.index()] = number(text, 0, i16::MAX as u16)?;
        Ok(())
    }

    pub(super) fn set_cube(&mut self, number: &str, owner: &str) -> Result<(), Refusal> {
        let count: u32 = number.parse().unwrap_or(0);
        // Also tells that it is no power of two.
        Cube::from_value(count, CubeOwner::Center)
            .map_err(|error| refused(format_args!("cube {number:?}: {error}")))?;
        let owner = match owner {
            "center" => None,
            _ => Some(player(owner).ok_or_else(|| {
                refused(format_args!("the cube's owner {owner:?}, expected center, p0 or p1"))
            })?),
        };
        (self.cube_value, self.cube_owner) = (count, owner);
        Ok(())
    }

    pub(super) fn set_turn(&mut self, text: &str) -> Result<(), Refusal> {
        self.turn = player(text)
            .ok_or_else(|| refused(format_args!("turn {text:?}, expected p0 or p1")))?;
        Ok(())
    }

    /// A position, with what its text says about dice, cube and score.
    pub(super) fn set_position(
        &mut self,
        notation: Notation,
        text: &str,
        game: Backgammon,
    ) -> Result<(), Refusal> {
        let wrong = |error: NotationError| refused(tavola_files::chain(&error));
        // Some programs write the prefix, some do not; an XGID alone begins with its board.
        let bare = text.trim_start_matches("XGID=").trim_start_matches("xgid=");
        let turn = match notation {
            Notation::Gnubg => self.turn,
            Notation::Xgid => {
                let xgid = Xgid::decode_with_checkers(bare, game.checkers());
                match xgid.map_err(&wrong)?.turn {
                    XgidSeat::Bottom => Player::One,
                    XgidSeat::Top => Player::Two,
                }
            }
        };
        let form = match notation {
            Notation::Gnubg => text.to_owned(),
            Notation::Xgid => format!("XGID={bare}"),
        };
        let reading = read_situation(&form, game).map_err(wrong)?;
        self.turn = turn;
        self.take(&reading.situation);
        Ok(())
    }

    /// A bare position of draft 0.01, which says everything.
    pub(super) fn bare(text: &str, game: Backgammon) -> Result<Self, Refusal> {
        let mut context = Self::default();
        if text.get(..6).is_some_and(|label| label.eq_ignore_ascii_case("board:")) {
            let reading =
                read_situation(text, game).map_err(|error| refused(tavola_files::chain(&error)))?;
            context.take(&reading.situation);
        } else {
            context.set_position(Notation::Xgid, text, game)?;
        }
        Ok(context)
    }

    /// What a situation says, its player on roll p0.
    pub(super) fn of(situation: &Situation) -> Self {
        let mut context = Self::default();
        context.take(situation);
        context
    }

    /// Takes over what a text says; what it does not say stays.
    fn take(&mut self, situation: &Situation) {
        let on_roll = self.turn;
        self.position = Some(situation.position);
        self.dice = situation.dice;
        self.offer = situation.offer;
        if let Some(cube) = situation.cube {
            self.cube_value = cube.value();
            self.cube_owner = match cube.owner() {
                CubeOwner::Center => None,
                CubeOwner::Player => Some(on_roll),
                CubeOwner::Opponent => Some(on_roll.flip()),
            };
        }
        match situation.stakes {
            Some(notation::MoneyOrMatch::Match(score)) => {
                self.is_match = true;
                self.length = score.length();
                self.score[on_roll.index()] = score.player();
                self.score[on_roll.flip().index()] = score.opponent();
                self.crawford = score.is_crawford();
            }
            Some(notation::MoneyOrMatch::Money { jacoby, beavers }) => {
                (self.is_match, self.crawford, self.score) = (false, false, [0, 0]);
                self.jacoby = jacoby;
                self.beavers = beavers.unwrap_or(false);
            }
            None => {}
        }
    }

    /// Position, dice, cube and score, seen from the player on roll.
    pub(super) fn situation(&self) -> Result<Situation, Refusal> {
        let position = self.position.ok_or_else(|| {
            Refusal::new(Fault::State, "no position, expected position gnubgid or xgid before go")
        })?;
        let owner = match self.cube_owner {
            None => CubeOwner::Center,
            Some(owner) if owner == self.turn => CubeOwner::Player,
            Some(_) => CubeOwner::Opponent,
        };
        let cube = Cube::from_value(self.cube_value, owner)
            .map_err(|error| refused(format_args!("the cube: {error}")))?;
        let stakes = match self.is_match {
            false => {
                notation::MoneyOrMatch::Money { jacoby: self.jacoby, beavers: Some(self.beavers) }
            }
            true => notation::MoneyOrMatch::Match(self.match_score()?),
        };
        Ok(Situation {
            position,
            dice: self.dice,
            offer: self.offer,
            cube: Some(cube),
            stakes: Some(stakes),
        })
    }

    /// The score, seen from the player on roll. `crawford on` makes a game in which a player is
    /// one point from winning the Crawford game.
    fn match_score(&self) -> Result<MatchScore, Refusal> {
        let (mine, theirs) = (self.score[self.turn.index()], self.score[self.turn.flip().index()]);
        let one_away = [mine, theirs].map(|score| score + 1 == self.length);
        let is_crawford = self.crawford && one_away != [true, true] && one_away.contains(&true);
        let make = if is_crawford { MatchScore::crawford } else { MatchScore::new };
        make(self.length, mine, theirs).map_err(|error| refused(format_args!("the score: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &[(&str, &str)]) -> Context {
        let mut context = Context::default();
        let words: Vec<(String, String)> =
            lines.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        context.new_session(&words).unwrap();
        let start = "4HPwATDgc/ABMA";
        context.set_position(Notation::Gnubg, start, Backgammon::Standard).unwrap();
        context
    }

    fn score(context: &Context) -> MatchScore {
        match context.situation().unwrap().stakes {
            Some(notation::MoneyOrMatch::Match(score)) => score,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn scores_and_cubes_are_turned_to_the_player_on_roll() {
        let mut context = of(&[("type", "match"), ("length", "7")]);
        context.set_score(Player::One, "3").unwrap();
        context.set_score(Player::Two, "5").unwrap();
        context.set_cube("2", "p1").unwrap();
        assert_eq!((score(&context).player(), score(&context).opponent()), (3, 5));
        assert_eq!(context.situation().unwrap().cube.unwrap().owner(), CubeOwner::Opponent);
        context.set_turn("p1").unwrap();
        assert_eq!((score(&context).player(), score(&context).opponent()), (5, 3));
        assert_eq!(context.situation().unwrap().cube.unwrap().owner(), CubeOwner::Player);
    }

    #[test]
    fn crawford_counts_where_a_player_is_one_point_away() {
        let mut context = of(&[("type", "match"), ("length", "5"), ("crawford", "on")]);
        assert!(!score(&context).is_crawford());
        context.set_score(Player::Two, "4").unwrap();
        assert!(score(&context).is_crawford());
        context.set_score(Player::One, "4").unwrap();
        assert!(!score(&context).is_crawford());
        context.set_score(Player::One, "5").unwrap();
        assert!(context.situation().is_err());
    }

    #[test]
    fn an_xgid_of_the_top_player_makes_p1_the_player_on_roll() {
        let text = "XGID=-b----E-C---eE---c-e----B-:1:1:-1:31:2:4:0:7:10";
        let context = Context::bare(text, Backgammon::Standard).unwrap();
        assert_eq!(context.turn, Player::Two);
        assert_eq!((context.score, context.cube_owner), ([2, 4], Some(Player::One)));
        assert_eq!((score(&context).player(), score(&context).opponent()), (4, 2));
    }

    #[test]
    fn a_new_game_keeps_the_session() {
        let mut context = of(&[("type", "match"), ("length", "5")]);
        context.set_cube("2", "p0").unwrap();
        context.new_game();
        assert!(context.position.is_none() && context.cube_owner.is_none());
        assert_eq!((context.is_match, context.length), (true, 5));
    }
}
