//! The behavior signature: which plays a network chooses on fixed positions.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tavola_evaluator::{Evaluator, PlayableGame, rank_afterstates};
use tavola_files::{Digest, Sha256, hex};
use tavola_rules::{CellKind, Game};

use super::corpus::PairOf;

/// Games whose positions make the signature.
const GAMES: u64 = 8;

/// A hash over the chosen plays and the evaluations counted on fixed positions, 16 hexadecimal
/// digits. It holds no floating-point number, since these differ between machines, and of a
/// position all numbers that encoders see but checkers off, which follow from the others.
pub(super) fn signature<G: PlayableGame>(game: &G, evaluator: &mut dyn Evaluator<G>) -> String {
    let bytes = |state: &G::State| -> Vec<u8> {
        let cells = game.layout().iter().zip(G::cells(state));
        cells.filter(|(cell, _)| cell.kind != CellKind::Off).map(|(_, &n)| n as u8).collect()
    };
    let mut hasher = Sha256::new();
    for (state, roll) in fixed_positions(game) {
        let ranked = rank_afterstates(game, evaluator, &state, roll);
        hasher.update(game.numbers(roll));
        hasher.update(bytes(&state));
        hasher.update(bytes(&ranked[0].state));
        hasher.update((ranked.len() as u64).to_le_bytes());
    }
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

#[cfg(test)]
mod tests {
    use tavola_evaluator::NetEvaluator;
    use tavola_net::{EncoderKind, Interface, initial_weights};
    use tavola_rules::Backgammon;

    use super::*;

    fn depends_on_the_network_alone<G: PlayableGame>(game: &G) {
        let evaluate = |seed| {
            let weights =
                initial_weights(&Interface::of(game), EncoderKind::OneHot, &[8], seed).unwrap();
            signature(game, &mut NetEvaluator::new(&weights, game.clone()).unwrap())
        };
        assert_eq!(evaluate(1), evaluate(1));
        assert_ne!(evaluate(1), evaluate(2));
    }

    #[test]
    fn the_signature_depends_on_the_network_and_on_nothing_else() {
        depends_on_the_network_alone(&Backgammon::Standard);
        depends_on_the_network_alone(&tavola_games::OldGame::new("fallas".parse().unwrap()));
    }
}
