//! Training on a fleet: a real server and real workers, which are killed and come again. The
//! network at the end is that of one process, bit for bit.
//!
//! Learners and workers are processes of this test's own executable: see `fleet.rs`.

mod chaos;
mod fleet;
mod hostile;
mod security;
mod trust;
