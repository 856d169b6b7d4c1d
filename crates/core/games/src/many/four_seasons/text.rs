//! Positions of the Four Seasons as text.

use super::{CHECKERS, FourSeasons, FourSeasonsState, PLAYERS, Passed, cell};
use crate::many::ManyGame;
use crate::sides::{Item, read_parts, wrong};
use crate::text::PositionTextError;

impl FourSeasons {
    pub(super) fn parse(&self, text: &str) -> Result<FourSeasonsState, PositionTextError> {
        let id = self.id();
        if text.trim().eq_ignore_ascii_case("start") {
            return Ok(self.start(0));
        }
        let track = self.options.track();
        let mut state = FourSeasonsState { hand: [0; PLAYERS], ..self.start(0) };
        let mut player = 0;
        let parts = read_parts(&id, text, PLAYERS, |items: &mut dyn Iterator<Item = Item<'_>>| {
            let mut has_off = false;
            for item in items {
                match item.name {
                    "hand" => state.hand[player] = item.number(CHECKERS)? as u8,
                    "bar" => state.bar[player] = item.number(CHECKERS)? as u8,
                    "off" => {
                        state.off[player] = item.number(CHECKERS)? as u8;
                        has_off = true;
                    }
                    "place" if self.options.plays_on() => {
                        state.places[player] = item.number(PLAYERS as u8 - 1)? as u8;
                    }
                    "offers" => {
                        let value = item.value.unwrap_or_default();
                        let dice = self.parse_roll(value).map_err(|error| error.to_string())?;
                        state.passed.push(Passed { dice, owner: player as u8 });
                    }
                    _ => {
                        let others = match self.options.plays_on() {
                            true => "hand, bar, off, place, offers",
                            false => "hand, bar, off, offers",
                        };
                        let track = item.point(track, others)?;
                        let count = item.number(CHECKERS)? as u8;
                        let at = cell(player, track);
                        if count > 0 && state.cells[at].1 > 0 {
                            return Err(format!("{:?} is a cell that is taken", item.text));
                        }
                        if count > 0 {
                            state.cells[at] = (player as u8, count);
                        }
                    }
                }
            }
            let on_board: u8 = (1..=track).map(|track| state.count(player, track)).sum();
            let found = on_board + state.hand[player] + state.bar[player] + state.off[player];
            match CHECKERS.checked_sub(found) {
                Some(missing) if missing == 0 || !has_off => state.off[player] += missing,
                _ => return Err(format!("{found} checkers, expected {CHECKERS}")),
            }
            player += 1;
            Ok(())
        });
        parts?;
        if state.passed.iter().any(|passed| passed.owner == 0) {
            let why = "the player on roll offers a roll, expected it of others".to_owned();
            return Err(wrong(&id, text, why));
        }
        self.check_places(&mut state).map_err(|why| wrong(&id, text, why))?;
        // The one who rolled longest ago comes first.
        state.passed.sort_by_key(|passed| passed.owner);
        if self.payoffs(&state).is_none() {
            self.skip_offers(&mut state);
        }
        Ok(state)
    }

    /// Whether those who have all off have the first places, each another one; a single one needs
    /// no place in the text.
    fn check_places(&self, state: &mut FourSeasonsState) -> Result<(), String> {
        let done: Vec<usize> =
            (0..PLAYERS).filter(|&player| state.off[player] == CHECKERS).collect();
        match (done.as_slice(), self.options.plays_on()) {
            ([one], _) => state.places[*one] = 1,
            ([], _) => {}
            (_, true) => {
                let mut places: Vec<u8> = done.iter().map(|&player| state.places[player]).collect();
                places.sort_unstable();
                if places.iter().copied().ne(1..=done.len() as u8) || done.len() == PLAYERS {
                    let found = done.len();
                    return Err(format!(
                        "{found} players have all off, expected place:1 and so on for three at most"
                    ));
                }
            }
            (_, false) => {
                return Err(format!("{} players have all off, expected one at most", done.len()));
            }
        }
        let is_early = |player: usize| state.places[player] > 0 && !done.contains(&player);
        if let Some(player) = (0..PLAYERS).find(|&player| is_early(player)) {
            return Err(format!("player {}: a place, but not all checkers off", player + 1));
        }
        let on_roll = usize::from(state.on_roll);
        if state.places[on_roll] > 0 && self.payoffs(state).is_none() {
            return Err("the player on roll has borne off all checkers, expected one who has not"
                .to_owned());
        }
        Ok(())
    }

    /// The players in turn order, the one who decides first; each with the own track.
    pub(super) fn write(&self, state: &FourSeasonsState) -> String {
        let several_done = state.places.iter().filter(|place| **place > 0).count() > 1;
        let side = |offset: usize| {
            let player = (usize::from(state.on_roll) + offset) % PLAYERS;
            let on_track = (1..=self.options.track())
                .map(|track| (track.to_string(), state.count(player, track)));
            let is_done = state.off[player] == CHECKERS;
            let beside = [
                ("hand".to_owned(), state.hand[player]),
                ("bar".to_owned(), state.bar[player]),
                ("off".to_owned(), if is_done { CHECKERS } else { 0 }),
                ("place".to_owned(), if several_done { state.places[player] } else { 0 }),
            ];
            let mut items: Vec<String> = on_track
                .chain(beside)
                .filter(|(_, count)| *count > 0)
                .map(|(name, count)| format!("{name}:{count}"))
                .collect();
            items.extend(
                state
                    .passed
                    .iter()
                    .filter(|passed| usize::from(passed.owner) == player)
                    .map(|passed| format!("offers:{}", passed.dice)),
            );
            items.join(" ")
        };
        (0..PLAYERS).map(side).collect::<Vec<_>>().join(" / ")
    }
}
