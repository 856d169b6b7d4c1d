//! Criterion benches of the hot paths; see `docs/performance.md`.
