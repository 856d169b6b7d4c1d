//! Options of 0.1 and keys of 0.2: one list for both.

use std::num::NonZeroUsize;

use tavola_engine::Lookahead;
use tavola_evaluator::search::MAX_PLY;
use tavola_evaluator::{Level, Preset};
use tavola_rules::{Backgammon, Player};

use super::command::player;
use super::context::{Context, flag, number};
use super::refusal::{Fault, Refusal};

/// The most threads.
const MOST_THREADS: u16 = tavola_files::limits::THREADS.default as u16;

/// The most lines of play that are told.
const MOST_LINES: u16 = 20;

/// How searches are done.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// Where `go` names no depth and no time: the level if there is one, else plies and preset.
    pub(super) lookahead: Lookahead,
    /// Whether plays are ranked with the cube; `None` where cube or score matter.
    pub(super) cubeful: Option<bool>,
    /// How many plays are told.
    pub(super) lines: usize,
    pub(super) threads: NonZeroUsize,
    /// Of rollouts.
    pub(super) seed: u64,
    pub(super) game: Backgammon,
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
    Setting {
        option: Some("Ply"),
        key: "engine.ply",
        kind: Kind::Number { least: 0, most: MAX_PLY as u16 },
        is_minor: false,
        about: "depth; in 0.2 the roll in hand counts as the first ply",
        get: |state| state.settings.lookahead.ply.unwrap_or_default().to_string(),
        set: |state, text| {
            state.settings.lookahead.ply = Some(number(text, 0, MAX_PLY.into())? as u8);
            Ok(())
        },
    },
    Setting {
        option: Some("Preset"),
        key: "engine.preset",
        kind: Kind::Names(|| Preset::ALL.map(Preset::name).to_vec()),
        is_minor: false,
        about: "how wide to look",
        get: |state| state.settings.lookahead.preset.name().to_owned(),
        set: |state, text| {
            state.settings.lookahead.preset =
                text.parse().map_err(|error| Refusal::new(Fault::Value, error))?;
            Ok(())
        },
    },
    Setting {
        option: Some("Level"),
        key: "engine.level",
        kind: Kind::Names(|| [&[NO_LEVEL][..], &Level::ALL.map(Level::name)].concat()),
        is_minor: false,
        about: "how much work, in place of ply and preset",
        get: |state| state.settings.lookahead.level.map_or(NO_LEVEL, Level::name).to_owned(),
        set: |state, text| {
            let level = (text != NO_LEVEL).then(|| text.parse()).transpose();
            state.settings.lookahead.level =
                level.map_err(|error| Refusal::new(Fault::Value, error))?;
            Ok(())
        },
    },
    Setting {
        option: Some("EvalMode"),
        key: "engine.evalmode",
        kind: Kind::Names(|| vec!["auto", "cubeless", "cubeful"]),
        is_minor: false,
        about: "how plays are ranked; auto: with the cube where cube or score matter",
        get: |state| {
            let mode = match state.settings.cubeful {
                None => "auto",
                Some(false) => "cubeless",
                Some(true) => "cubeful",
            };
            mode.to_owned()
        },
        set: |state, text| {
            state.settings.cubeful = match text {
                "auto" => None,
                "cubeless" => Some(false),
                "cubeful" => Some(true),
                _ => return Err(one_of(text, &["auto", "cubeless", "cubeful"])),
            };
            Ok(())
        },
    },
    Setting {
        option: Some("MultiPV"),
        key: "engine.multipv",
        kind: Kind::Number { least: 1, most: MOST_LINES },
        is_minor: true,
        about: "how many plays info lines tell",
        get: |state| state.settings.lines.to_string(),
        set: |state, text| {
            state.settings.lines = number(text, 1, MOST_LINES)?.into();
            Ok(())
        },
    },
    Setting {
        option: Some("Threads"),
        key: "engine.threads",
        kind: Kind::Number { least: 1, most: MOST_THREADS },
        is_minor: true,
        about: "threads of a search",
        get: |state| state.settings.threads.to_string(),
        set: |state, text| {
            let threads = usize::from(number(text, 1, MOST_THREADS)?);
            state.settings.threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
            Ok(())
        },
    },
    Setting {
        option: Some("Seed"),
        key: "engine.seed",
        kind: Kind::Seed,
        is_minor: false,
        about: "seed of the dice of rollouts (go trials)",
        get: |state| state.settings.seed.to_string(),
        set: |state, text| {
            state.settings.seed = text.parse().map_err(|_| {
                Refusal::new(Fault::Value, format_args!("{text:?}, expected a whole number"))
            })?;
            Ok(())
        },
    },
    Setting {
        option: Some("Deterministic"),
        key: "engine.deterministic",
        kind: Kind::Flag,
        is_minor: true,
        about: DETERMINISTIC,
        get: |_| "true".to_owned(),
        set: |_, text| match flag(text)? {
            true => Ok(()),
            false => Err(Refusal::new(Fault::Unsupported, format_args!("off: {DETERMINISTIC}"))),
        },
    },
    Setting {
        option: Some("Variant"),
        key: "game.variant",
        kind: Kind::Names(variants),
        is_minor: false,
        about: "the game",
        get: |state| state.settings.game.name().to_owned(),
        set: |state, text| {
            let game = Backgammon::ALL.into_iter().find(|game| game.name() == text);
            state.settings.game = game.ok_or_else(|| one_of(text, &variants()))?;
            Ok(())
        },
    },
    Setting {
        option: Some("Beavers"),
        key: "game.beavers",
        kind: Kind::Flag,
        is_minor: false,
        about: "whether a double for money may be beavered",
        get: |state| state.context.beavers.to_string(),
        set: |state, text| {
            state.context.beavers = flag(text)?;
            Ok(())
        },
    },
    Setting {
        option: None,
        key: "game.type",
        kind: Kind::Names(|| vec!["money", "match"]),
        is_minor: false,
        about: "what is played for",
        get: |state| if state.context.is_match { "match" } else { "money" }.to_owned(),
        set: |state, text| state.context.set_type(text),
    },
    Setting {
        option: None,
        key: "game.length",
        kind: Kind::Number { least: 1, most: 255 },
        is_minor: false,
        about: "points of a match",
        get: |state| state.context.length.to_string(),
        set: |state, text| state.context.set_length(text),
    },
    Setting {
        option: None,
        key: "game.score.p0",
        kind: Kind::Number { least: 0, most: i16::MAX as u16 },
        is_minor: false,
        about: "points of p0",
        get: |state| state.context.score[0].to_string(),
        set: |state, text| state.context.set_score(Player::One, text),
    },
    Setting {
        option: None,
        key: "game.score.p1",
        kind: Kind::Number { least: 0, most: i16::MAX as u16 },
        is_minor: false,
        about: "points of p1",
        get: |state| state.context.score[1].to_string(),
        set: |state, text| state.context.set_score(Player::Two, text),
    },
    Setting {
        option: None,
        key: "game.crawford",
        kind: Kind::Flag,
        is_minor: false,
        about: "whether a game with a player one point away is the Crawford game",
        get: |state| state.context.crawford.to_string(),
        set: |state, text| {
            state.context.crawford = flag(text)?;
            Ok(())
        },
    },
    Setting {
        option: None,
        key: "game.jacoby",
        kind: Kind::Flag,
        is_minor: false,
        about: "for money: whether gammons count only once the cube was turned",
        get: |state| state.context.jacoby.to_string(),
        set: |state, text| {
            state.context.jacoby = flag(text)?;
            Ok(())
        },
    },
    Setting {
        option: None,
        key: "game.turn",
        kind: Kind::Names(|| vec!["p0", "p1"]),
        is_minor: false,
        about: "the player on roll",
        get: |state| if state.context.turn == Player::One { "p0" } else { "p1" }.to_owned(),
        set: |state, text| state.context.set_turn(text),
    },
    Setting {
        option: None,
        key: "game.cube.value",
        kind: Kind::Number { least: 1, most: 32768 },
        is_minor: false,
        about: "the cube, a power of two",
        get: |state| state.context.cube_value.to_string(),
        set: |state, text| {
            let owner = owner(state);
            state.context.set_cube(text, owner)
        },
    },
    Setting {
        option: None,
        key: "game.cube.owner",
        kind: Kind::Names(|| vec!["center", "p0", "p1"]),
        is_minor: false,
        about: "who owns the cube",
        get: |state| owner(state).to_owned(),
        set: |state, text| {
            let value = state.context.cube_value.to_string();
            state.context.set_cube(&value, text)
        },
    },
];

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
    Refusal::new(Fault::Value, format_args!("{text:?}, expected one of {}", names.join(", ")))
}

impl Setting {
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
        let settings = Settings {
            lookahead: Lookahead::new(2, Preset::Normal),
            cubeful: None,
            lines: 1,
            threads: NonZeroUsize::MIN,
            seed: 1,
            game: Backgammon::Standard,
        };
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
        assert_eq!(state.settings.lookahead.ply, Some(0));
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
