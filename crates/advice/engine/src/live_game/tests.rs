use tavola_games::Tables;
use tavola_rules::Game;

use super::*;

fn live(game: &str, seed: u64) -> LiveGame<Tables> {
    let game = Tables::new(game.parse().unwrap());
    LiveGame::new(game, GameSetup { seed, length: 2, ..GameSetup::default() })
}

/// Plays to the end of the game; the user takes the first play of the list.
fn finish(live: &mut LiveGame<Tables>, engine: &Engine) {
    let watch = Watch::default();
    while let GameAwaited::Play(player, _) = live.awaited() {
        let turn = match player {
            USER => live.plays().swap_remove(0),
            _ => live.decide(engine, &watch).unwrap().unwrap(),
        };
        live.play(turn).unwrap();
    }
}

#[test]
fn games_are_played_to_the_agreed_points() {
    let engine = Engine::without_tables();
    let mut live = live("fallas", 3);
    for number in 1.. {
        assert_eq!(live.game_number(), number);
        finish(&mut live, &engine);
        match live.awaited() {
            GameAwaited::MatchOver(end) => {
                let winner = end.winner.unwrap();
                assert_eq!(live.score()[winner.index()] + u64::from(end.points), 2);
                assert_eq!(live.next_game(), Err(LiveGameError::MatchOver));
                break;
            }
            _ => live.next_game().unwrap(),
        }
    }
    let text = live.turn_in_words(0).unwrap();
    assert!(text.starts_with("You: ") || text.starts_with("tavola: "), "{text}");
}

#[test]
fn a_play_that_is_taken_back_meets_the_same_rolls() {
    let engine = Engine::without_tables();
    let watch = Watch::default();
    let mut live = live("puff", 9);
    assert_eq!(live.take_back(), Err(LiveGameError::NothingToTakeBack));
    let mut decisions = 0;
    while decisions < 3 {
        let turn = match live.awaited() {
            GameAwaited::Play(USER, _) => {
                decisions += u32::from(live.forced().is_none());
                live.plays().swap_remove(0)
            }
            _ => live.decide(&engine, &watch).unwrap().unwrap(),
        };
        live.play(turn).unwrap();
    }
    let (roll, turns) = (live.roll, live.turns());
    live.take_back().unwrap();
    assert!(live.turns() < turns && live.on_roll() == USER);
    let again = live.plays().swap_remove(0);
    live.play(again).unwrap();
    while live.turns() < turns {
        let turn = live.forced().or_else(|| live.decide(&engine, &watch).unwrap()).unwrap();
        live.play(turn).unwrap();
    }
    assert_eq!(live.roll, roll);
}

#[test]
fn a_saved_game_is_resumed_where_it_was() {
    let engine = Engine::without_tables();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.json");
    let mut live = live("buffa", 5);
    for _ in 0..12 {
        let turn = match live.awaited() {
            GameAwaited::Play(USER, _) => live.plays().pop().unwrap(),
            _ => live.decide(&engine, &Watch::default()).unwrap().unwrap(),
        };
        live.play(turn).unwrap();
    }
    live.save(&file).unwrap();
    assert_eq!(saved_game(&file), Some("buffa".parse().unwrap()));
    let again = LiveGame::resume(live.game().clone(), &file).unwrap();
    assert_eq!((again.state, again.roll), (live.state, live.roll));
    assert_eq!(again.turns(), live.turns());
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replacen("hand-", "hand-9", 1)).unwrap();
    let error = LiveGame::resume(live.game().clone(), &file).unwrap_err().to_string();
    assert!(error.contains("game 1, step 1") && error.contains("hand-9"), "{error}");
    assert_eq!(saved_game(folder.path()), None);
}

#[test]
fn what_is_no_play_of_the_roll_is_refused_and_changes_nothing() {
    let mut live = live("tabula", 1);
    let before = live.state;
    let after = live.game.start();
    assert!(live.play(Turn { play: "1-2".to_owned(), after }).is_err());
    assert_eq!((live.state, live.turns()), (before, 0));
    assert_eq!(live.next_game(), Err(LiveGameError::GameRuns));
}
