//! What resignations and their answers lose.

use tavola_matches::analysis::{Decision, DecisionKind, DecisionPoint, MistakeKind};
use tavola_rules::notation::Situation;
use tavola_rules::{Player, Position, WinKind, moves};

use super::{Decider, mwc};
use crate::error::{EngineError, ErrorKind, Result};
use crate::live::words_of_win;
use crate::terms::ResolvedTerms;

impl Decider<'_> {
    /// A resignation, or the answer to one.
    pub(super) fn resignation(
        &mut self,
        blank: Decision,
        situation: &Situation,
        terms: &ResolvedTerms,
        question: &DecisionPoint,
        win: WinKind,
        accepted: Option<bool>,
    ) -> Result<Decision> {
        // What playing on is worth to the player on roll.
        let (value, depth) = match situation.dice {
            Some(dice) => {
                let plays = moves::plays(&situation.position, dice);
                let after: Vec<Position> = match plays.is_empty() {
                    true => vec![situation.position.flip()],
                    false => plays.into_iter().map(|(_, after)| after).collect(),
                };
                let best = self.rank(&situation.position, &after, terms, 1, None)?[0];
                (best.value, best.ply)
            }
            None => {
                let watch = self.watch.searching();
                let cube = self.session.cube(self.analysis.effort.settings());
                let found = cube
                    .decide(&situation.position, &terms.stakes, terms.cube, watch)
                    .map_err(|error| EngineError::new(ErrorKind::Cube, error))?;
                (found.decision.best(), found.ply)
            }
        };
        let seat_on_roll = self.on_roll(question);
        let resigns = match accepted {
            None => question.player,
            Some(_) => question.player.flip(),
        };
        let lost = terms.resigned(win, resigns == seat_on_roll);
        // Both seen by the player who resigns.
        let sign = if resigns == seat_on_roll { 1.0 } else { -1.0 };
        let (goes_on, gives_up) = (sign * value.equity(), sign * lost.equity());
        let (verb, loss) = match accepted {
            None => ("resign", goes_on - gives_up),
            Some(true) => ("accept", gives_up - goes_on),
            Some(false) => ("refuse", goes_on - gives_up),
        };
        let best = match accepted {
            None if goes_on > gives_up => "play on",
            None => "resign",
            Some(_) if gives_up > goes_on => "refuse",
            Some(_) => "accept",
        };
        let loss = loss.max(0.0);
        let values = [value, lost]
            .map(|value| mwc(value).map(|mwc| if sign > 0.0 { mwc } else { 1.0 - mwc }));
        let loss_mwc = match values {
            [Some(on), Some(up)] if loss > 0.0 => Some((on - up).abs()),
            [Some(_), Some(_)] => Some(0.0),
            _ => None,
        };
        let of_player = |equity: f64| if accepted.is_some() { -equity } else { equity };
        let (after, chance) = match accepted {
            Some(false) => (goes_on, values[0]),
            _ => (gives_up, values[1]),
        };
        Ok(Decision {
            kind: match accepted {
                None => DecisionKind::Resignation,
                Some(_) => DecisionKind::ResignationResponse,
            },
            done: format!("{verb} {}", words_of_win(win)),
            best: best.to_owned(),
            loss,
            loss_mwc,
            fault: (loss > 0.0).then_some(MistakeKind::WrongResignation),
            depth,
            equity: of_player(after),
            mwc: chance.map(|mwc| if accepted.is_some() { 1.0 - mwc } else { mwc }),
            ..blank
        })
    }

    /// Who is on roll where a resignation is offered or answered.
    fn on_roll(&self, question: &DecisionPoint) -> Player {
        let game = &self.record.games[question.game];
        let playback = tavola_matches::Playback::of_game(self.record, game);
        let Ok(mut playback) = playback else { return question.player };
        for action in &game.actions[..question.action] {
            if playback.act(action.player, &action.act).is_err() {
                break;
            }
        }
        playback.on_roll().unwrap_or(question.player)
    }
}
