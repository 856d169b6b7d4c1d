//! What a run of a game for more than two players can have.

use tavola_evaluator::Level;
use tavola_files::Failure;
use tavola_games::many::ManyGame;
use tavola_games::{NamedGame, UnknownGame, with_game, with_many_game};
use tavola_net::Interface;
use tavola_play::{ExploreSettings, SelfPlaySettings};

use super::TdSettings;
use super::{Check, Config, EvaluationSettings, ReplaySettings, TargetSettings};

/// What the network of a game takes and gives.
pub(super) fn interface(game: &NamedGame) -> Interface {
    match game {
        NamedGame::Two(game) => with_game!(game, |game| Interface::of(game)),
        NamedGame::Many(game) => with_many_game!(game, |game| game.interface()),
    }
}

/// The game of this name.
pub(super) fn game(check: &Check<'_>, name: &str) -> Result<NamedGame, Failure> {
    name.parse().map_err(|error: UnknownGame| {
        let expected = match error {
            UnknownGame::Name { .. } => NamedGame::names().join(", "),
            error => error.to_string(),
        };
        check.error("game", format!("{name:?}"), expected)
    })
}

/// Checks what is of games for more than two alone, and fills in whom to play: a run of theirs has
/// TD(lambda) targets from whole games of the start position.
pub(super) fn check(check: &Check<'_>, config: &mut Config) -> Result<(), Failure> {
    let Config { evaluation, targets, selfplay, .. } = &*config;
    let for_two = |key: &str, is_default: bool| {
        let expected = "nothing: it is for games for two alone";
        if is_default { Ok(()) } else { Err(check.error(key, "given", expected)) }
    };
    for_two("start_book", config.start_book.is_empty() && config.start_book_file.is_none())?;
    for_two("replay", config.replay == ReplaySettings::default())?;
    for_two("dataset", config.dataset.is_none())?;
    for_two("selfplay.explore", selfplay.explore == ExploreSettings::default())?;
    for_two("selfplay.level", selfplay.level == Level::ZeroPly)?;
    let others = SelfPlaySettings { max_turns: selfplay.max_turns, ..Default::default() };
    for_two("selfplay.start_book_share", *selfplay == others)?;
    let lambda_alone =
        |td: &TdSettings| *td == TdSettings { lambda: td.lambda, ..TdSettings::default() };
    let is_td = matches!(targets, TargetSettings::Td(td) if lambda_alone(td));
    for_two("targets (but kind = \"td\" and lambda)", is_td)?;
    let EvaluationSettings { games, seed, every_rounds, opponents, .. } = evaluation;
    for_two("evaluation.variance_reduction", evaluation.variance_reduction.is_none())?;
    for_two("evaluation.states", evaluation.states.is_none())?;
    check.range("evaluation.every_rounds", *every_rounds, 1..=999_999)?;
    check.range("evaluation.games", *games, 14..=10_000_000)?;
    check.range("evaluation.seed", *seed, 0..=i64::MAX as u64)?;
    let known = ["random", "rule-based"];
    for opponent in opponents.iter().flatten() {
        if !known.contains(&opponent.as_str()) {
            let value = format!("{opponent:?}");
            return Err(check.error("evaluation.opponents", value, known.join(" or ")));
        }
    }
    let known = || known.map(str::to_owned).to_vec();
    config.evaluation.opponents.get_or_insert_with(known);
    Ok(())
}
