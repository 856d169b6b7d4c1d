//! The analysis of a match as text.

use tavola_matches::analysis::{
    Decision, Fault, MatchAnalysis, Opinion, PlayerSummary, PlayerTotals, Thresholds,
    phase_in_words,
};

use crate::failure::Outcome;
use crate::report::format;
use crate::report::table::{Out, Table};

/// Writes how both players played in words and figures, and the worst decisions.
pub fn write(
    analysis: &MatchAnalysis,
    thresholds: &Thresholds,
    worst: usize,
    out: &mut dyn Out,
) -> Outcome {
    let [one, two] = &analysis.players;
    let kind = match analysis.length {
        0 => "money session".to_owned(),
        length => format!("match to {}", format::plural(length.into(), "point")),
    };
    writeln!(out, "{}: {} - {}, {kind}", analysis.source, one.name, two.name)?;
    for (number, game) in analysis.games.iter().enumerate() {
        let crawford = if game.crawford { ", Crawford" } else { "" };
        let end = match (game.winner, game.points) {
            (Some(winner), Some(points)) => {
                let name = &analysis.players[winner - 1].name;
                format!("{name} wins {}", format::plural(points as usize, "point"))
            }
            _ => "not finished".to_owned(),
        };
        let [left, right] = game.score;
        writeln!(out, "  game {}, {left}-{right}{crawford}: {end}", number + 1)?;
    }
    writeln!(out)?;
    analysis.in_words().iter().try_for_each(|sentence| out.prose(sentence))?;
    writeln!(out)?;
    write_players(one, two, analysis.is_money(), out)?;
    write_worst(analysis, thresholds, worst, out)?;
    write_beside(analysis, worst, out)
}

/// Writes what players lost by the figures of other engines, and where two engines differ most.
fn write_beside(analysis: &MatchAnalysis, most: usize, out: &mut dyn Out) -> Outcome {
    let [one, two] = &analysis.players;
    let names = [one, two].map(|player| format!(">{}", player.name));
    let mut lost = Table::new(["equity lost by", ">decisions", &names[0], &names[1]]);
    for engine in analysis.engines_beside() {
        let (number, losses) = analysis.lost_beside(engine);
        for (name, [one, two]) in ["tavola, the same", engine].into_iter().zip(losses).rev() {
            let [one, two] = [one, two].map(|lost| format!("{lost:.3}"));
            lost.row([name.to_owned(), number.to_string(), one, two]);
        }
    }
    if !analysis.engines_beside().is_empty() {
        lost.write_apart(out)?;
    }
    for engines in analysis.engine_pairs() {
        let differences = analysis.differences(engines);
        let [one, two] = engines.map(|engine| engine.unwrap_or("tavola"));
        if differences.is_empty() {
            writeln!(out, "\n{one} and {two} decide alike")?;
            continue;
        }
        let all = format::plural(differences.len(), "decision");
        writeln!(out, "\n{one} and {two} differ in {all}; most in these:\n")?;
        let by = [format!(">loss by {two}"), format!(">loss by {one}")];
        let headings = [">game", ">turn", ">row", "player", one, &by[0], two, &by[1], "position"];
        let rows = differences.into_iter().take(most).map(|difference| {
            let decision = difference.decision;
            let [a, b] =
                difference.losses.map(|it| it.map_or("?".to_owned(), |it| format!("-{it:.3}")));
            let [mine, other] = difference.choices.map(str::to_owned);
            let player = analysis.players[decision.player.index()].name.clone();
            let place = [decision.game, decision.number, decision.row].map(|it| it.to_string());
            let found = [player, mine, a, other, b, decision.position.clone()];
            place.into_iter().chain(found).collect::<Vec<_>>()
        });
        Table::of(headings, rows).write(out)?;
    }
    Ok(())
}

/// Writes how many decisions have open verdicts, and after `--sure` which and what is open.
pub fn write_open(
    analysis: &MatchAnalysis,
    thresholds: &Thresholds,
    most: usize,
    sure: bool,
    out: &mut dyn Out,
) -> Outcome {
    let open = format::plural(analysis.open(), "decision");
    match (analysis.open(), sure) {
        (0, true) => writeln!(out, "\nevery verdict is certain")?,
        (0, false) => {}
        (_, false) => {
            writeln!(out, "\nIn {open} the verdict may change; --sure checks them by rollouts.")?;
        }
        (_, true) => writeln!(out, "\nStill open in {open} when the time was over:\n")?,
    }
    if analysis.open() == 0 || !sure {
        return Ok(());
    }
    let mut table = Table::new([">game", ">turn", ">row", "open"]);
    let open = analysis.decisions.iter();
    let open = open.filter_map(|it| Some((it, it.open_in_words(thresholds)?)));
    for (decision, open) in open.take(most) {
        let place = [decision.game, decision.number, decision.row].map(|it| it.to_string());
        table.row(place.into_iter().chain([open]));
    }
    table.write(out)
}

fn write_players(
    one: &PlayerSummary,
    two: &PlayerSummary,
    money: bool,
    out: &mut dyn Out,
) -> Outcome {
    let names = [one, two].map(|player| format!(">{}", player.name));
    let mut table = Table::new([""].into_iter().chain(names.iter().map(String::as_str)));
    let mut row = |name: &str, of: &dyn Fn(&PlayerSummary) -> String| {
        table.row([name.to_owned(), of(one), of(two)]);
    };
    row("PR (eXtreme Gammon)", &|player| player.rated().unwrap_or_else(|| "-".to_owned()));
    row("rating", &|player| player.rating.unwrap_or("-").to_owned());
    row("error rate (GNU Backgammon)", &|player| rate(player.error_rate_memg, 1));
    row("  of plays", &|player| rate(player.checker_error_rate_memg, 1));
    row("  of cube actions", &|player| rate(player.cube_error_rate_memg, 1));
    row("error rate (Snowie)", &|player| rate(player.snowie_error_rate_memg, 1));
    row("plays, unforced", &|player| player.unforced_plays.to_string());
    row("cube decisions, close", &|player| player.close_cube_decisions.to_string());
    row("EMG lost by plays", &|player| format!("{:.3}", player.checker_error_emg));
    row("EMG lost by cube actions", &|player| format!("{:.3}", player.cube_error_emg));
    row("errors, blunders", &|player| format!("{}, {}", player.errors, player.blunders));
    row(
        if money { "luck in points" } else { "luck in EMG (MWC)" },
        &|player| match player.luck_mwc {
            Some(mwc) => format!("{:+.3} ({:+.1} %)", player.luck_emg, 100.0 * mwc),
            None => format!("{:+.2}", player.luck_in_points()),
        },
    );
    let result = |value: Option<f64>| match value {
        None => "-".to_owned(),
        Some(points) if money => format!("{points:+.2}"),
        Some(chance) => format!("{:.1} %", 100.0 * chance),
    };
    if one.result.is_some() {
        row("result", &|player| result(player.result));
        row("luck-adjusted result", &|player| result(player.luck_adjusted_result));
    }
    table.write(out)?;
    writeln!(out)?;
    out.prose(
        "PR and error rates tell the mean loss of a decision: smaller is better. EMG is equity as \
         for money with the cube at 1, MWC the probability of winning the match. Luck is what the \
         rolls gave, against average ones.",
    )?;
    let beyond = |player: &PlayerSummary| {
        player.luck_adjusted_result.is_some_and(|chance| !(0.0..=1.0).contains(&chance))
    };
    if !money && (beyond(one) || beyond(two)) {
        writeln!(
            out,
            "\nA luck-adjusted result is an estimate, right on average: beyond 0 and 100 % the luck of\n\
             these rolls was more than the match was worth."
        )?;
    }
    Ok(())
}

fn write_worst(
    analysis: &MatchAnalysis,
    thresholds: &Thresholds,
    worst: usize,
    out: &mut dyn Out,
) -> Outcome {
    let mut wrong: Vec<&Decision> =
        analysis.decisions.iter().filter(|decision| decision.loss > 0.0005).collect();
    wrong.sort_by(|a, b| b.loss.total_cmp(&a.loss));
    wrong.truncate(worst);
    if wrong.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nThe worst decisions, with the 95 % interval of the loss in EMG:\n")?;
    let mut headings = vec![">#", ">game", ">turn", ">row", "player", ">loss", "done", "best"];
    let engines = analysis.engines_beside();
    let beside: Vec<[String; 2]> =
        engines.iter().map(|name| [name.to_string(), format!(">{name} loss")]).collect();
    headings.extend(beside.iter().flatten().map(String::as_str));
    let mut table = Table::new(headings);
    for (place, decision) in (1..).zip(&wrong) {
        let name = &analysis.players[decision.player.index()].name;
        let mut cells = vec![
            format!("{place}"),
            decision.game.to_string(),
            decision.number.to_string(),
            decision.row.to_string(),
            name.clone(),
            decision.lost(),
            decision.done.clone(),
            decision.best.clone(),
        ];
        for name in &engines {
            let opinion = decision.opinion(name);
            cells.push(opinion.map_or_else(String::new, Opinion::in_words));
            cells.push(opinion.map_or_else(String::new, |it| format!("-{:.3}", it.loss)));
        }
        table.row(cells);
    }
    table.write(out)?;
    writeln!(
        out,
        "\nThe positions, and what is open; `tavola analyze --html FILE` shows boards:\n"
    )?;
    let mut table = Table::new([">#", "position"]);
    for (place, decision) in (1..).zip(&wrong) {
        table.row([format!("{place}"), decision.position.clone()]);
        if let Some(open) = decision.open_in_words(thresholds) {
            table.row([String::new(), open]);
        }
    }
    table.write(out)
}

/// Writes the totals of players over several matches.
pub fn write_totals(totals: &[PlayerTotals], out: &mut dyn Out) -> Outcome {
    let headings =
        ["player", ">matches", ">PR", ">error rate", ">errors", ">blunders", ">luck (EMG)"];
    let mut table = Table::new(headings);
    for player in totals {
        table.row([
            player.summary.name.clone(),
            player.matches.to_string(),
            rate(player.summary.pr, 2),
            rate(player.summary.error_rate_memg, 1),
            player.summary.errors.to_string(),
            player.summary.blunders.to_string(),
            format!("{:+.3}", player.summary.luck_emg),
        ]);
    }
    table.write(out)?;
    for player in totals.iter().filter(|player| player.matches > 1) {
        write_kinds(player, out)?;
    }
    Ok(())
}

/// What a player lost in which way and phase, and the PR of one match after the other.
fn write_kinds(player: &PlayerTotals, out: &mut dyn Out) -> Outcome {
    let summary = &player.summary;
    writeln!(out, "\n{}, by kind, by phase and by date:\n", summary.name)?;
    let mut table = Table::new(["", ">decisions", ">errors and blunders", ">EMG lost"]);
    // A kind of fault has no decisions without one.
    let faults = Fault::ALL.iter().filter_map(|fault| {
        summary.faults.get(fault).map(|count| (fault.name(), String::new(), count))
    });
    let phases = summary.phases.iter();
    let phases =
        phases.map(|(name, count)| (phase_in_words(name), count.decisions.to_string(), count));
    for (name, decisions, count) in faults.chain(phases) {
        table.row([
            name.to_owned(),
            decisions,
            count.errors.to_string(),
            format!("{:.3}", count.loss_emg),
        ]);
    }
    table.write(out)?;
    write_recurring(summary, out)?;
    let rows = player.trend.iter().map(|point| {
        let date = if point.date.is_empty() { "-" } else { &point.date };
        let rates = [rate(point.pr, 2), rate(point.error_rate_memg, 1)];
        [date.to_owned()].into_iter().chain(rates).chain([point.source.clone()])
    });
    Table::of(["date", ">PR", ">error rate", "match"], rows).write_apart(out)
}

/// Writes the errors that a player has made again and again, the dearest first.
fn write_recurring(player: &PlayerSummary, out: &mut dyn Out) -> Outcome {
    let habits = player.recurring();
    if habits.is_empty() {
        return Ok(());
    }
    let rows = habits.into_iter().map(|(habit, phase, count)| {
        let (name, phase) = (habit.name(), phase.map_or("all", phase_in_words));
        [name.into(), phase.into(), count.errors.to_string(), format!("{:.3}", count.loss_emg)]
    });
    Table::of(["recurring errors", "phase", ">times", ">EMG lost"], rows).write_apart(out)
}

/// A rate, `-` without one.
fn rate(rate: Option<f64>, digits: usize) -> String {
    rate.map_or("-".to_owned(), |rate| format!("{rate:.digits$}"))
}
