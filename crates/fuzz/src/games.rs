//! Texts of the historical games: names with options, positions, dice, plays.

use std::sync::LazyLock;

use tavola_games::{AnyGame, PlayableGame, Tables, TablesDice, TablesOptions};
use tavola_rules::Game;

use crate::Target;

const WORDS: &[&str] = &[
    "tabula",
    "puff",
    "fallas",
    "emperador",
    "buffa",
    ":",
    "=on",
    "=off",
    "/",
    "first",
    "wait",
    "lost",
    "bar:",
    "hand:",
    "off:",
    "moff:",
    "m5:",
    "barata:",
    "inherits:",
    "541",
    "start",
    "24:",
    "1:15",
    ",",
    " / ",
    "extra_roll=on",
    "historical_fail=on",
    "barata=historical",
];

pub(crate) const TARGETS: [Target; 2] = [
    Target::new("game-name", name).words(WORDS),
    Target::new("game-position", position).words(WORDS),
];

/// The games of the target `game-position`: options change what a position may hold.
static GAMES: LazyLock<Vec<Tables>> = LazyLock::new(|| {
    let names = [
        "tabula",
        "puff",
        "puff:extra_roll=on",
        "fallas",
        "fallas:historical_fail=on",
        "fallas:alfonso1283=on",
        "emperador",
        "emperador:barata=historical",
        "buffa",
    ];
    names.map(|name| Tables::new(name.parse().expect("the game exists"))).into()
});

fn name(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    if let Ok(options) = text.parse::<TablesOptions>() {
        assert_eq!(options.to_string().parse(), Ok(options), "{text:?}");
    }
    if let Ok(game) = text.parse::<AnyGame>() {
        let again = game.id().parse::<AnyGame>().map(|game| game.id());
        assert_eq!(again.ok(), Some(game.id()), "{text:?}");
    }
}

/// A line with a position, and perhaps one with dice and one with a play.
fn position(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let mut lines = text.lines();
    let Some(position) = lines.next() else { return };
    let (dice, play) = (lines.next(), lines.next());
    for game in &*GAMES {
        let Ok(state) = game.parse_position(position) else { continue };
        let written = game.write_position(&state);
        assert_eq!(game.parse_position(&written), Ok(state), "{}: {position:?}", game.id());
        for (index, (&count, cell)) in
            Tables::cells(&state).iter().zip(Game::layout(game)).enumerate()
        {
            let range = cell.min..=cell.max;
            assert!(range.contains(&count), "{}: {position:?}, cell {index}", game.id());
        }
        let Some(dice) = dice.and_then(|text| text.parse::<TablesDice>().ok()) else { continue };
        assert_eq!(dice.to_string().parse(), Ok(dice));
        if game.parse_roll(&dice.to_string()).is_err() || game.outcome(&state).is_some() {
            continue;
        }
        let plays = game.plays(&state, dice);
        if let Some((_, after)) =
            play.and_then(|text| PlayableGame::parse_play(game, text, &state, dice).ok())
        {
            assert!(plays.iter().any(|(_, state)| *state == after), "{}: {text:?}", game.id());
        }
        for (play, after) in plays {
            let again = PlayableGame::parse_play(game, &play.to_string(), &state, dice);
            assert!(
                again.is_ok_and(|(_, state)| state == after),
                "{}: {position:?}, {dice}: {play}",
                game.id()
            );
        }
    }
}
