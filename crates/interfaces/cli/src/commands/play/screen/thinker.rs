//! The engine on a thread of its own, so that keys work while it thinks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use tavola_engine::live::{Live, Mistake, SeatAction};
use tavola_engine::{Engine, Watch};

use crate::commands::play::card;
use crate::failure::{Failure, Outcome};
use crate::report::advice;

/// What the engine is asked.
#[derive(Clone, Debug)]
pub enum Task {
    /// Its own action.
    Decide,
    /// Advice for the user.
    Hint,
    /// What the position is worth.
    Evaluate,
    /// What an action of the user loses.
    Check(SeatAction),
    /// The figures of a match that is over.
    Card,
}

/// What it answers.
pub enum Answer {
    /// Its own action; `None` where it has none.
    Decided(Option<SeatAction>),
    /// Lines for the user.
    Advice(Vec<String>),
    /// The action, and what it loses.
    Checked(SeatAction, Option<Mistake>),
    /// The figures, as text.
    Card(String),
}

struct Question {
    number: u64,
    live: Live,
    task: Task,
    cancel: Arc<AtomicBool>,
}

/// The thread, and the question that it works on.
pub struct Thinker {
    questions: Sender<Question>,
    answers: Receiver<(u64, Outcome<Answer>)>,
    number: u64,
    cancel: Option<Arc<AtomicBool>>,
}

impl Thinker {
    /// Starts the thread, which ends with this value.
    pub fn start(engine: Arc<Engine>) -> Self {
        let (questions, asked) = channel::<Question>();
        let (answering, answers) = channel();
        thread::spawn(move || {
            for question in asked {
                let answer = catch_unwind(AssertUnwindSafe(|| answer(&engine, &question)));
                let failed = |_| Err(Failure::work("the engine failed: an internal error"));
                let answer = answer.unwrap_or_else(failed);
                if answering.send((question.number, answer)).is_err() {
                    return;
                }
            }
        });
        Self { questions, answers, number: 0, cancel: None }
    }

    /// Asks about a match. A question before this one is forgotten.
    pub fn ask(&mut self, live: &Live, task: Task) {
        self.forget();
        let cancel = Arc::new(AtomicBool::new(false));
        self.cancel = Some(cancel.clone());
        let question = Question { number: self.number, live: live.clone(), task, cancel };
        self.questions.send(question).expect("the thread lives as long as its channel");
    }

    /// Whether an answer is on its way.
    pub fn is_busy(&self) -> bool {
        self.cancel.is_some()
    }

    /// Cancels the question.
    pub fn forget(&mut self) {
        self.number += 1;
        if let Some(cancel) = self.cancel.take() {
            cancel.store(true, Ordering::Relaxed);
        }
    }

    /// The answer, once it is there.
    pub fn answer(&mut self) -> Option<Outcome<Answer>> {
        loop {
            let (number, answer) = self.answers.try_recv().ok()?;
            if number == self.number {
                self.cancel = None;
                return Some(answer);
            }
        }
    }
}

impl Drop for Thinker {
    fn drop(&mut self) {
        self.forget();
    }
}

fn answer(engine: &Engine, question: &Question) -> Outcome<Answer> {
    let Question { live, task, cancel, .. } = question;
    let watch = &Watch { cancel, events: &|_| {} };
    Ok(match task {
        Task::Decide => Answer::Decided(live.decide(engine, watch)?),
        Task::Hint => Answer::Advice(advice::hint(&live.hint(engine, watch)?)),
        Task::Evaluate => {
            Answer::Advice(advice::position_value(&live.evaluate(engine, watch)?, live))
        }
        Task::Check(action) => {
            Answer::Checked(action.clone(), live.mistake(action, engine, watch)?)
        }
        Task::Card => Answer::Card(card(live, engine, watch)?),
    })
}
