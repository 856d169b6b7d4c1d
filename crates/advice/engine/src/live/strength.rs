//! How well the engine plays.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};
use tavola_evaluator::Level;
use tavola_rules::named;

use crate::effort::Effort;
use crate::error::{EngineError, Result};
use crate::many::MOST_PLY;

/// A level of play. Weak levels misread positions: every candidate's equity gets Gaussian noise.
/// They never move at random, so that their mistakes are those of people: close decisions.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// 0-ply, noise of 0.22.
    Beginner,
    /// 0-ply, noise of 0.14.
    Casual,
    /// 0-ply, noise of 0.10.
    Intermediate,
    /// 0-ply, noise of 0.07.
    Advanced,
    /// 0-ply, noise of 0.045.
    Expert,
    /// 0-ply without noise.
    #[default]
    #[serde(alias = "0", alias = "0-ply")]
    WorldClass,
    /// 0-ply without noise, and another look at close plays.
    #[serde(rename = "0+")]
    Quick,
    /// 1-ply without noise.
    #[serde(rename = "1-ply", alias = "1")]
    OnePly,
    /// 2-ply without noise.
    #[serde(rename = "2-ply", alias = "2")]
    TwoPly,
    /// 3-ply without noise.
    #[serde(rename = "3-ply", alias = "3")]
    ThreePly,
    /// 2-ply, and short rollouts of what is close then.
    Roller,
    /// 2-ply, and rollouts of what is close then, with more and longer games.
    #[serde(rename = "roller+")]
    RollerPlus,
}

named!(Strength, "strength":
    Beginner => "beginner",
    Casual => "casual",
    Intermediate => "intermediate",
    Advanced => "advanced",
    Expert => "expert",
    WorldClass => "world-class" | "0" | "0-ply",
    Quick => "0+",
    OnePly => "1-ply" | "1",
    TwoPly => "2-ply" | "2",
    ThreePly => "3-ply" | "3",
    Roller => "roller",
    RollerPlus => "roller+",
);

impl Strength {
    /// The standard deviation of the noise, in equity; 0 for none.
    pub const fn noise(self) -> f64 {
        match self {
            Self::Beginner => 0.22,
            Self::Casual => 0.14,
            Self::Intermediate => 0.10,
            Self::Advanced => 0.07,
            Self::Expert => 0.045,
            _ => 0.0,
        }
    }

    /// The level at which it searches: that of its name, and that of the bare network.
    pub fn level(self) -> Level {
        self.name().parse().unwrap_or(Level::ZeroPly)
    }

    /// How many plies it looks ahead.
    pub fn ply(self) -> u8 {
        self.level().search().ply
    }

    /// Refuses what games for more than two don't know.
    pub(super) fn check(self, is_many: bool, game: &str) -> Result<()> {
        match self.level().plies() {
            Some(0..=MOST_PLY) => Ok(()),
            _ if !is_many => Ok(()),
            _ => Err(EngineError::request(format_args!(
                "\"strength\" is {self}, expected plies, at most 2-ply, in {game}"
            ))),
        }
    }

    /// How far it looks ahead.
    pub fn effort(self) -> Effort {
        Effort { level: Some(self.level()), ..Effort::default() }
    }
}

/// Noise of unit variance for the cells of a position: it depends on the seed, the decision and the
/// position alone, so that a match can be repeated.
pub(super) fn noise(seed: u64, decision: u64, cells: &[i8]) -> f64 {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&decision.to_le_bytes());
    // FNV-1a, as the text of a position has no fixed length here.
    let hash = cells.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &cell| {
        (hash ^ u64::from(cell as u8)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    bytes[16..24].copy_from_slice(&hash.to_le_bytes());
    bytes[24] = 1; // not the generator of the dice
    let mut rng = ChaCha8Rng::from_seed(bytes);
    // Box and Muller, "A Note on the Generation of Random Normal Deviates", 1958.
    let (u, v): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

#[cfg(test)]
mod tests {
    use tavola_rules::{Named, Position};

    use super::*;

    #[test]
    fn levels_are_found_by_name() {
        for level in Strength::ALL {
            assert_eq!(level.name().parse(), Ok(level));
            let name = format!("\"{level}\"");
            assert_eq!(serde_json::from_str::<Strength>(&name).unwrap(), level, "{name}");
        }
        // Every name of a level is a strength, and every strength that misreads nothing a level.
        for (name, others) in Level::NAMES {
            for name in [name].into_iter().chain(*others) {
                let strength = name.parse::<Strength>().unwrap();
                assert_eq!((Ok(strength.level()), strength.noise()), (name.parse(), 0.0), "{name}");
                assert_eq!(strength.name().parse(), Ok(strength.level()), "{name}");
            }
        }
        let error = "begginer".parse::<Strength>().unwrap_err().to_string();
        assert!(error.contains("\"begginer\"") && error.contains("2-ply"), "{error}");
    }

    #[test]
    fn noise_is_normal_and_repeatable() {
        let position = Position::STANDARD;
        let cells = position.cells();
        assert_eq!(noise(1, 2, cells), noise(1, 2, cells));
        assert_ne!(noise(1, 2, cells), noise(1, 3, cells));
        assert_ne!(noise(1, 2, cells), noise(2, 2, cells));
        let n = 4000;
        let values: Vec<f64> = (0..n).map(|i| noise(7, i, cells)).collect();
        let mean = values.iter().sum::<f64>() / n as f64;
        let variance = values.iter().map(|value| value * value).sum::<f64>() / n as f64;
        assert!(mean.abs() < 0.06 && (variance - 1.0).abs() < 0.1, "{mean} {variance}");
    }
}
