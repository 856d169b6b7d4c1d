//! A public benchmark, by which engines of several authors have been graded.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use tavola_evaluator::Estimate;
use tavola_rules::named;

use super::GradedPlayer;

/// The games and decisions of Open Sage's money benchmark: published ratings are of these alone.
const MONEY_BENCHMARK: (usize, usize) = (500, 14_693);

/// Points lost become a rating by this.
const RATING: f64 = 500.0;

/// Open Sage's classes of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Plan {
    /// No contact.
    PureRace,
    /// Ahead, with contact.
    Racing,
    /// Attack on checkers behind.
    Attacking,
    /// Prime in front of checkers behind.
    Priming,
    /// Anchor in the opponent's home.
    Anchoring,
}

named!(Plan, "game plan":
    PureRace => "purerace",
    Racing => "racing",
    Attacking => "attacking",
    Priming => "priming",
    Anchoring => "anchoring",
);

/// What a benchmark says of its decisions beside their plays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Benchmark {
    /// The game and the plan of each decision, in the order of the file.
    pub(super) decisions: Vec<(Option<u64>, Option<Plan>)>,
    /// Cube positions in the file, which are not graded.
    pub cube_positions: u64,
}

/// The rating of a player in a benchmark.
#[derive(Clone, Debug, Serialize)]
pub struct BenchmarkRating {
    /// The player.
    pub player: String,
    /// The rating; with the interval over games, if it was measured here.
    pub performance_rating: Rating,
    /// The rating by plan.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub plans: BTreeMap<Plan, Rating>,
}

/// A rating, measured or published.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Rating {
    /// Measured here.
    Measured(Estimate),
    /// As its author has it.
    Published(f64),
}

/// Ratings of players beside published ones.
#[derive(Clone, Debug, Serialize)]
pub struct BenchmarkReport {
    /// Games.
    pub games: usize,
    /// Cube positions in the file, which are not graded.
    pub cube_positions: u64,
    /// The players that were graded.
    pub players: Vec<BenchmarkRating>,
    /// Ratings that others have published, by the same cubeless equities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<BenchmarkRating>,
    /// Ratings that the benchmark's author has published, with the cube and by cubeful equities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub published_cubeful: Vec<BenchmarkRating>,
}

impl BenchmarkReport {
    /// The ratings of players who have answered all decisions of a benchmark. `None` if the file
    /// doesn't name games.
    pub(super) fn of(benchmark: &Benchmark, players: &[GradedPlayer<'_>]) -> Option<Self> {
        let decisions = &benchmark.decisions;
        let games: Vec<u64> = decisions.iter().map(|(game, _)| *game).collect::<Option<_>>()?;
        let mut plans: BTreeMap<Plan, Vec<usize>> = BTreeMap::new();
        for (index, (_, plan)) in decisions.iter().enumerate() {
            if let Some(plan) = plan {
                plans.entry(*plan).or_default().push(index);
            }
        }
        let measured = |player: &GradedPlayer<'_>| {
            let rate = |indices: &mut dyn Iterator<Item = usize>| {
                let lost = indices.map(|index| (games[index], player.graded[index].loss));
                Rating::Measured(over_games(lost))
            };
            BenchmarkRating {
                player: player.player.to_owned(),
                performance_rating: rate(&mut (0..games.len())),
                plans: plans
                    .iter()
                    .map(|(plan, indices)| (*plan, rate(&mut indices.iter().copied())))
                    .collect(),
            }
        };
        let distinct: HashSet<&u64> = games.iter().collect();
        let is_public = (distinct.len(), games.len()) == MONEY_BENCHMARK;
        let (published, published_cubeful) =
            if is_public { published() } else { (Vec::new(), Vec::new()) };
        Some(Self {
            games: distinct.len(),
            cube_positions: benchmark.cube_positions,
            players: players.iter().map(measured).collect(),
            published,
            published_cubeful,
        })
    }
}

/// The rating from decisions of games, each with its loss. Decisions of a game depend on each other,
/// so the spread is that of games.
fn over_games(lost: impl Iterator<Item = (u64, f64)>) -> Estimate {
    let mut games: HashMap<u64, (f64, f64)> = HashMap::new();
    for (game, loss) in lost {
        let (sum, count) = games.entry(game).or_default();
        *sum += loss;
        *count += 1.0;
    }
    let mut games: Vec<(f64, f64)> = games.into_values().collect();
    // The order of a map differs from run to run, and so would the last bit of a sum.
    games.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let (sum, count) = games.iter().fold((0.0, 0.0), |all, game| (all.0 + game.0, all.1 + game.1));
    let mean = sum / count;
    let number = games.len() as f64;
    let spread: f64 = games.iter().map(|(sum, count)| (sum - mean * count).powi(2)).sum();
    let error = (spread * number / (number - 1.0).max(1.0)).sqrt() / count;
    Estimate::new(RATING * mean, RATING * error)
}

/// What authors have published of the money benchmark: gnubg and Raccoon by its cubeless equities,
/// Open Sage itself with the cube.
fn published() -> (Vec<BenchmarkRating>, Vec<BenchmarkRating>) {
    let plans = |ratings: [f64; 5]| {
        Plan::ALL.into_iter().zip(ratings.map(Rating::Published)).collect::<BTreeMap<_, _>>()
    };
    let rating = |player: &str, rating, plans| BenchmarkRating {
        player: player.to_owned(),
        performance_rating: Rating::Published(rating),
        plans,
    };
    let cubeless = vec![
        rating("GNU Backgammon 0-ply", 2.14, plans([0.16, 2.72, 2.15, 2.66, 2.32])),
        rating("GNU Backgammon 1-ply", 1.206, BTreeMap::new()),
        rating("GNU Backgammon 2-ply", 0.56, plans([0.05, 0.80, 0.50, 0.47, 0.76])),
        rating("Raccoon 0-ply", 0.95, BTreeMap::new()),
    ];
    let cubeful = [("0-ply", 2.42), ("1-ply", 1.44), ("2-ply", 0.60), ("3-ply", 0.42)]
        .map(|(ply, pr)| rating(&format!("Open Sage {ply}"), pr, BTreeMap::new()));
    (cubeless, cubeful.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_of_a_game_are_one_observation() {
        // Ten games of two decisions that lose alike: as wide as ten decisions, not as twenty.
        let lost = |each: u64| {
            (0..10 * each).map(move |index| (index / each, 0.001 * (index / each) as f64))
        };
        let (twice, once) = (over_games(lost(2)), over_games(lost(1)));
        assert!((twice.mean - 500.0 * 0.0045).abs() < 1e-9, "{twice:?}");
        assert!((twice.standard_error - once.standard_error).abs() < 1e-9, "{twice:?} {once:?}");
        assert!(once.standard_error > 0.0);
    }

    #[test]
    fn published_ratings_are_of_the_public_file_alone() {
        let (cubeless, cubeful) = published();
        assert_eq!((cubeless.len(), cubeful.len()), (4, 4));
        let small = Benchmark { decisions: vec![(Some(1), None); 2], cube_positions: 0 };
        let report = BenchmarkReport::of(&small, &[]).unwrap();
        assert!(report.published.is_empty() && report.published_cubeful.is_empty());
    }
}
