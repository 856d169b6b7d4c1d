//! What other engines say of decisions, beside ours.

use serde::{Deserialize, Serialize};
use tavola_rules::CubeOwner;
use tavola_rules::notation::{MoneyOrMatch, Situation};

use super::decision::{CubeFigures, Decision, DecisionKind, RatedPlay};
use super::summary::MatchAnalysis;

/// What another engine says of a decision, in its own equity: per cube, in a match EMG.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Opinion {
    /// The name that it was asked by.
    pub name: String,
    /// What it calls itself, with version and depth.
    pub engine: String,
    /// What it would have done, in words.
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
    pub actions: Option<CubeOpinion>,
}

impl Opinion {
    /// A decision as this engine sees it.
    pub(crate) fn instead(&self, decision: &Decision) -> Decision {
        let actions = self.actions.zip(decision.actions.as_ref());
        let actions = actions.map(|(theirs, ours)| CubeFigures {
            no_double: theirs.no_double,
            double_take: theirs.double_take,
            double_pass: theirs.double_pass,
            probs: theirs.probs.unwrap_or(ours.probs),
            ..ours.clone()
        });
        Decision {
            best: self.best.clone(),
            equity: self.equity,
            loss: self.loss,
            plays: self.plays.clone(),
            actions,
            luck: None,
            ..decision.clone()
        }
    }
}

/// What the cube actions are worth to the player on roll by another engine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CubeOpinion {
    /// Rolling without a double.
    pub no_double: f64,
    /// A double that is taken.
    pub double_take: f64,
    /// A double that is passed.
    pub double_pass: f64,
    /// Win, win gammon, win backgammon, lose gammon, lose backgammon, without regard to the cube;
    /// `None` if it does not say them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probs: Option<[f32; 5]>,
}

/// What an answer to a double depends on, beside what it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CubeTerms {
    /// Whether the player on roll owns the cube.
    pub redouble: bool,
    /// Whether a double may be beavered.
    pub beavers: bool,
}

impl CubeTerms {
    /// Those of a position.
    pub fn of(situation: &Situation) -> Self {
        let redouble = situation.cube.is_some_and(|cube| cube.owner() == CubeOwner::Player);
        let stakes = situation.stakes;
        let beavers = matches!(stakes, Some(MoneyOrMatch::Money { beavers: Some(true), .. }));
        Self { redouble, beavers }
    }
}

impl CubeOpinion {
    /// A double that is answered rightly; a beaver costs twice as much as a take.
    fn double(&self, beavers: bool) -> f64 {
        let answers = [Some(self.double_take), Some(self.double_pass), self.double_beaver(beavers)];
        answers.into_iter().flatten().fold(f64::MAX, f64::min)
    }

    /// A double that is beavered, where that is allowed and right.
    fn double_beaver(&self, beavers: bool) -> Option<f64> {
        (beavers && self.double_take < 0.0).then_some(2.0 * self.double_take)
    }

    /// What is worth what in a decision, to the player who decides.
    pub fn choices(&self, kind: DecisionKind, terms: CubeTerms) -> Vec<(&'static str, f64)> {
        let CubeTerms { redouble, beavers } = terms;
        let words = if redouble { ["no redouble", "redouble"] } else { ["no double", "double"] };
        match kind {
            DecisionKind::Double => {
                vec![(words[0], self.no_double), (words[1], self.double(beavers))]
            }
            _ => {
                let answers = [("take", self.double_take), ("pass", self.double_pass)];
                let beaver = self.double_beaver(beavers).map(|it| ("beaver", it));
                answers.into_iter().chain(beaver).map(|(word, worth)| (word, -worth)).collect()
            }
        }
    }

    /// What both should do, in words.
    pub fn verdict(&self, CubeTerms { redouble, beavers }: CubeTerms) -> String {
        let double = if redouble { "redouble" } else { "double" };
        let answer = match self.double_beaver(beavers) {
            Some(_) => "beaver",
            None if self.double_take > self.double_pass => "pass",
            None => "take",
        };
        match self.double(beavers) > self.no_double {
            true => format!("{double}, {answer}"),
            false if self.no_double > self.double_pass => format!("too good to {double}, {answer}"),
            false => format!("no {double}, {answer}"),
        }
    }
}

/// Two engines that would decide differently.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference<'a> {
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
        fn named(plays: &[RatedPlay]) -> Vec<(&str, f64)> {
            plays.iter().map(|play| (play.play.as_str(), play.equity)).collect()
        }
        let said =
            || [&self.done, &self.best].into_iter().chain(self.beside.iter().map(|it| &it.best));
        let redouble = said().any(|it| it.contains("redouble"));
        let beavers = said().any(|it| it == "beaver");
        let (best, plays, actions) = match engine {
            None => {
                let actions = self.actions.as_ref().map(|it| CubeOpinion {
                    no_double: it.no_double,
                    double_take: it.double_take,
                    double_pass: it.double_pass,
                    probs: Some(it.probs),
                });
                (&self.best, &self.plays, actions)
            }
            Some(name) => {
                let opinion = self.beside.iter().find(|it| it.name == name)?;
                (&opinion.best, &opinion.plays, opinion.actions)
            }
        };
        let figures = match actions {
            Some(actions) => actions.choices(self.kind, CubeTerms { redouble, beavers }),
            None => named(plays),
        };
        Some(View { best, figures })
    }
}

impl MatchAnalysis {
    /// The names of the other engines that were asked.
    pub fn engines_beside(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for opinion in self.decisions.iter().flat_map(|decision| &decision.beside) {
            if !names.contains(&opinion.name.as_str()) {
                names.push(opinion.name.as_str());
            }
        }
        names
    }

    /// All pairs of engines, of which `None` is ours.
    pub fn engine_pairs(&self) -> Vec<[Option<&str>; 2]> {
        let engines: Vec<Option<&str>> =
            [None].into_iter().chain(self.engines_beside().into_iter().map(Some)).collect();
        let pairs = engines.iter().enumerate();
        pairs
            .flat_map(|(at, one)| engines[at + 1..].iter().map(move |other| [*one, *other]))
            .collect()
    }

    /// Where two engines, of which `None` is ours, would decide differently: first where each thinks
    /// that the other loses most.
    pub fn differences(&self, engines: [Option<&str>; 2]) -> Vec<Difference<'_>> {
        let of = |decision| {
            let [one, two] = engines.map(|engine| Decision::view(decision, engine));
            let (one, two) = (one?, two?);
            let losses = [two.loss_of(one.best), one.loss_of(two.best)];
            let choices = [one.best, two.best];
            (one.best != two.best).then_some(Difference { decision, choices, losses })
        };
        let mut found: Vec<_> = self.decisions.iter().filter_map(of).collect();
        let apart = |it: &Difference<'_>| it.losses.iter().flatten().sum::<f64>();
        found.sort_by(|a, b| apart(b).total_cmp(&apart(a)));
        found
    }

    /// How many decisions an engine was asked about, and what both players lost by its figures; ours
    /// of the same decisions.
    pub fn lost_beside(&self, engine: &str) -> (usize, [[f64; 2]; 2]) {
        let (mut number, mut lost) = (0, [[0.0; 2]; 2]);
        for decision in &self.decisions {
            let Some(opinion) = decision.beside.iter().find(|it| it.name == engine) else {
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
