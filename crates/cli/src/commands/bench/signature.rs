//! The behaviour signature: which plays a network chooses on fixed positions.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tavola_evaluator::{Evaluator, rank_afterstates};
use tavola_files::{Digest, Sha256, hex};
use tavola_rules::{Backgammon, Game, Position};

use super::corpus::PairOf;

/// Games whose positions make the signature.
const GAMES: u64 = 8;

/// A hash over the chosen plays and the evaluations counted on fixed positions, 16 hexadecimal
/// digits. It holds no floating-point number, since these differ between machines.
pub fn signature(evaluator: &mut dyn Evaluator<Backgammon>) -> String {
    let mut hasher = Sha256::new();
    for (position, dice) in fixed_positions(&Backgammon::Standard) {
        let ranked = rank_afterstates(&Backgammon::Standard, evaluator, &position, dice);
        hasher.update([dice.high(), dice.low()]);
        hasher.update(bytes(&position));
        hasher.update(bytes(&ranked[0].state));
        hasher.update((ranked.len() as u64).to_le_bytes());
    }
    digits(hasher)
}

/// The same for a game of any kind: of positions all numbers that encoders see.
pub fn signature_of<G: Game>(game: &G, evaluator: &mut dyn Evaluator<G>) -> String {
    let cells = game.layout().len();
    let bytes = |state: &G::State| -> Vec<u8> {
        G::cells(state)[..cells].iter().map(|&cell| cell as u8).collect()
    };
    let mut hasher = Sha256::new();
    for (state, roll) in fixed_positions(game) {
        let ranked = rank_afterstates(game, evaluator, &state, roll);
        hasher.update(roll.to_string());
        hasher.update(bytes(&state));
        hasher.update(bytes(&ranked[0].state));
        hasher.update((ranked.len() as u64).to_le_bytes());
    }
    digits(hasher)
}

/// The first 16 digits of a hash.
fn digits(hasher: Sha256) -> String {
    hex(&hasher.finalize()[..8])
}

/// Positions and rolls of random games with a fixed seed. The afterstates of a roll are sorted
/// before one is drawn, so that a generator with another order gives the same positions.
fn fixed_positions<G: Game>(game: &G) -> Vec<PairOf<G>> {
    let mut positions = Vec::new();
    let mut afterstates = Vec::new();
    for index in 0..GAMES {
        let mut rng = ChaCha8Rng::seed_from_u64(index);
        let mut position = game.start();
        let mut dice = game.opening_roll(&mut rng);
        while game.outcome(&position).is_none() {
            positions.push((position, dice));
            afterstates.clear();
            game.afterstates(&position, dice, &mut afterstates);
            afterstates.sort_unstable_by(|a, b| G::cells(a).cmp(G::cells(b)));
            position = afterstates[rng.random_range(0..afterstates.len())];
            dice = game.roll(&mut rng);
        }
    }
    positions
}

/// The counts as bytes.
fn bytes(position: &Position) -> [u8; 26] {
    position.counts().map(|count| count as u8)
}

#[cfg(test)]
mod tests {
    use tavola_evaluator::NetEvaluator;
    use tavola_net::{EncoderKind, random_weights};

    use super::*;

    #[test]
    fn the_signature_depends_on_the_network_and_on_nothing_else() {
        let evaluate = |seed| {
            let weights = random_weights(EncoderKind::OneHot, &[8], seed);
            signature(&mut NetEvaluator::new(&weights, Backgammon::Standard).unwrap())
        };
        assert_eq!(evaluate(1), evaluate(1));
        assert_ne!(evaluate(1), evaluate(2));
    }

    #[test]
    fn other_games_have_a_signature_of_their_own() {
        let game = tavola_games::Tables::new("fallas".parse().unwrap());
        let evaluate = |seed| {
            let weights = tavola_net::initial_weights(&game, EncoderKind::OneHot, &[8], seed);
            signature_of(&game, &mut NetEvaluator::new(&weights, game.clone()).unwrap())
        };
        assert_eq!(evaluate(1), evaluate(1));
        assert_ne!(evaluate(1), evaluate(2));
    }
}
