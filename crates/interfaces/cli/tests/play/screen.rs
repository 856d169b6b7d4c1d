//! The full screen, driven by keys and clicks in a pseudo-terminal.
//!
//! With `TAVOLA_SHOW_SCREENS` set the tests print what they see.

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Longer than any answer takes; a test that meets it fails.
const PATIENCE: Duration = Duration::from_secs(20);

struct Terminal {
    parser: vt100::Parser,
    output: Receiver<Vec<u8>>,
    /// Output that the screen has not shown yet.
    unseen: Vec<u8>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    // Closing it would end the program.
    _master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    fn start(columns: u16, rows: u16, args: &[&str]) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_tavola"));
        command.args(["play", "--no-tables"]);
        command.args(args);
        command.env("TERM", "xterm-256color");
        command.env_remove("NO_COLOR");
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let keys = pair.master.take_writer().unwrap();
        let parser = vt100::Parser::new(rows.try_into().unwrap(), columns.try_into().unwrap(), 0);
        Self { parser, output, unseen: Vec::new(), keys, child, _master: pair.master }
    }

    fn contents(&self) -> String {
        self.parser.screen().contents()
    }

    /// Waits until the screen has this text.
    #[track_caller]
    fn wait_for(&mut self, text: &str) {
        let end = Instant::now() + PATIENCE;
        while !self.contents().contains(text) {
            if self.unseen.is_empty() {
                let left = end.saturating_duration_since(Instant::now());
                match self.output.recv_timeout(left) {
                    Ok(bytes) => self.unseen = bytes,
                    Err(_) => panic!("{text:?} does not come, but\n{}", self.contents()),
                }
            }
            // In small pieces, so that a screen that soon changes is seen however late this is.
            let piece = self.unseen.len().min(16);
            self.parser.process(&self.unseen[..piece]);
            self.unseen.drain(..piece);
        }
        if std::env::var_os("TAVOLA_SHOW_SCREENS").is_some() {
            println!("--- {text}\n{}", self.contents());
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Clicks on a cell, counted from 1 as terminals do.
    fn click(&mut self, button: u8, column: u16, row: u16) {
        self.press(&format!("\x1b[<{button};{column};{row}M\x1b[<{button};{column};{row}m"));
    }

    /// Where a text stands, from 1.
    fn find(&self, text: &str) -> (u16, u16) {
        let rows = self.parser.screen().rows(0, self.parser.screen().size().1.get());
        let found = (1..).zip(rows).find_map(|(number, row)| {
            let at = row.find(text)?;
            Some((row[..at].chars().count() as u16 + 1, number))
        });
        found.unwrap_or_else(|| panic!("{text:?} is not in\n{}", self.contents()))
    }

    /// Waits for the end; the terminal must be as before.
    #[track_caller]
    fn ends(&mut self) -> u32 {
        self.parser.process(&self.unseen);
        while let Ok(bytes) = self.output.recv_timeout(PATIENCE) {
            self.parser.process(&bytes);
        }
        let screen = self.parser.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor(), "{}", self.contents());
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        self.child.wait().unwrap().exit_code()
    }
}

#[test]
fn a_play_is_made_by_keys_and_taken_back() {
    let mut terminal = Terminal::start(80, 24, &["--dice", "typed", "--seed", "1"]);
    terminal.wait_for("Your turn: the opening roll");
    terminal.press("31\r");
    terminal.wait_for("Your turn: a play of 3-1");
    terminal.wait_for("[3] [1]");
    // Numbered, and what has no room is counted.
    terminal.press(":plays\r");
    terminal.wait_for("    1  ");
    terminal.wait_for(" more; plays WORD lists those with WORD");
    terminal.press(":plays 24/20\r");
    terminal.wait_for("  24/20");
    terminal.press("8/5 6/5");
    terminal.wait_for("> 8/5 6/5");
    terminal.press("\r");
    terminal.wait_for("You: 8/5 6/5");
    terminal.wait_for("the roll of tavola");
    terminal.press("u");
    terminal.wait_for("Your turn: a play of 3-1");
    // Return plays nothing that is not whole.
    terminal.press("\r");
    terminal.wait_for("the play is not whole");
    terminal.press("qq");
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn checkers_are_moved_by_clicks() {
    let mut terminal = Terminal::start(80, 24, &["--dice", "typed", "--ascii"]);
    terminal.wait_for("opening roll");
    terminal.press("31\r");
    terminal.wait_for("[3] [1]");
    let (column, row) = terminal.find("-6-");
    let (six, lower) = (column + 1, row);
    // The right button plays the other die: 6/5.
    terminal.click(2, six, lower - 1);
    terminal.wait_for("[3]  1");
    let (bar, _) = terminal.find("BAR");
    terminal.click(0, bar, lower - 1);
    terminal.wait_for("no legal step from the bar");
    let (eight, _) = terminal.find("-8-");
    terminal.click(0, eight + 1, lower - 2);
    terminal.wait_for("Enter confirms the play");
    terminal.press("u");
    terminal.wait_for("[3]  1");
    terminal.click(0, eight + 1, lower - 2);
    terminal.wait_for("Enter confirms the play");
    terminal.press("\r");
    terminal.wait_for("You: 8/5 6/5");
    terminal.press("\x03");
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn the_engine_answers_a_double_and_return_does_not() {
    let mut terminal = Terminal::start(120, 40, &["--dice", "typed", "--strength", "2-ply"]);
    terminal.wait_for("opening roll");
    terminal.press("13\r");
    terminal.wait_for("Your turn: your roll, such as 31, or double");
    terminal.press("h");
    terminal.wait_for("double, take");
    terminal.press("d");
    terminal.wait_for("tavola: takes");
    terminal.press("e");
    terminal.wait_for("cubeful equity");
    terminal.press("?");
    terminal.wait_for("any key goes back");
    terminal.press(" x");
    terminal.wait_for("Resign: 1");
    terminal.press(" ");
    terminal.press("qq");
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn a_play_of_the_engine_moves_checker_by_checker_and_the_next_game_follows() {
    let mut terminal = Terminal::start(80, 24, &["--dice", "typed"]);
    terminal.wait_for("opening roll");
    terminal.press("13\r");
    terminal.wait_for("tavola plays");
    // The checkers arrive one by one, and then the play is told.
    terminal.wait_for("tavola: 8/5 6/5");
    terminal.press("x1");
    terminal.wait_for("tavola: accepts the resignation");
    terminal.wait_for("tavola: wins 1 point by a resignation and the game; score 0-1");
    assert_eq!(terminal.contents().matches("wins 1 point").count(), 1, "{}", terminal.contents());
    assert!(!terminal.contents().contains("x resign"), "{}", terminal.contents());
    terminal.press("n");
    terminal.wait_for("game 2, score You 0, tavola 1");
    terminal.press("qq");
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn a_signal_keeps_the_match_and_restores_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("match.json");
    let mut terminal = Terminal::start(80, 24, &["--save", file.to_str().unwrap(), "--seed", "3"]);
    terminal.wait_for("Your turn");
    let id = terminal.child.process_id().unwrap();
    let kill = std::process::Command::new("kill").arg(id.to_string()).status().unwrap();
    assert!(kill.success());
    assert_eq!(terminal.ends(), 1);
    assert!(file.exists());
}

#[test]
fn a_terminal_that_is_closed_ends_the_match_and_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    let [saved, exported] = ["match.json", "match.mat"].map(|name| folder.path().join(name));
    let files = [saved.to_str().unwrap(), exported.to_str().unwrap()];
    let args = ["--save", files[0], "--export", files[1], "--seed", "3"];
    let mut terminal = Terminal::start(80, 24, &args);
    terminal.wait_for("Your turn");
    let Terminal { mut child, mut keys, output, _master, .. } = terminal;
    // The thread that reads the screen ends with the next output, and with it its handle.
    drop(output);
    keys.write_all(b"?").unwrap();
    drop((keys, _master));
    let end = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if Instant::now() < end => std::thread::sleep(Duration::from_millis(20)),
            None => {
                child.kill().unwrap();
                panic!("the program goes on without a terminal");
            }
        }
    };
    assert!(!status.success());
    assert!(saved.exists() && exported.exists());
}

#[test]
fn a_small_screen_says_what_it_needs() {
    let mut terminal = Terminal::start(60, 20, &[]);
    terminal.wait_for("80 and 24 are needed");
    terminal.press("qq");
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn a_match_that_is_over_has_a_card_and_a_question_is_answered_by_its_key_alone() {
    let mut terminal = Terminal::start(80, 24, &["--dice", "typed", "--match", "1", "--tutor"]);
    terminal.wait_for("opening roll");
    terminal.press("31\r");
    terminal.wait_for("a play of 3-1");
    // A key that is none of the question goes back, so does one that says yes.
    terminal.press("q");
    terminal.wait_for("Quit? The match is not saved: q quits, any other key goes back");
    terminal.press("y");
    terminal.wait_for("a play of 3-1");
    // The tutor speaks before a play and before a resignation.
    terminal.press(":13/9\r");
    terminal.wait_for("tutor: 13/9 loses");
    terminal.press(":13/9\r");
    terminal.wait_for("the roll of tavola");
    terminal.press("62\r");
    terminal.wait_for("tavola: rolls 6-2");
    terminal.wait_for("Your turn: your roll, such as");
    terminal.press("x3");
    terminal.wait_for("tutor: resign");
    terminal.press("x3");
    terminal.wait_for("the match, any key goes back");
    // To resign the match is no decision of the card: the tutor has spoken.
    for part in ["PR (eXtreme Gammon)", "luck", "13/9", "errors, blunders"] {
        terminal.wait_for(part);
    }
    terminal.press(" ");
    terminal.wait_for("by a resignation and the match; score");
    terminal.press("qq");
    assert_eq!(terminal.ends(), 0);
}
