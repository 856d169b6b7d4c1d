//! What other engines say of decisions, beside ours.

use serde::{Deserialize, Serialize};

use super::cube::CubeFigures;
use super::decision::{Decision, DecisionKind, RatedPlay};
use super::summary::MatchAnalysis;

/// What another engine says of a decision, in its own equity: per cube, in a match EMG.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Opinion {
    /// The name that it was asked by, or that its file has.
    pub name: String,
    /// What it calls itself, with version and depth.
    pub engine: String,
    /// Whether the file of the match has it: the engine was not asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stored: bool,
    /// What it would have done, in words; empty if the file does not say it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub best: String,
    /// Of what was done, to the player who did it.
    pub equity: f64,
    /// Lost by that against what it would have done, 0 or more.
    pub loss: f64,
    /// The plays that it was asked about and its own, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plays: Vec<RatedPlay>,
    /// What the cube actions are worth to the player on roll.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actions: Option<CubeFigures>,
}

impl Opinion {
    /// An opinion about the cube. What was done is the action at the place `made`, or else the best.
    pub fn on_cube(self, figures: CubeFigures, kind: DecisionKind, made: Option<usize>) -> Self {
        let choices = figures.choices(kind);
        let best = choices.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a });
        let best = best.unwrap_or_default();
        let made = made.and_then(|place| choices.get(place)).unwrap_or(&best).1;
        let actions = Some(figures);
        Self { best: best.0.to_owned(), equity: made, loss: best.1 - made, actions, ..self }
    }

    /// Whether it has figures of other choices than the one that was made.
    pub const fn has_figures(&self) -> bool {
        self.actions.is_some() || !self.plays.is_empty()
    }

    /// What it would have done, or else what it thinks that the choice made is worth.
    pub fn in_words(&self) -> String {
        match self.best.is_empty() {
            true => format!("{:+.3}", self.equity),
            false => self.best.clone(),
        }
    }

    /// A decision as this engine sees it.
    pub(crate) fn instead(&self, decision: &Decision) -> Decision {
        Decision {
            best: self.best.clone(),
            equity: self.equity,
            loss: self.loss,
            plays: self.plays.clone(),
            actions: self.actions.clone(),
            luck: None,
            ..decision.clone()
        }
    }
}

/// Two engines that would decide differently.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineDifference<'a> {
    /// The decision.
    pub decision: &'a Decision,
    /// What each would do.
    pub choices: [&'a str; 2],
    /// What that loses by the figures of the other, if it has any of it.
    pub losses: [Option<f64>; 2],
}

/// What an engine would do, and its figures by name.
struct View<'a> {
    best: &'a str,
    figures: Vec<(&'a str, f64)>,
}

impl View<'_> {
    /// What a choice loses.
    fn loss_of(&self, choice: &str) -> Option<f64> {
        let worth = |name: &str| self.figures.iter().find(|(it, _)| *it == name).map(|it| it.1);
        Some((worth(self.best)? - worth(choice)?).max(0.0))
    }
}

impl Decision {
    /// What an engine says: ours, or the one that was asked by a name.
    fn view(&self, engine: Option<&str>) -> Option<View<'_>> {
        let (best, plays, actions) = match engine.map(|name| self.opinion(name)) {
            None => (&self.best, &self.plays, &self.actions),
            Some(opinion) => opinion.map(|it| (&it.best, &it.plays, &it.actions))?,
        };
        let figures = match actions {
            Some(actions) => actions.choices(self.kind),
            None => plays.iter().map(|play| (play.play.as_str(), play.equity)).collect(),
        };
        Some(View { best, figures })
    }
}

impl MatchAnalysis {
    /// The names of the other engines that say something.
    pub fn engines_beside(&self) -> Vec<&str> {
        self.engines(|_| true)
    }

    /// The names of the other engines that were asked.
    pub fn engines_asked(&self) -> Vec<&str> {
        self.engines(|it| !it.stored)
    }

    fn engines(&self, which: impl Fn(&Opinion) -> bool) -> Vec<&str> {
        let mut names = Vec::new();
        let opinions = self.decisions.iter().flat_map(|decision| &decision.beside);
        for name in opinions.filter(|it| which(it)).map(|it| it.name.as_str()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// All pairs of engines that were asked, of which `None` is ours.
    pub fn engine_pairs(&self) -> Vec<[Option<&str>; 2]> {
        let engines: Vec<Option<&str>> =
            [None].into_iter().chain(self.engines_asked().into_iter().map(Some)).collect();
        let pairs = engines.iter().enumerate();
        pairs
            .flat_map(|(at, one)| engines[at + 1..].iter().map(move |other| [*one, *other]))
            .collect()
    }

    /// Where two engines, of which `None` is ours, would decide differently: first where each thinks
    /// that the other loses most.
    pub fn differences(&self, engines: [Option<&str>; 2]) -> Vec<EngineDifference<'_>> {
        let of = |decision| {
            let [one, two] = engines.map(|engine| Decision::view(decision, engine));
            let (one, two) = (one?, two?);
            let losses = [two.loss_of(one.best), one.loss_of(two.best)];
            let choices = [one.best, two.best];
            (one.best != two.best).then_some(EngineDifference { decision, choices, losses })
        };
        let mut found: Vec<_> = self.decisions.iter().filter_map(of).collect();
        let apart = |it: &EngineDifference<'_>| it.losses.iter().flatten().sum::<f64>();
        found.sort_by(|a, b| apart(b).total_cmp(&apart(a)));
        found
    }

    /// Of how many decisions an engine says something, and what both players lost by its figures; ours
    /// of the same decisions.
    pub fn lost_beside(&self, engine: &str) -> (usize, [[f64; 2]; 2]) {
        let (mut number, mut lost) = (0, [[0.0; 2]; 2]);
        for decision in &self.decisions {
            let Some(opinion) = decision.opinion(engine) else {
                continue;
            };
            number += 1;
            let [ours, theirs] = &mut lost;
            ours[decision.player.index()] += decision.loss;
            theirs[decision.player.index()] += opinion.loss;
        }
        (number, lost)
    }
}
