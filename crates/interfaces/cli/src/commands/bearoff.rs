//! `tavola bearoff`: the bear-off databases, and what they say.

use std::fs;
use std::num::NonZeroUsize;

use clap::{Args, Subcommand};
use serde::Serialize;
use tavola_bearoff::{BearoffTable, Store, TableSpec};
use tavola_engine::{BearoffAnswer, findings_in};
use tavola_games::PlayableGame;
use tavola_rules::Game;
use tavola_rules::board::{Board, BoardView};
use tavola_rules::notation::{Form, Situation, encode_position_id};

use crate::args::{BoardArgs, FormArgs, PositionArgs, ThreadArgs, example};
use crate::ask;
use crate::failure::{Blame, Failure, Outcome};
use crate::networks;
use crate::report::format;
use crate::report::progress::TableProgress;
use crate::report::table::{Out, Table};

/// Generate, list and query bear-off databases.
///
/// One-sided tables know, for each side alone, in how many rolls all checkers are off, and the
/// first one; two of these make the probabilities of a race. Two-sided tables know both sides
/// together, with and without the cube: they are exact.
///
/// The default tables are generated when a command first needs them, within seconds, and kept in
/// the user's cache directory, or in TAVOLA_CACHE_DIR if that is set. Every table there is used by
/// best, eval and batch; a damaged one is generated again.
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola bearoff generate --points 8      races from the eight point on, 33 MB\n  \
         tavola bearoff generate --two-sided 8   perfect play of eight checkers a side, 144 MB\n  \
         tavola bearoff info\n  \
         tavola bearoff show 0,0,2,0,0,0,2,0,0,0,0,0,0,0,0,0,0,0,0,-2,0,0,0,0,-1,0"
    ),
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct BearoffArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: BearoffCommand,
}

/// What to do with the tables. Help stands with the arguments, if there are some.
#[derive(Debug, Subcommand)]
pub enum BearoffCommand {
    Generate(GenerateArgs),
    /// List the tables: where they are, how large, and whether they are sound.
    #[command(after_help = example("  tavola bearoff info\n  tavola bearoff info --json"))]
    Info(FormArgs),
    /// Remove all tables, and what analyses have found, from the cache directory.
    ///
    /// The default tables, 17 MB, are generated again when a command needs them, the others only by
    /// `tavola bearoff generate`. Findings let an analysis go on that was stopped; the oldest leave
    /// by themselves where there are more than 256 MiB.
    #[command(after_help = example("  tavola bearoff clear"))]
    Clear(FormArgs),
    Show(ShowArgs),
}

/// Generate tables and keep them in the cache directory.
///
/// Without options: the default tables, 15 checkers on the 6 home points one-sided and 6 checkers a
/// side two-sided. A sound table that is there already is kept; --again generates it anew. The file
/// is the same on any number of threads.
///
/// Memory while generating: one-sided some 200 bytes a position (15 checkers on 8 points are
/// 490,314 positions, on 10 points 3,268,760), two-sided the size of the file (8 checkers a side
/// 144 MB, 10 checkers 1.0 GB).
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola bearoff generate\n  \
         tavola bearoff generate --points 8 --threads 4\n  \
         tavola bearoff generate --points 12 --checkers 8\n  \
         tavola bearoff generate --two-sided 8"
    )
)]
pub struct GenerateArgs {
    /// A one-sided table of the first N points, 6 to 18
    #[arg(long, value_name = "N")]
    pub points: Option<u8>,
    /// The most checkers on them, 1 to 15 [default: 15]
    #[arg(long, value_name = "K", requires = "points")]
    pub checkers: Option<u8>,
    /// A two-sided table of up to K checkers a side, 1 to 10
    #[arg(long, value_name = "K")]
    pub two_sided: Option<u8>,
    /// Generate again what is kept already
    #[arg(long)]
    pub again: bool,
    /// Threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: FormArgs,
}

/// Show what the tables know of a position.
///
/// For each side that a one-sided table covers: the probabilities of having borne off everything,
/// and of having borne off the next checker, in N rolls. For a race inside the tables: the
/// probabilities of the player on roll, and inside the two-sided table the exact money equities
/// without the cube and with it in each place, before the player on roll decides whether to double,
/// and without a double (no Jacoby rule, in points per unit of the current cube).
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola bearoff show 0,0,2,0,0,0,2,0,0,0,0,0,0,0,0,0,0,0,0,-2,0,0,0,0,-1,0\n  \
         tavola bearoff show 4HcDAO7uAAAAAA --json"
    )
)]
pub struct ShowArgs {
    /// Position and game.
    #[command(flatten)]
    pub position: PositionArgs,
    /// Board style.
    #[command(flatten)]
    pub board: BoardArgs,
    /// Text or JSON.
    #[command(flatten)]
    pub output: FormArgs,
}

/// Generates, lists or asks.
pub fn run(args: &BearoffArgs, out: &mut dyn Out) -> Outcome {
    match &args.command {
        BearoffCommand::Generate(args) => generate(args, out),
        BearoffCommand::Info(output) => info(output, out),
        BearoffCommand::Clear(output) => clear(output, out),
        BearoffCommand::Show(args) => show(args, out),
    }
}

/// A table and the state of its file.
#[derive(Serialize)]
struct Description {
    table: String,
    kind: &'static str,
    points: u8,
    checkers: u8,
    positions: u64,
    file: Option<String>,
    bytes: Option<u64>,
    state: String,
}

impl Description {
    fn new(store: &Store, spec: TableSpec, table: Option<&BearoffTable>, state: String) -> Self {
        Self {
            table: spec.to_string(),
            kind: if spec.is_two_sided() { "two-sided" } else { "one-sided" },
            points: spec.points(),
            checkers: spec.checkers(),
            positions: spec.positions(),
            file: store.path(spec).map(|path| path.display().to_string()),
            bytes: table.map(BearoffTable::size),
            state,
        }
    }
}

fn generate(args: &GenerateArgs, out: &mut dyn Out) -> Outcome {
    let mut specs = Vec::new();
    if let Some(points) = args.points {
        specs.push(TableSpec::one_sided(points, args.checkers.unwrap_or(15)).or_input()?);
    }
    if let Some(checkers) = args.two_sided {
        specs.push(TableSpec::two_sided(checkers).or_input()?);
    }
    if specs.is_empty() {
        specs = vec![TableSpec::ONE_SIDED_DEFAULT, TableSpec::TWO_SIDED_DEFAULT];
    }
    let store = Store::of_user();
    let progress = TableProgress::default();
    let mut described = Vec::new();
    for spec in specs {
        if let (false, Ok(Some(table))) = (args.again, store.open(spec)) {
            described.push(Description::new(&store, spec, Some(&table), "kept".to_owned()));
            continue;
        }
        let (table, warning) = in_pool(args.threads.count(), || {
            store.generate(spec, &|so_far| progress.generated(&so_far))
        })?;
        progress.finish();
        // The command is done only if the table is kept.
        warning.map_or(Ok(()), Err).or_work_in(spec)?;
        let state = if table.is_kept() { "generated" } else { "generated, not kept" };
        described.push(Description::new(&store, spec, Some(&table), state.to_owned()));
    }
    write_descriptions(&described, &store, &args.output, out)
}

/// Runs the work on this number of threads.
pub fn in_pool<T: Send>(threads: NonZeroUsize, work: impl FnOnce() -> T + Send) -> Outcome<T> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.get())
        .build()
        .or_work_in("cannot start threads")?;
    Ok(pool.install(work))
}

fn info(output: &FormArgs, out: &mut dyn Out) -> Outcome {
    let store = Store::of_user();
    let mut specs = store.stored();
    specs.extend([TableSpec::ONE_SIDED_DEFAULT, TableSpec::TWO_SIDED_DEFAULT]);
    specs.sort();
    specs.dedup();
    let described: Vec<_> = specs
        .into_iter()
        .map(|spec| {
            let (table, state) = match store.open(spec).or_work_in("unusable") {
                Ok(Some(table)) => (Some(table), "sound".to_owned()),
                Ok(None) => (None, "missing, generated when needed".to_owned()),
                Err(failure) => (None, failure.message()),
            };
            Description::new(&store, spec, table.as_ref(), state)
        })
        .collect();
    write_descriptions(&described, &store, output, out)
}

fn clear(output: &FormArgs, out: &mut dyn Out) -> Outcome {
    let store = Store::of_user();
    let mut files = Vec::new();
    for path in store.stored().into_iter().filter_map(|spec| store.path(spec)) {
        let bytes = fs::metadata(&path).or_work_in(path.display())?.len();
        files.push((path, bytes));
    }
    if let Some(folder) = store.directory() {
        files.extend(findings_in(folder).or_work_in(folder.display())?);
    }
    for (path, _) in &files {
        fs::remove_file(path).or_work_in(path.display())?;
    }
    #[derive(Serialize)]
    struct Answer {
        files: Vec<String>,
        bytes: u64,
    }
    let bytes = files.iter().map(|(_, bytes)| bytes).sum();
    let names = files.iter().map(|(path, _)| path.display().to_string()).collect();
    if output.answered(&Answer { files: names, bytes }, out)? {
        return Ok(());
    }
    for (path, bytes) in &files {
        writeln!(out, "removed {}, {} bytes", path.display(), format::count(*bytes))?;
    }
    let (files, bytes) = (format::plural(files.len(), "file"), format::count(bytes));
    Ok(writeln!(out, "{files} and {bytes} bytes removed")?)
}

fn write_descriptions(
    tables: &[Description],
    store: &Store,
    output: &FormArgs,
    out: &mut dyn Out,
) -> Outcome {
    #[derive(Serialize)]
    struct Answer<'a> {
        directory: Option<String>,
        tables: &'a [Description],
    }
    let directory = store.directory().map(|directory| directory.display().to_string());
    let answer = Answer { directory, tables };
    if output.answered(&answer, out)? {
        return Ok(());
    }
    let place = answer.directory.as_deref().unwrap_or("memory alone: no cache directory is known");
    writeln!(out, "tables in {place}\n")?;
    let rows = tables.iter().map(|one| {
        let bytes = one.bytes.map_or_else(|| "-".to_owned(), format::count);
        [one.table.clone(), format::count(one.positions), bytes, one.state.clone()]
    });
    Ok(Table::of(["table", ">positions", ">bytes", "state"], rows).write(out)?)
}

fn show(args: &ShowArgs, out: &mut dyn Out) -> Outcome {
    let Some(game) = args.position.game.two().or_input()?.backgammon() else {
        return Err(Failure::input(format_args!(
            "no table knows {}, expected backgammon or a variant of it",
            args.position.game.id()
        )));
    };
    let text = args.position.position.as_deref().unwrap_or("start");
    let situation = Situation { dice: None, ..game.parse(text).or_input()? };
    let position = situation.position;
    if game.outcome(&position).is_some() {
        return Err(Failure::input(format_args!(
            "nothing is left to bear off in {}: the game is over",
            encode_position_id(&position)
        )));
    }
    let tables = networks::load_tables();
    let answer = BearoffAnswer::new(&tables, &position);
    if answer.player.is_none() && answer.opponent.is_none() {
        let points = tables.iter().map(|table| table.spec().points()).max().unwrap_or(0);
        return Err(Failure::input(format_args!(
            "no table covers a side of {}, expected all checkers of one side within its first \
             {points} points; `tavola bearoff generate --points N` makes a larger table",
            answer.position
        )));
    }
    if args.output.answered(&answer, out)? {
        return Ok(());
    }
    ask::draw(&Board::from(BoardView::from(&situation)), &args.board, out)?;
    ask::write_ids(Form::Xgid.write(&situation).ok().as_deref(), out)?;
    writeln!(out)?;
    write_sides(&answer, out)?;
    if let (Some(probs), Some(equity)) = (&answer.probs, answer.equity) {
        let source = match &answer.exact {
            Some(_) => "exact, both sides together",
            None => "from both distributions",
        };
        let equity = format::equity(equity);
        writeln!(out, "\nequity {equity} for the player on roll (cubeless, {source})")?;
        Table::of(format::CHANCE_HEADINGS, [format::probabilities(probs)]).write_apart(out)?;
    }
    if let Some(exact) = &answer.exact {
        let rows = [
            ("  in the center", exact.center, exact.center_no_double),
            ("  of the player on roll", exact.player, exact.player_no_double),
            ("  of the opponent", exact.opponent, exact.opponent_no_double),
        ]
        .map(|(place, best, now)| [place.to_owned(), format::equity(best), format::equity(now)]);
        Table::of(["money equity with the cube", ">best", ">no double now"], rows)
            .write_apart(out)?;
    }
    Ok(())
}

/// A column a side and aim, a line for each number of rolls, in percent.
fn write_sides(answer: &BearoffAnswer, out: &mut dyn Out) -> Outcome {
    let sides = [("player", " on roll", &answer.player), ("opponent", "", &answer.opponent)];
    let mut columns: Vec<(&str, &[f32])> = Vec::new();
    for (name, more, side) in sides {
        let Some(side) = side else {
            writeln!(out, "{name}{more}: outside the tables")?;
            continue;
        };
        let (pips, mean, sd) = (side.pips, side.mean_rolls, side.sd_rolls);
        write!(out, "{name}{more}: {pips} pips, {mean:.3} rolls on average, ")?;
        writeln!(out, "standard deviation {sd:.3}")?;
        columns.extend([(name, &side.all_off[..]), ("next", &side.next_off[..])]);
    }
    let headings = columns.iter().map(|(name, _)| format!(">{name} off"));
    let mut table = Table::new([">rolls".to_owned()].into_iter().chain(headings));
    let longest = columns.iter().map(|(_, probabilities)| probabilities.len()).max().unwrap_or(0);
    for rolls in 0..longest {
        let chances = columns.iter().map(|(_, probabilities)| match probabilities.get(rolls) {
            Some(&probability) if probability > 0.0 => format!("{:.3}", probability * 100.0),
            _ => String::new(),
        });
        table.row([(rolls + 1).to_string()].into_iter().chain(chances));
    }
    Ok(table.write_apart(out)?)
}
