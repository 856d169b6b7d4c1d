//! The cube action at every score, the Crawford game and those after it apart.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;
use tavola_equity::{CubeAction, MatchEquityTable};
use tavola_evaluator::CubefulJudge;
use tavola_rules::notation::{Situation, Stakes, encode_position_id};
use tavola_rules::{Beavers, Cube, MatchScore, Position};

use super::short;
use crate::cubeful;
use crate::failure::{Blame, Outcome};
use crate::lookahead::SearchBar;
use crate::report::table::{Align, Table};
use crate::terms::Terms;

/// Points to go up to which the matrix extends.
const AWAY: u16 = 9;

/// The label of the row and the column that are about the Crawford game.
const CRAWFORD: &str = "1C";

/// The action at every score by the points that the player and his opponent need; 1 is after the
/// Crawford game.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Matrix {
    position: String,
    cube: Cube,
    away: u16,
    ply: u8,
    /// `[player_away - 1][opponent_away - 1]`.
    scores: Vec<Vec<Cell>>,
    crawford: Crawford,
    money: Cell,
}

/// What is known of the Crawford game, in which nobody has a cube: what the position is worth there.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Crawford {
    /// The player on roll needs one point: `[opponent_away - 2]`.
    player_leads: Vec<Cell>,
    /// His opponent needs one point: `[player_away - 2]`.
    opponent_leads: Vec<Cell>,
}

/// What is known at one score; equities are EMG.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
struct Cell {
    action: CubeAction,
    no_double: Option<f64>,
    double_take: Option<f64>,
    double_pass: Option<f64>,
}

impl Cell {
    /// A score at which such a cube can't be.
    const NONE: Self =
        Self { action: CubeAction::NoCube, no_double: None, double_take: None, double_pass: None };
}

impl Matrix {
    /// Decides at every score, by this table of match equities. A time limit is for all of them together.
    pub fn new(
        judge: &CubefulJudge,
        position: &Position,
        cube: Cube,
        table: &MatchEquityTable,
        limit: Option<Duration>,
    ) -> Outcome<Self> {
        let limit = limit.map(|limit| limit / u32::from(AWAY * AWAY + 2 * (AWAY - 1) + 1));
        let mut ply = u8::MAX;
        let mut decide = |score: Option<MatchScore>| {
            let mut situation = Situation::from(*position);
            situation.cube = Some(cube);
            situation.stakes = score.map(Stakes::Match);
            // A cube that can't be at this score has no action there.
            let Ok(terms) = Terms::by(&situation, table, Beavers::Off) else { return Cell::NONE };
            let answer =
                SearchBar::watch(limit, |watch| cubeful::decide(judge, position, &terms, watch));
            ply = ply.min(answer.ply);
            Cell {
                action: answer.action,
                no_double: Some(answer.no_double),
                double_take: answer.double_take,
                double_pass: answer.double_pass,
            }
        };
        let mut scores = Vec::new();
        let mut crawford = Crawford { player_leads: Vec::new(), opponent_leads: Vec::new() };
        for player in 1..=AWAY {
            let mut row = Vec::new();
            for opponent in 1..=AWAY {
                let length = player.max(opponent);
                let points = (length, length - player, length - opponent);
                let score = MatchScore::new(points.0, points.1, points.2).or_input()?;
                row.push(decide(Some(score)));
                let leader = match (player, opponent) {
                    (1, 2..) => &mut crawford.player_leads,
                    (2.., 1) => &mut crawford.opponent_leads,
                    _ => continue,
                };
                let score = MatchScore::crawford(points.0, points.1, points.2).or_input()?;
                leader.push(decide(Some(score)));
            }
            scores.push(row);
        }
        let money = decide(None);
        let position = encode_position_id(position);
        Ok(Self { position, cube, away: AWAY, ply, scores, crawford, money })
    }

    /// What rows and columns are called.
    fn labels(&self) -> Vec<String> {
        let away = (1..=self.away).map(|away| away.to_string());
        std::iter::once(CRAWFORD.to_owned()).chain(away).collect()
    }

    /// The actions by row and column as they are labelled; `None` where there is no such score: in the
    /// Crawford game exactly one player needs one point.
    fn actions(&self) -> Vec<Vec<Option<CubeAction>>> {
        let led = |cells: &[Cell]| -> Vec<Option<CubeAction>> {
            let none = [None, None].into_iter();
            none.chain(cells.iter().map(|cell| Some(cell.action))).collect()
        };
        let column = led(&self.crawford.opponent_leads);
        let rows = self.scores.iter().zip(&column[1..]).map(|(row, &crawford)| {
            std::iter::once(crawford).chain(row.iter().map(|cell| Some(cell.action))).collect()
        });
        std::iter::once(led(&self.crawford.player_leads)).chain(rows).collect()
    }

    /// As a table of text.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "cube action from {} by score ({}-ply); row: points that the player on roll needs,\n\
             column: points that the opponent needs; {CRAWFORD} is the Crawford game, 1 after it\n",
            self.cube.value(),
            self.ply
        )?;
        let labels = self.labels();
        let mut table = Table::new(vec![Align::Right; labels.len() + 1]);
        table.row(std::iter::once(String::new()).chain(labels.iter().cloned()));
        for (label, row) in labels.iter().zip(self.actions()) {
            let actions = row.into_iter().map(|action| action.map_or("", short).to_owned());
            table.row(std::iter::once(label.clone()).chain(actions));
        }
        table.write(out)?;
        writeln!(out, "\nfor money {}; {LEGEND}", short(self.money.action))
    }

    /// As a drawing: a coloured cell for each score.
    pub fn svg(&self) -> String {
        const CELL: [usize; 2] = [52, 28];
        const TOP: usize = 66;
        let labels = self.labels();
        let size = labels.len();
        let (width, height) = ((size + 1) * CELL[0], TOP + (size + 2) * CELL[1]);
        let middle = width / 2;
        let mut svg = String::new();
        let mut line = |text: std::fmt::Arguments<'_>| {
            writeln!(svg, "{text}").expect("writing to a string can't fail");
        };
        line(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"13\" text-anchor=\"middle\">"
        ));
        line(format_args!("<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>"));
        line(format_args!(
            "<text x=\"{middle}\" y=\"18\" font-weight=\"bold\">{}, cube {}, {}-ply, for money {}</text>",
            self.position,
            self.cube.value(),
            self.ply,
            short(self.money.action)
        ));
        line(format_args!(
            "<text x=\"{middle}\" y=\"36\">row: player on roll needs, column: opponent needs; \
             {CRAWFORD} is the Crawford game, 1 after it</text>"
        ));
        line(format_args!("<text x=\"{middle}\" y=\"54\" font-size=\"11\">{LEGEND}</text>"));
        let mut cell = |column: usize, row: usize, text: &str, fill: Option<&str>| {
            let (x, y) = (column * CELL[0], TOP + row * CELL[1]);
            if let Some(fill) = fill {
                line(format_args!(
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"{fill}\" \
                     stroke=\"#ffffff\"/>",
                    CELL[0], CELL[1]
                ));
            }
            let (x, y) = (x + CELL[0] / 2, y + CELL[1] / 2 + 5);
            line(format_args!("<text x=\"{x}\" y=\"{y}\">{text}</text>"));
        };
        for (n, label) in (1..).zip(&labels) {
            cell(n, 0, label, None);
            cell(0, n, label, None);
        }
        for (row, actions) in (1..).zip(self.actions()) {
            for (column, action) in (1..).zip(actions) {
                if let Some(action) = action {
                    cell(column, row, short(action), Some(fill(action)));
                }
            }
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// What the short words mean.
const LEGEND: &str =
    "ND no double, D/T double and take, D/P double and pass, TG too good, - no cube";

/// The colour of an action; they differ in lightness too.
const fn fill(action: CubeAction) -> &'static str {
    match action {
        CubeAction::NoDoubleTake => "#e8edf2",
        CubeAction::DoubleTake => "#9fd3a5",
        CubeAction::DoublePass => "#f0a35e",
        CubeAction::TooGoodTake | CubeAction::TooGoodPass => "#c58fd0",
        CubeAction::NoCube => "#ffffff",
    }
}
