//! The ladder as it is reported: the players from the strongest on, each with its lead.

use serde::Serialize;
use tavola_evaluator::Estimate;

use super::{Anchor, Ladder, LadderRating, MatchUp, Standings, Version};

/// Players whose rating is zero unless an anchor is named, the first of these that is there.
const USUAL_ANCHORS: [&str; 3] = ["gnubg:0", "pip-count", "random"];

/// The ladder by its keys in JSON.
#[derive(Serialize)]
pub struct LadderAnswer<'a> {
    game: &'a str,
    anchors: &'a [Anchor],
    /// What a game among players near each other was worth on average, in points.
    points_per_game: f64,
    /// Squares of what the model misses, a degree of freedom.
    chi_squared: Option<f64>,
    ratings: Vec<LadderRow<'a>>,
    match_ups: &'a [MatchUp],
}

impl<'a> LadderAnswer<'a> {
    /// The ladder of this game with these anchors.
    pub fn new(
        game: &'a str,
        ladder: &'a Ladder,
        anchors: &'a [Anchor],
        standings: &'a Standings,
    ) -> Self {
        Self {
            game,
            anchors,
            points_per_game: standings.stake,
            chi_squared: standings.chi_squared,
            ratings: standings.rows(),
            match_ups: ladder.match_ups(),
        }
    }
}

/// A player of the ladder; ratings and leads in points per game.
#[derive(Clone, Debug, Serialize)]
pub struct LadderRow<'a> {
    /// What it was called last.
    pub name: &'a str,
    /// What decides its plays.
    pub version: &'a str,
    /// The rating.
    pub rating: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
    /// Expected points per game against a player with a rating of 0.
    pub expected_ppg: f64,
    /// The rating as on FIBS.
    pub elo: f64,
    /// Its 95 % interval.
    pub elo_interval: [f64; 2],
    /// How much stronger than the next one; `None` for the last.
    pub lead: Option<f64>,
    /// Its 95 % interval.
    pub lead_interval: Option<[f64; 2]>,
    /// Pairs of games that it has played.
    pub pairs: u64,
    /// Versions that it has played against.
    pub opponents: usize,
}

impl Standings {
    /// The ratings from the strongest on, each with its lead before the next.
    pub fn ranked(&self) -> Vec<(&LadderRating, Option<Estimate>)> {
        let mut order: Vec<usize> = (0..self.ratings.len()).collect();
        let ppg = |index: usize| self.ratings[index].ppg.mean;
        order.sort_by(|&a, &b| ppg(b).total_cmp(&ppg(a)));
        let lead =
            |place: usize| order.get(place + 1).map(|&next| self.difference(order[place], next));
        let rating = |(place, &index)| (&self.ratings[index], lead(place));
        order.iter().enumerate().map(rating).collect()
    }

    /// All ratings as rows, the highest first.
    pub fn rows(&self) -> Vec<LadderRow<'_>> {
        let ends = |estimate: &Estimate| [estimate.low, estimate.high];
        let rows = self.ranked().into_iter().map(|(rating, lead)| LadderRow {
            name: &rating.version.name,
            version: &rating.version.id,
            rating: rating.ppg.mean,
            expected_ppg: rating.expected_ppg(),
            standard_error: rating.ppg.standard_error,
            interval: ends(&rating.ppg),
            elo: rating.elo.mean,
            elo_interval: ends(&rating.elo),
            lead: lead.map(|lead| lead.mean),
            lead_interval: lead.as_ref().map(ends),
            pairs: rating.pairs,
            opponents: rating.opponents,
        });
        rows.collect()
    }
}

impl Ladder {
    /// The version with this name or id; of versions with the same name the last one.
    pub fn find(&self, name: &str) -> Option<&Version> {
        self.versions().iter().rev().find(|version| version.name == name || version.id == name)
    }

    /// The anchor of a ladder for which none is named: one of the simple players, else the first
    /// version.
    pub fn usual_anchor(&self) -> Option<Anchor> {
        let usual = USUAL_ANCHORS.iter().find_map(|name| self.find(name));
        let version = usual.or(self.versions().first())?;
        Some(Anchor { id: version.id.clone(), ppg: 0.0 })
    }
}
