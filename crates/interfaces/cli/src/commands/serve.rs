//! `tavola serve`: the board in the browser, and the API behind it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;
use etcetera::BaseStrategy;
use tavola_engine::{Engine, Question};
use tavola_files::limits::{self, Limits};
use tavola_serve::{ServeError, Server, ServerSettings};

use crate::args::{EngineArgs, example};
use crate::ask::watched;
use crate::cancel;
use crate::failure::{Blame, Failure, Outcome};
use crate::outputs::{Content, KeptFile, keeps};
use crate::report::table::Out;
use crate::report::warning::warn;

/// How long the end may take: the server ends by itself before.
const FAREWELL: Duration = Duration::from_secs(9);

/// How often it is looked whether to end.
const TICK: Duration = Duration::from_millis(100);

/// Serve the board in the browser, and the engine over HTTP.
///
/// Open the printed address to play, to set up positions, to roll out and to look at matches. Other
/// programs ask every operation of `tavola batch` as POST /api/v1/NAME; docs/serving.md has
/// examples, /openapi.json describes every path.
///
/// It listens on this machine alone. With --host and an address that others reach it wants a token
/// of every client: --token, TAVOLA_TOKEN, or one that it makes and prints. Matches are kept in
/// files and survive a restart. Ctrl-C ends it.
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola serve\n  \
         tavola serve --port 0 --threads 4\n  \
         tavola serve --host 0.0.0.0 --token \"$(openssl rand -hex 16)\"\n  \
         tavola serve --run runs/mine --run runs/other\n  \
         curl -s localhost:8080/api/v1/best \\\n       \
         -d '{\"position\": \"start\", \"dice\": [3, 1], \"top\": 1}'"
    )
)]
pub struct ServeArgs {
    /// The port; 0 takes a free one
    #[arg(long, short, value_name = "PORT", default_value_t = 8080)]
    pub port: u16,
    /// The address to listen on; without TLS, so that others need a proxy with it
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    pub host: IpAddr,
    /// The address of a proxy before the server, which is believed for whom it asks: the last
    /// address of X-Forwarded-For, or of Forwarded; may be given several times
    #[arg(long, value_name = "ADDRESS")]
    pub proxy: Vec<IpAddr>,
    /// Token that clients send, at least 16 characters [default: TAVOLA_TOKEN]
    #[arg(long, value_name = "TOKEN", value_parser = token)]
    pub token: Option<String>,
    /// The folder of matches [default: tavola/games in the user's data folder]
    #[arg(long, value_name = "DIR")]
    pub games: Option<PathBuf>,
    /// Keep matches in memory only
    #[arg(long, conflicts_with = "games")]
    pub forget: bool,
    /// Show this training run, while it goes or after; may be given several times
    #[arg(long, value_name = "DIR")]
    pub run: Vec<PathBuf>,
    /// Seconds after which a request that is no job gets no answer
    #[arg(long, value_name = "SECONDS", default_value_t = limits::REQUEST_SECONDS.default as u16,
          value_parser = clap::value_parser!(u16).range(1..=600))]
    pub patience: u16,
    /// Add a line in JSON for each request to this file
    #[arg(long, value_name = "FILE", value_parser = keeps(Content::Log))]
    pub log: Option<KeptFile>,
    /// What clients may cost, as docs/serving.md names it; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    pub limit: Vec<String>,
    /// Network, endgame databases and threads.
    #[command(flatten)]
    pub engine: EngineArgs,
}

fn token(text: &str) -> Result<String, String> {
    match text.len() >= 16 && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Ok(text.to_owned()),
        false => Err("expected at least 16 letters, digits and signs".to_owned()),
    }
}

/// The user's folder of matches.
pub fn games_folder() -> Option<PathBuf> {
    let user = etcetera::choose_base_strategy().ok();
    let folder = user.map(|user| user.data_dir().join("tavola").join("games"));
    if folder.is_none() {
        warn(&"no data folder of the user was found; matches are kept in memory only");
    }
    folder
}

impl ServeArgs {
    /// Token that clients send.
    fn token(&self) -> Outcome<Option<String>> {
        if self.token.is_some() {
            return Ok(self.token.clone());
        }
        match std::env::var("TAVOLA_TOKEN").ok().filter(|text| !text.is_empty()) {
            Some(text) => token(&text)
                .map(Some)
                .map_err(|expected| Failure::input(format_args!("TAVOLA_TOKEN: {expected}"))),
            None if self.host.is_loopback() => Ok(None),
            None => tavola_serve::new_token().map(Some).or_work_in("no token could be made"),
        }
    }

    fn settings(&self) -> Outcome<ServerSettings> {
        let games = match &self.games {
            _ if self.forget => None,
            Some(folder) => Some(folder.clone()),
            None => games_folder(),
        };
        for run in &self.run {
            if !run.is_dir() {
                let message = format!("{} is no folder, expected a run directory", run.display());
                return Err(Failure::input(message));
            }
        }
        let mut limits = Limits::default();
        self.limit.iter().try_for_each(|text| limits.set(text)).map_err(Failure::input)?;
        Ok(ServerSettings {
            address: SocketAddr::new(self.host, self.port),
            token: self.token()?,
            games,
            threads: self.engine.threads.count(),
            proxies: self.proxy.iter().map(IpAddr::to_canonical).collect(),
            patience: Duration::from_secs(self.patience.into()),
            runs: self.run.clone(),
            log: self.log.as_deref().map(Path::to_owned),
            limits,
            ..ServerSettings::default()
        })
    }
}

/// Serves until it is interrupted.
pub fn run(args: &ServeArgs, out: &mut dyn Out) -> Outcome {
    let settings = args.settings()?;
    let token = settings.token.clone();
    // A thread for each question: several are answered at the same time.
    let engine = Arc::new(Engine::new(NonZeroUsize::MIN, args.engine.store()));
    let default = Question::backgammon(args.engine.model());
    // Before the first request: what is unusable, and what takes long.
    engine.network(default.model.as_deref(), &default.game.id())?;
    watched(|watch| {
        engine.tables(watch);
        Ok(())
    })?;
    let interrupted = cancel::on_interrupt_within(FAREWELL, "ending after open requests")?;
    if !args.host.is_loopback() {
        warn(&"tokens and answers are not encrypted; a proxy with TLS before the server does that");
    }
    let server = start(settings, engine, default)?;
    let address = server.address();
    let host = match args.host.is_unspecified() {
        // Nobody can open that address.
        true => format!("ADDRESS:{}", address.port()),
        false => address.to_string(),
    };
    writeln!(out, "http://{host}/{}", fragment(!args.run.is_empty(), token.as_deref()))?;
    if args.host.is_unspecified() {
        writeln!(out, "where ADDRESS is the name of this machine, or one of its addresses")?;
    }
    out.flush()?;
    while !interrupted.load(Ordering::Relaxed) {
        std::thread::sleep(TICK);
    }
    server.stop();
    Ok(())
}

/// What follows the address of the page, which opens on the runs if there are some.
fn fragment(has_runs: bool, token: Option<&str>) -> String {
    let token = token.map(|token| format!("token={token}"));
    let parts: Vec<String> =
        has_runs.then(|| "/watch".to_owned()).into_iter().chain(token).collect();
    if parts.is_empty() { String::new() } else { format!("#{}", parts.join("&")) }
}

/// Starts a server, or says whose fault it is that there is none.
pub(super) fn start(
    settings: ServerSettings,
    engine: Arc<Engine>,
    default: Question,
) -> Outcome<Server> {
    match Server::start(settings, engine, default) {
        Err(error @ ServeError::Threads(_)) => Err(error).or_work_in("no server"),
        started => started.or_input(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_opens_on_runs() {
        assert_eq!(fragment(false, None), "");
        assert_eq!(fragment(true, None), "#/watch");
        assert_eq!(fragment(false, Some("secret")), "#token=secret");
        assert_eq!(fragment(true, Some("secret")), "#/watch&token=secret");
    }
}
