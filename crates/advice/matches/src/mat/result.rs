//! How a game ended, by all that a file says of it.

use tavola_rules::{Player, WinKind};

use crate::playback::MatchRecorder;
use crate::unsaid::added;

/// A line such as `Wins 2 points and the match`.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatedResult {
    pub(super) line: usize,
    /// `None` for a loss or win without a column.
    pub(super) winner: Option<Player>,
    /// Whether it says `Wins`, which sites take more care of than of `Losses`.
    pub(super) wins: bool,
    pub(super) points: u32,
    pub(super) and_the_match: bool,
}

/// What there is to decide by.
pub(super) struct Evidence<'a> {
    pub(super) stated: &'a [StatedResult],
    /// The score of the next game, if that follows at once.
    pub(super) next: Option<[u32; 2]>,
    /// Who gave up, as the file has it.
    pub(super) resigned: Option<(Player, Option<WinKind>)>,
}

/// How a game ended.
pub(super) struct End {
    pub(super) winner: Player,
    pub(super) points: u32,
    /// Whether the score of the next game tells it.
    pub(super) by_score: bool,
    /// Whether the column of the winner alone tells who it is.
    pub(super) by_column: bool,
    /// The line that tells it, 0 if none does.
    pub(super) line: usize,
}

impl Evidence<'_> {
    /// How the game ended. The score decides, then a won match, then the column of the
    /// winner, then who gave up. Some sites write that in the column of the winner.
    pub(super) fn end(&self, recorder: &MatchRecorder, length: u16) -> Option<End> {
        let before = recorder.game().score;
        let line =
            self.stated.iter().max_by_key(|stated| stated.wins).map_or(0, |stated| stated.line);
        // What no single game is worth tells that games are missing.
        let cube = recorder.playback().cube().value();
        let broken = recorder.game().broken.is_some();
        let possible = |points: &u32| {
            broken
                || self.stated.is_empty()
                || *points <= 3 * cube
                || self.stated[0].points == *points
        };
        let added = self.next.and_then(|next| added(before, next));
        if let Some((winner, points)) = added.filter(|(_, points)| possible(points)) {
            return Some(End { winner, points, by_score: true, by_column: false, line });
        }
        let stated = self.stated.iter().max_by_key(|stated| (stated.wins, stated.winner.is_some()));
        let Some(stated) = stated else {
            // Without any line a player who says how much is lost has lost it.
            let (player, kind) = self.resigned?;
            let points = kind.unwrap_or(WinKind::Single).multiplier() * cube;
            return Some(End {
                winner: player.flip(),
                points,
                by_score: false,
                by_column: false,
                line,
            });
        };
        let wins_match = |player: Player, points: u32| {
            length > 0
                && before[player.index()].saturating_add(points) >= u32::from(length)
                && self.stated.iter().any(|stated| stated.and_the_match)
        };
        let [one, two] = [Player::One, Player::Two].map(|player| wins_match(player, stated.points));
        let of_match = match (one, two) {
            (true, false) => Some(Player::One),
            (false, true) => Some(Player::Two),
            _ => None,
        };
        let playback = recorder.playback();
        // Who has to answer a double or to roll gives up.
        let turn = || playback.to_act().or(recorder.game().actions.last().map(|it| it.player));
        let winner = of_match
            .or(stated.winner.filter(|_| stated.wins))
            .or(self.resigned.map(|(player, _)| player.flip()))
            .or(stated.winner)
            .or(playback.result().map(|result| result.winner))
            .or_else(|| Some(turn()?.flip()))?;
        let points = self.points(winner).unwrap_or(stated.points);
        // Who gives up the match gives up what it needs.
        let needed = u32::from(length).saturating_sub(before[winner.index()]);
        let of_needed = points > 3 * cube && wins_match(winner, points);
        let points = if of_needed { needed } else { points };
        let by_column = of_match.is_none() && stated.winner == Some(winner);
        Some(End { winner, points, by_score: false, by_column, line })
    }

    /// The points that a line gives the winner.
    pub(super) fn points(&self, winner: Player) -> Option<u32> {
        let of_winner = |stated: &&StatedResult| stated.winner == Some(winner);
        let line = self.stated.iter().filter(of_winner).max_by_key(|stated| stated.wins);
        line.or(self.stated.first()).map(|stated| stated.points)
    }
}
