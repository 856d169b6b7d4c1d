//! Help: `-h` on one screen, `--help` on sixty lines, and what many commands share as topics of
//! `tavola help`.

use std::fmt::Write as _;

use clap::builder::{StyledStr, Styles};
use clap::{Arg, Command};

use crate::args::{PLAYERS_HELP, POSITION_HELP};
use crate::report::format;

/// Lines of `-h`, and of `--help` where the examples are cut to fit.
const SHORT: usize = 24;
const LONG: usize = 60;

/// Examples that `-h` shows, and that `--help` shows in any case.
const FEW: usize = 2;

/// The most values of an option that are named beside it.
const NAMES: usize = 8;

/// The column of the texts of options.
const COLUMN: usize = 24;

/// Options that `-h` shows, the first ones first, as far as there is room; `--help` has all.
const DAILY: &str = "roll match set games out level ply top game match-length score played explain cubeless seed trials \
     time to save resume html export strength tutor plain csv json model threads markdown";

/// Options that many commands have, or that few people need.
struct Topic {
    /// The word behind `tavola help`.
    name: &'static str,
    about: &'static str,
    /// A command that has all of them.
    command: &'static str,
    /// Their long names.
    options: &'static str,
}

const TOPICS: [Topic; 12] = [
    Topic {
        name: "positions",
        about: "How positions are written, and questions about many",
        command: "best",
        options: "game input",
    },
    Topic {
        name: "score",
        about: "Cube and match score, in place of those that the position carries",
        command: "best",
        options: "cube owner match-length score crawford jacoby beavers raccoons met",
    },
    Topic {
        name: "levels",
        about: "How much work goes into an answer, and the opinions of other engines",
        command: "best",
        options: "level ply preset time sure beside engine-timeout",
    },
    Topic {
        name: "engine",
        about: "What answers: the network, the endgame databases, the threads",
        command: "best",
        options: "model no-tables threads",
    },
    Topic {
        name: "output",
        about: "In which form an answer is printed, and the board",
        command: "best",
        options: "json csv markdown force ascii color clockwise flip no-board quiet verbose",
    },
    Topic {
        name: "players",
        about: "The players of duels, ladders and evaluations",
        command: "duel",
        options: "engine-timeout time-per-decision",
    },
    Topic {
        name: "duels",
        about: "How the games of a duel begin, are kept, and end early",
        command: "duel",
        options: "first-pair start book save-games luck-network no-luck sprt alpha beta",
    },
    Topic {
        name: "stakes",
        about: "Cube and score of the games of a duel",
        command: "duel",
        options: "cube match jacoby beavers raccoons automatic-doubles cube-limit no-resign met",
    },
    Topic {
        name: "chouette",
        about: "A chouette: one player against a team",
        command: "duel",
        options: "chouette cubes box-passes extras",
    },
    Topic {
        name: "rollouts",
        about: "How the games of a rollout are played, and when it ends",
        command: "rollout",
        options: "truncate leaf-ply later-ply later-from cube-ply no-vr random-dice until-se until-jsd \
                  drop-jsd keep-all",
    },
    Topic {
        name: "seats",
        about: "Who sits at the board of `tavola play`, and by which customs",
        command: "play",
        options: "seat people names opening condone dice no-animation",
    },
    Topic {
        name: "remote",
        about: "A fleet of workers on other machines that does the work",
        command: "rollout",
        options: "fleet fleet-check fleet-patience creds tls-ca",
    },
];

/// The commands with this help in place of that of clap, and the topics.
pub fn with_help(command: Command, is_long: bool, styles: &Styles, width: usize) -> Command {
    let mut built = command.clone();
    built.build();
    let writer = Writer { root: &built, styles, width };
    let explained = command.mut_subcommands(|sub| writer.explained(sub, &built, is_long));
    if !is_long {
        return explained;
    }
    explained.subcommands(TOPICS.iter().map(|topic| {
        let text = StyledStr::from(writer.topic(topic));
        Command::new(topic.name).about(topic.about).hide(true).override_help(text)
    }))
}

/// The beginning of a help up to its first semicolon or the end of a sentence, with the default.
fn first_sentence(text: &str) -> String {
    let (said, default) = text.split_at(text.rfind(" [default").unwrap_or(text.len()));
    let first = said.split("; ").next().unwrap_or_default();
    let ends = |at: &usize| {
        let (before, after) = (&first[..*at], &first[*at + 2..]);
        !before.ends_with('.') && after.starts_with(|next: char| next.is_uppercase() || next == '-')
    };
    let end = first.match_indices(". ").map(|(at, _)| at).find(ends).unwrap_or(first.len());
    format!("{}{default}", first[..end].trim_end_matches(':'))
}

struct Writer<'a> {
    root: &'a Command,
    styles: &'a Styles,
    width: usize,
}

impl Writer<'_> {
    /// A command and those below it with help; `parent` is built and has it.
    fn explained(&self, command: Command, parent: &Command, is_long: bool) -> Command {
        let Some(built) = parent.find_subcommand(command.get_name()) else { return command };
        let text = if is_long { self.long(built) } else { self.short(built) };
        command
            .override_help(StyledStr::from(text))
            .mut_subcommands(|sub| self.explained(sub, built, is_long))
    }

    fn heading(&self, text: &str) -> String {
        let style = self.styles.get_header();
        format!("{style}{text}{style:#}")
    }

    fn usage(&self, command: &Command) -> String {
        let usage = command.clone().render_usage().to_string();
        let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage).trim_end();
        format!("{} {usage}", self.heading("Usage:"))
    }

    /// A word and what it means, in lines that fit.
    fn entry(&self, word: &str, text: &str) -> String {
        let style = self.styles.get_literal();
        let mut out = format!("  {style}{word}{style:#}");
        let mut column = 2 + word.chars().count();
        let mut is_first = true;
        for part in text.split_whitespace() {
            let length = part.chars().count();
            let gap = if is_first { COLUMN.saturating_sub(column).max(2) } else { 1 };
            is_first = false;
            if column + gap + length > self.width {
                let _ = write!(out, "\n{:COLUMN$}{part}", "");
                column = COLUMN + length;
            } else {
                let _ = write!(out, "{:gap$}{part}", "");
                column += gap + length;
            }
        }
        out + "\n"
    }

    /// `most` names of values are shown, or none: those of games are in their topic alone.
    fn option(&self, arg: &Arg, text: &str, most: usize) -> String {
        let short = match (arg.get_short(), arg.is_positional()) {
            (Some(short), _) => format!("-{short}, "),
            (None, true) => String::new(),
            (None, false) => "    ".to_owned(),
        };
        let mut text = text.to_owned();
        if arg.get_action().takes_values() {
            let shown = arg.get_possible_values();
            let names: Vec<&str> =
                shown.iter().filter(|it| !it.is_hide_set()).map(|it| it.get_name()).collect();
            if (1..=most).contains(&names.len()) {
                let _ = write!(text, " [{}]", names.join(", "));
            }
            let default =
                arg.get_default_values().first().filter(|_| !arg.is_hide_default_value_set());
            if let Some(default) = default.filter(|_| !text.contains("[default")) {
                let _ = write!(text, " [default: {}]", default.to_string_lossy());
            }
        }
        self.entry(&format!("{short}{arg}"), &text)
    }

    fn whole_text(arg: &Arg) -> String {
        let text = arg.get_long_help().or_else(|| arg.get_help());
        text.map(ToString::to_string).unwrap_or_default()
    }

    /// Commands below this one, with what they do.
    fn commands(&self, command: &Command) -> String {
        let visible = command.get_subcommands().filter(|it| !it.is_hide_set());
        let entries: String = visible
            .filter(|it| it.get_name() != "help")
            .map(|it| {
                let about = it.get_about().map(ToString::to_string).unwrap_or_default();
                self.entry(it.get_name(), &about)
            })
            .collect();
        if entries.is_empty() {
            entries
        } else {
            format!("\n{}\n{entries}", self.heading("Commands:"))
        }
    }

    /// The option of this long name of the command that has all options of a topic.
    fn option_of(&self, topic: &Topic, long: &str) -> Option<&Arg> {
        let command = self.root.find_subcommand(topic.command)?;
        command.get_arguments().find(|arg| arg.get_long() == Some(long))
    }

    /// The place of the topic that explains an option, if it is the same as there.
    fn topic_of(&self, arg: &Arg) -> Option<usize> {
        let long = arg.get_long()?;
        TOPICS.iter().position(|topic| {
            let of_topic = topic.options.split(' ').find(|name| *name == long);
            of_topic
                .and_then(|name| self.option_of(topic, name))
                .is_some_and(|same| Self::whole_text(same) == Self::whole_text(arg))
        })
    }

    fn topic(&self, topic: &Topic) -> String {
        let mut text = format!("{}\n\n", topic.about);
        match topic.name {
            "positions" => text += &format!("{POSITION_HELP}\n\n"),
            "players" => text += &format!("{PLAYERS_HELP}\n\n"),
            _ => {}
        }
        text += &format!("{}\n", self.heading("Options:"));
        for name in topic.options.split(' ') {
            let arg = self.option_of(topic, name);
            text.extend(arg.map(|arg| self.option(arg, &Self::whole_text(arg), usize::MAX)));
        }
        text
    }

    fn long(&self, command: &Command) -> String {
        let about = command.get_long_about().or_else(|| command.get_about());
        let about = about.map(ToString::to_string).unwrap_or_default();
        let mut text = String::new();
        for paragraph in about.split("\n\n") {
            // A list keeps its lines.
            let lines = match paragraph.contains("\n  ") {
                true => paragraph.lines().flat_map(|it| format::fold(it, self.width)).collect(),
                false => format::fold(&paragraph.replace('\n', " "), self.width),
            };
            let _ = writeln!(text, "{}\n", lines.join("\n"));
        }
        let _ = writeln!(text, "{}", self.usage(command));
        text += &self.commands(command);
        let (mut own, mut shared) = (String::new(), vec![Vec::new(); TOPICS.len()]);
        for arg in command.get_positionals() {
            own += &self.option(arg, &Self::whole_text(arg), NAMES);
        }
        for arg in command.get_arguments().filter(|it| !it.is_positional()) {
            if arg.is_hide_set() || arg.get_id() == "help" {
                continue;
            }
            match self.topic_of(arg) {
                Some(place) => {
                    shared[place].push(format!("--{}", arg.get_long().unwrap_or_default()));
                }
                None => own += &self.option(arg, &Self::whole_text(arg), NAMES),
            }
        }
        if !own.is_empty() {
            let _ = write!(text, "\n{}\n{own}", self.heading("Options:"));
        }
        let _ = writeln!(text, "\n{}", self.heading("`tavola help TOPIC` explains:"));
        for (topic, names) in TOPICS.iter().zip(&shared).filter(|(_, names)| !names.is_empty()) {
            text += &self.entry(topic.name, &names.join(", "));
        }
        let room = LONG.saturating_sub(text.lines().count() + 2).max(FEW);
        text + &self.examples(command, room)
    }

    fn short(&self, command: &Command) -> String {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let lines = format::fold(&about, self.width);
        let mut text = format!("{}\n\n{}\n", lines.join("\n"), self.usage(command));
        text += &self.commands(command);
        let name = command.get_bin_name().unwrap_or_default();
        let name = name.split_once(' ').map_or(name, |(_, name)| name);
        let end = format!("\n`tavola help {name}` has all options\n");
        let end = self.examples(command, FEW) + &end;
        let help = self.entry("-h, --help", "Print this; --help prints more");
        let used = |text: &str| text.lines().count() + end.lines().count() + 3;
        let mut entries = String::new();
        let mut add = |entry: String| {
            if used(&text) + entries.lines().count() + entry.lines().count() <= SHORT {
                entries += &entry;
            }
        };
        let positional = command.get_positionals();
        let first = |arg: &Arg| self.option(arg, &first_sentence(&Self::whole_text(arg)), NAMES);
        positional.for_each(|arg| add(first(arg)));
        for name in DAILY.split(' ') {
            let arg = command.get_arguments().find(|arg| arg.get_long() == Some(name));
            if let Some(arg) = arg.filter(|arg| !arg.is_hide_set()) {
                add(first(arg));
            }
        }
        format!("{text}\n{}\n{entries}{help}{end}", self.heading("Options:"))
    }

    /// The examples of a command, at most `most` lines of them.
    fn examples(&self, command: &Command, most: usize) -> String {
        let all = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let mut lines = all.lines();
        let Some(heading) = lines.next() else { return String::new() };
        let lines = lines.take_while(|line| !line.trim().is_empty());
        let fit = lines.filter(|line| line.chars().count() <= self.width);
        let examples: Vec<&str> = fit.take(most).collect();
        format!("\n{}\n{}\n", self.heading(heading), examples.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_sentence_is_not_cut_at_a_colon() {
        for (text, first) in [
            ("The server, as nats://HOST:4222; TLS too", "The server, as nats://HOST:4222"),
            ("As in puff:cap=none [default: x]", "As in puff:cap=none [default: x]"),
            ("1, 2, 4 ... as the cube. Money [default: 1]", "1, 2, 4 ... as the cube [default: 1]"),
            ("Files such as a.b. --to names another", "Files such as a.b"),
        ] {
            assert_eq!(first_sentence(text), first);
        }
    }

    #[test]
    fn every_topic_has_its_options() {
        let whole = crate::cli::whole();
        for topic in &TOPICS {
            let command = whole.find_subcommand(topic.command).unwrap();
            for name in topic.options.split(' ') {
                let is_global = whole.get_arguments().any(|it| it.get_long() == Some(name));
                let found = command.get_arguments().any(|arg| arg.get_long() == Some(name));
                assert!(found || is_global, "{}: --{name}", topic.name);
            }
            assert!(whole.find_subcommand(topic.name).is_none(), "{}", topic.name);
        }
    }
}
