//! The bench signature: which plays the built-in network chooses on fixed positions.

use crate::run::tavola;

/// A change of the network or of the rules changes it: put the new value here and into the commit.
const SIGNATURE: &str = "861d6507105c155f";

#[test]
fn the_built_in_network_chooses_the_plays_of_the_pinned_signature() {
    let figures = tavola(&["bench", "--seconds", "0.001", "--threads", "1", "--json"]).json();
    assert_eq!(figures["signature"], SIGNATURE);
}
