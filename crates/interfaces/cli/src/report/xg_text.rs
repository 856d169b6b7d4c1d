//! Answers as eXtreme Gammon copies an analysis to the clipboard, for programs that read such texts.

use std::io::Write as _;

use clap::Args;
use tavola_engine::FullAnswer;
use tavola_engine::operations::{BestAnswer, CubeAnswer, EvaluatedPlay, Spread};
use tavola_equity::Probs;
use tavola_rules::board::{Charset, Color};
use tavola_rules::notation::{Xgid, XgidSeat};

use crate::failure::{Failure, Outcome};
use crate::report::table::Out;

/// Whether an answer is written so.
#[derive(Clone, Copy, Debug, Args)]
pub struct XgTextArg {
    /// Print the analysis as eXtreme Gammon copies it, for programs that read such texts: its N-ply
    /// is one more than ours
    #[arg(long, conflicts_with = "beside")]
    pub xg_text: bool,
}

/// The plays of a roll; whether the answer is [complete](Out::whole).
pub fn write_plays(answered: &FullAnswer<BestAnswer>, to: &mut dyn Out) -> Outcome<bool> {
    let out: &mut Vec<u8> = &mut Vec::new();
    let xgid = xgid(answered)?;
    let dice = xgid.dice.map_or_else(String::new, |it| format!("{}{}", it.high(), it.low()));
    write_head(answered, &xgid, &format!("X to play {dice}"), out)?;
    let BestAnswer { plays, played, .. } = &answered.answer;
    // The play that was made, where it is not among the best.
    let others = played.iter().filter(|it| plays.iter().all(|play| play.position != it.position));
    let worth =
        |play: &EvaluatedPlay| play.cubeful.map_or(f64::from(play.equity), |it| it.cubeful_equity);
    for (number, play) in (1..).zip(plays.iter().chain(others)) {
        let error = match number {
            1 => String::new(),
            _ => format!(" ({:+.3})", worth(play) - worth(&plays[0])),
        };
        let depth = depth(play.ply, play.rollout);
        writeln!(out, "{number:5}. {depth:<11} {:<28} eq:{:+.3}{error}", play.play, worth(play))?;
        let [player, opponent] = chances(&play.probs);
        writeln!(out, "      Player:   {player}\n      Opponent: {opponent}\n")?;
    }
    Ok(to.whole(&String::from_utf8_lossy(out))?)
}

/// A decision of the cube; whether the answer is [complete](Out::whole).
pub fn write_cube(answered: &FullAnswer<CubeAnswer>, to: &mut dyn Out) -> Outcome<bool> {
    let out: &mut Vec<u8> = &mut Vec::new();
    let answer = &answered.answer;
    let (Some(_), Some(take), Some(pass)) = (answer.losses, answer.double_take, answer.double_pass)
    else {
        let why = answer.reason.as_deref().unwrap_or("it can't be turned");
        return Err(Failure::input(format_args!("no cube to write about: {why}")));
    };
    // The decision is that before an offer, too.
    let xgid = Xgid { dice: None, offer: None, ..xgid(answered)? };
    write_head(answered, &xgid, "X on roll, cube action", out)?;
    let [player, opponent] = chances(&answer.probs);
    writeln!(out, "Analyzed in {}", depth(answer.ply, answer.rollout))?;
    writeln!(out, "Player Winning Chances:   {player}\nOpponent Winning Chances: {opponent}\n")?;
    if xgid.match_length == 0 {
        let cubeless = answer.equity;
        let doubled = 2.0 * cubeless;
        writeln!(out, "Cubeless Equities: No Double={cubeless:+.3}, Double={doubled:+.3}\n")?;
    }
    writeln!(out, "Cubeful Equities:")?;
    let (no_double, double) = match answer.verdict.redouble {
        false => ("No double", "Double"),
        true => ("No redouble", "Redouble"),
    };
    let mut row = |name: String, value: f64| {
        let error = match value - answer.cubeful_equity {
            none if none.abs() < 0.0005 => String::new(),
            error => format!(" ({error:+.3})"),
        };
        writeln!(out, "       {:<16} {value:+.3}{error}", name + ":")
    };
    row(no_double.to_owned(), answer.no_double)?;
    row(format!("{double}/Take"), take)?;
    if let Some(beaver) = answer.double_beaver {
        row(format!("{double}/Beaver"), beaver)?;
    }
    row(format!("{double}/Pass"), pass)?;
    let verdict = answer.verdict.to_string();
    let words: Vec<String> = verdict.split(", ").map(capital).collect();
    writeln!(out, "\nBest Cube action: {}", words.join(" / "))?;
    Ok(to.whole(&String::from_utf8_lossy(out))?)
}

/// The position with its cube and score, seen by the player on roll.
fn xgid<A>(answered: &FullAnswer<A>) -> Outcome<Xgid> {
    let text = answered.xgid.as_deref().ok_or_else(|| {
        Failure::input("--xg-text is about backgammon and its variants with an XGID")
    })?;
    // Whatever the variant has of them: those that are not on the board count as borne off.
    Xgid::decode(text).map_err(Failure::input)
}

/// XGID, players, score, board, cube and who does what.
fn write_head<A>(
    answered: &FullAnswer<A>,
    xgid: &Xgid,
    question: &str,
    out: &mut dyn Out,
) -> Outcome {
    writeln!(out, "{}\n", xgid.encode().map_err(Failure::input)?)?;
    let (mine, theirs, length) = (xgid.score_bottom, xgid.score_top, xgid.match_length);
    let (score, of_match) = match length {
        0 => {
            let jacoby = if xgid.rules & 1 != 0 { ", Jacoby" } else { "" };
            let beaver = if xgid.rules & 2 != 0 { ", Beaver" } else { "" };
            (format!(". Unlimited Game{jacoby}{beaver}"), "0-0".to_owned())
        }
        length => {
            let crawford = if xgid.rules == 1 { " Crawford" } else { "" };
            (format!(" {length} pt.(s) match."), format!("{mine}-{theirs}/{length}{crawford}"))
        }
    };
    writeln!(out, "X:Player 1   O:Player 2\nScore is X:{mine} O:{theirs}{score}")?;
    for line in answered.board.text(Charset::Ascii, Color::Never).lines() {
        // What stands beside the board is said below.
        let board: String = line.chars().take(43).collect();
        writeln!(out, " {}", board.replace("-+---+", "------"))?;
    }
    let [mine, theirs] = [xgid.board.pip_count(), xgid.board.opponent_pip_count()];
    writeln!(out, "Pip count  X: {mine}  O: {theirs} X-O: {of_match}")?;
    let owner = match xgid.cube_owner {
        None => "",
        Some(XgidSeat::Bottom) => ", X own cube",
        Some(XgidSeat::Top) => ", O own cube",
    };
    writeln!(out, "Cube: {}{owner}\n{question}\n", 1_u32 << xgid.cube_exponent)?;
    Ok(())
}

/// The depth in the words of that program, which counts the play as a ply.
fn depth(ply: u8, rollout: Option<Spread>) -> String {
    rollout.map_or_else(|| format!("{}-ply", ply + 1), |_| "Rollout".to_owned())
}

/// The chances of both sides, in percent.
fn chances(probs: &Probs) -> [String; 2] {
    let side = |win: f32, gammon: f32, backgammon: f32| {
        let [win, gammon, backgammon] =
            [win, gammon, backgammon].map(|chance| 100.0 * f64::from(chance));
        format!("{win:5.2}% (G:{gammon:.2}% B:{backgammon:.2}%)")
    };
    [
        side(probs.win, probs.win_gammon, probs.win_backgammon),
        side(1.0 - probs.win, probs.lose_gammon, probs.lose_backgammon),
    ]
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
