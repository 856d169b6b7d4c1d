//! `tavola batch`: JSON requests from other programs, one a line, answered in order.
//!
//! `lines` reads, `request` understands, this module answers. Nothing in the input ends the
//! stream: what can't be answered gets an error on its own line.

use crate::args::{ModelArg, TableArgs, ThreadArgs};
use clap::Args;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use serde_json::{Map, Value};
use tavola_evaluator::rollout::{RolloutSettings, RolloutWatch};
use tavola_evaluator::{CubefulJudge, Evaluator, Preset, Search, SearchWatch, TableEvaluator};
use tavola_games::AnyGame;
use tavola_rules::{Backgammon, Game};

use self::family::{FamilyDesk, FamilyRequest};
use self::lines::{Line, Lines};
use self::request::{AnyRequest, Op, Request};
use crate::cubeful::{self, CubeAnswer, CubefulFigures};
use crate::failure::{Blame, Outcome};
use crate::family::{FamilyJudgement, FamilyPlay, RatedFamilyPlay};
use crate::judge::{self, Judge};
use crate::lookahead::Lookahead;
use crate::query::{self, Converted, Judgement, LegalPlay, RatedPlay};
use crate::report::board;
use crate::rollout::{self, Candidates, Rolled, Run};
use crate::terms::Terms;

mod family;
mod fields;
mod lines;
mod request;

/// Arguments of `batch`.
#[derive(Debug, Args)]
#[command(
    about = "Answer JSON requests, one a line, for other programs",
    long_about = "Answer JSON requests for other programs: one object a line on stdin, one a line \
        on stdout, in the same order, each written as soon as it is known.\n\n\
        Operations:\n  \
        legal    position, dice: every distinct result once, with one way to play it\n  \
        best     position, dice: plays, best first, with equity and the five chances\n  \
        eval     position: the five chances and equity of the player on roll\n  \
        cube     position: what rolling and doubling are worth, the action, what the alternatives \
        give away\n  \
        rollout  position, optional dice: played out many times, as eval or best, each number \
        with its standard error\n  \
        convert  position, to: the same in the form position-id, match-id, gnubg-id, xgid, \
        ints, text, board or svg\n\n\
        best takes top, the most plays to answer; best, eval and cube take ply (0 to 3, 0 unless time is \
        given), preset (fast, normal, wide or full), time (such as \"200ms\": look deeper until it \
        is over), cube, match, jacoby and beavers, best and eval also cubeful: whether figures with \
        a cube are wanted (eval: true; best: false, unless cube or score matter). Every play says the ply it was judged \
        at; those judged deepest come first. \
        rollout takes trials (1296), seed (1), top (5), truncate (rolls after which games are cut), \
        ply (0 to 3, 0), preset, vr (true: the luck is taken off), until_se and until_jsd (when to \
        stop early); the standard error of a number has the same key with _se behind it. \
        Every request may have \"id\" (anything; it is repeated in the answer), \"v\": 1 and \
        \"game\", without which it is about the game of --game. The historical games answer legal, \
        best, eval and convert (to text, board or svg) in their own notation, which docs/games/ \
        explains, judged by a network that --model names. A position is a text in any accepted notation or an array of 26 integers, dice \
        are [3,1], a cube is {\"value\": 2, \"owner\": \"center\"|\"player\"|\"opponent\"}, a match \
        {\"length\": 7, \"player\": 3, \"opponent\": 5, \"crawford\": false}. equity is a \
        cubeless money figure, cubeful_equity one per unit of the cube, in a match EMG. A request that can't be answered gets \
        {\"id\": ..., \"error\": {\"kind\": \"...\", \"message\": \"...\"}}, and the stream goes on.",
    after_help = "Example:\n  \
        echo '{\"id\":1,\"op\":\"best\",\"position\":\"4HPwATDgc/ABMA\",\"dice\":[3,1],\"top\":1}' | tavola batch\n  \
        echo '{\"op\":\"legal\",\"position\":\"start\",\"dice\":[6,5,3]}' | tavola batch --game tabula"
)]
pub struct BatchArgs {
    /// The game of requests that name none, with options as in puff:cap=none
    #[arg(long, default_value = "backgammon")]
    pub game: AnyGame,
    /// The judge.
    #[command(flatten)]
    pub model: ModelArg,
    /// Endgame tables.
    #[command(flatten)]
    pub tables: TableArgs,
    /// Threads of a request that looks ahead.
    #[command(flatten)]
    pub threads: ThreadArgs,
}

/// Who answers: the judge of one kind of game, as the network is for one.
struct Desk {
    judge: AnyJudge,
    /// The game of requests that name none.
    game: AnyGame,
    /// What messages call the network.
    model: String,
    /// Whether a network was asked for.
    is_built_in: bool,
}

/// Who judges.
enum AnyJudge {
    Backgammon(Box<BackgammonDesk>),
    Family(Box<FamilyDesk>),
}

impl Desk {
    fn new(args: &BatchArgs) -> Outcome<Self> {
        let model = args.model.model.as_deref();
        let threads = args.threads.count();
        let weights = judge::load_weights(model)?;
        let name = judge::name(model);
        let trained_for: AnyGame =
            weights.game.parse().or_input_in(format_args!("cannot use {name}"))?;
        let judge = match trained_for {
            AnyGame::Backgammon(_) => {
                AnyJudge::Backgammon(Box::new(BackgammonDesk::new(args, threads)?))
            }
            AnyGame::Tables(game) => {
                let network = Box::new(crate::family::network(&game, &args.model)?);
                let settings = Preset::default().at(0);
                let search = Search::new(game.clone(), network, None, settings).on_threads(threads);
                AnyJudge::Family(Box::new(FamilyDesk { game, search }))
            }
        };
        let is_built_in = name == judge::name(None);
        Ok(Self { judge, game: args.game.clone(), model: name, is_built_in })
    }

    /// The judge of backgammon and its variants.
    fn backgammon(&mut self, game: Backgammon) -> Result<&mut BackgammonDesk, Refusal> {
        match &mut self.judge {
            AnyJudge::Backgammon(desk) => Ok(desk),
            AnyJudge::Family(desk) => Err(Refusal::new(
                "model",
                format_args!(
                    "{} was trained for {} and can't judge {}, expected --model and a network for \
                     it",
                    self.model,
                    desk.game.id(),
                    game.name()
                ),
            )),
        }
    }

    /// The judge of this historical game.
    fn family(&mut self, request: &FamilyRequest) -> Result<&mut FamilyDesk, Refusal> {
        let game = request.game.id();
        let trained_for = match &self.judge {
            AnyJudge::Family(desk) => desk.game.id(),
            AnyJudge::Backgammon(desk) => desk.judge.trained_for().id(),
        };
        if self.is_built_in {
            return Err(Refusal::new(
                "model",
                format_args!(
                    "no network for {game} is built in, expected --model and a weights file for it"
                ),
            ));
        }
        match &mut self.judge {
            AnyJudge::Family(desk) if desk.game == request.game => Ok(desk),
            _ => Err(Refusal::new(
                "model",
                format_args!(
                    "{} was trained for {trained_for} and can't judge {game}, expected --model and \
                     a network for it",
                    self.model
                ),
            )),
        }
    }
}

/// Who answers requests about backgammon.
struct BackgammonDesk {
    judge: Judge<TableEvaluator>,
    search: Search<Backgammon>,
    cubeful: CubefulJudge,
    /// For rollouts; the search has its own.
    pruning: Option<Box<dyn Evaluator<Backgammon>>>,
    threads: NonZeroUsize,
}

impl BackgammonDesk {
    fn new(args: &BatchArgs, threads: NonZeroUsize) -> Outcome<Self> {
        let judge = Judge::load(args.model.model.as_deref(), &args.tables)?;
        let search = judge.search(Preset::default().at(0), threads)?;
        let cubeful = judge.cubeful(Preset::default().at(0), threads)?;
        let pruning = judge.pruning()?;
        Ok(Self { judge, search, cubeful, pruning, threads })
    }

    /// The search, from now on as deep and wide as asked for, and its limit.
    fn search(&mut self, lookahead: &Lookahead) -> (&mut Search<Backgammon>, SearchWatch<'static>) {
        self.search.set_settings(lookahead.settings);
        (&mut self.search, watch(lookahead))
    }

    /// The judge with a cube, likewise.
    fn cubeful(&mut self, lookahead: &Lookahead) -> (&CubefulJudge, SearchWatch<'static>) {
        self.cubeful.set_settings(lookahead.settings);
        (&self.cubeful, watch(lookahead))
    }
}

/// Nobody watches, but time may be limited.
fn watch(lookahead: &Lookahead) -> SearchWatch<'static> {
    SearchWatch { limit: lookahead.limit, ..SearchWatch::default() }
}

/// The longest request in bytes; real ones have some hundred.
const LONGEST_LINE: usize = 1 << 20;

/// Why a request gets no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    kind: &'static str,
    message: String,
}

impl Refusal {
    fn new(kind: &'static str, message: impl ToString) -> Self {
        Self { kind, message: message.to_string() }
    }

    /// A missing or unknown key, or a value of the wrong type or out of range.
    fn request(message: impl ToString) -> Self {
        Self::new("request", message)
    }

    /// Something that the contract knows and this version can't do.
    fn unsupported(message: impl ToString) -> Self {
        Self::new("unsupported", message)
    }
}

/// Answers requests until the input ends.
pub fn run(args: &BatchArgs, out: &mut dyn Write) -> Outcome {
    let mut desk = Desk::new(args)?;
    let mut lines = Lines::new(io::stdin().lock(), LONGEST_LINE);
    while let Some(line) = lines.next_line().or_work_in("cannot read the requests")? {
        serde_json::to_writer(&mut *out, &answer(&mut desk, &line))?;
        writeln!(out)?;
        // Whoever asks may wait for this answer before it asks again.
        out.flush()?;
    }
    Ok(())
}

/// An answer, or why there is none, with the id of the request.
#[derive(Serialize)]
struct Reply {
    id: Value,
    #[serde(flatten)]
    body: Body,
}

/// What the operations answer.
#[derive(Serialize)]
#[serde(untagged)]
enum Body {
    Legal {
        plays: Vec<LegalPlay>,
    },
    Best {
        plays: Vec<RatedPlay>,
    },
    Eval {
        #[serde(flatten)]
        judgement: Judgement,
        #[serde(flatten)]
        cubeful: Option<CubefulFigures>,
    },
    Cube(Box<CubeAnswer>),
    Rollout {
        #[serde(flatten)]
        rolled: Rolled,
        #[serde(flatten)]
        run: Run,
    },
    Convert {
        position: Converted,
    },
    FamilyLegal {
        plays: Vec<FamilyPlay>,
    },
    FamilyBest {
        plays: Vec<RatedFamilyPlay>,
    },
    FamilyEval(FamilyJudgement),
    FamilyConvert {
        position: String,
    },
    Error {
        error: Refusal,
    },
}

/// The answer to one line.
fn answer(desk: &mut Desk, line: &Line<'_>) -> Reply {
    let (id, body) = match parse_line(line) {
        Ok(mut object) => {
            let id = object.remove("id").unwrap_or_default();
            let request = AnyRequest::parse(object, &desk.game);
            (id, request.and_then(|request| carry_out(desk, &request)))
        }
        Err(refusal) => (Value::Null, Err(refusal)),
    };
    Reply { id, body: body.unwrap_or_else(|error| Body::Error { error }) }
}

fn parse_line(line: &Line<'_>) -> Result<Map<String, Value>, Refusal> {
    let refuse = |reason: String| {
        Err(Refusal::new("json", format!("{reason}, expected one JSON object a line")))
    };
    match line {
        Line::TooLong => refuse(format!("the line is longer than {LONGEST_LINE} bytes")),
        Line::Text(text) if text.trim_ascii().is_empty() => refuse("the line is empty".to_owned()),
        Line::Text(text) => match serde_json::from_slice(text) {
            Ok(Value::Object(object)) => Ok(object),
            Ok(other) => refuse(format!("{} is no object", fields::quote(&other))),
            Err(error) => {
                let text = String::from_utf8_lossy(text).into_owned();
                refuse(format!("{} is not JSON: {error}", fields::quote(&Value::from(text))))
            }
        },
    }
}

fn carry_out(desk: &mut Desk, request: &AnyRequest) -> Result<Body, Refusal> {
    match request {
        AnyRequest::Family(request) => family::carry_out(request, || desk.family(request)),
        AnyRequest::Backgammon(request) => match request.op {
            // These need nobody who judges.
            Op::Legal { dice } => {
                Ok(Body::Legal { plays: query::legal(&request.situation.position, dice) })
            }
            Op::Convert { to } => {
                let position = query::convert(&request.situation, to)
                    .map_err(|error| Refusal::new("position", error))?;
                Ok(Body::Convert { position })
            }
            _ => judge_backgammon(desk.backgammon(request.game)?, request),
        },
    }
}

fn judge_backgammon(desk: &mut BackgammonDesk, request: &Request) -> Result<Body, Refusal> {
    let position = &request.situation.position;
    Ok(match request.op {
        Op::Legal { .. } | Op::Convert { .. } => unreachable!("nobody has to judge for these"),
        Op::Best { dice, top, ref lookahead } => {
            suits(&desk.judge, request)?;
            let mut plays = match terms_wanted(request, request.terms_matter())? {
                Some(terms) => {
                    let (judge, watch) = desk.cubeful(lookahead);
                    cubeful::best(judge, position, dice, &terms, watch)
                }
                None => {
                    let (search, watch) = desk.search(lookahead);
                    query::best(search, position, dice, watch)
                }
            };
            plays.truncate(top);
            Body::Best { plays }
        }
        Op::Eval { ref lookahead } => {
            suits(&desk.judge, request)?;
            let terms = terms_wanted(request, true)?;
            // With a cube two judgements share the time.
            let parts = 1 + u32::from(terms.is_some());
            let limit = lookahead.limit.map(|limit| limit / parts);
            let lookahead = Lookahead { limit, ..*lookahead };
            let (search, watch) = desk.search(&lookahead);
            let judgement = query::eval(search, position, watch);
            let (judge, watch) = desk.cubeful(&lookahead);
            let cubeful = terms.map(|terms| cubeful::eval(judge, position, &terms, watch));
            Body::Eval { judgement, cubeful }
        }
        Op::Cube { ref lookahead } => {
            suits(&desk.judge, request)?;
            if let Some(outcome) = query::outcome(position) {
                return Err(Refusal::new(
                    "position",
                    format_args!(
                        "{}, expected a position in which it goes on",
                        board::outcome(outcome)
                    ),
                ));
            }
            let terms = terms(request)?;
            let (judge, watch) = desk.cubeful(lookahead);
            Body::Cube(Box::new(cubeful::decide(judge, position, &terms, watch)))
        }
        Op::Rollout { ref settings, top } => {
            suits(&desk.judge, request)?;
            roll_out(desk, request, settings, top)?
        }
    })
}

/// Rolls out the plays of the request's roll, or its position if it has none.
fn roll_out(
    desk: &mut BackgammonDesk,
    request: &Request,
    settings: &RolloutSettings,
    top: usize,
) -> Result<Body, Refusal> {
    let position = &request.situation.position;
    if query::outcome(position).is_some() {
        return Err(Refusal::new(
            "position",
            "the game is over, expected a position in which it goes on",
        ));
    }
    let candidates = match request.situation.dice {
        None => Candidates::Position,
        Some(dice) => {
            Candidates::Plays(rollout::best_plays(&mut desk.judge.evaluator, position, dice, top))
        }
    };
    if let Candidates::Plays(plays) = &candidates
        && plays.is_empty()
    {
        return Ok(Body::Best { plays: Vec::new() });
    }
    let pruning = desk.pruning.as_deref();
    let mut rollout =
        rollout::start(&desk.judge, pruning, *settings, desk.threads, position, &candidates)
            .map_err(Refusal::request)?;
    let cancel = AtomicBool::new(false);
    let ended = rollout.run(&mut RolloutWatch { cancel: &cancel, progress: &mut |_| {} });
    let rolled = rollout::answer(&rollout, &candidates);
    Ok(Body::Rollout { rolled, run: Run { ended, seed: settings.seed } })
}

/// Stakes and cube of the request.
fn terms(request: &Request) -> Result<Terms, Refusal> {
    Terms::new(&request.situation).map_err(|error| Refusal::new("cube", error))
}

/// The same if figures with a cube are wanted: as the request says, or else `default`.
fn terms_wanted(request: &Request, default: bool) -> Result<Option<Terms>, Refusal> {
    request.cubeful.unwrap_or(default).then(|| terms(request)).transpose()
}

/// Whether the network can judge the game of the request.
fn suits(judge: &Judge<TableEvaluator>, request: &Request) -> Result<(), Refusal> {
    // A network of a variant with another start judges without a warning, for want of a place.
    match judge.suits(request.game) {
        Ok(_) => Ok(()),
        Err(failure) => Err(Refusal::new("model", failure.message())),
    }
}
