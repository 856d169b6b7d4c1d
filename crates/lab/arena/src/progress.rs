//! Who is told how far a job is.

/// Who is told how far a job of one or more stages is.
pub trait Progress: Sync {
    /// A stage begins that consists of this number of things, with their name in the plural. The
    /// one before it is over.
    fn begin(&self, number: u64, things: &'static str);

    /// Another one of them is done.
    fn one_done(&self);
}

/// No observer.
impl Progress for () {
    fn begin(&self, _: u64, _: &'static str) {}

    fn one_done(&self) {}
}
