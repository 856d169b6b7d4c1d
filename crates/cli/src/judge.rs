//! The network that judges on behalf of a command, and the endgame tables before it.

use std::path::Path;

use tavola_bearoff::{Store, Tables};
use tavola_engine::{BUILT_IN, Network, Warning};
use tavola_evaluator::{Evaluator, NetEvaluator, Pruning, TableEvaluator};
use tavola_net::Weights;
use tavola_rules::Backgammon;

use crate::args::TableArgs;
use crate::failure::{Blame, Failure, Outcome};
use crate::report::progress::TableProgress;
use crate::report::warning::warn;

/// A network with the variant of backgammon that it was trained for: alone, or behind endgame
/// tables.
pub struct Judge<E = NetEvaluator<Backgammon>> {
    /// Judges positions of every variant with as many checkers a side.
    pub evaluator: E,
    trained_for: Backgammon,
    name: String,
    /// Of the weights.
    checksum: String,
}

impl Judge<TableEvaluator> {
    /// The network of a weights file, or the built-in one, behind the endgame tables asked for.
    pub fn load(model: Option<&Path>, tables: &TableArgs) -> Outcome<Self> {
        Ok(Judge::new(&load_weights(model)?, &name(model))?.behind(load_tables(tables)))
    }

    /// The network that thins out results for this judge, behind the same tables, so that where
    /// these know better they say so here too. `None` for games that need none.
    pub fn pruning(&self) -> Outcome<Option<Box<dyn Evaluator<Backgammon>>>> {
        Ok(pruning_network(self.trained_for)?.map(|network| {
            let tables = self.evaluator.tables().clone();
            Box::new(TableEvaluator::new(tables, network)) as Box<dyn Evaluator<_>>
        }))
    }

    /// What its judgements depend on: networks by their checksums, and the tables.
    pub fn identity(&self) -> String {
        let tables: Vec<String> =
            self.evaluator.tables().iter().map(|table| table.spec().to_string()).collect();
        let pruning = Network::pruning().map(|network| network.weights().checksum());
        format!(
            "network {}, pruning network {}, tables [{}]",
            self.checksum,
            pruning.unwrap_or_default(),
            tables.join(", ")
        )
    }
}

impl Judge {
    /// The judge that `weights` make; `name` is for messages.
    pub fn new(weights: &Weights, name: &str) -> Outcome<Self> {
        let trained_for: Backgammon = weights
            .game
            .parse()
            .or_input_in(format_args!("{name} judges a game that this command does not know"))?;
        let evaluator = NetEvaluator::new(weights, trained_for)
            .or_input_in(format_args!("cannot use {name}"))?;
        let checksum = weights.checksum();
        Ok(Self { evaluator, trained_for, name: name.to_owned(), checksum })
    }

    /// The same behind endgame tables.
    pub fn behind(self, tables: Tables) -> Judge<TableEvaluator> {
        let Self { evaluator, trained_for, name, checksum } = self;
        let evaluator = TableEvaluator::new(tables, Box::new(evaluator));
        Judge { evaluator, trained_for, name, checksum }
    }
}

impl<E> Judge<E> {
    /// Whether the network may judge positions of `game`: with as many checkers a side every
    /// position of one variant can arise in the other, but a network has seen few of them.
    pub fn suits(&self, game: Backgammon) -> Result<Option<Warning>, Failure> {
        let (network, game_name) = (self.trained_for.name(), game.name());
        if self.trained_for == game {
            Ok(None)
        } else if self.trained_for.checkers() == game.checkers() {
            Ok(Some(Warning::OtherStart {
                network: network.to_owned(),
                game: game_name.to_owned(),
            }))
        } else {
            Err(Failure::input(format_args!(
                "{} was trained for {network} and can't judge {game_name}, which has {} checkers a \
                 side; name a network for it with --model",
                self.name,
                game.checkers()
            )))
        }
    }
}

/// The weights of a file, or the built-in ones, which also go by their name.
pub fn load_weights(model: Option<&Path>) -> Outcome<Weights> {
    Ok(Network::load(model)?.weights().clone())
}

/// The endgame tables of the user, generated with a bar if they are not there yet.
pub fn load_tables(args: &TableArgs) -> Tables {
    if args.no_tables {
        return Tables::default();
    }
    let progress = TableProgress::new();
    let (tables, warnings) = Store::of_user().load_all(&|so_far| progress.generated(&so_far));
    progress.finish();
    for warning in warnings {
        warn(&tavola_files::chain(&warning));
    }
    tables
}

/// The built-in network that thins out the results inside a search. It was trained for the usual
/// start and serves all variants with as many checkers; games with fewer have so few results
/// that nothing needs thinning out.
pub fn pruning_network(game: Backgammon) -> Outcome<Option<Box<dyn Evaluator<Backgammon>>>> {
    Ok(Network::pruning_evaluator(&game)?)
}

/// `identity` with what tells one way to prune from others, if there is one: the built-in network
/// that does it, and what it leaves.
pub fn pruned(identity: String, how: Option<Pruning>) -> String {
    let Some(Pruning { keep, within }) = how else { return identity };
    let network = Network::pruning().map(|network| version(network.weights())).unwrap_or_default();
    format!("{identity}, pruned to {keep} within {within} by {network}")
}

/// What messages call the network.
pub fn name(model: Option<&Path>) -> String {
    match model {
        Some(path) if path != Path::new(BUILT_IN) => path.display().to_string(),
        _ => "the built-in network".to_owned(),
    }
}

/// The first digits of the weights' checksum: enough to tell networks apart.
pub fn version(weights: &Weights) -> String {
    const DIGITS: usize = 12;
    format!("sha256 {:.DIGITS$}", weights.checksum())
}
