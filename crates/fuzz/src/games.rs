//! Texts of the historical games: names with options, positions, dice, plays.

use std::sync::LazyLock;

use tavola_games::{AnyGame, OldOptions, PlayableGame, with_game};

use crate::Target;

pub(crate) const TARGETS: [Target; 2] = [
    Target::new("game-name", name).words("games"),
    Target::new("game-position", position).words("games").fixed(1 << 30),
];

/// The games of the target `game-position`: options change what a position may hold.
static GAMES: LazyLock<Vec<AnyGame>> = LazyLock::new(|| {
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
        "todas-tablas:dice=3",
        "ludus",
        "ludus:stack_move=off,home_needed=false",
        "trictrac",
        "trictrac:exit_exact=free",
    ];
    names.map(|name| name.parse().expect("the game exists")).into()
});

/// Plays of a roll that are read back; some games have thousands.
const READ_BACK: usize = 30;

fn name(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    if let Ok(options) = text.parse::<OldOptions>() {
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
        with_game!(game, |game| position_of(game, position, dice, play));
    }
}

fn position_of<G: PlayableGame>(game: &G, text: &str, dice: Option<&str>, play: Option<&str>) {
    let Ok(state) = game.parse_state(text) else { return };
    let written = game.write_state(&state);
    assert_eq!(game.parse_state(&written), Ok(state), "{}: {text:?}", game.id());
    for (index, (&count, cell)) in G::cells(&state).iter().zip(game.layout()).enumerate() {
        let range = cell.min..=cell.max;
        assert!(range.contains(&count), "{}: {text:?}, cell {index}", game.id());
    }
    let Some(dice) = dice.and_then(|text| game.parse_roll(text).ok()) else { return };
    assert_eq!(game.parse_roll(&dice.to_string()), Ok(dice));
    if game.outcome(&state).is_some() {
        return;
    }
    let plays = game.plays(&state, dice);
    if let Some((_, after)) = play.and_then(|play| game.parse_play(play, &state, dice).ok()) {
        assert!(plays.iter().any(|(_, state)| *state == after), "{}: {text:?}", game.id());
    }
    for (play, after) in plays.into_iter().take(READ_BACK) {
        let again = game.parse_play(&play.to_string(), &state, dice);
        assert!(
            again.is_ok_and(|(_, state)| state == after),
            "{}: {text:?}, {dice}: {play}",
            game.id()
        );
    }
}
