//! Bear-off databases of several machines: evaluations are the same where these are.

use tavola_bearoff::Store;

use crate::error::{EngineError, ErrorKind};

/// The bear-off databases of the user, by what they cover. Missing default ones are generated.
pub(crate) fn tables_in_use() -> Vec<String> {
    let (tables, _) = Store::of_user().load_all(&|_| {});
    tables.iter().map(|table| table.spec().to_string()).collect()
}

/// Checks that the user has the same bear-off databases as another machine.
///
/// # Errors
///
/// [`EngineError`] with both.
pub(crate) fn expect_tables(expected: &[String]) -> Result<(), EngineError> {
    let found = tables_in_use();
    if found == expected {
        return Ok(());
    }
    Err(EngineError::new(
        ErrorKind::Internal,
        format_args!(
            "the bear-off databases here are [{}], expected those of the learner: [{}]; `tavola \
             bearoff generate` makes them",
            found.join(", "),
            expected.join(", ")
        ),
    ))
}
