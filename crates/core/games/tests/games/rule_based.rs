//! The players that follow rules of thumb.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use tavola_equity::OutcomeProbs;
use tavola_evaluator::Evaluator;
use tavola_games::{OldGame, OldState, RuleBasedEvaluator};
use tavola_rules::{Game, Outcome};

/// Points of the player of rules, who begins every other game against a random one.
fn points(id: &str, games: u64) -> i32 {
    let game = OldGame::new(id.parse().unwrap());
    let mut player = RuleBasedEvaluator::new(game);
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let (mut afterstates, mut evaluated) = (Vec::new(), Vec::new());
    (0..games)
        .map(|number| {
            let mut state = game.start();
            let mut is_ours = number % 2 == 0;
            loop {
                afterstates.clear();
                game.afterstates(&state, game.roll(&mut rng), &mut afterstates);
                state = if is_ours {
                    player.evaluate(&afterstates, &mut evaluated);
                    let worst = evaluated.iter().zip(&afterstates);
                    *worst.min_by(|a, b| a.0.equity().total_cmp(&b.0.equity())).unwrap().1
                } else {
                    *afterstates.choose(&mut rng).unwrap()
                };
                is_ours = !is_ours;
                if let Some(outcome) = game.outcome(&state) {
                    return if is_ours { outcome.points() } else { outcome.flip().points() };
                }
            }
        })
        .sum()
}

#[test]
fn in_every_game_the_player_of_rules_beats_a_random_one() {
    for id in ["tabula", "puff", "fallas", "emperador", "buffa"] {
        let (points, games) = (points(id, 40), 40);
        println!("{id}: {points} points in {games} games");
        // Among equals the sum has a standard deviation of the root of the games: three of them.
        assert!(points > 19, "{id}: {points} points in {games} games");
    }
}

#[test]
fn finished_games_are_evaluated_by_the_rules_and_others_never_surely() {
    let game = OldGame::new("fallas".parse().unwrap());
    let won = game.parse_position("19:5 moff:2 / m1:2 19:13").unwrap();
    let mut out = Vec::new();
    let states: [OldState; 2] = [won, game.start()];
    RuleBasedEvaluator::new(game).evaluate(&states, &mut out);
    assert_eq!(out[0], OutcomeProbs::certain(Outcome::WinSingle));
    assert!((0.2..0.8).contains(&out[1].0[Outcome::WinSingle as usize]), "{out:?}");
}
