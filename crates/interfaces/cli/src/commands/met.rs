//! `tavola met`: match equity tables, and the take points and gammon values that follow from them.

use clap::Args;
use serde::Serialize;
use tavola_engine::{DEFAULT_MET, MetPart, TakePoints, match_equity_table};
use tavola_equity::MatchEquityTable;
use tavola_files::report::escape;

use crate::args::{FormArgs, example, number};
use crate::failure::Outcome;
use crate::report::format;
use crate::report::picture::{BOLD, Grid};
use crate::report::table::{Out, Table};

/// How far tables go without an option.
const DEFAULT_AWAY: u16 = 9;

/// The cubes that `--take-points` is about: their value before the double.
const CUBES: [u32; 3] = [1, 2, 4];

/// Print a match equity table, or take points by score.
///
/// The table has the probability of winning a match of a player who needs as many points as the row
/// says against one who needs as many as the column says. Row and column 1 are the Crawford game;
/// the games after it have a line of their own.
///
/// With --take-points, the winning probability that a take needs at every score, and what gammons
/// are worth.
#[derive(Debug, Args)]
#[command(
    after_help = example(
        "  tavola met                           Kazaross-XG2 up to 9 points\n  \
           tavola met own --away 15             computed by tavola alone\n  \
           tavola met --take-points             when to take at 2-away, 4-away?\n  \
           tavola met my-table.xml --svg > my-table.svg\n  \
           tavola met own --away 25 --xml > own.xml"
    )
)]
pub struct MetArgs {
    /// `kazaross-xg2`, `rockwell-kazaross`, `own` (computed from tavola's cube model), or an XML
    /// file in the customary format
    #[arg(value_name = "TABLE", default_value = DEFAULT_MET)]
    pub table: String,
    /// Points to go up to which the table is printed; beyond its end it is continued by
    /// computation
    #[arg(long, value_name = "N", default_value_t = DEFAULT_AWAY,
          value_parser = clap::value_parser!(u16).range(1..=MatchEquityTable::MAX_LENGTH as i64))]
    pub away: u16,
    /// Print take points and gammon values for the cube at 1, 2 and 4 instead
    #[arg(long)]
    pub take_points: bool,
    /// With --take-points: how many of the wins and losses are gammons, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, requires = "take_points",
          value_parser = number(0.0..=100.0, "a percentage from 0 to 100"))]
    pub gammons: f64,
    /// Print the table as a drawing (SVG)
    #[arg(long, conflicts_with = "take_points")]
    pub svg: bool,
    /// Print the table in the customary XML
    #[arg(long, conflicts_with = "take_points")]
    pub xml: bool,
    /// Text or JSON.
    #[command(flatten)]
    pub output: FormArgs,
}

/// Prints the table.
pub fn run(args: &MetArgs, out: &mut dyn Out) -> Outcome {
    let table = match_equity_table(&args.table, args.away)?;
    if args.take_points {
        let sheets = CUBES
            .iter()
            .map(|&cube| TakePoints::new(&table, args.away, cube, args.gammons / 100.0))
            .collect::<Result<Vec<_>, _>>()?;
        let (name, away, gammon_rate) = (table.name(), args.away, args.gammons / 100.0);
        let answer = TakePointsAnswer { name, away, gammon_rate, cubes: &sheets };
        return match args.output.answered(&answer, out)? {
            true => Ok(()),
            false => write_take_points(&table, &sheets, args.gammons, out),
        };
    }
    // No more than the options say, but never less than the file: its notice speaks of it.
    if args.xml && out.whole(&table.to_xml())? {
        return Ok(());
    }
    let cut = MetPart::new(&table, args.away)?;
    if args.output.answered(&cut, out)? || args.svg && out.whole(&drawing(&cut))? {
        return Ok(());
    }
    write_table(&cut, out)
}

/// A probability in percent, two digits behind the point: rounding to one would hide what tables
/// differ by.
fn probability(probability: &f64) -> String {
    format::chance(*probability, 2)
}

fn write_table(cut: &MetPart<'_>, out: &mut dyn Out) -> Outcome {
    writeln!(out, "{}", cut.name)?;
    if !cut.description.is_empty() {
        out.prose(cut.description)?;
    }
    writeln!(
        out,
        "\nchance in percent to win the match; row: points that the player needs, column:\n\
         points that the opponent needs; row and column 1 are the Crawford game\n"
    )?;
    write_matrix(
        cut.away,
        cut.pre_crawford.iter().map(|row| row.iter().map(probability).collect()),
        out,
    )?;
    writeln!(
        out,
        "\nafter the Crawford game, chance of the trailer by the points that they need\n"
    )?;
    let row = cut.post_crawford.iter().map(probability);
    Ok(Table::of(headings(cut.away), [std::iter::once(String::new()).chain(row)]).write(out)?)
}

/// The numbers 1 to `away` after a corner.
fn headings(away: u16) -> impl Iterator<Item = String> {
    std::iter::once(">".to_owned()).chain((1..=away).map(|n| format!(">{n}")))
}

/// A square of cells by player's and opponent's points to go.
fn write_matrix(away: u16, rows: impl Iterator<Item = Vec<String>>, out: &mut dyn Out) -> Outcome {
    let rows = (1..).zip(rows).map(|(n, row): (u16, _)| std::iter::once(n.to_string()).chain(row));
    Ok(Table::of(headings(away), rows).write(out)?)
}

/// The answer in JSON.
#[derive(Serialize)]
struct TakePointsAnswer<'a> {
    name: &'a str,
    away: u16,
    /// The share of wins and losses that are gammons.
    gammon_rate: f64,
    cubes: &'a [TakePoints],
}

fn write_take_points(
    table: &MatchEquityTable,
    sheets: &[TakePoints],
    gammons: f64,
    out: &mut dyn Out,
) -> Outcome {
    writeln!(out, "{}, {gammons} % gammons", table.name())?;
    writeln!(
        out,
        "row: points that the player needs, column: points that the opponent needs; 1 is\n\
         after the Crawford game; - no cube, or one without effect"
    )?;
    for sheet in sheets {
        let cube = sheet.cube;
        let taken = |cells: &[Option<f64>]| -> Vec<String> {
            let text = |cell: &Option<f64>| cell.map(|chance| format::chance(chance, 1));
            cells.iter().map(|cell| text(cell).unwrap_or_else(|| "-".to_owned())).collect()
        };
        for (what, rows) in
            [("with a dead cube", &sheet.take_dead), ("with a fully live cube", &sheet.take_live)]
        {
            let doubled = 2 * cube;
            writeln!(out, "\npercent needed to take a double from {cube} to {doubled}, {what}\n")?;
            write_matrix(rows.len() as u16, rows.iter().map(|row| taken(row)), out)?;
        }
        writeln!(
            out,
            "\nvalue of a gammon to the player with the cube at {cube}; for money 0.50\n"
        )?;
        let value = |row: &Vec<f64>| row.iter().map(|value| format!("{value:.2}")).collect();
        write_matrix(sheet.gammon_value.len() as u16, sheet.gammon_value.iter().map(value), out)?;
    }
    Ok(())
}

/// The table as a drawing: a cell for each score, darker where the player is behind.
fn drawing(cut: &MetPart<'_>) -> String {
    let size = usize::from(cut.away);
    let mut grid = Grid::new([size + 1, size + 3], [52, 24], 44, 0);
    grid.line(18, BOLD, escape(cut.name));
    grid.line(36, "", "percent to win; row: player needs, column: opponent needs");
    for n in 1..=size {
        grid.cell([n, 0], &n.to_string(), "", None);
        grid.cell([0, n], &n.to_string(), "", None);
    }
    let mut entries = |row: usize, entries: &[f64]| {
        for (column, entry) in (1..).zip(entries) {
            grid.cell([column, row], &probability(entry), "", Some(&shade(*entry)));
        }
    };
    cut.pre_crawford.iter().zip(1..).for_each(|(row, n)| entries(n, row));
    entries(size + 2, &cut.post_crawford);
    grid.cell([0, size + 2], "post", "", None);
    grid.finish()
}

/// Blue for probabilities above a half, orange below, white between.
fn shade(probability: f64) -> String {
    let end = if probability >= 0.5 { [108.0, 163.0, 214.0] } else { [236.0, 158.0, 92.0] };
    let share = (2.0 * (probability - 0.5)).abs().min(1.0);
    let [red, green, blue] = end.map(|end: f64| (255.0 + share * (end - 255.0)).round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn args(table: &str) -> MetArgs {
        MetArgs {
            table: table.to_owned(),
            away: 5,
            take_points: false,
            gammons: 0.0,
            svg: false,
            xml: false,
            output: FormArgs::default(),
        }
    }

    fn answer(args: &MetArgs) -> String {
        let mut out = Vec::new();
        run(args, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_table_is_printed_with_its_meaning() {
        let text = answer(&args("kazaross-xg2"));
        assert!(text.starts_with("Kazaross XG2 25 point MET\n"), "{text}");
        assert!(text.contains("row: points that the player needs"), "{text}");
        assert!(text.contains("3  24.92  40.05  50.00  57.15  64.80\n"), "{text}");
        assert!(text.ends_with("\n50.00  48.80  32.26  31.00  19.01\n"), "{text}");
    }

    #[test]
    fn a_table_is_continued_beyond_its_end() {
        let longer = MetArgs {
            away: 27,
            output: FormArgs { json: true, ..FormArgs::default() },
            ..args("kazaross-xg2")
        };
        let json: serde_json::Value = serde_json::from_str(&answer(&longer)).unwrap();
        assert_eq!(json["pre_crawford"][2][4], 0.64795);
        assert_eq!(json["pre_crawford"].as_array().unwrap().len(), 27);
        assert_eq!(json["pre_crawford"][26][26], 0.5);
    }

    #[test]
    fn take_points_are_those_of_the_table() {
        let points = MetArgs { take_points: true, ..args("kazaross-xg2") };
        let text = answer(&points);
        // 2 away, 2 away: a pass leaves 32.26 %.
        assert!(text.contains("\n2  0.0  32.3"), "{text}");
        let json = MetArgs { output: FormArgs { json: true, ..FormArgs::default() }, ..points };
        let json: serde_json::Value = serde_json::from_str(&answer(&json)).unwrap();
        assert_eq!(json["cubes"][0]["take_dead"][0][0], serde_json::Value::Null);
        assert_eq!(json["cubes"][2]["cube"], 4);
        assert_eq!(json["cubes"][2]["take_live"][3][3], serde_json::Value::Null);
        assert_eq!(json["cubes"][0]["gammon_value"][0][4], 0.0);
    }

    #[test]
    fn own_tables_are_written_as_xml_and_read_again() {
        let xml = MetArgs { xml: true, ..args("own") };
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("own.xml");
        fs::write(&path, answer(&xml)).unwrap();
        let from_file = answer(&args(path.to_str().unwrap()));
        assert_eq!(from_file, answer(&args("own")));
    }

    #[test]
    fn the_drawing_has_a_cell_for_every_score() {
        let svg = answer(&MetArgs { svg: true, ..args("kazaross-xg2") });
        assert_eq!(svg.matches("<rect x=").count(), 5 * 5 + 5);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn bad_files_are_refused_with_line_and_reason() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("bad.xml");
        fs::write(&path, "<met>\n<info><length>3</length></info>\n</met>").unwrap();
        let failure = run(&args(path.to_str().unwrap()), &mut Vec::new()).unwrap_err();
        assert!(
            failure.message().ends_with("line 1: <met> has no <pre-crawford-table>"),
            "{failure:?}"
        );
        let failure = run(&args("kazaros"), &mut Vec::new()).unwrap_err();
        assert!(failure.message().contains("cannot read kazaros, expected kazaross-xg2"));
    }
}
