//! A match equity table computed from the cube theory of this crate.

use serde::{Deserialize, Serialize};
use tavola_files::Failure;
use tavola_rules::{Cube, CubeOwner, MatchScore, MatchScoreError, Options};

use super::{MatchEquityTable, MetError};
use crate::janowski::{Efficiency, EfficiencyModel};
use crate::stakes::{GammonRates, Stakes};

/// What one game between equal players looks like, as far as a match equity table is concerned.
///
/// # Formula
///
/// The probability at a score is that of its next game, which is played for the probabilities at
/// the scores that can follow: a recursion over scores, as Norman Zadeh built it ("On Doubling in
/// Tournament Backgammon", Management Science 23, 1977). Zadeh's model of a single game is replaced
/// by the cube theory of this crate:
///
/// 1. Both sides begin with a winning probability of 1/2, by symmetry. The first rolls move it to
///    1/2 + s or 1/2 - s, each as likely, where s is [`opening_swing`](Self::opening_swing). This
///    is what makes a free drop worth something.
/// 2. The player on roll, either side as likely, doubles or does not, and the opponent takes or
///    passes, as their values bid. The value of a position with a cube is that of
///    [`Stakes::cubeful`] at this score with [`efficiency`](Self::efficiency), where wins are
///    gammons and backgammons in constant shares.
/// 3. The probability is the mean of the four cases.
///
/// In the Crawford game the cube is out of play, and only the shares of gammons matter.
///
/// # Defaults
///
/// Provisional. Gammons and backgammons: what the built-in network says of the opening position
/// (`tavola eval`: 26.4 % and 1.0 % of all games, both sides together). Swing: its mean distance
/// from 1/2 after one opening roll (0.015) and after an opening roll and its answer (0.039), 0-ply
/// plays. Efficiency: that of contact positions in [`EfficiencyModel`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MetModel {
    /// The share of wins that are gammons or backgammons, 0 to 1.
    pub gammon_rate: f64,
    /// The share of wins that are backgammons, 0 to the gammon rate.
    pub backgammon_rate: f64,
    /// How far the first rolls move the winning probability from 1/2, 0 to 1/2.
    pub opening_swing: f64,
    /// How live the cube is.
    pub efficiency: Efficiency,
}

impl Default for MetModel {
    fn default() -> Self {
        Self {
            gammon_rate: 0.264,
            backgammon_rate: 0.010,
            opening_swing: 0.027,
            efficiency: EfficiencyModel::default().contact,
        }
    }
}

impl MetModel {
    /// The table up to `length` points.
    ///
    /// # Errors
    ///
    /// [`Failure`]: a number out of range, or too long a match.
    pub fn table(&self, length: u16) -> Result<MatchEquityTable, Failure> {
        for (name, found, most) in [
            ("gammon_rate", self.gammon_rate, 1.0),
            ("backgammon_rate", self.backgammon_rate, self.gammon_rate),
            ("opening_swing", self.opening_swing, 0.5),
        ] {
            if !(0.0..=most).contains(&found) {
                return Err(Failure::input(format!("{name} is {found}, expected 0 to {most}")));
            }
        }
        if length == 0 {
            return Err(Failure::input(MetError::TooLong { length }));
        }
        let double_match_point = MatchEquityTable {
            name: "tavola".to_owned(),
            description: format!(
                "Computed from {:.1} % gammons, {:.1} % backgammons, an opening swing of {:.3} and \
                 cube efficiencies of {:.2} centered, {:.2} owned, {:.2} opponent's, {:.2} automatic",
                self.gammon_rate * 100.0,
                self.backgammon_rate * 100.0,
                self.opening_swing,
                self.efficiency.of(CubeOwner::Center),
                self.efficiency.of(CubeOwner::Player),
                self.efficiency.of(CubeOwner::Opponent),
                self.efficiency.automatic(),
            ),
            notice: None,
            length: 1,
            pre_crawford: vec![0.5],
            post_crawford: vec![0.5],
        };
        self.extend(&double_match_point, length).map_err(Failure::input)
    }

    /// This table up to `length` points: the scores beyond it are computed from those inside,
    /// which stay as they are.
    pub(super) fn extend(
        &self,
        table: &MatchEquityTable,
        length: u16,
    ) -> Result<MatchEquityTable, MetError> {
        if length > MatchEquityTable::MAX_LENGTH {
            return Err(MetError::TooLong { length });
        }
        let size = usize::from(length);
        let mut longer = MatchEquityTable {
            length,
            // Every entry is written before it is read.
            pre_crawford: vec![f64::NAN; size * size],
            ..table.clone()
        };
        let old = usize::from(table.length);
        for (row, entries) in table.pre_crawford.chunks_exact(old).enumerate() {
            longer.pre_crawford[row * size..row * size + old].copy_from_slice(entries);
        }
        for away in table.length + 1..=length {
            let probability = self.game(&longer, MatchScore::new(away, 0, away - 1));
            longer.post_crawford.push(probability);
        }
        for opponent in table.length + 1..=length {
            for player in 1..=opponent {
                let score = if player == 1 {
                    MatchScore::crawford(opponent, opponent - 1, 0)
                } else {
                    MatchScore::new(opponent, opponent - player, 0)
                };
                let probability = if player == opponent { 0.5 } else { self.game(&longer, score) };
                let (one, other) = (longer.index(player, opponent), longer.index(opponent, player));
                longer.pre_crawford[other] = 1.0 - probability;
                longer.pre_crawford[one] = probability;
            }
        }
        Ok(longer)
    }

    /// The post-Crawford probability that follows on `known` ones, from the trailer.
    pub(super) fn post_crawford_after(&self, known: &[f64]) -> f64 {
        // Post-Crawford scores lead to post-Crawford scores, so nothing else is needed.
        let away = known.len() as u16 + 1;
        let table = MatchEquityTable {
            name: String::new(),
            description: String::new(),
            notice: None,
            length: away,
            pre_crawford: Vec::new(),
            post_crawford: known.to_vec(),
        };
        self.game(&table, MatchScore::new(away, 0, away - 1))
    }

    /// The probability before a game at `score`, by the probabilities after it.
    fn game(&self, table: &MatchEquityTable, score: Result<MatchScore, MatchScoreError>) -> f64 {
        let score = score.expect("both sides need a point or more");
        let stakes = Stakes::for_match(score, table, &Options::default())
            .expect("the table knows every score that can follow");
        let other = stakes.flip();
        let rates = GammonRates {
            win_gammon: self.gammon_rate,
            win_backgammon: self.backgammon_rate,
            lose_gammon: self.gammon_rate,
            lose_backgammon: self.backgammon_rate,
        };
        let act = |stakes: &Stakes, win: f64| {
            let expectations = stakes.expectations_at(win, &rates, Cube::START, self.efficiency);
            let no_double = expectations.no_double.0;
            match stakes.may_double(Cube::START) {
                Ok(()) => no_double.max(expectations.double_take.0.min(stakes.cash(Cube::START).0)),
                Err(_) => no_double,
            }
        };
        let (ahead, behind) = (0.5 + self.opening_swing, 0.5 - self.opening_swing);
        let on_roll = act(&stakes, ahead) + act(&stakes, behind);
        let waiting = 2.0 - act(&other, ahead) - act(&other, behind);
        (on_roll + waiting) / 4.0
    }
}
