//! Hints, evaluations and mistakes in words.

use tavola_engine::live::{Hint, Live, Mistake, PositionValue};
use tavola_engine::many::ManyPlay;
use tavola_engine::operations::{BestAnswer, CubeAnswer, EvalAnswer};

use crate::report::format;
use crate::report::table::Table;

/// A hint in lines.
pub fn hint(hint: &Hint) -> Vec<String> {
    match hint {
        Hint::Plays(answer) if answer.plays.is_empty() => vec!["no legal play".to_owned()],
        Hint::Plays(answer) => plays(answer),
        Hint::Many(answer) => seats(&answer.plays),
        Hint::Cube(answer) => cube(answer),
        Hint::Resignation { accept: true } => vec!["accept the resignation".to_owned()],
        Hint::Resignation { accept: false } => {
            vec!["refuse the resignation: playing on gains more".to_owned()]
        }
        Hint::Extra { worth } => {
            let right = if *worth > 0.0 { "give it, or refuse it" } else { "leave it, or take it" };
            vec![format!("{right}: an extra wins {worth:+.3} points for who gives it")]
        }
        Hint::Nothing => vec!["there is nothing to decide".to_owned()],
    }
}

/// The plays of a roll in lines, best first.
fn plays(answer: &BestAnswer) -> Vec<String> {
    let mut table = Table::new([">", "play", ">equity", ">loss", ">W", ">WG", ">LG"]);
    for (number, play) in (1..).zip(&answer.plays) {
        let equity = play.cubeful.map_or(play.equity, |figures| figures.cubeful_equity as f32);
        let loss =
            if number == 1 { String::new() } else { format::loss(play.loss.into(), play.interval) };
        let [win, win_gammon, _, lose_gammon, _] = format::probabilities(&play.probs);
        let cells = [number.to_string(), play.play.clone(), format::equity(equity), loss];
        table.row(cells.into_iter().chain([win, win_gammon, lose_gammon]));
    }
    lines(&table)
}

/// Plays of a game for more than two, with what the player who makes one expects.
fn seats(plays: &[ManyPlay]) -> Vec<String> {
    let row = |(number, ManyPlay { play, payoffs, .. }): (u32, &ManyPlay)| {
        let points = payoffs.first().map_or_else(String::new, |points| format::equity(*points));
        [number.to_string(), play.clone(), points]
    };
    lines(&Table::of([">", "play", ">points"], (1..).zip(plays).map(row)))
}

fn cube(answer: &CubeAnswer) -> Vec<String> {
    let mut lines = vec![answer.verdict.to_string()];
    let mut add = |name: &str, equity: Option<f64>| {
        lines.extend(equity.map(|equity| format!("{name:<14} {}", format::equity(equity as f32))));
    };
    add("no double", Some(answer.no_double));
    add("double, take", answer.double_take);
    add("double, pass", answer.double_pass);
    add("double, beaver", answer.double_beaver);
    lines
}

/// What a position is worth, in lines.
pub fn position_value(value: &PositionValue, live: &Live) -> Vec<String> {
    let on_roll = live.on_roll().unwrap_or(live.user());
    match value {
        PositionValue::Two(answer) => evaluation(answer, live.name(on_roll)),
        PositionValue::Many(answer) => {
            let names = live.setup().names.iter().cycle().skip(on_roll);
            let seats = names.zip(&answer.payoffs);
            seats.map(|(name, points)| format!("{name} {}", format::equity(*points))).collect()
        }
    }
}

/// An evaluation in lines.
fn evaluation(answer: &EvalAnswer, on_roll: &str) -> Vec<String> {
    let evaluation = &answer.evaluation;
    let [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon] =
        format::probabilities(&evaluation.probs);
    let mut lines = vec![
        format!("{on_roll}, before the roll: wins {win} %"),
        format!("gammons {win_gammon} %, backgammons {win_backgammon} %"),
        format!("loses gammons {lose_gammon} %, backgammons {lose_backgammon} %"),
        format!("cubeless equity {}", format::equity(evaluation.equity)),
    ];
    if let Some(cubeful) = answer.cubeful {
        lines.push(format!("cubeful equity {}", format::equity(cubeful.cubeful_equity as f32)));
        lines.extend(cubeful.mwc.map(|mwc| format!("wins the match {:.1} %", 100.0 * mwc)));
    }
    lines
}

/// A mistake in a line.
pub fn mistake(mistake: &Mistake) -> String {
    let Mistake { chosen, better, loss } = mistake;
    format!("tutor: {chosen} loses {loss:.3} against {better}")
}

fn lines(table: &Table) -> Vec<String> {
    table.aligned(None, false).lines().map(str::to_owned).collect()
}
