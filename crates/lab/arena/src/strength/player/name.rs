//! The names of players: read, written, and sent to other processes.

use std::path::Path;
use std::time::Duration;

use tavola_engine::{BUILT_IN, Effort};
use tavola_evaluator::PlayableGame;
use tavola_evaluator::remote::file_in;
use tavola_net::WeightsFile;
use tavola_rules::did_you_mean;

use super::PlayerError;
use crate::strength::external::{GNUBG_MOST_PLIES, SAGE_MOST_PLIES};

/// The name of the random player.
pub(crate) const RANDOM: &str = "random";

/// What stands between the name of a network and the plies that it looks ahead.
pub(crate) const AT: char = '@';

/// What stands before the name of a network that plays without bear-off databases and, where it does
/// not look ahead, without a pruning network.
pub const RAW: &str = "raw:";

/// Which player a text names. Nothing is loaded or started yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerName {
    pub(super) text: String,
    pub(super) kind: PlayerKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PlayerKind {
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
    pub(super) effort: Effort,
}

impl PlayerName {
    /// Reads a name.
    ///
    /// # Errors
    ///
    /// [`PlayerError`] if `text` names no player of this game; a weights file must be there.
    pub fn parse<G: PlayableGame>(text: &str, game: &G) -> Result<Self, PlayerError> {
        let kind = if text == RANDOM {
            PlayerKind::Random
        } else if text == G::BASELINE {
            PlayerKind::Baseline
        } else if let Some(command) = text.strip_prefix("exec:") {
            command_of(text, command, false)?
        } else if let Some(command) = text.strip_prefix("ubgi:") {
            command_of(text, command, true)?
        } else if text == "gnubg" {
            PlayerKind::Gnubg { ply: 0 }
        } else if let Some(ply) = text.strip_prefix("gnubg:") {
            let ply = ply.parse().ok().filter(|&ply| ply <= GNUBG_MOST_PLIES);
            let expected = || format!("gnubg: and a number of plies from 0 to {GNUBG_MOST_PLIES}");
            PlayerKind::Gnubg { ply: ply.ok_or_else(|| unknown(text, expected()))? }
        } else if text == "sage" {
            PlayerKind::Sage { ply: 1 }
        } else if let Some(level) = text.strip_prefix("sage:") {
            let ply = (1..=SAGE_MOST_PLIES).find(|ply| level == format!("{ply}ply"));
            let expected = || format!("sage: and a level from 1ply to {SAGE_MOST_PLIES}ply");
            PlayerKind::Sage { ply: ply.ok_or_else(|| unknown(text, expected()))? }
        } else {
            PlayerKind::Network(network_of(text, game)?)
        };
        Ok(Self { text: text.to_owned(), kind })
    }

    /// How many plies another engine with the line protocol looks ahead, as gnubg counts, 0 if it
    /// does not say; `None` for other players.
    pub(crate) fn plies_of_engine(&self) -> Option<u8> {
        match self.kind {
            PlayerKind::Gnubg { ply } => Some(ply),
            PlayerKind::Sage { ply } => Some(ply - 1),
            PlayerKind::Command { .. } => Some(0),
            _ => None,
        }
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
        let PlayerKind::Network(_) = Self::parse(text, game)?.kind else {
            return Ok(text.to_owned());
        };
        let name = format!("{text}{AT}{}", Effort { time: Some(time), ..Effort::default() });
        match Self::parse(&name, game) {
            Ok(_) => Ok(name),
            Err(_) => Err(unknown(text, "a network without a depth, which follows from the time")),
        }
    }

    /// The weights file that it names.
    pub fn file(&self) -> Option<&Path> {
        match &self.kind {
            PlayerKind::Network(network) if network.file.path != Path::new(BUILT_IN) => {
                Some(&network.file.path)
            }
            _ => None,
        }
    }

    /// The name of the player for other processes, to which its weights file goes under this name;
    /// `None` for what only one machine has, such as other programs.
    pub fn recipe(&self, file: Option<&str>) -> Option<String> {
        match &self.kind {
            PlayerKind::Random | PlayerKind::Baseline => Some(self.text.clone()),
            // What the time allows differs from machine to machine.
            PlayerKind::Network(NamedNetwork { is_raw, effort, .. }) if effort.time.is_none() => {
                let raw = if *is_raw { RAW } else { "" };
                Some(format!("{raw}{}{AT}{effort}", file.unwrap_or(BUILT_IN)))
            }
            _ => None,
        }
    }

    /// The name here of the player of a [`recipe`](Self::recipe), whose file is in a folder. No
    /// recipe makes it another program.
    ///
    /// # Errors
    ///
    /// [`PlayerError`] if there is no such player, or it is no recipe for one.
    pub fn of_recipe<G: PlayableGame>(
        recipe: &str,
        folder: &Path,
        game: &G,
    ) -> Result<String, PlayerError> {
        if recipe == RANDOM || recipe == G::BASELINE {
            return Ok(recipe.to_owned());
        }
        let (raw, named) = recipe.strip_prefix(RAW).map_or(("", recipe), |named| (RAW, named));
        let expected = || unknown(recipe, "a network with a depth");
        let (file, effort) = named.rsplit_once(AT).ok_or_else(expected)?;
        let file = match file {
            BUILT_IN => BUILT_IN.to_owned(),
            name => file_in(folder, name)
                .map_err(|error| unknown(recipe, error.to_string()))?
                .display()
                .to_string(),
        };
        let name = format!("{raw}{file}{AT}{effort}");
        match Self::parse(&name, game)?.kind {
            PlayerKind::Network(_) => Ok(name),
            _ => Err(expected()),
        }
    }
}

fn unknown(text: &str, expected: impl Into<String>) -> PlayerError {
    PlayerError::Unknown { text: text.to_owned(), expected: expected.into() }
}

/// The program and arguments behind `exec:`, or behind `ubgi:` and options as `NAME=VALUE`.
fn command_of(text: &str, command: &str, is_ubgi: bool) -> Result<PlayerKind, PlayerError> {
    let before = if is_ubgi { "ubgi:, options as NAME=VALUE," } else { "exec:" };
    let expected = format!("{before} and a program with its arguments, quoted as for a shell");
    let refuse = |problem| unknown(text, format!("{expected} ({problem})"));
    let words = shlex::split(command).ok_or_else(|| refuse("a quote is not closed"))?;
    let mut words = words.into_iter().peekable();
    let mut options = Vec::new();
    while let Some((name, value)) = words.peek().and_then(|word| word.split_once('='))
        && is_ubgi
        && !name.contains('/')
    {
        options.push((name.to_owned(), value.to_owned()));
        words.next();
    }
    let program = words.next().ok_or_else(|| refuse("there is no program"))?;
    let args = words.collect();
    Ok(match is_ubgi {
        true => PlayerKind::Ubgi { options, program, args },
        false => PlayerKind::Command { program, args },
    })
}

/// `NAME`, `NAME@PLY`, `NAME@PLY/PRESET` or `NAME@LEVEL`, raw or not.
fn network_of<G: PlayableGame>(text: &str, game: &G) -> Result<NamedNetwork, PlayerError> {
    let (named, is_raw) = text.strip_prefix(RAW).map_or((text, false), |named| (named, true));
    let (mut name, mut effort) = (named, Effort::at(0));
    // A file may have the sign in its name.
    if let Some((before, ahead)) = named.rsplit_once(AT)
        && !Path::new(named).exists()
    {
        name = before;
        effort = ahead.parse().map_err(|expected: String| unknown(text, expected))?;
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
    Ok(NamedNetwork { file, is_raw, effort })
}
