//! What the plays of a saved game without a cube lost.

use std::path::Path;

use tavola_engine::Engine;
use tavola_engine::live::{Live, Review};

use super::AnalyzeArgs;
use crate::ask;
use crate::cancel;
use crate::failure::{Outcome, refuse_given};
use crate::report::format;
use crate::report::table::{Out, Table};

/// The game of a file, if it is a saved one without a cube.
pub fn saved(file: &Path) -> Option<Live> {
    Live::resume(file).ok().filter(|live| live.cubed().is_none())
}

/// Analyses a saved game.
pub fn run(args: &AnalyzeArgs, live: &Live, engine: &Engine, out: &mut dyn Out) -> Outcome {
    let game = &live.setup().game;
    let pages = [
        ("--html", args.html.is_some()),
        ("--cards", args.cards.is_some()),
        ("--sgf", args.sgf.is_some()),
        ("--ogxm", args.ogxm.is_some()),
    ];
    refuse_given(pages, |option| {
        format!("{option} is for matches with a cube, expected text or --json in {game}")
    })?;
    let ahead = &args.effort;
    let deep = ahead.level.is_some() || ahead.sure.is_some() || args.rollout_within.is_some();
    refuse_given([("--level, --sure and --rollout-within", deep)], |options| {
        format!("{options} are for matches with a cube, expected --ply in {game}")
    })?;
    let canceled = cancel::on_interrupt("stopping")?;
    let review = ask::counted("actions", canceled, |watch, done| {
        live.review(args.thresholds(), (ahead.ply, args.engine.model()), engine, watch, done)
    })?;
    if args.output.answered(&review, out)? { Ok(()) } else { write(&review, args.worst, out) }
}

fn write(review: &Review, worst: usize, out: &mut dyn Out) -> Outcome {
    let Review { game, ply, thresholds, players, decisions } = review;
    let names: Vec<&str> = players.iter().map(|player| &*player.name).collect();
    writeln!(out, "{game}: {}, {ply}-ply; losses in points\n", names.join(", "))?;
    let headings = ["", ">decisions", ">errors", ">blunders", ">lost", ">lost a decision"];
    let rows = players.iter().map(|player| {
        let a_decision = player.lost / player.decisions.max(1) as f64;
        [
            player.name.clone(),
            player.decisions.to_string(),
            player.errors.to_string(),
            player.blunders.to_string(),
            format::loss(player.lost, None),
            format::loss(a_decision, None),
        ]
    });
    Table::of(headings, rows).write(out)?;
    let mut errors: Vec<_> =
        decisions.iter().filter(|play| play.loss >= thresholds.error).collect();
    errors.sort_by(|one, other| other.loss.total_cmp(&one.loss));
    errors.truncate(worst);
    if errors.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nThe worst:\n")?;
    let rows = errors.into_iter().map(|play| {
        [
            play.game.to_string(),
            play.number.to_string(),
            names[play.seat - 1].to_owned(),
            play.roll.clone(),
            play.play.clone(),
            play.best.clone(),
            format::loss(play.loss, None),
        ]
    });
    let headings = [">game", ">play", "", "roll", "played", "best", ">loss"];
    Ok(Table::of(headings, rows).write(out)?)
}
