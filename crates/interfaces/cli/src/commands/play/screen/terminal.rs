//! The terminal: its state is given back however the program ends.

use std::io::{self, Stdout};
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{panic, thread};

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::{Frame, Terminal};

/// The full screen. Dropping it gives the terminal back.
pub struct Screen {
    /// Never dropped: on a closed terminal that would panic, and [`restore`] shows the cursor.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<Stdout>>>,
    stopped: Arc<AtomicBool>,
}

impl Screen {
    /// Enters the full screen.
    ///
    /// # Errors
    ///
    /// If this is no terminal that has one; its state is as before then.
    pub fn enter() -> io::Result<Self> {
        let stopped = Arc::new(AtomicBool::new(false));
        listen(&stopped)?;
        enable_raw_mode()?;
        restore_on_panic();
        let entered = execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture)
            .and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        match entered {
            Ok(terminal) => Ok(Self { terminal: ManuallyDrop::new(terminal), stopped }),
            Err(error) => {
                restore();
                Err(error)
            }
        }
    }

    /// Draws.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(draw).map(drop)
    }

    /// Waits at most this long for a key, a click or another size, and says whether one is there.
    ///
    /// # Errors
    ///
    /// If the terminal has gone away.
    pub fn wait(&self, limit: Duration) -> io::Result<bool> {
        wait_for_input(limit)?;
        event::poll(Duration::ZERO)
    }

    /// Whether a signal asks the program to end.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back; what fails here has no one left to be told.
fn restore() {
    let _ = disable_raw_mode();
    let _ = execute!(io::stdout(), DisableMouseCapture, LeaveAlternateScreen, Show);
}

/// A panic of this thread gives the terminal back before it is told. Other threads can't: this one
/// holds stdout. Their panics come here as errors.
fn restore_on_panic() {
    let (before, drawing) = (panic::take_hook(), thread::current().id());
    panic::set_hook(Box::new(move |info| {
        if thread::current().id() == drawing {
            restore();
            before(info);
        }
    }));
}

/// Waits for input. A closed terminal is an error here, since crossterm would read its end for ever.
#[cfg(unix)]
fn wait_for_input(limit: Duration) -> io::Result<()> {
    use std::os::fd::AsFd;

    use nix::errno::Errno;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    let stdin = io::stdin();
    let mut watched = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
    match poll(&mut watched, PollTimeout::try_from(limit).unwrap_or(PollTimeout::MAX)) {
        Ok(_) | Err(Errno::EINTR) => {}
        Err(error) => return Err(error.into()),
    }
    let closed = PollFlags::POLLHUP | PollFlags::POLLERR | PollFlags::POLLNVAL;
    match watched[0].revents() {
        Some(events) if events.intersects(closed) => {
            Err(io::Error::new(io::ErrorKind::NotConnected, "the terminal was closed"))
        }
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn wait_for_input(limit: Duration) -> io::Result<()> {
    event::poll(limit).map(drop)
}

/// Sets the flag at each signal that asks to end.
#[cfg(unix)]
fn listen(stopped: &Arc<AtomicBool>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, stopped.clone())?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn listen(_: &Arc<AtomicBool>) -> io::Result<()> {
    Ok(())
}
