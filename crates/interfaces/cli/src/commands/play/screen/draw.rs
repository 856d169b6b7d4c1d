//! The screen: title, board, players, what happened, and the keys.

use ratatui::Frame;
use ratatui::layout::{Position as Spot, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};
use tavola_engine::live::{Awaited, DiceSource, words_of_win};
use tavola_rules::{Offer, Position};

use super::board::Layout;
use super::{Dialog, ENGINE, Game, USER};
use crate::commands::play::command::HELP;
use crate::report::format;

/// The smallest screen that everything fits on.
const SMALLEST: (u16, u16) = (80, 24);

/// Lines of a message: a long one covers the keys.
const MESSAGE_LINES: usize = 2;

/// The keys, for the help.
const KEYS: &str = "\
r roll  d double  t take  p pass  b beaver  x resign  n next game
h hint  e evaluate  u undo or take back  s save  q quit
Enter confirms a play and rolls; Space swaps the dice; : types a command
click a checker: left die; right click: other die; click the dice: swap";

/// What a click hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A point of the user, 25 for the bar.
    Point(u8),
    /// The dice.
    Dice,
    /// The cube.
    Cube,
}

/// Where clicks go.
#[derive(Clone, Debug, Default)]
pub struct Targets(Vec<(Rect, Target)>);

impl Targets {
    /// Adds an area.
    pub fn add(&mut self, area: Rect, target: Target) {
        self.0.push((area, target));
    }

    /// Adds an area that lies upon others.
    pub fn first(&mut self, area: Rect, target: Target) {
        self.0.insert(0, (area, target));
    }

    /// The target at a cell.
    pub fn at(&self, column: u16, row: u16) -> Option<Target> {
        let spot = Spot::new(column, row);
        self.0.iter().find(|(area, _)| area.contains(spot)).map(|(_, target)| *target)
    }
}

/// Colors, or none.
#[derive(Clone, Copy, Debug)]
pub struct Palette {
    colored: bool,
}

impl Palette {
    /// As <https://no-color.org> describes it.
    fn of_environment() -> Self {
        let set = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { colored: !set }
    }

    fn with(self, color: Color) -> Style {
        if self.colored { Style::new().fg(color) } else { Style::new() }
    }

    /// Checkers and name of a player: they differ in lightness and shape too.
    pub fn player(self, seat: usize) -> Style {
        match seat {
            USER => self.with(Color::LightCyan).add_modifier(Modifier::BOLD),
            _ => self.with(Color::Red),
        }
    }

    /// The frame of the board.
    pub fn frame(self) -> Style {
        self.with(Color::Yellow)
    }

    /// What stands behind: empty points, used dice.
    pub fn faint(self) -> Style {
        self.with(Color::DarkGray).add_modifier(Modifier::DIM)
    }

    /// Dice and cube.
    pub fn strong(self) -> Style {
        self.with(Color::White).add_modifier(Modifier::BOLD)
    }

    /// What wants to be seen: points that can be moved, errors.
    pub fn alert(self) -> Style {
        self.with(Color::LightYellow).add_modifier(Modifier::BOLD)
    }
}

/// A card that fits the smallest screen: the whole one is printed when the screen is left.
fn short_card(card: &str) -> String {
    // The figures of both players, then the worst decisions.
    let part = |has: &str| card.split("\n\n").find(|part| part.contains(has)).unwrap_or_default();
    let lines = part("PR (eXtreme Gammon)").lines().chain([""]);
    lines.chain(part(" best").lines()).take(20).collect::<Vec<_>>().join("\n")
}

impl Game<'_> {
    /// Draws everything.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        let area = frame.area();
        let (width, height) = SMALLEST;
        if area.width < width || area.height < height {
            let text = format!(
                "The screen has {} columns and {} rows; {width} and {height} are needed. Enlarge \
                 it, or quit with q q and play with --plain.",
                area.width, area.height
            );
            frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
            return;
        }
        let palette = Palette::of_environment();
        let layout = Layout::of(area);
        self.targets = Targets::default();
        self.draw_title(frame, palette);
        self.draw_board(frame, &layout, palette);
        self.draw_players(frame, &layout, palette);
        self.draw_below(frame, &layout, palette);
        let how = "Plays as they are, commands after a colon (with --plain as lines):";
        let (title, text) = match self.dialog {
            Some(Dialog::Help) => (" help, any key goes back ", format!("{KEYS}\n\n{how}\n{HELP}")),
            Some(Dialog::Card) => (" the match, any key goes back ", short_card(&self.card)),
            _ => return,
        };
        let width = 78.min(area.width);
        let over = Rect::new((area.width - width) / 2, 1, width, 22);
        frame.render_widget(Clear, over);
        frame.render_widget(Paragraph::new(text).block(Block::bordered().title(title)), over);
    }

    fn draw_title(&self, frame: &mut Frame<'_>, palette: Palette) {
        let live = &self.session.live;
        let what = match live.setup().length {
            0 => "money session".to_owned(),
            length => format!("match to {length}"),
        };
        let crawford = if self.table().is_crawford() { ", Crawford game" } else { "" };
        let game = live.game_number();
        let (name, level) = (&live.setup().game, live.setup().strength);
        let engine = live.name(ENGINE);
        let title = format!(" {name}, {what}, game {game}{crawford}; {engine}: {level}");
        let area = Rect::new(0, 0, frame.area().width, 1);
        let style = palette.strong().add_modifier(Modifier::REVERSED);
        frame.render_widget(Paragraph::new(title).style(style), area);
    }

    /// Names, pips and score at the right of the board.
    fn draw_players(&self, frame: &mut Frame<'_>, layout: &Layout, palette: Palette) {
        let live = &self.session.live;
        let position: Position = self.position();
        let pips = [position.pip_count(), position.opponent_pip_count()];
        let x = layout.right() + 1;
        let width = frame.area().width.saturating_sub(x);
        let mut put = |row: u16, text: String, style: Style| {
            frame.render_widget(Paragraph::new(text).style(style), Rect::new(x, row, width, 1));
        };
        let marks = if self.session.ascii { ["X", "O"] } else { ["●", "○"] };
        let length = f64::from(live.setup().length);
        for (seat, row) in [(ENGINE, layout.top()), (USER, layout.bottom() - 4)] {
            put(row, format!("{} {}", marks[seat], live.name(seat)), palette.player(seat));
            let score = live.score()[seat];
            let away = match length - score {
                away if length > 0.0 && away >= 0.0 => format!("score {score}, {away}-away"),
                _ => format!("score {score}"),
            };
            put(row + 1, away, Style::new());
            put(row + 2, format!("pips {}", pips[seat]), Style::new());
            let difference = i64::from(pips[seat]) - i64::from(pips[1 - seat]);
            put(row + 3, format!("     {difference:+}"), palette.faint());
        }
        let options = self.table().options();
        let middle = layout.middle();
        if options.jacoby {
            put(middle - 1, "Jacoby".to_owned(), Style::new());
        }
        if options.beavers != tavola_rules::Beavers::Off {
            put(middle, "beavers".to_owned(), Style::new());
        }
        if live.setup().tutor {
            put(middle + 1, "tutor".to_owned(), Style::new());
        }
    }

    /// What happened or was advised, what is awaited, the input and the keys.
    fn draw_below(&self, frame: &mut Frame<'_>, layout: &Layout, palette: Palette) {
        let area = frame.area();
        let (top, keys) = (layout.bottom() + 1, area.height - 1);
        let (prompt, input) = (keys - 2, keys - 1);
        let rows = usize::from(prompt - top);
        let lines = if self.advice.is_empty() { &self.log } else { &self.advice };
        let from = if self.advice.is_empty() { lines.len().saturating_sub(rows) } else { 0 };
        let cut = (lines.len() - from).saturating_sub(rows);
        let more = format!("and {} more; plays WORD lists those with WORD", cut + 1);
        let line = |row| Rect::new(1, row, area.width - 1, 1);
        for (row, text) in (top..prompt).zip(&lines[from..]) {
            let text = if row + 1 == prompt && cut > 0 { &more } else { text };
            frame.render_widget(Paragraph::new(text.as_str()), line(row));
        }
        frame.render_widget(Paragraph::new(self.prompt()).style(palette.strong()), line(prompt));
        if let Some(text) = &self.input {
            frame.render_widget(Paragraph::new(format!("> {text}")), line(input));
            let column = 3 + text.chars().count().min(usize::from(area.width) - 4) as u16;
            frame.set_cursor_position(Spot::new(column, input));
        }
        let keys_line = Paragraph::new(self.keys()).style(palette.faint());
        frame.render_widget(keys_line, line(keys));
        if self.input.is_none() && !self.message.is_empty() {
            let mut lines =
                format::fold(&self.message.replace('\n', " "), usize::from(area.width) - 1);
            if lines.len() > MESSAGE_LINES {
                // A list ends with a whole entry.
                lines.truncate(MESSAGE_LINES);
                let last = &mut lines[MESSAGE_LINES - 1];
                let end = last.rfind(',').unwrap_or(last.len().saturating_sub(4));
                last.truncate(last.floor_char_boundary(end));
                last.push_str(", ...");
            }
            let over = Rect::new(1, input, area.width - 1, lines.len() as u16);
            let message = Paragraph::new(lines.join("\n")).style(palette.alert());
            frame.render_widget(Clear, over);
            frame.render_widget(message, over);
        }
    }

    /// What is awaited, in words.
    fn prompt(&self) -> String {
        let live = &self.session.live;
        match self.dialog {
            Some(Dialog::Quit) if self.session.save.is_none() => {
                return "Quit? The match is not saved: q quits, any other key goes back".to_owned();
            }
            Some(Dialog::Quit) => return "Quit? q quits, any other key goes back".to_owned(),
            Some(Dialog::Resign) => {
                return "Resign: 1 a single game, 2 a gammon, 3 a backgammon".to_owned();
            }
            _ => {}
        }
        let engine = live.name(ENGINE);
        if self.animation.is_some() {
            return format!("{engine} plays");
        }
        if live.engine_acts() {
            return format!("{engine} is thinking");
        }
        if self.thinker.is_busy() && !matches!(live.awaited(), Awaited::MatchOver(_)) {
            return "evaluating".to_owned();
        }
        let expected = self.session.expected();
        match live.awaited() {
            Awaited::Answer(..) => format!("{engine} doubles: {expected}"),
            Awaited::Resignation(_, win) => {
                format!("{engine} offers to lose {}: {expected}", words_of_win(win))
            }
            Awaited::Play(..) if self.partial.as_ref().is_some_and(|it| it.play().is_some()) => {
                "Your turn: Enter confirms the play".to_owned()
            }
            Awaited::GameOver(_) | Awaited::MatchOver(_) => {
                live.result_in_words().unwrap_or_default()
            }
            _ => format!("Your turn: {expected}"),
        }
    }

    /// The keys that mean something now.
    fn keys(&self) -> String {
        let live = &self.session.live;
        let typed = live.setup().dice == DiceSource::Typed;
        let mut keys: Vec<&str> = match live.awaited() {
            Awaited::Roll(USER) if typed => vec!["31 Enter roll"],
            Awaited::Roll(USER) => vec!["r roll"],
            Awaited::Play(USER) => vec!["Enter confirm", "Space swap"],
            Awaited::Answer(USER, _) => vec!["t take", "p drop"],
            Awaited::Resignation(USER, _) => vec!["y accept", "n refuse"],
            Awaited::Opening | Awaited::Dice(_) => vec!["31 Enter roll"],
            Awaited::GameOver(_) => vec!["n next game"],
            _ => Vec::new(),
        };
        if live.may_double() {
            keys.push("d double");
        }
        if live.may_turn_back(Offer::Double) {
            keys.push("b beaver");
        }
        if live.may_turn_back(Offer::Beaver) {
            keys.push("b raccoon");
        }
        if live.to_act() == Some(USER) {
            keys.extend(["h hint", "e eval"]);
        }
        keys.push("u undo");
        keys.extend(live.may_resign().then_some("x resign"));
        keys.extend(["s save", "q quit", "? help"]);
        // The narrowest screen has no room for all; the help has them.
        let width = |keys: &[&str]| keys.iter().map(|key| key.len() + 2).sum::<usize>();
        if width(&keys) > usize::from(SMALLEST.0) {
            keys.retain(|key| *key != "s save");
        }
        keys.join("  ")
    }
}
