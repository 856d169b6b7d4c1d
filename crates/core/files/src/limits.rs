//! Every limit of what files, requests, clients and fleets may cost, in one table. What a program
//! that is spoken to may say stands where it is listened to.
//!
//! What is beyond a limit is refused with an error that names the limit. `docs/serving.md` has
//! the table, and a test holds the two equal. Each limit has a test that goes beyond it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// A limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Its name in documents and in `--limit NAME=VALUE`.
    pub name: &'static str,
    /// The largest value that is allowed, unless it is set to another.
    pub default: u64,
    /// What it counts.
    pub what: &'static str,
    /// The error beyond it.
    pub error: &'static str,
    /// Whether the option `--limit` of `serve` sets it.
    pub is_set_by_option: bool,
}

/// The constants, and the table of them.
macro_rules! table {
    ($($option:literal, $constant:ident, $name:literal, $default:expr, $what:literal, $error:literal;)+) => {
        $(
            #[doc = concat!("The most ", $what, ".")]
            pub const $constant: Limit = Limit {
                name: $name,
                default: $default,
                what: $what,
                error: $error,
                is_set_by_option: $option,
            };
        )+

        /// All limits.
        pub const TABLE: &[Limit] = &[$($constant),+];
    };
}

table! {
    false, THREADS, "`--threads`", 1024, "threads", "exit code 2";
    false, LINE_BYTES, "line", 1 << 20, "bytes of a line of `batch`, or of a request", "`request`, 413 `too_large`";
    false, NESTING, "nesting", 64, "levels of brackets in the id of a request", "`request`";
    false, SHARD, "shard", 10_000, "items of a packet of a fleet", "refused";
    false, FLEET_PART, "part", 256 << 10, "bytes of a part of a message of a fleet", "refused";
    false, FLEET_RESULT, "result", 64 << 20, "bytes of a result or network of a fleet", "refused";
    false, FLEET_UNFINISHED, "unfinished", 256 << 20, "bytes of results that lack parts",
        "the first is dropped, and done again";
    false, FLEET_JSON, "message", 64 << 10, "bytes of a message of a fleet in JSON", "refused";
    false, ENGINE_LINE, "engine line", 4096, "bytes of a line of another engine", "cut into pieces";
    false, ENGINE_LINES, "engine answer", 100_000, "lines of an answer of another engine",
        "the engine counts as broken";
    false, NAME_LETTERS, "name", 24, "characters of a player's name", "`request`";
    false, REQUEST_SECONDS, "`--patience`", 10, "seconds of a request that is no job", "429 `busy`";
    false, ARCHIVE_BYTES, "archive", 64 << 20, "bytes that are unpacked of an archive", "refused";
    false, ARCHIVE_RATIO, "ratio", 256, "times its size", "refused";
    false, MATCH_BYTES, "match file", 16 << 20, "bytes of a file of matches, our own JSON aside", "refused";
    false, MATCHES, "matches", 3000, "matches in it", "refused";
    false, GAMES, "games", 8000, "games in it", "refused";
    false, NOTES, "notes", 1000, "notes on a file of matches", "the last one says how many more there are";
    false, FILE_BYTES, "file", 64 << 20,
        "bytes of a list, a table, matches as JSON, a rollout that was saved",
        "refused";
    false, CACHE_BYTES, "cache", 256 << 20, "bytes of findings of analyses in the cache",
        "the oldest are removed";
    false, CONFIGURATION_BYTES, "configuration", 256 << 10, "bytes of a training configuration", "refused";
    false, SESSION_GAMES, "session", 1000, "games of a match or session that is played", "`request`, refused";
    false, LADDER_PLAYERS, "ladder", 500, "players of a ladder", "refused";
    false, LARGE_BYTES, "large file", 1 << 30, "bytes of a network or of the results of many games",
        "refused";
    false, HEAD_BYTES, "header", 64 << 10, "bytes without the end of the header of a request", "431";
    true, CONNECTIONS, "connections", 2048, "connections", "503 `busy`";
    true, CONNECTIONS_OF_CLIENT, "client-connections", 1024, "connections of a client", "503 `busy`";
    true, HEADER_SECONDS, "header-seconds", 15, "seconds until the header of a request is there",
        "the connection is closed";
    true, BODY_SECONDS, "body-seconds", 20, "seconds until its body is there", "400 `request`";
    true, STALL_SECONDS, "stall-seconds", 30, "seconds in which a client takes nothing of an answer",
        "the connection is closed";
    true, QUEUE, "queue", 4096, "requests that wait", "429 `busy` for clients above their share";
    true, UPLOAD_BYTES, "upload-bytes", 8 << 20, "bytes of a file that is sent", "413 `too_large`";
    true, UPLOAD_MATCHES, "upload-matches", 100, "matches in it", "413 `too_large`";
    true, UPLOAD_GAMES, "upload-games", 1000, "games in it", "413 `too_large`";
    true, UPLOAD_ACTIONS, "upload-actions", 100_000, "plays and cube actions in it", "413 `too_large`";
    true, JOB_SECONDS, "job-seconds", 1800, "seconds of a job", "it is canceled";
    true, JOBS_OF_CLIENT, "client-jobs", 16, "jobs of a client that wait or run", "429 `busy`";
    true, ANSWER_BYTES, "answer-bytes", 32 << 20, "bytes of the answer of a job", "`too_large`";
    true, JOB_QUEUE, "job-queue", 256, "jobs that wait", "429 `busy` for clients above their share";
    true, JOBS, "jobs", 500, "jobs that are kept", "404 for the oldest";
    true, JOBS_BYTES, "jobs-bytes", 128 << 20, "bytes of their files and answers",
        "404 for the oldest, then 429 `busy`";
    true, JOB_AGE, "job-age", 3600, "seconds that an answer is kept after its last request", "404";
    true, MATCHES_IN_MEMORY, "open-matches", 2000, "matches in memory that are in no file",
        "404 for the oldest of who has most";
    true, WATCHERS, "watchers", 100, "requests that wait for a change of a game", "429 `busy`";
    true, LINK_AGE, "link-age", 86_400, "seconds until a link to a free seat ends", "410 `expired`";
    true, SAVED_MATCHES, "saved-matches", 10_000, "matches with a file in the folder of matches",
        "507 `storage`";
}

/// The values of limits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits(BTreeMap<&'static str, u64>);

impl Limits {
    /// The value of a limit.
    pub fn of(&self, limit: &Limit) -> u64 {
        self.0.get(limit.name).copied().unwrap_or(limit.default)
    }

    /// The value of a limit of things.
    pub fn count(&self, limit: &Limit) -> usize {
        usize::try_from(self.of(limit)).unwrap_or(usize::MAX)
    }

    /// The value of a limit in seconds.
    pub fn time(&self, limit: &Limit) -> Duration {
        Duration::from_secs(self.of(limit))
    }

    /// These limits with another value of this one.
    #[must_use]
    pub fn with(mut self, limit: &Limit, value: u64) -> Self {
        self.0.insert(limit.name, value);
        self
    }

    /// Takes a limit as `NAME=VALUE`.
    ///
    /// # Errors
    ///
    /// A sentence with what was expected.
    pub fn set(&mut self, text: &str) -> Result<(), String> {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| format!("{text:?} is no limit, expected NAME=VALUE"))?;
        let mut known = TABLE.iter().filter(|limit| limit.is_set_by_option);
        let Some(limit) = known.clone().find(|limit| limit.name == name) else {
            let names: Vec<&str> = known.by_ref().map(|limit| limit.name).collect();
            return Err(format!(
                "there is no limit {name:?}, expected one of {}",
                names.join(", ")
            ));
        };
        let number = value.parse().ok().filter(|&number| number > 0);
        let number = number.ok_or_else(|| {
            format!("{name} is {value:?}, expected a whole number such as {}", limit.default)
        })?;
        self.0.insert(limit.name, number);
        Ok(())
    }
}

/// The table as Markdown.
pub fn markdown() -> String {
    let mut text = "| limit | default | the most | beyond it |\n|---|---|---|---|\n".to_owned();
    for Limit { name, default, what, error, is_set_by_option } in TABLE {
        let name = if *is_set_by_option { format!("`{name}`") } else { (*name).to_owned() };
        let default = match default {
            gibi if gibi % (1 << 30) == 0 && *gibi > 0 => format!("{} GiB", gibi >> 30),
            mebi if mebi % (1 << 20) == 0 && *mebi > 0 => format!("{} MiB", mebi >> 20),
            kibi if kibi % (1 << 16) == 0 && *kibi > 0 => format!("{} KiB", kibi >> 10),
            number => number.to_string(),
        };
        // Writing to a string never fails.
        let _ = writeln!(text, "|{name}|{default}|{what}|{error}|");
    }
    text
}

/// The tests of the limits: a file, a test in it, and the limits that it goes beyond.
#[cfg(test)]
const TESTS: &[(&str, &str, &[Limit])] = &[
    (
        "crates/interfaces/cli/tests/cli/errors.rs",
        "what_is_beyond_a_limit_is_refused_with_the_limit",
        &[THREADS, LINE_BYTES, MATCH_BYTES, LARGE_BYTES],
    ),
    (
        "crates/interfaces/serve/tests/api/limits.rs",
        "names_and_lines_have_a_length",
        &[NAME_LETTERS],
    ),
    (
        "crates/interfaces/cli/tests/cli/batch.rs",
        "an_id_that_is_nested_too_deep_is_refused",
        &[NESTING],
    ),
    ("crates/lab/fleet/src/wire.rs", "a_shard_has_a_run_that_is_one_word_and_some_games", &[SHARD]),
    ("crates/lab/fleet/src/wire.rs", "limits_hold", &[FLEET_PART, FLEET_RESULT, FLEET_JSON]),
    (
        "crates/lab/fleet/src/task.rs",
        "results_that_never_end_do_not_fill_the_memory",
        &[FLEET_UNFINISHED],
    ),
    (
        "crates/advice/protocols/src/process.rs",
        "a_line_without_an_end_comes_in_pieces",
        &[ENGINE_LINE],
    ),
    (
        "crates/advice/engine/src/analysis/saved.rs",
        "the_oldest_findings_leave_where_there_are_too_many",
        &[CACHE_BYTES],
    ),
    (
        "crates/interfaces/cli/tests/cli/ubgi.rs",
        "an_engine_that_never_ends_its_answer_is_broken",
        &[ENGINE_LINES],
    ),
    (
        "crates/interfaces/serve/tests/api/limits.rs",
        "the_header_of_a_request_has_a_size",
        &[HEAD_BYTES],
    ),
    (
        "crates/interfaces/serve/tests/api/main.rs",
        "long_work_is_refused_and_pointed_to_jobs",
        &[REQUEST_SECONDS],
    ),
    (
        "crates/advice/matches/src/xg/tests.rs",
        "an_archive_is_unpacked_within_a_budget",
        &[ARCHIVE_BYTES, ARCHIVE_RATIO],
    ),
    (
        "crates/advice/matches/src/sgf/tests.rs",
        "files_have_a_number_of_matches_and_games",
        &[MATCHES, GAMES],
    ),
    (
        "crates/advice/matches/src/sgf/tests.rs",
        "of_many_notes_the_first_are_kept_and_the_number_of_the_others",
        &[NOTES],
    ),
    (
        "crates/interfaces/cli/tests/cli/errors.rs",
        "what_never_ends_is_read_to_its_limit",
        &[FILE_BYTES, CONFIGURATION_BYTES],
    ),
    (
        "crates/advice/engine/src/live/setup.rs",
        "a_match_or_session_has_a_number_of_games",
        &[SESSION_GAMES],
    ),
    (
        "crates/lab/arena/src/strength/ladder/file.rs",
        "a_ladder_has_a_number_of_players",
        &[LADDER_PLAYERS],
    ),
    (
        "crates/interfaces/serve/tests/api/limits.rs",
        "connections_have_a_number_and_headers_bodies_and_readers_a_time",
        &[CONNECTIONS, CONNECTIONS_OF_CLIENT, HEADER_SECONDS, BODY_SECONDS, STALL_SECONDS],
    ),
    (
        "crates/interfaces/serve/tests/api/limits.rs",
        "requests_and_jobs_that_wait_have_a_number",
        &[QUEUE, JOB_QUEUE],
    ),
    (
        "crates/interfaces/serve/tests/api/limits.rs",
        "uploads_have_a_size_and_numbers_of_matches_games_and_actions",
        &[UPLOAD_BYTES, UPLOAD_MATCHES, UPLOAD_GAMES, UPLOAD_ACTIONS],
    ),
    (
        "crates/interfaces/serve/tests/api/limits.rs",
        "jobs_of_a_client_have_a_number_a_time_and_bytes_that_wait",
        &[JOB_SECONDS, JOBS_OF_CLIENT],
    ),
    (
        "crates/interfaces/serve/tests/api/limits.rs",
        "answers_are_kept_within_number_bytes_and_age",
        &[ANSWER_BYTES, JOBS, JOBS_BYTES, JOB_AGE],
    ),
    (
        "crates/interfaces/serve/tests/api/limits.rs",
        "saved_matches_have_a_number_and_their_folder_one_server",
        &[SAVED_MATCHES],
    ),
    (
        "crates/interfaces/serve/tests/api/seats.rs",
        "links_end_and_few_wait_at_a_game",
        &[WATCHERS, LINK_AGE],
    ),
    (
        "crates/interfaces/serve/tests/api/limits.rs",
        "matches_in_memory_have_a_number_and_who_has_most_loses_one",
        &[MATCHES_IN_MEMORY],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/serving.md");
        let mut text = std::fs::read_to_string(path).unwrap();
        // `scripts/load.py --write` brings the document up to date.
        if std::env::var_os("TAVOLA_WRITE").is_some() {
            let begin = text.find("| limit |").unwrap();
            let end = begin + text[begin..].find("\n\n").unwrap() + 1;
            text.replace_range(begin..end, &markdown());
            std::fs::write(path, &text).unwrap();
        }
        assert!(text.contains(&markdown()), "expected in docs/serving.md:\n{}", markdown());
    }

    #[test]
    fn each_limit_has_a_test_that_goes_beyond_it() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        for (file, test, limits) in TESTS {
            let text = std::fs::read_to_string(root.join(file)).unwrap();
            let (_, body) = text.split_once(&format!("fn {test}() {{")).expect(test);
            assert!(!body.is_empty() && !limits.is_empty(), "{test}");
        }
        for limit in TABLE {
            let is_tested = TESTS.iter().any(|(.., limits)| limits.contains(limit));
            assert!(is_tested, "{} has no test", limit.name);
        }
    }

    /// Nothing but tests reads a whole file without a limit.
    #[test]
    fn files_are_read_by_the_bounded_reader() {
        let mut folders =
            vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../crates")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_str().unwrap();
                if path.is_dir() && !["tests", "examples", "fuzz", "target"].contains(&name) {
                    folders.push(path);
                } else if path.is_file() && name.ends_with(".rs") && name != "tests.rs" {
                    let text = std::fs::read_to_string(&path).unwrap();
                    let code = text.split("mod tests {").next().unwrap();
                    // What the system itself tells has an end.
                    let code = code.replace("fs::read_to_string(\"/", "");
                    let found = ["fs::read(", "fs::read_to_string("].map(|it| code.contains(it));
                    assert_eq!(found, [false; 2], "{path:?} reads a file without a limit");
                }
            }
        }
    }

    #[test]
    fn limits_are_set_by_name() {
        let mut limits = Limits::default();
        assert_eq!(limits.of(&JOBS), 500);
        limits.set("jobs=7").unwrap();
        assert_eq!(limits, Limits::default().with(&JOBS, 7));
        for (text, expected) in [
            ("jobs", "\"jobs\" is no limit, expected NAME=VALUE"),
            ("job=7", "there is no limit \"job\", expected one of connections,"),
            ("jobs=0", "jobs is \"0\", expected a whole number such as 500"),
            ("jobs=-1", "jobs is \"-1\""),
        ] {
            let error = limits.set(text).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
