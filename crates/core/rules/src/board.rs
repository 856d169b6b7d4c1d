//! Boards to look at: a [`BoardView`] says what a board shows, [`BoardView::text`] draws it for a
//! terminal and [`BoardView::svg`] for a page.
//!
//! Every game fills a view with its own position, seen from the player on roll: point 1 is at the
//! lower right, 12 at the lower left, 13 above it and 24 at the upper right; an [`Orientation`] may
//! turn the board. A [`Situation`] of
//! backgammon becomes one by [`BoardView::from`]; what the situation doesn't say about cube, dice
//! and score is left out.
//!
//! ```
//! use tavola_rules::board::{BoardView, Charset, Color};
//! use tavola_rules::notation::parse_situation;
//!
//! let situation = parse_situation("4HPwATDgc/ABMA")?;
//! let board = BoardView::from(&situation).text(Charset::Ascii, Color::Never);
//! assert!(board.starts_with("+13-14-15-16-17-18-+---+19-20-21-22-23-24-+"));
//! # Ok::<(), tavola_rules::notation::NotationError>(())
//! ```

mod round;
mod scripta;
mod svg;
mod text;

use crate::cube::{Cube, Offer};
use crate::moves::{FROM_BAR, Play, TO_OFF, moved};
use crate::notation::{MoneyOrMatch, Situation};
use crate::position::Position;

pub use round::{RoundPlayer, RoundView};
pub use scripta::ScriptaView;
pub use svg::Theme;
pub use text::{Charset, Color};

/// A board of any game.
#[derive(Clone, Debug, PartialEq)]
pub enum Board {
    /// Twenty-four points and a bar.
    Points(Box<BoardView>),
    /// Three rows of twelve cells.
    Scripta(Box<ScriptaView>),
    /// A ring for more than two players.
    Round(Box<RoundView>),
}

impl Board {
    /// Draws the board as lines without a newline at the end.
    pub fn text(&self, charset: Charset, color: Color) -> String {
        match self {
            Self::Points(view) => view.text(charset, color),
            Self::Scripta(view) => view.text(charset, color),
            Self::Round(view) => view.text(charset, color),
        }
    }

    /// Draws the board as a self-contained SVG image.
    pub fn svg(&self, theme: &Theme) -> String {
        match self {
            Self::Points(view) => view.svg(theme),
            Self::Scripta(view) => view.svg(theme),
            Self::Round(view) => view.svg(theme),
        }
    }

    /// The board seen from elsewhere; a round one looks the same from everywhere.
    #[must_use]
    pub fn turned(mut self, orientation: Orientation) -> Self {
        match &mut self {
            Self::Points(view) => view.orientation = orientation,
            Self::Scripta(view) => view.orientation = orientation,
            Self::Round(_) => {}
        }
        self
    }
}

impl From<BoardView> for Board {
    fn from(view: BoardView) -> Self {
        Self::Points(Box::new(view))
    }
}

impl From<RoundView> for Board {
    fn from(view: RoundView) -> Self {
        Self::Round(Box::new(view))
    }
}

impl From<ScriptaView> for Board {
    fn from(view: ScriptaView) -> Self {
        Self::Scripta(Box::new(view))
    }
}

/// One of the two sides, seen from the player on roll.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// The player on roll.
    #[default]
    Player,
    /// The opponent.
    Opponent,
}

impl Side {
    /// The other side.
    #[must_use]
    pub const fn flip(self) -> Self {
        match self {
            Self::Player => Self::Opponent,
            Self::Opponent => Self::Player,
        }
    }
}

/// The upper or lower half of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// Points 13 to 24.
    Upper,
    /// Points 1 to 12.
    Lower,
}

/// Checkers of one side in one place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stack {
    /// Whose they are; of no meaning where there are none.
    pub side: Side,
    /// Marked ones, drawn nearest to the edge and in a shape of their own.
    pub marked: u8,
    /// The others.
    pub plain: u8,
}

impl Stack {
    /// A stack of `count` checkers without marks, positive for the player on roll.
    pub const fn plain(count: i8) -> Self {
        let side = if count > 0 { Side::Player } else { Side::Opponent };
        Self { side, marked: 0, plain: count.unsigned_abs() }
    }

    /// How many checkers there are.
    pub const fn height(self) -> u8 {
        self.marked + self.plain
    }
}

/// The checkers beside the points and the bar, of the player on roll and of the opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trays {
    /// Borne-off checkers, in a tray at the right.
    Off([u8; 2]),
    /// Checkers that have not entered the board yet, in a tray at the left.
    Hand([u8; 2]),
}

/// Where an arrow begins or ends: a place of the player on roll, and the height in its stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// The checker of this index on a point.
    Point(usize, u8),
    /// The checker of this index on the bar.
    Bar(u8),
    /// The checker of this index in the tray of borne-off ones.
    Off(u8),
}

/// The way of one checker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// Where the checker stands.
    pub from: Spot,
    /// Where it will stand.
    pub to: Spot,
    /// Its color, as CSS writes it.
    pub color: &'static str,
}

/// From where a board is seen. Points keep their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Orientation {
    /// The home boards are at the left, and the player on roll moves clockwise.
    pub clockwise: bool,
    /// The player on roll is at the top.
    pub flipped: bool,
}

impl Orientation {
    /// The half in which something is drawn that is in `half` of the usual board.
    const fn half(self, half: Half) -> Half {
        match (self.flipped, half) {
            (false, half) => half,
            (true, Half::Upper) => Half::Lower,
            (true, Half::Lower) => Half::Upper,
        }
    }
}

/// Everything that a drawn board shows, of any game, seen from the player on roll.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardView {
    /// The stacks on the points 1 to 24, in this order.
    pub points: [Stack; 24],
    /// The stacks on the bar, of the player on roll and of the opponent.
    pub bar: [Stack; 2],
    /// In which half the player's checkers on the bar are drawn; the opponent's in the other.
    pub bar_half: Half,
    /// The checkers at the side of the board.
    pub trays: Trays,
    /// The first and the last point on which the player on roll and the opponent enter, where this
    /// is to be shown.
    pub entry: Option<[(usize, usize); 2]>,
    /// The cube, where there is one. Centered at 1, a real cube shows 64; a drawn one shows 1.
    pub cube: Option<Cube>,
    /// The dice that a picture shows.
    pub dice: Vec<u8>,
    /// What is said in words of the player on roll and of the opponent, such as the pip count.
    pub notes: [String; 2],
    /// The name of the game, and the moment; empty if nothing is to be said.
    pub title: String,
    /// The roll or the offer, and what the game is played for; empty if nothing is to be said.
    pub status: String,
    /// The plays that a picture shows, in words.
    pub plays: Vec<String>,
    /// The arrows of a picture; a later one lies upon an earlier one.
    pub arrows: Vec<Arrow>,
    /// From where the board is seen.
    pub orientation: Orientation,
    /// The side that the text board calls on roll; another one than the player where the board is
    /// shown to the opponent of the player on roll.
    pub on_roll: Side,
}

impl From<&Situation> for BoardView {
    fn from(situation: &Situation) -> Self {
        let position = &situation.position;
        let pips = [position.pip_count(), position.opponent_pip_count()];
        Self {
            points: std::array::from_fn(|i| Stack::plain(position.point(i + 1))),
            bar: [
                Stack::plain(position.bar() as i8),
                Stack::plain(-(position.opponent_bar() as i8)),
            ],
            // Where they will enter.
            bar_half: Half::Upper,
            trays: Trays::Off([position.off(), position.opponent_off()]),
            entry: None,
            cube: cube(situation),
            dice: situation.dice.map_or_else(Vec::new, |dice| vec![dice.high(), dice.low()]),
            notes: match situation.stakes {
                Some(MoneyOrMatch::Match(score)) => [0, 1].map(|side| {
                    let points = [score.player(), score.opponent()][side];
                    format!("pips {}, score {points} of {}", pips[side], score.length())
                }),
                _ => pips.map(|pips| format!("pips {pips}")),
            },
            title: String::new(),
            status: status(situation),
            plays: Vec::new(),
            arrows: Vec::new(),
            orientation: Orientation::default(),
            on_roll: Side::Player,
        }
    }
}

impl BoardView {
    /// Adds a play in words and one arrow a step, each from the outermost checker to the next free
    /// spot. `before` is the position that the view shows.
    #[must_use]
    pub fn with_play(mut self, before: &Position, play: &Play, color: &'static str) -> Self {
        let count = |position: &Position, at: u8| position.cells()[usize::from(at)].max(0) as u8;
        let spot = |at: u8, nth: u8| match at {
            FROM_BAR => Spot::Bar(nth),
            point => Spot::Point(usize::from(point), nth),
        };
        let mut now = *before;
        for step in play.steps() {
            // A play of another position has steps that don't fit; they are left out.
            let here = count(&now, step.from);
            if here == 0 {
                continue;
            }
            let from = spot(step.from, here - 1);
            let to = match step.to {
                TO_OFF => Spot::Off(now.off()),
                to => spot(to, count(&now, to)),
            };
            now = moved(&now, step.from, step.to);
            self.arrows.push(Arrow { from, to, color });
        }
        self.plays.push(play.to_string());
        self
    }
}

/// The roll or the offer, and the kind of game.
fn status(situation: &Situation) -> String {
    let mut parts = Vec::new();
    parts.extend(situation.dice.map(|dice| format!("roll {dice}")));
    parts.extend(situation.offer.map(|offer| match offer {
        Offer::Double => "doubled".to_owned(),
        Offer::Beaver => "beavered".to_owned(),
        Offer::Raccoon => "raccooned".to_owned(),
    }));
    match situation.stakes {
        Some(MoneyOrMatch::Match(score)) if score.is_crawford() => {
            parts.push("Crawford game".to_owned());
        }
        Some(MoneyOrMatch::Money { jacoby, beavers }) => {
            let mut rules = String::from("money");
            rules.push_str(if jacoby { ", Jacoby" } else { "" });
            rules.push_str(if beavers == Some(true) { ", beavers" } else { "" });
            parts.push(rules);
        }
        _ => {}
    }
    parts.join(", ")
}

/// The cube, where there is one: none in a Crawford game.
fn cube(situation: &Situation) -> Option<Cube> {
    match situation.stakes {
        Some(MoneyOrMatch::Match(score)) if score.is_crawford() => None,
        _ => situation.cube,
    }
}
