//! Which program wrote a report, on which machine, about which networks.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use serde::Serialize;
use tavola_pipeline::{Machine, Tool};

use crate::ask;
use crate::failure::{Blame, Outcome};
use crate::report::table::Out;
use crate::version;

/// This program.
pub fn tool() -> Tool {
    Tool {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: version::COMMIT.map(str::to_owned),
    }
}

/// What a report says about how it came about.
#[derive(Clone, Debug, Serialize)]
pub struct Provenance {
    #[serde(flatten)]
    tool: Tool,
    machine: Machine,
    threads: NonZeroUsize,
    /// SHA-256 of each network, by the name that was given.
    networks: BTreeMap<String, String>,
    /// What it takes to repeat the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    settings: Option<serde_json::Value>,
}

impl Provenance {
    /// A report of this program on this machine.
    pub fn of<'a>(
        threads: NonZeroUsize,
        networks: impl IntoIterator<Item = (&'a str, String)>,
    ) -> Self {
        let networks = networks.into_iter().map(|(name, sha256)| (name.to_owned(), sha256));
        Self {
            tool: tool(),
            machine: Machine::this(),
            threads,
            networks: networks.collect(),
            settings: None,
        }
    }

    /// This provenance with what it takes to repeat the report.
    pub fn with_settings(self, settings: &impl Serialize) -> Outcome<Self> {
        let settings = serde_json::to_value(settings).or_work_in("cannot write the settings")?;
        Ok(Self { settings: Some(settings), ..self })
    }

    /// Writes a report as [`ask::write_json`] does, with `provenance` as its last key.
    pub fn write_json(&self, report: &impl Serialize, out: &mut dyn Out) -> Outcome<bool> {
        #[derive(Serialize)]
        struct Line<'a, T> {
            #[serde(flatten)]
            report: &'a T,
            provenance: &'a Provenance,
        }
        ask::write_json(&Line { report, provenance: self }, out)
    }
}
