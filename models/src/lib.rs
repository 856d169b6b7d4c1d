//! The weights files that are built into tavola, as bytes. The README of this package describes
//! the networks; `tavola_net` reads them.

/// The network of backgammon.
pub const DEFAULT: &[u8] = include_bytes!("../default.safetensors");

/// The fast network of backgammon, a fifth of the size of [`DEFAULT`]: the one for browsers.
pub const STUDENT: &[u8] = include_bytes!("../student.safetensors");

/// The pruning network of backgammon.
pub const PRUNE: &[u8] = include_bytes!("../prune.safetensors");

/// The networks of the other games, by the game that each was trained for.
pub const GAMES: &[(&str, &[u8])] = &[
    ("hypergammon", include_bytes!("../games/hypergammon.safetensors")),
    ("tabula", include_bytes!("../games/tabula.safetensors")),
    ("puff", include_bytes!("../games/puff.safetensors")),
    ("fallas", include_bytes!("../games/fallas.safetensors")),
    ("emperador", include_bytes!("../games/emperador.safetensors")),
    ("buffa", include_bytes!("../games/buffa.safetensors")),
    ("ludus", include_bytes!("../games/ludus.safetensors")),
    ("trictrac", include_bytes!("../games/trictrac.safetensors")),
    ("four-seasons", include_bytes!("../games/four-seasons.safetensors")),
    ("astronomy", include_bytes!("../games/astronomy.safetensors")),
];
