//! The weights files that are built into tavola, as bytes. The README of this package describes
//! the networks; `tavola_net` reads them.

/// The network of backgammon.
pub const DEFAULT: &[u8] = include_bytes!("../default.safetensors");

/// The fast network of backgammon, a fifth of the size of [`DEFAULT`]: the one for browsers.
pub const STUDENT: &[u8] = include_bytes!("../student.safetensors");

/// The pruning network of backgammon.
pub const PRUNE: &[u8] = include_bytes!("../prune.safetensors");

/// A weights file with the name of its game. In WebAssembly it is no part of the program: a page
/// loads it when somebody plays the game.
macro_rules! of_game {
    ($name:literal) => {{
        #[cfg(not(target_family = "wasm"))]
        let bytes: Option<&[u8]> =
            Some(include_bytes!(concat!("../games/", $name, ".safetensors")));
        #[cfg(target_family = "wasm")]
        let bytes: Option<&[u8]> = None;
        ($name, bytes)
    }};
}

/// The networks of the other games, by the game that each was trained for; `None` where it has to
/// be loaded first.
pub const GAMES: &[(&str, Option<&[u8]>)] = &[
    of_game!("hypergammon"),
    of_game!("tabula"),
    of_game!("puff"),
    of_game!("fallas"),
    of_game!("emperador"),
    of_game!("buffa"),
    of_game!("ludus"),
    of_game!("trictrac"),
    of_game!("four-seasons"),
    of_game!("astronomy"),
];
