//! Ratings fitted to match-ups whose strengths are known.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::fit::USUAL_DEVIATION;
use super::*;

fn ladder(players: usize) -> Ladder {
    let mut ladder = Ladder::default();
    for i in 0..players {
        ladder.add_version(Version { id: i.to_string(), name: format!("player {i}") });
    }
    ladder
}

fn match_up(a: usize, b: usize, first: u64, pairs: u64, ppg: f64) -> MatchUp {
    MatchUp {
        a: a.to_string(),
        b: b.to_string(),
        first,
        pairs,
        ppg,
        deviation: 0.4,
        stake: 1.25,
        seconds: pairs as f64 * 0.01,
        luck_evaluator: None,
    }
}

fn anchor(i: usize, ppg: f64) -> Anchor {
    Anchor { id: i.to_string(), ppg }
}

/// About normal.
fn noise(deviation: f64, rng: &mut ChaCha8Rng) -> f64 {
    let sum: f64 = (0..12).map(|_| rng.random::<f64>()).sum();
    deviation * (sum - 6.0)
}

#[test]
fn ratings_come_back_from_duels_and_intervals_hold_them() {
    let truth = [0.0, 0.9, 2.0, 2.05, 2.08];
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (mut inside, mut all) = (0, 0);
    for _ in 0..60 {
        let mut ladder = ladder(truth.len());
        for a in 0..truth.len() {
            for b in 0..a {
                let (mean, _) = expected(truth[a] - truth[b]);
                let error = (0.4 * 0.4 / 400.0 + (MODEL_ERROR * mean).powi(2)).sqrt();
                let ppg = mean + noise(error, &mut rng);
                ladder.add_match_up(match_up(a, b, 0, 400, ppg)).unwrap();
            }
        }
        let standings = ladder.standings(&[anchor(0, truth[0])]).unwrap();
        for (rating, truth) in standings.ratings.iter().zip(truth).skip(1) {
            assert!((rating.ppg.mean - truth).abs() < 0.6, "{rating:?}");
            inside += u32::from((rating.ppg.low..rating.ppg.high).contains(&truth));
            all += 1;
        }
        assert_eq!(standings.ratings[0].ppg, Estimate::new(0.0, 0.0));
        assert_eq!(standings.ratings[1].opponents, 4);
    }
    let share = f64::from(inside) / f64::from(all);
    assert!((0.9..=1.0).contains(&share), "{share} of the intervals hold the truth");
}

#[test]
fn parts_of_a_duel_count_like_the_whole_from_either_side_and_never_twice() {
    let anchors = [anchor(0, 0.5)];
    let mut whole = ladder(2);
    whole.add_match_up(match_up(0, 1, 0, 400, -0.1)).unwrap();
    let mut parts = ladder(2);
    parts.add_match_up(match_up(0, 1, 0, 100, -0.1)).unwrap();
    parts.add_match_up(match_up(1, 0, 100, 300, 0.1)).unwrap();
    let rating = |ladder: &Ladder| ladder.standings(&anchors).unwrap().ratings[1].ppg;
    assert!((rating(&whole).mean - rating(&parts).mean).abs() < 1e-6);
    assert!((rating(&whole).standard_error - rating(&parts).standard_error).abs() < 1e-4);
    assert!((rating(&whole).mean - 0.6).abs() < 0.01);
    assert_eq!(parts.next_pair("1", "0"), 400);
    for (first, pairs) in [(399, 10), (0, 2), (50, 1000)] {
        let error = parts.add_match_up(match_up(1, 0, first, pairs, 0.0)).unwrap_err();
        assert!(error.to_string().contains("count twice"), "{error}");
    }
    assert!(parts.add_match_up(match_up(0, 7, 0, 10, 0.0)).is_err());
    assert!(parts.add_match_up(match_up(1, 1, 0, 10, 0.0)).is_err());
    assert!(parts.add_match_up(match_up(0, 1, 500, 10, f64::NAN)).is_err());
    assert_eq!(parts.match_ups().len(), 2);
}

#[test]
fn without_an_anchor_there_is_no_scale_and_elo_follows_the_formula() {
    let mut ladder = ladder(3);
    let error = ladder.standings(&[]).unwrap_err().to_string();
    assert_eq!(error, "no anchor, expected the rating of at least one version");
    assert!(ladder.standings(&[anchor(5, 0.0)]).is_err());
    ladder.add_match_up(match_up(1, 0, 0, 100_000, 0.1)).unwrap();
    let standings = ladder.standings(&[anchor(0, 0.0)]).unwrap();
    let rating = &standings.ratings[1];
    assert_eq!(standings.stake, 1.25);
    let difference = standings.difference(1, 0);
    assert_eq!(difference, standings.ratings[1].ppg);
    assert!(standings.difference(1, 1).standard_error < 1e-9);
    // By the formula of FIBS for a match to one point.
    let difference = rating.elo.mean;
    let probability = 1.0 / (1.0 + 10_f64.powf(-difference / 2000.0));
    assert!((probability - (1.0 + rating.ppg.mean / 1.25) / 2.0).abs() < 1e-3);
    // A player without a match-up has the widest interval.
    let nobody = &standings.ratings[2];
    assert_eq!((nobody.ppg.mean, nobody.opponents), (0.0, 0));
    assert!((nobody.ppg.standard_error - PULL).abs() < 1e-6);
}

#[test]
fn contradictions_widen_the_intervals() {
    let circle = |last: f64| {
        let mut ladder = ladder(3);
        ladder.add_match_up(match_up(0, 1, 0, 10_000, 0.1)).unwrap();
        ladder.add_match_up(match_up(1, 2, 0, 10_000, 0.1)).unwrap();
        ladder.add_match_up(match_up(0, 2, 0, 10_000, last)).unwrap();
        ladder.standings(&[anchor(0, 0.0)]).unwrap()
    };
    let (straight, round) = (circle(0.2), circle(-0.1));
    assert!(straight.chi_squared.unwrap() < 1.0 && round.chi_squared.unwrap() > 10.0);
    let error = |standings: &Standings| standings.ratings[1].ppg.standard_error;
    assert!(error(&round) > 3.0 * error(&straight));
}

#[test]
fn the_next_duel_is_one_of_the_player_who_is_known_least_with_a_near_one() {
    let mut ladder = ladder(4);
    for (a, b, ppg) in [(1, 0, 1.5), (2, 0, 2.5), (2, 1, 1.5)] {
        ladder.add_match_up(match_up(a, b, 0, 2000, ppg)).unwrap();
    }
    // Somewhere near player 2.
    ladder.add_match_up(match_up(3, 2, 0, 20, 0.02)).unwrap();
    let standings = ladder.standings(&[anchor(0, 0.0)]).unwrap();
    assert_eq!(standings.most_informative(&[0, 1, 2, 3], 200, 0.01), Some((2, 3)));
    assert_eq!(standings.most_informative(&[3, 0], 200, 0.01), Some((0, 3)));
    assert_eq!(standings.most_informative(&[1], 200, 0.01), None);
}

#[test]
fn the_gain_is_what_playing_brings() {
    let mut ladder = ladder(3);
    ladder.add_match_up(match_up(1, 0, 0, 500, 0.2)).unwrap();
    ladder.add_match_up(match_up(2, 0, 0, 500, 0.1)).unwrap();
    let sum = |standings: &Standings, at: &Standings| {
        let pairs = [(0, 1), (0, 2), (1, 2)];
        pairs.map(|(i, j)| {
            let slope = expected(at.difference(i, j).mean).1;
            let c = &standings.covariance;
            slope.powi(2) * (c[i][i] + c[j][j] - 2.0 * c[i][j])
        })
    };
    let before = ladder.standings(&[anchor(0, 0.0)]).unwrap();
    let promised = before.gain(1, 2, 400);
    let (mean, _) = expected(before.ratings[1].ppg.mean - before.ratings[2].ppg.mean);
    // The deviation of strangers is guessed, so they play as guessed.
    let played = MatchUp { deviation: USUAL_DEVIATION, ..match_up(1, 2, 0, 400, mean) };
    ladder.add_match_up(played).unwrap();
    let after = ladder.standings(&[anchor(0, 0.0)]).unwrap();
    let gained =
        sum(&before, &before).iter().sum::<f64>() - sum(&after, &before).iter().sum::<f64>();
    assert!((gained / promised - 1.0).abs() < 0.01, "{gained} of {promised}");
}
