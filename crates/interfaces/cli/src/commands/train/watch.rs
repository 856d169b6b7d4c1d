//! A training run shown in the browser while it goes.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use tavola_engine::{Engine, Question};
#[cfg(feature = "fleet")]
use tavola_fleet::FleetMonitor;
use tavola_serve::{FleetWatch, Server, ServerSettings};

use crate::args::Fleet;
use crate::commands::serve;
use crate::failure::Outcome;
use crate::report::format;

/// The fleet of a run on the page.
#[cfg(feature = "fleet")]
#[derive(Debug)]
struct Shown(FleetMonitor);

#[cfg(feature = "fleet")]
impl FleetWatch for Shown {
    fn status(&self) -> serde_json::Value {
        serde_json::to_value(self.0.status()).unwrap_or_default()
    }

    fn metrics(&self) -> String {
        self.0.status().metrics()
    }
}

/// Serves the page with the run on it, on this machine alone, and says where.
pub(super) fn start(port: u16, run: &Path, fleet: Option<&Fleet>) -> Outcome<Server> {
    #[cfg(feature = "fleet")]
    let shown = |fleet: &Fleet| Arc::new(Shown(fleet.monitor())) as Arc<dyn FleetWatch>;
    #[cfg(not(feature = "fleet"))]
    let shown = |fleet: &Fleet| -> Arc<dyn FleetWatch> { match *fleet {} };
    let settings = ServerSettings {
        address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        runs: vec![run.to_owned()],
        games: serve::games_folder(),
        fleet: fleet.map(shown),
        ..ServerSettings::default()
    };
    let engine = Arc::new(Engine::new(NonZeroUsize::MIN, None));
    let server = serve::start(settings, engine, Question::backgammon(None))?;
    writeln!(std::io::stderr(), "watch it at http://{}/#/watch", server.address())?;
    Ok(server)
}

/// Ends the server with the run, and says how the page and its matches go on.
pub(super) fn end(server: Option<Server>, run: &Path) -> Outcome {
    let Some(server) = server else { return Ok(()) };
    let (port, run) = (server.address().port(), format::shell_word(run.display()));
    server.stop();
    let on = format!("it goes on with tavola serve --port {port} --run {run}");
    Ok(writeln!(std::io::stderr(), "the page ends with the run; {on}")?)
}
