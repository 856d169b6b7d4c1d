//! What holds in every position of every tables game.

use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use tavola_evaluator::PlayableGame;
use tavola_games::state::{
    BAR, CHECKERS, HAND, MARKED, MARKED_OFF, OFF, OPPONENT_BAR, OPPONENT_HAND, OPPONENT_OFF,
    OPPONENT_TALLY,
};
use tavola_games::{OldGame, OldOptions, OldState, TablesDice};
use tavola_rules::Game;

/// The first of all are those of 24 points and two or three dice; others have tests of their own.
const TABLES_GAMES: usize = 6;

/// A position of random play with the roll to be played, in any of the games.
fn reached() -> impl Strategy<Value = (OldGame, OldState, TablesDice)> {
    (0..TABLES_GAMES, any::<u64>(), 0..150_usize).prop_map(|(game, seed, turns)| {
        let game = OldGame::new(OldOptions::all()[game]);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut state, mut roll) = (game.start(), game.opening_roll(&mut rng));
        let mut afterstates = Vec::new();
        for _ in 0..turns {
            afterstates.clear();
            game.afterstates(&state, roll, &mut afterstates);
            let after = *afterstates.choose(&mut rng).expect("a turn leads somewhere");
            if game.outcome(&after).is_some() {
                break;
            }
            (state, roll) = (after, game.roll(&mut rng));
        }
        (game, state, roll)
    })
}

/// Checkers of the player on roll and of the opponent, wherever they are.
fn checkers(game: &OldGame, state: &OldState) -> [u32; 2] {
    let cells = state.cells();
    let marked = game.id().starts_with("fallas");
    let mut sides = [0; 2];
    let mut add = |count: i8| sides[usize::from(count < 0)] += u32::from(count.unsigned_abs());
    for point in 1..=24 {
        add(cells[point]);
        if marked {
            add(cells[MARKED + point - 1]);
        }
    }
    for index in [BAR, OPPONENT_BAR, HAND, OPPONENT_HAND, OFF, OPPONENT_OFF] {
        add(cells[index]);
    }
    if marked {
        add(cells[MARKED_OFF]);
        add(cells[OPPONENT_TALLY]);
    }
    sides
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_position_flipped_twice_is_itself_and_the_sides_change_places(
        (game, state, _) in reached()
    ) {
        let flipped = game.flip(&state);
        prop_assert_eq!(game.flip(&flipped), state);
        let [player, opponent] = checkers(&game, &state);
        prop_assert_eq!(checkers(&game, &flipped), [opponent, player]);
    }

    #[test]
    fn a_turn_keeps_all_checkers_and_moves_no_farther_than_the_dice(
        (game, state, roll) in reached()
    ) {
        let before = game.pips(&state);
        let (mut afterstates, sum) = (Vec::new(), u32::from(roll.numbers().iter().sum::<u8>()));
        // A double may be played twice, and inherited dice come on top.
        let most = 2 * sum + 60;
        game.afterstates(&state, roll, &mut afterstates);
        prop_assert!(!afterstates.is_empty());
        for after in &afterstates {
            prop_assert_eq!(checkers(&game, after), [u32::from(CHECKERS); 2]);
            let mine = game.pips(&game.flip(after));
            prop_assert!(mine <= before && before - mine <= most, "{} {} {}", mine, before, roll);
            // The opponent's checkers go back when they are hit, and nothing else moves them.
            prop_assert!(game.pips(after) >= game.pips(&game.flip(&state)));
        }
    }

    #[test]
    fn what_can_be_lost_never_grows_and_no_game_ends_above((game, state, roll) in reached()) {
        let most = |state: &OldState| [*state, game.flip(state)].map(|side| game.most_to_lose(&side));
        let [player, opponent] = most(&state);
        let mut afterstates = Vec::new();
        game.afterstates(&state, roll, &mut afterstates);
        for after in &afterstates {
            let [other, mover] = most(after);
            prop_assert!(mover <= player && other <= opponent);
            if let Some(outcome) = game.outcome(after) {
                let most = if outcome.points() < 0 { other } else { mover };
                prop_assert!(outcome.points().unsigned_abs() <= most.multiplier());
            }
        }
    }

    #[test]
    fn the_text_of_a_position_and_of_all_that_follow_leads_back(
        (game, state, roll) in reached()
    ) {
        let mut states = vec![state, game.flip(&state)];
        game.afterstates(&state, roll, &mut states);
        for state in states {
            let text = game.write_position(&state);
            prop_assert_eq!(game.parse_position(&text), Ok(state), "{}: {}", game.id(), text);
        }
    }

    #[test]
    fn arbitrary_text_is_read_or_refused(
        game in 0..TABLES_GAMES,
        text in "((m?[0-9]{1,2}|hand|bar|m?off|first|barata|inherits|wait|lost)(:[0-9]{1,3})?[ ,/]){0,9}",
    ) {
        let game = OldGame::new(OldOptions::all()[game]);
        if let Ok(state) = game.parse_position(&text) {
            prop_assert_eq!(game.parse_position(&game.write_position(&state)), Ok(state), "{}", text);
        }
    }
}
