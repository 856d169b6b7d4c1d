//! Options of 0.1 and keys of 0.2: one list for both.

use std::num::NonZeroUsize;

use tavola_engine::Effort;
use tavola_evaluator::search::MAX_PLY;
use tavola_evaluator::{Level, Preset};
use tavola_rules::{Backgammon, Player};

use super::command::player;
use super::context::{Context, LONGEST_MATCH, flag, number};
use super::refusal::{Fault, Refusal, refused};

/// The most threads.
const MOST_THREADS: u16 = tavola_files::limits::THREADS.default as u16;

/// The most lines of play that are told.
const MOST_LINES: u16 = 20;

/// How searches are done.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// Where `go` names no depth and no time: the level if there is one, else plies and preset.
    pub(super) effort: Effort,
    /// Whether plays are ranked with the cube; `None` where cube or score matter.
    pub(super) cubeful: Option<bool>,
    /// How many plays are told.
    pub(super) lines: usize,
    pub(super) threads: NonZeroUsize,
    /// Of rollouts.
    pub(super) seed: u64,
    pub(super) game: Backgammon,
}

impl Settings {
    /// The usual ones, of searches like this.
    pub(super) fn new(effort: Effort, threads: NonZeroUsize, game: Backgammon) -> Self {
        Self { effort, cubeful: None, lines: 1, threads, seed: 1, game }
    }
}

/// What lines may change.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) settings: Settings,
    pub(super) context: Context,
}

/// The level where plies and preset count.
const NO_LEVEL: &str = "none";

/// Which values a setting takes.
enum Kind {
    Number { least: u16, most: u16 },
    Seed,
    Flag,
    Names(fn() -> Vec<&'static str>),
}

/// One setting.
struct Setting {
    /// Its name in 0.1, where it is no command of its own.
    option: Option<&'static str>,
    /// Its name in 0.2.
    key: &'static str,
    kind: Kind,
    /// Whether it leaves the strength of the engine as it is.
    is_minor: bool,
    about: &'static str,
    get: fn(&State) -> String,
    set: fn(&mut State, &str) -> Result<(), Refusal>,
}

const DETERMINISTIC: &str = "equal questions have equal answers, unless movetime is given";

const SETTINGS: &[Setting] = &[
    Setting::of(
        "engine.ply",
        Kind::Number { least: 0, most: MAX_PLY as u16 },
        "depth; in 0.2 the roll in hand counts as the first ply",
        |state| state.settings.effort.ply.unwrap_or_default().to_string(),
        |state, text| {
            let ply = number(text, 0, MAX_PLY.into()).map(|ply| Some(ply as u8));
            put(&mut state.settings.effort.ply, ply)
        },
    )
    .option("Ply"),
    Setting::of(
        "engine.preset",
        Kind::Names(|| Preset::ALL.map(Preset::name).to_vec()),
        "how wide to look",
        |state| state.settings.effort.preset.name().to_owned(),
        |state, text| put(&mut state.settings.effort.preset, text.parse().map_err(refused)),
    )
    .option("Preset"),
    Setting::of(
        "engine.level",
        Kind::Names(|| [&[NO_LEVEL][..], &Level::ALL.map(Level::name)].concat()),
        "how much work, in place of ply and preset",
        |state| state.settings.effort.level.map_or(NO_LEVEL, Level::name).to_owned(),
        |state, text| {
            let level = (text != NO_LEVEL).then(|| text.parse()).transpose();
            put(&mut state.settings.effort.level, level.map_err(refused))
        },
    )
    .option("Level"),
    Setting::of(
        "engine.evalmode",
        Kind::Names(|| MODES.map(|(name, _)| name).to_vec()),
        "how plays are ranked; auto: with the cube where cube or score matter",
        |state| {
            let mode = MODES.iter().find(|(_, cubeful)| *cubeful == state.settings.cubeful);
            mode.map_or_else(String::new, |(name, _)| (*name).to_owned())
        },
        |state, text| {
            let mode = MODES.iter().find(|(name, _)| *name == text).map(|(_, cubeful)| *cubeful);
            let names = MODES.map(|(name, _)| name);
            put(&mut state.settings.cubeful, mode.ok_or_else(|| one_of(text, &names)))
        },
    )
    .option("EvalMode"),
    Setting::of(
        "engine.multipv",
        Kind::Number { least: 1, most: MOST_LINES },
        "how many plays info lines tell",
        |state| state.settings.lines.to_string(),
        |state, text| put(&mut state.settings.lines, number(text, 1, MOST_LINES).map(Into::into)),
    )
    .option("MultiPV")
    .minor(),
    Setting::of(
        "engine.threads",
        Kind::Number { least: 1, most: MOST_THREADS },
        "threads of a search",
        |state| state.settings.threads.to_string(),
        |state, text| {
            let threads = usize::from(number(text, 1, MOST_THREADS)?);
            let threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
            put(&mut state.settings.threads, Ok(threads))
        },
    )
    .option("Threads")
    .minor(),
    Setting::of(
        "engine.seed",
        Kind::Seed,
        "seed of the dice of rollouts (go trials)",
        |state| state.settings.seed.to_string(),
        |state, text| {
            let refused = |_| refused(format_args!("{text:?}, expected a whole number"));
            put(&mut state.settings.seed, text.parse().map_err(refused))
        },
    )
    .option("Seed"),
    Setting::of(
        "engine.deterministic",
        Kind::Flag,
        DETERMINISTIC,
        |_| "true".to_owned(),
        |_, text| match flag(text)? {
            true => Ok(()),
            false => Err(Refusal::new(Fault::Unsupported, format_args!("off: {DETERMINISTIC}"))),
        },
    )
    .option("Deterministic")
    .minor(),
    Setting::of(
        "game.variant",
        Kind::Names(variants),
        "the game",
        |state| state.settings.game.name().to_owned(),
        |state, text| {
            let game = Backgammon::ALL.into_iter().find(|game| game.name() == text);
            put(&mut state.settings.game, game.ok_or_else(|| one_of(text, &variants())))
        },
    )
    .option("Variant"),
    Setting::of(
        "game.beavers",
        Kind::Flag,
        "whether a double for money may be beavered",
        |state| state.context.beavers.to_string(),
        |state, text| put(&mut state.context.beavers, flag(text)),
    )
    .option("Beavers"),
    Setting::of(
        "game.type",
        Kind::Names(|| vec!["money", "match"]),
        "money or a match",
        |state| if state.context.is_match { "match" } else { "money" }.to_owned(),
        |state, text| state.context.set_type(text),
    ),
    Setting::of(
        "game.length",
        Kind::Number { least: 1, most: LONGEST_MATCH },
        "points of a match",
        |state| state.context.length.to_string(),
        |state, text| put(&mut state.context.length, number(text, 1, LONGEST_MATCH)),
    ),
    Setting::of(
        "game.score.p0",
        Kind::Number { least: 0, most: i16::MAX as u16 },
        "points of p0",
        |state| state.context.score[0].to_string(),
        |state, text| state.context.set_score(Player::One, text),
    ),
    Setting::of(
        "game.score.p1",
        Kind::Number { least: 0, most: i16::MAX as u16 },
        "points of p1",
        |state| state.context.score[1].to_string(),
        |state, text| state.context.set_score(Player::Two, text),
    ),
    Setting::of(
        "game.crawford",
        Kind::Flag,
        "whether a game with a player one point away is the Crawford game",
        |state| state.context.crawford.to_string(),
        |state, text| put(&mut state.context.crawford, flag(text)),
    ),
    Setting::of(
        "game.jacoby",
        Kind::Flag,
        "for money: whether gammons count only once the cube was turned",
        |state| state.context.jacoby.to_string(),
        |state, text| put(&mut state.context.jacoby, flag(text)),
    ),
    Setting::of(
        "game.turn",
        Kind::Names(|| vec!["p0", "p1"]),
        "the player on roll",
        |state| if state.context.turn == Player::One { "p0" } else { "p1" }.to_owned(),
        |state, text| state.context.set_turn(text),
    ),
    Setting::of(
        "game.cube.value",
        Kind::Number { least: 1, most: 32768 },
        "the cube, a power of two",
        |state| state.context.cube_value.to_string(),
        |state, text| state.context.set_cube(text, owner(state)),
    ),
    Setting::of(
        "game.cube.owner",
        Kind::Names(|| vec!["center", "p0", "p1"]),
        "who owns the cube",
        |state| owner(state).to_owned(),
        |state, text| state.context.set_cube(&state.context.cube_value.to_string(), text),
    ),
];

/// How plays are ranked, by name.
const MODES: [(&str, Option<bool>); 3] =
    [("auto", None), ("cubeless", Some(false)), ("cubeful", Some(true))];

/// Changes what is at a place, if the value can be used.
fn put<T>(place: &mut T, value: Result<T, Refusal>) -> Result<(), Refusal> {
    *place = value?;
    Ok(())
}

/// The games whose positions have GNU Position IDs and XGIDs.
fn variants() -> Vec<&'static str> {
    Backgammon::ALL.into_iter().map(Backgammon::name).collect()
}

fn owner(state: &State) -> &'static str {
    match state.context.cube_owner {
        None => "center",
        owner if owner == player("p0") => "p0",
        _ => "p1",
    }
}

fn one_of(text: &str, names: &[&str]) -> Refusal {
    refused(format_args!("{text:?}, expected one of {}", names.join(", ")))
}

impl Setting {
    /// A key of 0.2, which 0.1 has as a command.
    const fn of(
        key: &'static str,
        kind: Kind,
        about: &'static str,
        get: fn(&State) -> String,
        set: fn(&mut State, &str) -> Result<(), Refusal>,
    ) -> Self {
        Self { option: None, key, kind, is_minor: false, about, get, set }
    }

    /// It is an option of 0.1 too.
    const fn option(mut self, name: &'static str) -> Self {
        self.option = Some(name);
        self
    }

    /// It leaves the strength of the engine as it is.
    const fn minor(mut self) -> Self {
        self.is_minor = true;
        self
    }

    /// What 0.2 adds to a number: it counts plies from one.
    fn offset(&self) -> u16 {
        u16::from(self.key == "engine.ply")
    }

    fn option_line(&self, name: &str, default: &State) -> String {
        let value = (self.get)(default);
        let kind = match &self.kind {
            Kind::Number { least, most } => {
                format!("spin default {value} min {least} max {most}")
            }
            Kind::Seed => format!("spin default {value} min 0 max {}", u64::MAX),
            Kind::Flag => format!("check default {value}"),
            Kind::Names(names) => {
                let names: Vec<String> =
                    names().into_iter().map(|name| format!("var {name}")).collect();
                format!("combo default {value} {}", names.join(" "))
            }
        };
        format!("option name {name} type {kind}")
    }

    fn key_line(&self, default: &State) -> String {
        let value = self.value(default);
        let kind = match &self.kind {
            Kind::Number { least, most } => {
                let offset = self.offset();
                format!("int {}..{}", least + offset, most + offset)
            }
            Kind::Seed => format!("int 0..{}", u64::MAX),
            Kind::Flag => "bool".to_owned(),
            Kind::Names(names) => format!("enum {}", names().join("|")),
        };
        let minor = if self.is_minor { " !" } else { "" };
        format!("key {} {kind} {value}{minor} {}", self.key, self.about)
    }

    /// Its value in 0.2.
    fn value(&self, state: &State) -> String {
        let value = (self.get)(state);
        match value.parse::<u16>() {
            Ok(number) if self.offset() > 0 => (number + self.offset()).to_string(),
            _ => value,
        }
    }
}

/// The lines of 0.1 that tell the options.
pub(super) fn option_lines(default: &State) -> Vec<String> {
    let line = |setting: &Setting| Some(setting.option_line(setting.option?, default));
    SETTINGS.iter().filter_map(line).collect()
}

/// The lines of 0.2 that tell the keys.
pub(super) fn key_lines(default: &State) -> Vec<String> {
    SETTINGS.iter().map(|setting| setting.key_line(default)).collect()
}

/// `setoption`; names are the same in any case.
pub(super) fn set_option(state: &mut State, name: &str, value: &str) -> Result<(), Refusal> {
    let setting = SETTINGS
        .iter()
        .find(|setting| setting.option.is_some_and(|option| option.eq_ignore_ascii_case(name)));
    let setting = setting.ok_or_else(|| {
        let names: Vec<&str> = SETTINGS.iter().filter_map(|setting| setting.option).collect();
        let expected = names.join(", ");
        Refusal::new(Fault::Unsupported, format_args!("option {name:?}, expected {expected}"))
    })?;
    (setting.set)(state, value)
}

fn known(key: &str) -> Result<&'static Setting, Refusal> {
    SETTINGS.iter().find(|setting| setting.key == key).ok_or_else(|| {
        Refusal::new(
            Fault::Unsupported,
            format_args!("key {key:?}, expected one that `keys` lists"),
        )
    })
}

/// `set`.
pub(super) fn set_key(state: &mut State, key: &str, value: &str) -> Result<(), Refusal> {
    let setting = known(key)?;
    let offset = setting.offset();
    if offset == 0 {
        return (setting.set)(state, value);
    }
    let Kind::Number { least, most } = setting.kind else { return (setting.set)(state, value) };
    let number = number(value, least + offset, most + offset)?;
    (setting.set)(state, &(number - offset).to_string())
}

/// `get`.
pub(super) fn get_key(state: &State, key: &str) -> Result<String, Refusal> {
    Ok(format!("value {key} {}", known(key)?.value(state)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> State {
        let settings = Settings::new(Effort::at(2), NonZeroUsize::MIN, Backgammon::Standard);
        State { settings, context: Context::default() }
    }

    #[test]
    fn every_default_can_be_set_again() {
        let mut state = state();
        for setting in SETTINGS {
            let value = setting.value(&state);
            set_key(&mut state, setting.key, &value).unwrap();
            assert_eq!(
                get_key(&state, setting.key).unwrap(),
                format!("value {} {value}", setting.key)
            );
            if let Some(option) = setting.option {
                let value = (setting.get)(&state);
                set_option(&mut state, &option.to_uppercase(), &value).unwrap();
            }
        }
    }

    #[test]
    fn plies_of_the_two_dialects_differ_by_one() {
        let mut state = state();
        set_key(&mut state, "engine.ply", "1").unwrap();
        assert_eq!(state.settings.effort.ply, Some(0));
        set_option(&mut state, "Ply", "1").unwrap();
        assert_eq!(get_key(&state, "engine.ply").unwrap(), "value engine.ply 2");
        assert!(set_key(&mut state, "engine.ply", "0").is_err());
        assert!(set_key(&mut state, "engine.ply", "5").is_err());
        assert!(option_lines(&state)[0].contains("Ply type spin default 1 min 0 max 3"));
        assert!(key_lines(&state)[0].starts_with("key engine.ply int 1..4 2 "));
    }

    #[test]
    fn impossible_values_change_nothing() {
        let mut state = state();
        for (key, value) in [
            ("engine.preset", "huge"),
            ("engine.level", "rolle"),
            ("engine.threads", "0"),
            ("game.variant", "chess"),
            ("game.turn", "p2"),
            ("game.cube.value", "3"),
            ("game.jacoby", "perhaps"),
            ("engine.deterministic", "false"),
            ("engine.seed", "-1"),
            ("engine.hash", "16"),
        ] {
            let before = format!("{state:?}");
            assert!(set_key(&mut state, key, value).is_err(), "{key} {value}");
            assert_eq!(format!("{state:?}"), before);
        }
    }
}
