//! `tavola ladder`: one rating for each of many players.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use tavola_arena::ladder::{
    Anchor, Climb, ClimbError, Ladder, LadderAnswer, LadderFile, MatchUp, Standings, Version,
};
use tavola_arena::{Estimate, Player};
use tavola_evaluator::PlayableGame;
use tavola_evaluator::remote::OnFleet;
use tavola_files::journal::End;
use tavola_games::{AnyGame, with_game};
use tavola_play::Workers;
use tavola_rules::Game;

use super::duel;
use super::duel::luck::{self, LuckArgs};
use crate::args::{EngineTimeout, FleetArgs, FormArgs, ThreadArgs, game};
use crate::cancel;
use crate::failure::{Blame, Failure, Outcome};
use crate::networks;
use crate::report::format;
use crate::report::progress::LadderProgress;
use crate::report::provenance::Provenance;
use crate::report::table::{Out, Table};
use crate::report::warning;
use tavola_engine::time_limit;

mod chart;

/// Rate many players on one scale.
///
/// PLAYERS are whatever `tavola duel` knows as a player. As long as --time lasts they play each
/// other, a match-up at a time, always the one that makes the ranking surest for its time. The
/// results go to a file, match-up by match-up, so that another call resumes where this one ended or
/// was killed. A player is known by what decides its plays (the checksum of its weights, depth and
/// preset), not by its name: a network that has changed is a new version, and the old one stays on
/// the ladder.
///
/// Without PLAYERS the ladder is only shown. A rating r is expected to score 3 tanh(r / 3) points
/// per game (ppg) against a rating of 0: among near players the difference of their ratings. Elo is
/// as on FIBS. Both are relative to the anchors. docs/arena.md has the model.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        tavola ladder default default@1 models/small.safetensors random pip-count\n  \
        tavola ladder --file ladder.jsonl default gnubg:0 pip-count --time 5min --svg ladder.svg\n  \
        tavola ladder --file ladder.jsonl --markdown")]
pub struct LadderArgs {
    /// Players, as `tavola duel` knows them
    #[arg(value_name = "PLAYERS")]
    pub players: Vec<String>,
    /// File of results; made if it does not exist
    #[arg(long, value_name = "FILE", default_value = "ladder.jsonl")]
    pub file: PathBuf,
    /// How long to play, such as 90s or 5min; pairs of games that were begun are finished, and two
    /// are played however short it is
    #[arg(long, value_name = "TIME", default_value = "1min", value_parser = time_limit)]
    pub time: Duration,
    /// Pairs of games in a match-up
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    pub pairs: u64,
    /// A player whose rating is given, by name or version; may be given several times [default:
    /// gnubg:0=0, or pip-count=0, or random=0, or the first player]
    #[arg(long, value_name = "NAME=PPG", value_parser = anchor)]
    pub anchor: Vec<(String, f64)>,
    /// Seed of the dice of a new file
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Who evaluates the luck; never in match-ups with random and pip-count.
    #[command(flatten)]
    pub luck: LuckArgs,
    /// Time of other engines.
    #[command(flatten)]
    pub engine_timeout: EngineTimeout,
    /// The game, with options as in puff:cap=none
    #[arg(long, default_value = "backgammon", value_parser = game())]
    pub game: AnyGame,
    /// Text, JSON, CSV or Markdown.
    #[command(flatten)]
    pub form: FormArgs,
    /// Draw the ladder into this file too
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// The fleet that plays the pairs.
    #[command(flatten)]
    pub remote: FleetArgs,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
}

/// Plays and shows the ladder.
pub fn run(args: &LadderArgs, out: &mut dyn Out) -> Outcome {
    with_game!(&args.game, |game| ladder(args, game, out))
}

fn ladder<G: PlayableGame>(args: &LadderArgs, game: &G, out: &mut dyn Out) -> Outcome {
    let in_file = || format!("cannot use the ladder {}", args.file.display());
    let (ladder, failure) = if args.players.is_empty() {
        if !args.file.exists() {
            return Err(Failure::input(format_args!(
                "there is no ladder {}, expected players to begin one, such as default random",
                args.file.display()
            )));
        }
        let (found, ladder, end) = LadderFile::read(&args.file).or_input_in(in_file())?;
        warn_of(args, end);
        if found != game.id() {
            return Err(Failure::input(format_args!(
                "{} has a ladder of {found}, expected one of {}",
                args.file.display(),
                game.id()
            )));
        }
        (ladder, None)
    } else {
        let open = || LadderFile::open_or_create(&args.file, &game.id(), args.seed);
        let there = args.file.exists().then(open).transpose().or_input_in(in_file())?;
        // A name that is no player leaves no new file.
        let players = load(args, game)?;
        let mut file = there.map_or_else(open, Ok).or_input_in(in_file())?;
        warn_of(args, file.end());
        let failure = climb(args, game, players, &mut file)?;
        (file.ladder().clone(), failure)
    };
    let anchors = anchors(args, &ladder)?;
    let standings = ladder.standings(&anchors).or_input()?;
    write(args, game, &ladder, &anchors, &standings, out)?;
    if let Some(path) = &args.svg {
        let picture = chart::picture(&standings).or_work_in("cannot draw the ladder")?;
        fs::write(path, picture).or_work_in(format_args!("cannot write {}", path.display()))?;
    }
    failure.map_or(Ok(()), Err)
}

fn warn_of(args: &LadderArgs, end: End) {
    if let Some(why) = end.warning() {
        warning::warn(&format_args!("{}: {why}", args.file.display()));
    }
}

/// The players that are named, each once, with their names.
fn load<'a, G: PlayableGame>(
    args: &'a LadderArgs,
    game: &G,
) -> Outcome<Vec<(&'a String, Player<G>)>> {
    let timeout = args.engine_timeout.get();
    let mut players: Vec<(&String, Player<G>)> = Vec::new();
    for name in &args.players {
        let player = networks::player(Player::new, name, game, timeout)?;
        if players.iter().any(|(_, other)| other.identity == player.identity) {
            warning::note(&format!("{name} is on the ladder already, under another name"));
        } else {
            players.push((name, player));
        }
    }
    if players.len() < 2 {
        return Err(Failure::input(format_args!(
            "{} to play, expected at least two different players",
            format::plural(players.len(), "player")
        )));
    }
    Ok(players)
}

/// Lets the players meet until the time is over; returns why it ended before.
fn climb<G: PlayableGame>(
    args: &LadderArgs,
    game: &G,
    named: Vec<(&String, Player<G>)>,
    file: &mut LadderFile,
) -> Outcome<Option<Failure>> {
    let mut players = Vec::new();
    for (name, player) in named {
        let version = Version { id: player.identity.clone(), name: name.clone() };
        file.add_version(version).or_work_in("the ladder")?;
        players.push(player);
    }
    let fleet = args.remote.connect(None)?;
    let warn = |text: String| warning::note(&text);
    let cancel = cancel::on_interrupt("stopping; the match-up at hand does not count")?;
    let luck_evaluator = luck::of(&args.luck, game)?;
    let climb = Climb {
        game,
        players: &players,
        luck: luck_evaluator.as_ref(),
        on_fleet: fleet.as_ref().map(|remote| OnFleet { remote, warn: &warn }),
        pairs: args.pairs,
        time: args.time,
        workers: Workers { threads: args.threads.count(), cancel },
    };
    let anchors = anchors(args, file.ladder())?;
    let mut progress = LadderProgress::new(args.time);
    let ended = climb.run(file, &anchors, |ladder, match_up, passed| {
        progress.played(&in_words(ladder, match_up), passed);
    });
    Ok(ended.err().map(|error| match error {
        ClimbError::Stopped => Failure::stopped(error),
        ClimbError::Duel(error) => duel::blame(error),
        error => Failure::work(tavola_files::chain(&error)),
    }))
}

/// A line about a match-up.
fn in_words(ladder: &Ladder, match_up: &MatchUp) -> String {
    let name = |id| ladder.name_of(id);
    let ppg = Estimate::new(match_up.ppg, match_up.deviation / (match_up.pairs as f64).sqrt());
    format!(
        "{} against {}: {} (95 %) in {} games",
        name(&match_up.a),
        name(&match_up.b),
        format::strength(ppg),
        format::count(2 * match_up.pairs)
    )
}

/// The anchors of `--anchor`, or the usual one.
fn anchors(args: &LadderArgs, ladder: &Ladder) -> Outcome<Vec<Anchor>> {
    if args.anchor.is_empty() {
        return Ok(ladder.usual_anchor().into_iter().collect());
    }
    let anchor = |(name, ppg): &(String, f64)| match ladder.find(name) {
        Some(version) => Ok(Anchor { id: version.id.clone(), ppg: *ppg }),
        None => Err(Failure::input(format_args!(
            "the anchor {name:?} is not on the ladder, expected the name or version of a player"
        ))),
    };
    args.anchor.iter().map(anchor).collect()
}

/// `NAME=PPG`.
fn anchor(text: &str) -> Result<(String, f64), String> {
    text.rsplit_once('=')
        .and_then(|(name, ppg)| Some((name.to_owned(), ppg.parse::<f64>().ok()?)))
        .filter(|(name, ppg)| !name.is_empty() && (-10.0..=10.0).contains(ppg))
        .ok_or_else(|| "expected a player and its rating from -10 to 10, as in random=0".to_owned())
}

fn write(
    args: &LadderArgs,
    game: &impl Game,
    ladder: &Ladder,
    anchors: &[Anchor],
    standings: &Standings,
    out: &mut dyn Out,
) -> Outcome {
    if args.form.json {
        let id = game.id();
        let answer = LadderAnswer::new(&id, ladder, anchors, standings);
        return Provenance::of(args.threads.count(), []).write_json(&answer, out);
    }
    if args.form.csv {
        let headings = "name version rating rating_low rating_high expected_ppg elo elo_low \
                        elo_high lead lead_low lead_high pairs opponents";
        let mut table = Table::new(headings.split(' '));
        for row in standings.rows() {
            let four = [row.rating, row.interval[0], row.interval[1], row.expected_ppg];
            let one = [row.elo, row.elo_interval[0], row.elo_interval[1]];
            let lead = row.lead_interval;
            let lead = [row.lead, lead.map(|it| it[0]), lead.map(|it| it[1])];
            let cells = [row.name.to_owned(), row.version.to_owned()].into_iter();
            let cells = cells.chain(four.map(|figure| format!("{figure:.4}")));
            let cells = cells.chain(one.map(|figure| format!("{figure:.1}")));
            let cells = cells
                .chain(lead.map(|it| it.map_or_else(String::new, |lead| format!("{lead:.4}"))));
            table.row(cells.chain([row.pairs.to_string(), row.opponents.to_string()]));
        }
        return table.write(out);
    }
    let ranked = standings.ranked();
    let headings = ["player", ">rating", ">expected ppg", ">Elo", ">lead", ">games"];
    // Beyond what a game can be worth a rating says nothing.
    let known = |estimate: &Estimate| estimate.half_width() < 3.0;
    let cells = ranked.iter().map(|(rating, lead)| {
        let is_known = known(&rating.ppg);
        let shown = |text: String| if is_known { text } else { "?".to_owned() };
        let lead = lead.filter(known);
        [
            rating.version.name.clone(),
            shown(format!("{:+.3} ± {:.3}", rating.ppg.mean, rating.ppg.half_width())),
            shown(format!("{:+.3}", rating.expected_ppg())),
            shown(format!("{:+.0} ± {:.0}", rating.elo.mean, rating.elo.half_width())),
            lead.map_or_else(String::new, |lead| {
                format!("{:.3} ± {:.3}", lead.mean, lead.half_width())
            }),
            format::count(2 * rating.pairs),
        ]
    });
    Table::of(headings, cells).write(out)?;
    if !ranked.iter().all(|(rating, _)| known(&rating.ppg)) {
        writeln!(out, "\n? nothing or next to nothing played that leads to the anchor")?;
    }
    let name = |id: &str| ladder.name_of(id);
    let fixed: Vec<_> =
        anchors.iter().map(|it| format!("{} = {:+.3}", name(&it.id), it.ppg)).collect();
    writeln!(
        out,
        "\n± is the 95 % interval; expected ppg: points per game against a rating of 0\n\
         {} of {}, anchor {}\n\
         mean absolute result {:.2} points; {}",
        format::plural(ladder.match_ups().len(), "match-up"),
        game.id(),
        fixed.join(", "),
        standings.stake,
        match standings.chi_squared {
            Some(chi_squared) => format!("reduced chi-squared {chi_squared:.2}"),
            None => "too few pairings to tell how well one number fits".to_owned(),
        }
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_a_name_and_a_rating() {
        assert_eq!(anchor("pip-count=0.5"), Ok(("pip-count".to_owned(), 0.5)));
        assert_eq!(anchor("a=b=-1"), Ok(("a=b".to_owned(), -1.0)));
        for text in ["", "=1", "x=", "x", "x=nan", "x=99"] {
            assert!(anchor(text).unwrap_err().contains("random=0"), "{text:?}");
        }
    }
}
