//! What holds for every network.

use proptest::prelude::*;
use tavola_net::{Encoder, EncoderKind, Weights, random_weights};
use tavola_rules::{Backgammon, Game, Position};

/// A network of any encoder, with one to three hidden layers.
fn any_weights() -> impl Strategy<Value = Weights> {
    let kinds =
        [EncoderKind::Tesauro, EncoderKind::OneHot, EncoderKind::Patterns, EncoderKind::Expert];
    let hidden = prop::collection::vec(1..12_usize, 1..4);
    (prop::sample::select(kinds.to_vec()), hidden, any::<u64>())
        .prop_map(|(encoder, hidden, seed)| random_weights(encoder, hidden.as_slice(), seed))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_network_comes_back_from_its_file_and_a_cut_file_is_refused(
        weights in any_weights(),
        share in 0.0..1.0_f64,
    ) {
        let bytes = weights.to_bytes().unwrap();
        let again = Weights::from_bytes(&bytes).unwrap();
        prop_assert_eq!(again.to_bytes().unwrap(), bytes.clone());
        prop_assert_eq!(again.checksum(), weights.checksum());
        let cut = (share * bytes.len() as f64) as usize;
        prop_assert!(Weights::from_bytes(&bytes[..cut]).is_err());
    }

    #[test]
    fn a_position_is_encoded_as_its_cells_one_by_one(
        mine in prop::collection::vec(1..=12_usize, 1..15),
        theirs in prop::collection::vec(1..=12_usize, 1..15),
    ) {
        // Points 1 to 12 of one side are 24 to 13 of the other, so the two never meet.
        let stack = |points: &[usize]| -> Vec<(usize, u8)> {
            (1..=12).map(|p| (p, points.iter().filter(|&&q| q == p).count() as u8)).collect()
        };
        let position = Position::from_points(&stack(&mine), &stack(&theirs), 15).unwrap();
        prop_assert_eq!(position.flip().flip(), position);
        for kind in [EncoderKind::Tesauro, EncoderKind::OneHot] {
            let encoder = Encoder::new(kind, Backgammon::Standard.layout());
            let mut whole = vec![0.0; encoder.inputs()];
            encoder.encode(Backgammon::cells(&position), &mut whole);
            let mut parts = vec![0.0; encoder.inputs()];
            for (cell, &count) in (0..encoder.cells().len()).zip(Backgammon::cells(&position)) {
                encoder.cell_features(cell, count, |input, value| parts[input] += value);
            }
            prop_assert_eq!(whole, parts);
        }
    }
}
