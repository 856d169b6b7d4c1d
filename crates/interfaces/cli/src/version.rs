//! What this build of the program is made of.

use std::fmt::Write as _;

use tavola_engine::LoadedNetwork;
use tavola_net::Kernel;

use crate::failure::{Failure, Outcome};
use crate::networks;

/// The commit that the program was built from, if it is known.
pub const COMMIT: Option<&str> = option_env!("TAVOLA_COMMIT");

/// Version, commit, built-in networks, processor and GPU, a line each.
pub fn long() -> Outcome<String> {
    let mut text = format!("tavola {}\n", env!("CARGO_PKG_VERSION"));
    let mut line = |name: &str, value: &str| {
        // A string takes every line.
        let _ = writeln!(text, "{name:<10}{value}");
    };
    line("commit", COMMIT.unwrap_or("unknown"));
    for (name, network) in
        [("network", LoadedNetwork::load(None)?), ("pruning", LoadedNetwork::pruning()?)]
    {
        let weights = network.weights();
        line(name, &format!("{}, {}", networks::version(weights), weights.game));
    }
    line("processor", &instructions()?);
    line("GPU", if cfg!(feature = "wgpu") { "training by wgpu" } else { "not in this build" });
    Ok(text)
}

/// The instruction sets that networks can be evaluated with, slowest first, and the one in use.
fn instructions() -> Outcome<String> {
    let available: Vec<&str> = Kernel::available().into_iter().map(Kernel::name).collect();
    let in_use = Kernel::in_use().map(Kernel::name).map_err(Failure::input)?;
    Ok(format!("{}, {in_use} in use of {}", std::env::consts::ARCH, available.join(", ")))
}
