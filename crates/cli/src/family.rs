//! The historical games in the commands that ask about a position. Figures are without
//! a cube.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use serde::Serialize;
use tavola_equity::Probs;
use tavola_evaluator::{NetEvaluator, Search, SearchWatch};
use tavola_games::{PlayableGame, Tables, TablesDice, TablesState};
use tavola_rules::Game;
use tavola_rules::board::{Charset, Color, Theme};

use crate::args::{BoardArgs, Form, ModelArg, PositionArgs, RollArgs};
use crate::commands::best::BestArgs;
use crate::commands::convert::ConvertArgs;
use crate::commands::eval::EvalArgs;
use crate::commands::legal::LegalArgs;
use crate::commands::show::{self, ShowArgs};
use crate::failure::{Blame, Failure, Outcome};
use crate::judge;
use crate::lookahead::{LookaheadArgs, SearchBar};
use crate::report::table::{Align, Table};
use crate::report::{board, format};

/// A legal play.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FamilyPlay {
    /// The steps in words, or why there are none.
    pub play: String,
    /// The result in the notation of the game, the opponent on roll.
    pub position: String,
}

/// A play and what it is worth to the player who makes it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RatedFamilyPlay {
    /// The play and its result.
    #[serde(flatten)]
    pub play: FamilyPlay,
    /// Expected points.
    pub equity: f32,
    /// Equity lost against the best play, never negative.
    pub loss: f32,
    /// Win, win double, win triple, lose double, lose triple: only games that have such stakes
    /// use more than the first.
    pub probs: [f32; 5],
    /// Plies of lookahead.
    pub ply: u8,
}

/// What a position is worth to the player on roll, before the roll.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FamilyJudgement {
    /// Expected points.
    pub equity: f32,
    /// As in [`RatedFamilyPlay`].
    pub probs: [f32; 5],
    /// Plies of lookahead.
    pub ply: u8,
}

/// The position of the arguments, or the start.
fn position(game: &Tables, args: &PositionArgs) -> Outcome<TablesState> {
    args.position.as_ref().map_or(Ok(game.start()), |text| game.parse_state(text).or_input())
}

/// The roll of the arguments, where there is one.
fn roll(game: &Tables, args: &RollArgs) -> Outcome<Option<TablesDice>> {
    args.roll.as_ref().map(|text| game.parse_roll(text).or_input()).transpose()
}

/// The roll, which the command can't do without.
fn needed_roll(game: &Tables, args: &RollArgs) -> Outcome<TablesDice> {
    roll(game, args)?.ok_or_else(|| {
        let example = game.rolls()[1].0;
        Failure::input(format_args!("no roll is given, expected one such as --roll {example}"))
    })
}

/// The network of a weights file; none is built in.
pub fn network(game: &Tables, args: &ModelArg) -> Outcome<NetEvaluator<Tables>> {
    let Some(path) = &args.model else {
        return Err(Failure::input(format_args!(
            "no network for {} is built in, expected --model and a weights file for it",
            game.id()
        )));
    };
    let weights = judge::load_weights(Some(path))?;
    NetEvaluator::new(&weights, game.clone())
        .or_input_in(format_args!("cannot use {}", path.display()))
}

/// A search that the network of a weights file guides. What prunes searches was trained for
/// backgammon, so nothing is pruned.
fn search(game: &Tables, args: &ModelArg, lookahead: &LookaheadArgs) -> Outcome<Search<Tables>> {
    let network = Box::new(network(game, args)?);
    let settings = lookahead.lookahead().settings;
    Ok(Search::new(game.clone(), network, None, settings).on_threads(lookahead.threads()))
}

/// Every distinct result of the roll, with one way to play it; none if the game is over.
pub fn plays(game: &Tables, state: &TablesState, dice: TablesDice) -> Vec<FamilyPlay> {
    let named = game.named_results(state, dice).into_iter();
    named.map(|(play, after)| FamilyPlay { play, position: game.write_state(&after) }).collect()
}

/// The plays of the roll, best first, those judged deepest before the others; none if the game is
/// over.
pub fn rate(
    game: &Tables,
    search: &mut Search<Tables>,
    state: &TablesState,
    dice: TablesDice,
    watch: SearchWatch<'_>,
) -> Vec<RatedFamilyPlay> {
    let ways: HashMap<TablesState, String> =
        game.named_results(state, dice).into_iter().map(|(play, after)| (after, play)).collect();
    if ways.is_empty() {
        return Vec::new();
    }
    search
        .rank(state, dice, watch)
        .into_iter()
        .map(|ranked| RatedFamilyPlay {
            play: FamilyPlay {
                play: ways[&ranked.state].clone(),
                position: game.write_state(&ranked.state),
            },
            equity: ranked.worth,
            loss: ranked.loss,
            probs: five(&ranked.value.cumulative()),
            ply: ranked.ply,
        })
        .collect()
}

/// What the position is worth before the roll.
pub fn judgement(
    search: &mut Search<Tables>,
    state: &TablesState,
    watch: SearchWatch<'_>,
) -> FamilyJudgement {
    let (judged, ply) = search.judge(state, watch);
    FamilyJudgement { equity: judged.equity(), probs: five(&judged.cumulative()), ply }
}

/// A position in another form: the game's own text, or a board, which comes without colour.
pub fn converted(
    game: &Tables,
    state: &TablesState,
    dice: Option<TablesDice>,
    form: Form,
) -> Outcome<String> {
    match form {
        Form::Text => Ok(game.write_state(state)),
        Form::Board => Ok(game.board(state, dice).text(Charset::Unicode, Color::Never)),
        Form::Svg => Ok(game.board(state, dice).svg(&Theme::default())),
        _ => Err(Failure::input(format_args!(
            "{} can't be written as {}, expected text, board or svg",
            game.id(),
            form.name()
        ))),
    }
}

fn five(probs: &Probs) -> [f32; 5] {
    format::five(probs)
}

fn draw(
    game: &Tables,
    state: &TablesState,
    dice: Option<TablesDice>,
    args: &BoardArgs,
    out: &mut dyn Write,
) -> Outcome {
    let (charset, color) = board::style(args);
    writeln!(out, "{}", game.board(state, dice).text(charset, color))?;
    Ok(())
}

/// `tavola legal`.
pub fn legal(game: &Tables, args: &LegalArgs, out: &mut dyn Write) -> Outcome {
    #[derive(Serialize)]
    struct Listing {
        position: String,
        dice: Vec<u8>,
        plays: Vec<FamilyPlay>,
    }
    let state = position(game, &args.position)?;
    let dice = needed_roll(game, &args.roll)?;
    let plays = plays(game, &state, dice);
    if args.output.json {
        let listing =
            Listing { position: game.write_state(&state), dice: dice.numbers().to_vec(), plays };
        serde_json::to_writer(&mut *out, &listing)?;
        writeln!(out)?;
    } else if let Some(outcome) = game.outcome(&state) {
        writeln!(out, "{}", board::outcome(outcome))?;
    } else {
        writeln!(out, "{dice}: {}", format::plural(plays.len(), "play"))?;
        writeln!(out)?;
        let mut table = Table::new([Align::Left, Align::Left]);
        table.row(["play", "leads to"]);
        for FamilyPlay { play, position } in plays {
            table.row([play, position]);
        }
        table.write(out)?;
    }
    Ok(())
}

/// `tavola show`.
pub fn show(game: &Tables, args: &ShowArgs, out: &mut dyn Write) -> Outcome {
    #[derive(Serialize)]
    struct Answer {
        game: String,
        rules: &'static str,
        position: String,
        board: String,
        dice: Option<Vec<u8>>,
        pips: u32,
        opponent_pips: u32,
        over: bool,
    }
    let mut state = position(game, &args.position)?;
    let mut dice = roll(game, &args.roll)?;
    if let Some(text) = &args.play {
        let dice_of_play = needed_roll(game, &args.roll)?;
        let plays = game.named_results(&state, dice_of_play);
        let found = plays.iter().find(|(play, _)| play == text.trim());
        let Some((_, after)) = found else {
            return Err(Failure::input(format_args!(
                "{text:?} is no play of {dice_of_play}, expected one that `tavola legal --game {}` \
                 lists",
                game.id()
            )));
        };
        (state, dice) = (*after, None);
    }
    if args.output.json && args.svg.as_deref() == Some(Path::new("-")) {
        return Err(Failure::input(
            "--svg - and --json both write to stdout, expected a file for the picture",
        ));
    }
    if let Some(file) = &args.svg {
        show::write_picture(&game.board(&state, dice).svg(&Theme::default()), file, out)?;
    }
    if args.output.json {
        let (charset, _) = board::style(&args.board);
        let answer = Answer {
            game: game.id(),
            rules: game.brief(),
            position: game.write_state(&state),
            board: game.board(&state, dice).text(charset, Color::Never),
            dice: dice.map(|dice| dice.numbers().to_vec()),
            pips: game.pips(&state),
            opponent_pips: game.pips(&game.flip(&state)),
            over: game.outcome(&state).is_some(),
        };
        serde_json::to_writer(&mut *out, &answer)?;
        writeln!(out)?;
    } else if args.svg.is_none() {
        draw(game, &state, dice, &args.board, out)?;
        writeln!(out)?;
        writeln!(out, "{}", game.write_state(&state))?;
        if let Some(outcome) = game.outcome(&state) {
            writeln!(out, "{}", board::outcome(outcome))?;
        } else if args.position.position.is_none() && args.play.is_none() {
            // Who looks at the start may not know the game.
            writeln!(out, "{}", game.brief())?;
        }
    }
    Ok(())
}

/// `tavola best`.
pub fn best(game: &Tables, args: &BestArgs, out: &mut dyn Write) -> Outcome {
    #[derive(Serialize)]
    struct Ranking<'a> {
        position: String,
        dice: Vec<u8>,
        legal: usize,
        plays: &'a [RatedFamilyPlay],
    }
    let state = position(game, &args.position)?;
    let dice = needed_roll(game, &args.roll)?;
    let mut search = search(game, &args.model, &args.lookahead)?;
    let rated =
        SearchBar::watch(args.lookahead.time, |watch| rate(game, &mut search, &state, dice, watch));
    let top = &rated[..rated.len().min(usize::from(args.top))];
    if args.output.json {
        let position = game.write_state(&state);
        let dice = dice.numbers().to_vec();
        let ranking = Ranking { position, dice, legal: rated.len(), plays: top };
        serde_json::to_writer(&mut *out, &ranking)?;
        writeln!(out)?;
        return Ok(());
    }
    draw(game, &state, Some(dice), &args.board, out)?;
    writeln!(out)?;
    if let Some(outcome) = game.outcome(&state) {
        writeln!(out, "{}", board::outcome(outcome))?;
        return Ok(());
    }
    writeln!(out, "{dice}: {}", format::plural(rated.len(), "play"))?;
    writeln!(out)?;
    use Align::{Left, Right};
    let mut table = Table::new([Right, Left, Right, Right, Right, Right, Left]);
    table.row(["", "play", "ply", "equity", "loss", "win", "leads to"]);
    for (i, rated) in top.iter().enumerate() {
        table.row([
            (i + 1).to_string(),
            rated.play.play.clone(),
            rated.ply.to_string(),
            format::equity(rated.equity),
            if i == 0 { String::new() } else { format!("{:.3}", rated.loss) },
            format::percent(rated.probs[0]),
            rated.play.position.clone(),
        ]);
    }
    table.write(out)?;
    Ok(())
}

/// `tavola eval`.
pub fn eval(game: &Tables, args: &EvalArgs, out: &mut dyn Write) -> Outcome {
    #[derive(Serialize)]
    struct Answer {
        position: String,
        #[serde(flatten)]
        judgement: FamilyJudgement,
    }
    let state = position(game, &args.position)?;
    let mut search = search(game, &args.model, &args.lookahead)?;
    let judgement =
        SearchBar::watch(args.lookahead.time, |watch| judgement(&mut search, &state, watch));
    if args.output.json {
        let answer = Answer { position: game.write_state(&state), judgement };
        serde_json::to_writer(&mut *out, &answer)?;
        writeln!(out)?;
        return Ok(());
    }
    draw(game, &state, None, &args.board, out)?;
    writeln!(out)?;
    if let Some(outcome) = game.outcome(&state) {
        writeln!(out, "{}", board::outcome(outcome))?;
        return Ok(());
    }
    let FamilyJudgement { equity, probs, ply } = judgement;
    let (equity, win) = (format::equity(equity), format::percent(probs[0]));
    writeln!(out, "equity {equity}  win {win} %  ({ply}-ply)")?;
    Ok(())
}

/// `tavola convert`: the position as the game itself writes it, unless a form is asked for.
pub fn convert(game: &Tables, args: &ConvertArgs, out: &mut dyn Write) -> Outcome {
    #[derive(Serialize)]
    struct Answer {
        position: String,
    }
    let state = position(game, &args.position)?;
    let dice = roll(game, &args.roll)?;
    let form = args.to.unwrap_or(Form::Text);
    if args.output.json {
        let position = converted(game, &state, dice, form)?;
        serde_json::to_writer(&mut *out, &Answer { position })?;
        writeln!(out)?;
        Ok(())
    } else if form == Form::Board {
        draw(game, &state, dice, &args.board, out)
    } else {
        writeln!(out, "{}", converted(game, &state, dice, form)?.trim_end())?;
        Ok(())
    }
}
