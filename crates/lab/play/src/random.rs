//! One home for everything random: a generator for each game and each use.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// What random numbers are for. Each use has numbers of its own, so that, for example, more
/// exploration leaves the dice of a game alone.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub enum RandomFor {
    /// The rolls of a self-play game.
    SelfPlayRolls = 0,
    /// Where a self-play game begins, and which of its plays are drawn at random.
    Exploration = 1,
    /// The rolls of both games of a pair in a duel.
    DuelRolls = 2,
    /// Which states of a self-play game are learned from, and how.
    Labels = 3,
    /// Which decisions of a game are drawn for grading.
    Sampling = 4,
    /// The rolls of games with a cube.
    CubeRolls = 5,
    /// The rolls of games that a caller steps through.
    SteppedRolls = 6,
}

/// The generator of game (or pair) number `index` in the run with this seed: stream `index` of
/// ChaCha with eight rounds, which is defined to the bit on every machine. It depends on nothing
/// else, so games can be played in any order on any number of threads.
pub fn game_rng(run_seed: u64, index: u64, purpose: RandomFor) -> ChaCha8Rng {
    seeded(run_seed, index, purpose, 0)
}

/// The generator of game number `game` of a match, which is the pair with this number; a game for
/// money is the first of its match.
pub fn match_game_rng(run_seed: u64, pair: u64, game: u32) -> ChaCha8Rng {
    seeded(run_seed, pair, RandomFor::CubeRolls, game)
}

fn seeded(run_seed: u64, stream: u64, purpose: RandomFor, game: u32) -> ChaCha8Rng {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&run_seed.to_le_bytes());
    seed[8] = purpose as u8;
    seed[9..13].copy_from_slice(&game.to_le_bytes());
    let mut rng = ChaCha8Rng::from_seed(seed);
    rng.set_stream(stream);
    rng
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::RngExt;

    use super::*;

    #[test]
    fn every_game_and_use_has_numbers_of_its_own() {
        let purposes = [
            RandomFor::SelfPlayRolls,
            RandomFor::Exploration,
            RandomFor::DuelRolls,
            RandomFor::Labels,
            RandomFor::Sampling,
            RandomFor::CubeRolls,
            RandomFor::SteppedRolls,
        ];
        let mut seen = HashSet::new();
        for seed in [0, 1, u64::MAX] {
            for index in [0, 1, u64::MAX] {
                for purpose in purposes {
                    assert!(seen.insert(game_rng(seed, index, purpose).random::<u64>()));
                    assert_eq!(
                        game_rng(seed, index, purpose).random::<u64>(),
                        game_rng(seed, index, purpose).random::<u64>()
                    );
                }
                for game in [1, 2, u32::MAX] {
                    assert!(seen.insert(match_game_rng(seed, index, game).random::<u64>()));
                }
            }
        }
    }
}
