//! `tavola ladder`: one rating for each of many players.

use std::time::Duration;

use clap::Args;
use tavola_arena::Estimate;
use tavola_arena::ladder::{Anchor, Ladder, LadderAnswer, LadderJob, MatchUp, Standings};
use tavola_games::AnyGame;

use super::duel::luck::LuckArgs;
use crate::args::{EngineTimeout, FleetArgs, FormArgs, ThreadArgs, game, on_fleet};
use crate::failure::{Blame, Outcome};
use crate::networks;
use crate::outputs::{Content, KeptFile, OutputFile, keeps, writes};
use crate::report::format;
use crate::report::progress::LadderProgress;
use crate::report::provenance::Provenance;
use crate::report::table::{Out, Table};
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
    #[arg(long, value_name = "FILE", default_value = "ladder.jsonl",
          value_parser = keeps(Content::Ladder))]
    pub file: KeptFile,
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
    #[arg(long, value_name = "FILE", value_parser = writes(Content::Drawing))]
    pub svg: Option<OutputFile>,
    /// The fleet that plays the pairs.
    #[command(flatten)]
    pub remote: FleetArgs,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
}

/// Plays and shows the ladder.
pub fn run(args: &LadderArgs, out: &mut dyn Out) -> Outcome {
    // Without players the ladder is only read.
    let fleet = if args.players.is_empty() { None } else { args.remote.connect(None)? };
    let job = LadderJob {
        game: &args.game,
        file: &args.file,
        players: &args.players,
        time: args.time,
        pairs: args.pairs,
        anchors: &args.anchor,
        seed: args.seed,
        luck: args.luck.network(),
        on_fleet: on_fleet(&fleet),
    };
    let promise = "stopping; the match-up at hand does not count";
    let (threads, timeout) = (args.threads.count(), args.engine_timeout.get());
    let played = networks::run_job(promise, threads, timeout, |context, _| {
        let mut progress = LadderProgress::new(args.time);
        job.run(context, &mut |ladder, match_up, passed| {
            progress.played(&in_words(ladder, match_up), passed);
        })
    })?;
    let standings = played.ladder.standings(&played.anchors).or_input()?;
    write(args, &played.ladder, &played.anchors, &standings, out)?;
    if let Some(path) = &args.svg {
        path.write(chart::picture(&standings).as_bytes())?;
    }
    played.failure.map_or(Ok(()), |error| Err(error.into()))
}

/// A line about a match-up.
fn in_words(ladder: &Ladder, match_up: &MatchUp) -> String {
    let [a, b] = [&match_up.a, &match_up.b].map(|id| ladder.name_of(id));
    let ppg = Estimate::new(match_up.ppg, match_up.deviation / (match_up.pairs as f64).sqrt());
    let (ppg, games) = (format::strength(ppg), format::count(2 * match_up.pairs));
    format!("{a} against {b}: {ppg} (95 %) in {games} games")
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
    ladder: &Ladder,
    anchors: &[Anchor],
    standings: &Standings,
    out: &mut dyn Out,
) -> Outcome {
    if args.form.json {
        let id = args.game.id();
        let answer = LadderAnswer::new(&id, ladder, anchors, standings);
        if Provenance::of(args.threads.count(), []).write_json(&answer, out)? {
            return Ok(());
        }
    }
    if args.form.csv.is_some() {
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
        out.values(&table.csv(None, true))?;
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
            shown(format::points(rating.ppg)),
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
    let fixed = |it: &Anchor| format!("{} = {:+.3}", ladder.name_of(&it.id), it.ppg);
    let fixed: Vec<_> = anchors.iter().map(fixed).collect();
    let match_ups = format::plural(ladder.match_ups().len(), "match-up");
    let fit = match standings.chi_squared {
        Some(chi_squared) => format!("reduced chi-squared {chi_squared:.2}"),
        None => "too few pairings to tell how well one number fits".to_owned(),
    };
    writeln!(
        out,
        "\n± is the 95 % interval; expected ppg: points per game against a rating of 0\n\
         {match_ups} of {}, anchor {}\nmean absolute result {:.2} points; {fit}",
        args.game,
        fixed.join(", "),
        standings.stake
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
