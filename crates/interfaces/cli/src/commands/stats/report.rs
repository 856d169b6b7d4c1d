//! The statistics as text and JSON.

use std::collections::BTreeMap;

use serde::Serialize;
use tavola_arena::{Estimate, GameStatistics, Length, Occurrences, Opening, Stronger};
use tavola_evaluator::{Ending, Event};

use crate::failure::Outcome;
use crate::report::format;
use crate::report::table::{Out, Table};

/// What the statistics are about.
#[derive(Debug, Serialize)]
pub struct Header {
    /// The id of the game.
    pub game: String,
    /// Its rules in brief.
    pub rules: &'static str,
    /// Which network it was.
    pub network: String,
    /// Seed of the dice.
    pub seed: u64,
    /// Games that were truncated at the turn limit and are not counted.
    pub unfinished: u64,
}

/// Games won by either side and of each kind.
#[derive(Debug, Serialize)]
struct Wins {
    first: u64,
    second: u64,
    draws: u64,
    single: u64,
    gammon: u64,
    backgammon: u64,
}

/// How a game ended.
#[derive(Debug, Serialize)]
struct Ended {
    rule: &'static str,
    meaning: &'static str,
    games: u64,
    /// Of all games.
    share: f64,
}

/// How often something happened.
#[derive(Debug, Serialize)]
struct Happened {
    event: &'static str,
    meaning: &'static str,
    turns: u64,
    turns_a_game: f64,
    games: u64,
    /// Games in which it happened at least once, of all games.
    share_of_games: f64,
}

/// How strong the network is against another player.
#[derive(Debug, Serialize)]
pub struct Strength {
    /// The player's name.
    pub opponent: String,
    /// Points per game of the network.
    pub ppg: Estimate,
    /// What that says.
    pub verdict: Stronger,
    /// Games played.
    pub games: u64,
    /// Games of these that were truncated and count as no points.
    pub unfinished: u64,
}

/// All of it.
#[derive(Debug, Serialize)]
pub struct Report {
    #[serde(flatten)]
    header: Header,
    games: u64,
    length: Length,
    /// Points per game of the player who begins.
    first_mover: Option<Estimate>,
    wins: Wins,
    endings: Vec<Ended>,
    events: Vec<Happened>,
    openings: Vec<Opening>,
    strength: Vec<Strength>,
}

impl Report {
    /// The report of what was counted; `endings` and `events` are what could have happened.
    pub fn new(
        header: Header,
        statistics: &GameStatistics,
        (endings, events): (&[Ending], &[Event]),
        openings: Vec<Opening>,
        strength: Vec<Strength>,
    ) -> Self {
        let games = statistics.games();
        let share = |count: u64| count as f64 / games.max(1) as f64;
        let counted: BTreeMap<Event, Occurrences> = events
            .iter()
            .map(|event| (*event, statistics.events.get(event).copied().unwrap_or_default()))
            .collect();
        let wins = Wins {
            first: statistics.first_wins(),
            second: statistics.second_wins(),
            draws: statistics.won_by(0),
            single: statistics.won_by(1),
            gammon: statistics.won_by(2),
            backgammon: statistics.won_by(3),
        };
        Self {
            header,
            games,
            length: statistics.length(),
            first_mover: statistics.first_mover(),
            wins,
            endings: endings
                .iter()
                .map(|ending| {
                    let games = statistics.endings.get(ending).copied().unwrap_or_default();
                    let (rule, meaning) = (ending.name(), ending.meaning());
                    Ended { rule, meaning, games, share: share(games) }
                })
                .collect(),
            events: counted
                .into_iter()
                .map(|(event, Occurrences { turns, games })| Happened {
                    event: event.name(),
                    meaning: event.meaning(),
                    turns,
                    turns_a_game: share(turns),
                    games,
                    share_of_games: share(games),
                })
                .collect(),
            openings,
            strength,
        }
    }

    /// Everything as tables.
    pub fn write_text(&self, out: &mut dyn Out) -> Outcome {
        let Header { game, network, seed, unfinished, .. } = &self.header;
        writeln!(out, "{game}, {network}, 0-ply")?;
        writeln!(out, "{} games of the network against itself, seed {seed}", count(self.games))?;
        if *unfinished > 0 {
            writeln!(out, "{} more were truncated at the turn limit", count(*unfinished))?;
        }
        let Length { mean, standard_deviation, shortest, longest, .. } = self.length;
        writeln!(out)?;
        writeln!(
            out,
            "length       {mean:.1} turns, standard deviation {standard_deviation:.1}, {shortest} \
             to {longest}"
        )?;
        if let Some(first) = &self.first_mover {
            let first = format::strength(first.mean, interval(first));
            writeln!(out, "first mover  {first} (95 % CI)")?;
        }
        let Wins { first, second, draws, single, gammon, backgammon } = self.wins;
        let percent = |count: u64| percent(count as f64 / self.games.max(1) as f64);
        writeln!(
            out,
            "won by       first {} %, second {} %, drawn {} %",
            percent(first),
            percent(second),
            percent(draws)
        )?;
        writeln!(
            out,
            "kinds        single {} %, gammon {} %, backgammon {} %",
            percent(single),
            percent(gammon),
            percent(backgammon)
        )?;
        writeln!(out)?;
        let ends = self.endings.iter().map(|it| [self::percent(it.share), it.meaning.to_owned()]);
        Table::of([">% of games", "end"], ends).write(out)?;
        writeln!(out)?;
        let events = self.events.iter().map(|it| {
            let share = self::percent(it.share_of_games);
            [format!("{:.3}", it.turns_a_game), share, it.meaning.to_owned()]
        });
        Table::of([">a game", ">% of games", "what happens"], events).write(out)?;
        writeln!(out)?;
        let headings = ["roll", ">choices", "opening play", ">equity", "second best", ">margin"];
        let mut table = Table::new(headings);
        for opening in &self.openings {
            table.row([
                opening.roll.clone(),
                opening.choices.to_string(),
                opening.play.clone(),
                format::equity(opening.equity),
                opening.second.clone().unwrap_or_default(),
                opening.second_loses.map_or_else(String::new, |loss| format!("{loss:.3}")),
            ]);
        }
        table.write(out)?;
        if !self.strength.is_empty() {
            writeln!(out)?;
        }
        for Strength { opponent, ppg, verdict, games, unfinished } in &self.strength {
            write!(
                out,
                "{} against {opponent} (95 % CI, {} games",
                format::strength(ppg.mean, interval(ppg)),
                count(*games)
            )?;
            if *unfinished > 0 {
                write!(out, ", {} of them truncated", count(*unfinished))?;
            }
            writeln!(out, ", seed {seed})")?;
            if *verdict == Stronger::TooFewPairs {
                writeln!(out, "  {}", format::verdict(*verdict))?;
            }
        }
        Ok(())
    }
}

fn interval(estimate: &Estimate) -> [f64; 2] {
    [estimate.low, estimate.high]
}

fn percent(share: f64) -> String {
    format::percent(share as f32)
}

fn count(number: u64) -> String {
    format::count(number)
}
