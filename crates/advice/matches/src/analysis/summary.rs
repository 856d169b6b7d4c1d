//! The figures of a player: error rates, performance rating, luck.
//!
//! GNU Backgammon's error rate is the equity lost by plays and cube actions over unforced plays and
//! close cube decisions, in thousandths. The performance rating of eXtreme Gammon (PR) is 500 times
//! the mean equity lost over the decisions that it counts. Neither is half of the other, as they
//! count other decisions. The error rate of Snowie divides by the plays of both players.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tavola_rules::Player;

use crate::analysis::{Decision, DecisionKind, Habit, MistakeKind};
use crate::record::Match;

/// Fewer decisions than this have no rating: it would be that of luck.
const FEWEST_RATED: usize = 20;

/// From which loss on a decision counts as an error or a blunder.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// The least loss of an error: equity per cube, in a match EMG.
    pub error: f64,
    /// The least loss of a blunder, in the same unit.
    pub blunder: f64,
}

impl Default for Thresholds {
    /// 0.02 and 0.08, as players use them.
    fn default() -> Self {
        Self { error: 0.02, blunder: 0.08 }
    }
}

/// Decisions of some sort and what they lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Count {
    /// Decisions.
    pub decisions: usize,
    /// Those that lost as much as an error or more.
    pub errors: usize,
    /// Equity per cube, in a match EMG.
    pub loss_emg: f64,
}

impl Count {
    fn add(&mut self, decision: &Decision, thresholds: &Thresholds) {
        self.decisions += 1;
        self.errors += usize::from(decision.loss >= thresholds.error);
        self.loss_emg += decision.loss;
    }

    fn absorb(&mut self, other: &Self) {
        self.decisions += other.decisions;
        self.errors += other.errors;
        self.loss_emg += other.loss_emg;
    }
}

/// The figures of a player in a match, or in some games.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlayerSummary {
    /// The name.
    pub name: String,
    /// Rolls played, forced ones included.
    pub plays: usize,
    /// Rolls with more than one legal play.
    pub unforced_plays: usize,
    /// What they lost, positive, in EMG or money equity per cube.
    pub checker_error_emg: f64,
    /// As chances to win the match; `null` for money.
    pub checker_error_mwc: Option<f64>,
    /// Times that the player might double or had to answer a double.
    pub cube_decisions: usize,
    /// Those that were close, and all actual doubles, takes and passes.
    pub close_cube_decisions: usize,
    /// What they lost.
    pub cube_error_emg: f64,
    /// As chances to win the match; `null` for money.
    pub cube_error_mwc: Option<f64>,
    /// As GNU Backgammon counts: all errors per unforced play and close cube decision, in
    /// thousandths; `null` without any.
    pub error_rate_memg: Option<f64>,
    /// Errors of plays per unforced play, in thousandths.
    pub checker_error_rate_memg: Option<f64>,
    /// Errors of cube actions per close cube decision, in thousandths.
    pub cube_error_rate_memg: Option<f64>,
    /// As Snowie counts: all errors per play of both players, in thousandths.
    pub snowie_error_rate_memg: Option<f64>,
    /// As eXtreme Gammon counts: 500 times the equity lost per counted decision.
    pub pr: Option<f64>,
    /// Half of its 95 % interval, if each decision is off by itself: how far the losses may be off,
    /// not how the player plays on other days.
    pub pr_interval: Option<f64>,
    /// The decisions that count for it.
    pub pr_decisions: usize,
    /// The name that goes with the PR; `null` below 20 decisions.
    pub rating: Option<&'static str>,
    /// Decisions that lost as much as an error and less than a blunder.
    pub errors: usize,
    /// Decisions that lost as much as a blunder or more.
    pub blunders: usize,
    /// The luck of all rolls.
    pub luck_emg: f64,
    /// As chances to win the match; `null` for money.
    pub luck_mwc: Option<f64>,
    /// Won 1, lost 0 in a match; points won less points lost for money; `null` if unfinished.
    pub result: Option<f64>,
    /// The result less the player's own luck, plus the opponent's.
    pub luck_adjusted_result: Option<f64>,
    /// What was lost in which way.
    pub faults: BTreeMap<MistakeKind, Count>,
    /// What plays and cube actions lost in each phase of the game.
    pub phases: BTreeMap<String, Count>,
    /// Errors that players know by name, by phase.
    pub habits: BTreeMap<Habit, BTreeMap<String, Count>>,
    #[serde(skip)]
    plays_of_opponents: usize,
    #[serde(skip)]
    counted_loss: f64,
    /// The sum of the squares of the intervals of the counted losses.
    #[serde(skip)]
    counted_variance: f64,
    #[serde(skip)]
    luck_points: f64,
    /// What errors and blunders lost: chances to win the match, for money points.
    #[serde(skip)]
    lost_by_errors: [f64; 2],
}

/// A match with its decisions and the figures of both players.
#[derive(Clone, Debug, Serialize)]
pub struct MatchAnalysis {
    /// The file or other source.
    pub source: String,
    /// The points that win the match, 0 for money.
    pub length: u16,
    /// When it was played, if known.
    pub date: String,
    /// The tournament, if known.
    pub event: String,
    /// Both players, the first of the file first.
    pub players: [PlayerSummary; 2],
    /// The figures of each game.
    pub games: Vec<GameSummary>,
    /// Every decision in order.
    pub decisions: Vec<Decision>,
    /// What reading the file had to mend.
    pub notes: Vec<String>,
}

/// The figures of one game.
#[derive(Clone, Debug, Serialize)]
pub struct GameSummary {
    /// Points before the game.
    pub score: [u32; 2],
    /// Whether it is the Crawford game.
    pub crawford: bool,
    /// Who won, 1 or 2, and how many points; `null` if it is unfinished.
    pub winner: Option<usize>,
    /// How many points.
    pub points: Option<u32>,
    /// Both players.
    pub players: [PlayerSummary; 2],
}

impl MatchAnalysis {
    /// The figures of a match, from its decisions.
    pub fn new(
        source: String,
        record: &Match,
        mut decisions: Vec<Decision>,
        thresholds: &Thresholds,
    ) -> Self {
        for decision in &mut decisions {
            decision.open = decision.uncertain(thresholds);
            if decision.is_counted() && decision.loss >= thresholds.error {
                decision.habits = Habit::of(decision);
            }
        }
        let of = |number: Option<usize>| {
            let chosen: Vec<&Decision> = decisions
                .iter()
                .filter(|decision| number.is_none_or(|number| decision.game == number + 1))
                .collect();
            PlayerSummary::both(record, number, &chosen, thresholds)
        };
        let games = record.games.iter().enumerate().map(|(number, game)| GameSummary {
            score: game.score,
            crawford: game.crawford,
            winner: game.result.map(|result| result.winner.index() + 1),
            points: game.result.map(|result| result.points),
            players: of(Some(number)),
        });
        Self {
            source,
            length: record.length,
            date: record.details.date.clone(),
            event: record.details.event.clone(),
            players: of(None),
            games: games.collect(),
            decisions,
            notes: Vec::new(),
        }
    }

    /// How many decisions have a verdict that is not certain.
    pub fn open(&self) -> usize {
        self.decisions.iter().filter(|decision| !decision.open.is_empty()).count()
    }

    /// Whether it was played for money.
    pub const fn is_money(&self) -> bool {
        self.length == 0
    }
}

impl PlayerSummary {
    /// The performance rating with its interval, as `4.21 ± 0.35`.
    pub fn rated(&self) -> Option<String> {
        let (pr, interval) = (self.pr?, self.pr_interval?);
        Some(format!("{pr:.2} ± {interval:.2}"))
    }

    /// The luck of all rolls, in points times the cube.
    pub const fn luck_in_points(&self) -> f64 {
        self.luck_points
    }

    /// What errors and blunders lost in a match: chances to win it, for money points.
    pub(super) const fn lost_by_errors(&self) -> [f64; 2] {
        self.lost_by_errors
    }

    /// The errors with a name that were made twice or more, the dearest first: how often and what they
    /// cost, in all (`None`) and in each phase.
    pub fn recurring(&self) -> Vec<(Habit, Option<&str>, Count)> {
        let mut habits: Vec<(&Habit, Count, &BTreeMap<String, Count>)> = Vec::new();
        for (habit, phases) in &self.habits {
            let mut all = Count::default();
            phases.values().for_each(|count| all.absorb(count));
            if all.errors > 1 {
                habits.push((habit, all, phases));
            }
        }
        habits.sort_by(|a, b| b.1.loss_emg.total_cmp(&a.1.loss_emg));
        let mut rows = Vec::new();
        for (habit, all, phases) in habits {
            if phases.len() > 1 {
                rows.push((*habit, None, all));
            }
            let mut phases: Vec<_> = phases.iter().collect();
            phases.sort_by(|a, b| b.1.loss_emg.total_cmp(&a.1.loss_emg));
            rows.extend(phases.into_iter().map(|(phase, it)| (*habit, Some(phase.as_str()), *it)));
        }
        rows
    }

    /// Both players of a match, or of one of its games.
    fn both(
        record: &Match,
        game: Option<usize>,
        decisions: &[&Decision],
        thresholds: &Thresholds,
    ) -> [Self; 2] {
        let mut players = [Player::One, Player::Two].map(|player| {
            let name = record.players[player.index()].clone();
            let name =
                if name.is_empty() { format!("Player {}", player.index() + 1) } else { name };
            let mut summary = Self { name, ..Self::default() };
            if !record.is_money() {
                (summary.checker_error_mwc, summary.cube_error_mwc) = (Some(0.0), Some(0.0));
                summary.luck_mwc = Some(0.0);
            }
            for decision in decisions.iter().filter(|decision| decision.player == player) {
                summary.add(decision, thresholds);
            }
            summary
        });
        let plays: usize = players.iter().map(|player| player.plays).sum();
        for (index, player) in [Player::One, Player::Two].into_iter().enumerate() {
            players[index].finish(plays);
            players[index].result = result(record, game, player);
        }
        let luck = players.each_ref().map(|player| player.luck_mwc.unwrap_or(player.luck_points));
        for (index, player) in players.iter_mut().enumerate() {
            // The games of a match end with points, whose chance is not known here.
            if record.is_money() || game.is_none() {
                let adjusted = |result| result - luck[index] + luck[1 - index];
                player.luck_adjusted_result = player.result.map(adjusted);
            }
        }
        players
    }

    fn add(&mut self, decision: &Decision, thresholds: &Thresholds) {
        if let Some(luck) = decision.luck {
            self.luck_emg += luck.emg;
            self.luck_points += luck.emg * f64::from(decision.cube);
            if let (Some(sum), Some(mwc)) = (&mut self.luck_mwc, luck.mwc) {
                *sum += mwc;
            }
        }
        if let Some(fault) = decision.fault {
            self.faults.entry(fault).or_default().add(decision, thresholds);
        }
        if !decision.is_counted() {
            return;
        }
        for habit in &decision.habits {
            let phases = self.habits.entry(*habit).or_default();
            phases.entry(decision.phase.clone()).or_default().add(decision, thresholds);
        }
        let loss_mwc = decision.loss_mwc.unwrap_or(0.0);
        let lost = decision.loss_mwc.unwrap_or(decision.loss * f64::from(decision.cube));
        if decision.kind == DecisionKind::Checker {
            self.plays += usize::from(decision.is_played());
            self.unforced_plays += usize::from(!decision.forced);
            self.checker_error_emg += decision.loss;
            self.checker_error_mwc = self.checker_error_mwc.map(|sum| sum + loss_mwc);
        } else {
            self.cube_decisions += 1;
            self.close_cube_decisions += usize::from(decision.close);
            self.cube_error_emg += decision.loss;
            self.cube_error_mwc = self.cube_error_mwc.map(|sum| sum + loss_mwc);
        }
        if decision.counted_pr {
            self.pr_decisions += 1;
            self.counted_loss += decision.loss;
            self.counted_variance += decision.interval.powi(2);
        }
        if decision.loss >= thresholds.blunder {
            self.blunders += 1;
            self.lost_by_errors[1] += lost;
        } else if decision.loss >= thresholds.error {
            self.errors += 1;
            self.lost_by_errors[0] += lost;
        }
        if !decision.forced {
            self.phases.entry(decision.phase.clone()).or_default().add(decision, thresholds);
        }
    }

    fn finish(&mut self, plays_of_both: usize) {
        let rate = |loss: f64, of: usize| (of > 0).then(|| 1000.0 * loss / of as f64);
        let loss = self.checker_error_emg + self.cube_error_emg;
        self.error_rate_memg = rate(loss, self.unforced_plays + self.close_cube_decisions);
        self.checker_error_rate_memg = rate(self.checker_error_emg, self.unforced_plays);
        self.cube_error_rate_memg = rate(self.cube_error_emg, self.close_cube_decisions);
        self.snowie_error_rate_memg = rate(loss, plays_of_both);
        self.pr = rate(self.counted_loss, self.pr_decisions).map(|rate| rate / 2.0);
        self.pr_interval =
            rate(self.counted_variance.sqrt(), self.pr_decisions).map(|rate| rate / 2.0);
        let enough = self.pr_decisions >= FEWEST_RATED;
        self.rating = self.pr.filter(|_| enough).map(rating_of_pr);
    }

    /// Adds the figures of another match, in which the opponent made this number of plays.
    fn absorb(&mut self, other: &Self, plays_of_opponent: usize) {
        let sum = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0.0) + b.unwrap_or(0.0)),
        };
        self.plays += other.plays;
        self.plays_of_opponents += plays_of_opponent;
        self.unforced_plays += other.unforced_plays;
        self.checker_error_emg += other.checker_error_emg;
        self.checker_error_mwc = sum(self.checker_error_mwc, other.checker_error_mwc);
        self.cube_decisions += other.cube_decisions;
        self.close_cube_decisions += other.close_cube_decisions;
        self.cube_error_emg += other.cube_error_emg;
        self.cube_error_mwc = sum(self.cube_error_mwc, other.cube_error_mwc);
        self.pr_decisions += other.pr_decisions;
        self.counted_loss += other.counted_loss;
        self.counted_variance += other.counted_variance;
        self.errors += other.errors;
        self.blunders += other.blunders;
        self.luck_emg += other.luck_emg;
        self.luck_mwc = sum(self.luck_mwc, other.luck_mwc);
        for (fault, count) in &other.faults {
            self.faults.entry(*fault).or_default().absorb(count);
        }
        for (habit, phases) in &other.habits {
            let own = self.habits.entry(*habit).or_default();
            for (phase, count) in phases {
                own.entry(phase.clone()).or_default().absorb(count);
            }
        }
        for (phase, count) in &other.phases {
            self.phases.entry(phase.clone()).or_default().absorb(count);
        }
        self.finish(self.plays + self.plays_of_opponents);
    }
}

/// What a player got: from the whole record, or from one game.
fn result(record: &Match, game: Option<usize>, player: Player) -> Option<f64> {
    let points = |index: usize| {
        let result = record.games.get(index)?.result?;
        let points = f64::from(result.points);
        Some(if result.winner == player { points } else { -points })
    };
    match game {
        Some(game) => points(game),
        None if record.is_money() => (0..record.games.len()).map(points).sum(),
        None => record.winner().map(|winner| if winner == player { 1.0 } else { 0.0 }),
    }
}

/// What players call a PR, with the limits that eXtreme Gammon uses.
pub fn rating_of_pr(pr: f64) -> &'static str {
    let names = [
        (2.5, "world champion"),
        (5.0, "world class"),
        (7.5, "expert"),
        (12.5, "advanced"),
        (17.5, "intermediate"),
        (25.0, "casual"),
        (35.0, "beginner"),
    ];
    names.into_iter().find(|(limit, _)| pr < *limit).map_or("distracted", |(_, name)| name)
}

/// The figures of a player over several matches, by the name in the files.
#[derive(Clone, Debug, Serialize)]
pub struct PlayerTotals {
    /// Matches and sessions.
    pub matches: usize,
    /// All of them together; results are those of matches won and lost.
    #[serde(flatten)]
    pub summary: PlayerSummary,
    /// The matches in the order of their dates, then of their files.
    pub trend: Vec<TrendPoint>,
}

/// How a player did in one match.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrendPoint {
    /// When, as far as the file knows.
    pub date: String,
    /// The file.
    pub source: String,
    /// The performance rating.
    pub pr: Option<f64>,
    /// GNU Backgammon's error rate in thousandths.
    pub error_rate_memg: Option<f64>,
}

/// The totals of every player, who is known by name; those with most decisions first.
pub fn totals(analyses: &[MatchAnalysis]) -> Vec<PlayerTotals> {
    let mut all: Vec<PlayerTotals> = Vec::new();
    let mut ordered: Vec<&MatchAnalysis> = analyses.iter().collect();
    ordered.sort_by(|a, b| a.date.cmp(&b.date));
    for analysis in ordered {
        for (index, player) in analysis.players.iter().enumerate() {
            let place = all.iter().position(|totals| totals.summary.name == player.name);
            let place = place.unwrap_or_else(|| {
                let summary = PlayerSummary { name: player.name.clone(), ..Default::default() };
                all.push(PlayerTotals { matches: 0, summary, trend: Vec::new() });
                all.len() - 1
            });
            let totals = &mut all[place];
            totals.matches += 1;
            totals.summary.absorb(player, analysis.players[1 - index].plays);
            totals.trend.push(TrendPoint {
                date: analysis.date.clone(),
                source: analysis.source.clone(),
                pr: player.pr,
                error_rate_memg: player.error_rate_memg,
            });
        }
    }
    all.sort_by_key(|totals| std::cmp::Reverse(totals.summary.pr_decisions));
    all
}
