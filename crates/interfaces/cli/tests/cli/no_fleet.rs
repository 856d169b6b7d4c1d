//! A program without fleets, as README's first command makes it, says how to get one with them.

use crate::run::tavola;

#[test]
fn whoever_asks_for_a_fleet_learns_how_to_get_one() {
    for args in [
        &["worker", "nats://localhost", "--threads", "1"][..],
        &["fleet", "status", "nats://localhost"],
        &["duel", "default", "random", "--fleet", "nats://localhost"],
    ] {
        tavola(args).refused(&["this build has no fleet of workers", "--features fleet"]);
    }
}
