//! The names of players: read, written, and sent to other processes.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tavola_engine::{BUILT_IN, time_limit};
use tavola_evaluator::remote::file_in;
use tavola_evaluator::{Level, PlayableGame, Preset, SearchSettings};
use tavola_files::Failure;
use tavola_net::WeightsFile;
use tavola_play::{Effort, Pace};
use tavola_rules::did_you_mean;

use super::PlayerError;
use crate::strength::external::{GNUBG_MOST_PLIES, SAGE_MOST_PLIES};
use crate::strength::timed::thread_time;

/// The name of the random player.
pub(crate) const RANDOM: &str = "random";

/// What stands between the name of a network and the plies that it looks ahead.
const AT: char = '@';

/// What stands before the name of a network that plays without bear-off databases and, where it does
/// not look ahead, without a pruning network.
pub const RAW: &str = "raw:";

/// What stands between the plies and the preset of the search.
const SLASH: char = '/';

/// Which player a text names. Nothing is loaded or started yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerName {
    pub(super) text: String,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Random,
    Baseline,
    Network(NamedNetwork),
    Gnubg { ply: u8 },
    Sage { ply: u8 },
    Command { program: String, args: Vec<String> },
    Ubgi { options: Vec<(String, String)>, program: String, args: Vec<String> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedNetwork {
    /// A weights file, or the name of the built-in network.
    pub(super) file: WeightsFile,
    pub(super) is_raw: bool,
    pub(super) depth: Depth,
}

/// How deep a network looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Depth {
    /// Plies in a preset.
    Plies(u8, Preset),
    /// A named level.
    Level(Level),
    /// As deep as decisions of this processor time on average allow.
    Time(Duration),
}

impl Depth {
    /// How its search looks ahead.
    pub(super) fn search(self) -> SearchSettings {
        match self {
            Self::Plies(ply, preset) => preset.at(ply),
            Self::Level(level) => level.search(),
            Self::Time(_) => Level::TwoPly.search(),
        }
    }

    /// How much work goes into a decision.
    pub(super) fn effort(self) -> Effort {
        match self {
            Self::Plies(..) => Effort::Level(None),
            Self::Level(level) => Effort::Level(level.rollout().map(Box::new)),
            Self::Time(time) => Effort::Paced(Pace::new(time, thread_time)),
        }
    }

    /// In words, as players are told apart by.
    pub(super) fn in_words(self) -> String {
        match self {
            Self::Plies(0, _) => "0-ply".to_owned(),
            Self::Plies(ply, preset) => format!("{ply}-ply, preset {preset}"),
            Self::Level(level) => format!("level {level}"),
            Self::Time(time) => format!("{time:?} a decision"),
        }
    }
}

/// As it is typed behind [`AT`].
impl fmt::Display for Depth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plies(ply, preset) => write!(f, "{ply}{SLASH}{preset}"),
            Self::Level(level) => level.fmt(f),
            Self::Time(time) => write!(f, "{}us", time.as_micros()),
        }
    }
}

impl PlayerName {
    /// Reads a name.
    ///
    /// # Errors
    ///
    /// [`PlayerError`] if `text` names no player of this game; a weights file must be there.
    pub fn parse<G: PlayableGame>(text: &str, game: &G) -> Result<Self, PlayerError> {
        let kind = if text == RANDOM {
            Kind::Random
        } else if text == G::BASELINE {
            Kind::Baseline
        } else if let Some(command) = text.strip_prefix("exec:") {
            command_of(text, command)?
        } else if let Some(command) = text.strip_prefix("ubgi:") {
            ubgi_of(text, command)?
        } else if text == "gnubg" {
            Kind::Gnubg { ply: 0 }
        } else if let Some(ply) = text.strip_prefix("gnubg:") {
            let ply = ply.parse().ok().filter(|&ply| ply <= GNUBG_MOST_PLIES);
            let expected = || format!("gnubg: and a number of plies from 0 to {GNUBG_MOST_PLIES}");
            Kind::Gnubg { ply: ply.ok_or_else(|| unknown(text, expected()))? }
        } else if text == "sage" {
            Kind::Sage { ply: 1 }
        } else if let Some(level) = text.strip_prefix("sage:") {
            let ply = (1..=SAGE_MOST_PLIES).find(|ply| level == format!("{ply}ply"));
            let expected = || format!("sage: and a level from 1ply to {SAGE_MOST_PLIES}ply");
            Kind::Sage { ply: ply.ok_or_else(|| unknown(text, expected()))? }
        } else {
            Kind::Network(network_of(text, game)?)
        };
        Ok(Self { text: text.to_owned(), kind })
    }

    /// The name of the same player with this processor time for a decision: a network's gets it, that
    /// of another player stays.
    ///
    /// # Errors
    ///
    /// [`PlayerError`] if `text` names no player, or one that has a depth.
    pub fn paced<G: PlayableGame>(
        text: &str,
        time: Duration,
        game: &G,
    ) -> Result<String, PlayerError> {
        let Kind::Network(_) = Self::parse(text, game)?.kind else { return Ok(text.to_owned()) };
        let name = format!("{text}{AT}{}", Depth::Time(time));
        match Self::parse(&name, game) {
            Ok(_) => Ok(name),
            Err(_) => Err(unknown(text, "a network without a depth, which follows from the time")),
        }
    }

    /// The weights file that it names.
    pub fn file(&self) -> Option<&Path> {
        match &self.kind {
            Kind::Network(network) if network.file.path != Path::new(BUILT_IN) => {
                Some(&network.file.path)
            }
            _ => None,
        }
    }
}

/// A player of this program, for other processes: nothing that only one machine has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum PlayerRecipe {
    /// The random player, or the baseline of the game.
    Baseline(String),
    /// A network.
    Network {
        /// The name of its file; `None` is the built-in one.
        file: Option<String>,
        /// Whether it plays without bear-off databases and pruning.
        raw: bool,
        /// How deep it looks.
        depth: Depth,
    },
}

impl PlayerName {
    /// The player for other processes, to which its weights file goes under this name; `None` for
    /// other programs.
    pub fn recipe(&self, file: Option<String>) -> Option<PlayerRecipe> {
        match &self.kind {
            Kind::Random | Kind::Baseline => Some(PlayerRecipe::Baseline(self.text.clone())),
            // What the time allows differs from machine to machine.
            Kind::Network(NamedNetwork { depth: Depth::Time(_), .. }) => None,
            Kind::Network(NamedNetwork { is_raw, depth, .. }) => {
                Some(PlayerRecipe::Network { file, raw: *is_raw, depth: *depth })
            }
            Kind::Gnubg { .. } | Kind::Sage { .. } | Kind::Command { .. } | Kind::Ubgi { .. } => {
                None
            }
        }
    }
}

impl PlayerRecipe {
    /// The name of the player, whose files are in a folder. No recipe makes it another program.
    ///
    /// # Errors
    ///
    /// [`PlayerError`] if there is no such player, or it is no recipe for one.
    pub fn name<G: PlayableGame>(&self, folder: &Path, game: &G) -> Result<String, PlayerError> {
        match self {
            Self::Baseline(name) if name == RANDOM || name == G::BASELINE => Ok(name.clone()),
            Self::Baseline(name) => Err(unknown(name, format!("{RANDOM} or {}", G::BASELINE))),
            Self::Network { file, raw, depth } => {
                let file = match file {
                    None => BUILT_IN.to_owned(),
                    Some(name) => file_in(folder, name)
                        .map_err(|error| unknown(name, error.to_string()))?
                        .display()
                        .to_string(),
                };
                let raw = if *raw { RAW } else { "" };
                let name = format!("{raw}{file}{AT}{depth}");
                match PlayerName::parse(&name, game)?.kind {
                    Kind::Network(_) => Ok(name),
                    _ => Err(unknown(&name, "a network")),
                }
            }
        }
    }
}

fn unknown(text: &str, expected: impl Into<String>) -> PlayerError {
    PlayerError::Unknown { text: text.to_owned(), expected: expected.into() }
}

/// The program and arguments behind `exec:`.
fn command_of(text: &str, command: &str) -> Result<Kind, PlayerError> {
    let expected = "exec: and a program with its arguments, quoted as for a shell";
    let refuse = |problem| unknown(text, format!("{expected} ({problem})"));
    let words = shlex::split(command).ok_or_else(|| refuse("a quote is not closed"))?;
    let mut words = words.into_iter();
    let program = words.next().ok_or_else(|| refuse("there is no program"))?;
    Ok(Kind::Command { program, args: words.collect() })
}

/// Options as `NAME=VALUE`, then the program and arguments, behind `ubgi:`.
fn ubgi_of(text: &str, command: &str) -> Result<Kind, PlayerError> {
    let expected = "ubgi:, options as NAME=VALUE, and a program with its arguments, quoted as for \
                    a shell";
    let refuse = |problem| unknown(text, format!("{expected} ({problem})"));
    let words = shlex::split(command).ok_or_else(|| refuse("a quote is not closed"))?;
    let mut words = words.into_iter().peekable();
    let mut options = Vec::new();
    while let Some((name, value)) = words.peek().and_then(|word| word.split_once('='))
        && !name.contains('/')
    {
        options.push((name.to_owned(), value.to_owned()));
        words.next();
    }
    let program = words.next().ok_or_else(|| refuse("there is no program"))?;
    Ok(Kind::Ubgi { options, program, args: words.collect() })
}

/// `NAME`, `NAME@PLY`, `NAME@PLY/PRESET` or `NAME@LEVEL`, raw or not.
fn network_of<G: PlayableGame>(text: &str, game: &G) -> Result<NamedNetwork, PlayerError> {
    let (named, is_raw) = text.strip_prefix(RAW).map_or((text, false), |named| (named, true));
    let (mut name, mut depth) = (named, Depth::Plies(0, Preset::default()));
    // A file may have the sign in its name.
    if let Some((before, ahead)) = named.rsplit_once(AT)
        && !Path::new(named).exists()
    {
        name = before;
        depth = depth_of(text, ahead)?;
    }
    let file = match Path::new(name).exists() {
        true => WeightsFile { path: name.into(), checksum: None },
        false => WeightsFile::try_from(name.to_owned())
            .map_err(|error| unknown(text, error.to_string()))?,
    };
    if file.path != Path::new(BUILT_IN) && !file.path.exists() {
        if file.path.components().nth(1).is_some() || file.path.extension().is_some() {
            return Err(unknown(text, "a weights file that exists"));
        }
        return Err(unknown(
            text,
            format!(
                "default, random, {}, gnubg, gnubg:PLY, sage, sage:LEVEL, exec:COMMAND, ubgi:COMMAND or a \
                 weights file for {}; \
                 default{AT}2 or FILE{AT}2 to look 2 plies ahead, {RAW}default or {RAW}FILE to play \
                 without bear-off databases and pruning{}",
                G::BASELINE,
                game.id(),
                did_you_mean(text, [BUILT_IN, RANDOM, G::BASELINE, "gnubg", "sage"])
            ),
        ));
    }
    Ok(NamedNetwork { file, is_raw, depth })
}

/// `LEVEL`, or plies and a preset; the plies of the default preset are levels.
fn depth_of(text: &str, depth: &str) -> Result<Depth, PlayerError> {
    let (name, preset) =
        depth.split_once(SLASH).map_or((depth, None), |(plies, preset)| (plies, Some(preset)));
    let preset = preset.map(str::parse::<Preset>).transpose().map_err(Failure::input)?;
    let level = name.parse::<Level>();
    match (level, preset) {
        (Ok(level), None) if level.plies().is_none() => Ok(Depth::Level(level)),
        (Ok(level), preset) if let Some(ply) = level.plies() => {
            Ok(Depth::Plies(ply, preset.unwrap_or_default()))
        }
        (Err(_), None) if time_limit(depth).is_ok_and(|time| time.as_micros() > 0) => {
            Ok(Depth::Time(time_limit(depth).unwrap_or_default()))
        }
        _ => {
            let levels = Level::ALL.map(Level::name).join(", ");
            let what = format!(
                "one of {levels} after the {AT}, a number with a preset as in {AT}2/wide, or the \
                     time of a decision as in {AT}5ms"
            );
            Err(unknown(text, what))
        }
    }
}
