//! A chouette by the names of its players.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tavola_files::Failure;
use tavola_play::play_chouette;
use tavola_rules::chouette::{Chouette, ChouetteRules, DiceOrder};

use crate::job::JobContext;
use crate::strength::player::Player;

/// A chouette of two players in alternate seats.
#[derive(Debug)]
pub struct ChouetteJob<'a> {
    /// What it is played by.
    pub rules: ChouetteRules,
    /// The players of the even and of the odd seats, which are called A and B.
    pub players: [&'a str; 2],
    /// How many seats there are.
    pub seats: u8,
    /// How many games.
    pub games: u32,
    /// Seed of the dice.
    pub seed: u64,
}

impl ChouetteJob<'_> {
    /// Plays it to the end of its games; the throws decided who has which seat.
    ///
    /// # Errors
    ///
    /// A player or a rule can't be used, or the games can't be played.
    pub fn run(&self, job: &JobContext<'_>) -> Result<(DiceOrder, Chouette), Failure> {
        let (mut names, mut agents) = (Vec::new(), Vec::new());
        for seat in 0..usize::from(self.seats) {
            let player =
                Player::with_cube(self.players[seat % 2], &self.rules.money.start, &job.players)?;
            names.push(format!("{}{}", ["A", "B"][seat % 2], seat / 2 + 1));
            agents.push(player.agent);
        }
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let order = DiceOrder::throw(names.len(), 6, &mut rng);
        let mut chouette = Chouette::new(self.rules.clone(), names, order.seats.clone())
            .map_err(Failure::input)?;
        let cancel = job.workers.cancel;
        play_chouette(&mut chouette, &mut agents, self.games, self.seed, cancel).map_err(
            |failure| match failure.is_stop() {
                true => failure,
                false => failure.while_trying("the chouette was not played to its end"),
            },
        )?;
        Ok((order, chouette))
    }
}
