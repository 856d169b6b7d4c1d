//! What is remarkable in a game: turns in which a special rule had a say, and how games end.
//!
//! Nothing here changes how a game is played; it serves statistics of what a rule is worth.

/// Makes the events from a table: each with its key in reports, what it means in a few words, and
/// what the log of a game says of it.
macro_rules! events {
    ($($(#[doc = $doc:literal])+ $event:ident: $name:literal, $meaning:literal, $reason:expr;)+) => {
        /// Something that can happen in a turn. A turn may bring several of them, or none.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum TurnEvent {
            $($(#[doc = $doc])+ $event,)+
        }

        impl TurnEvent {
            /// Its key in reports.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$event => $name,)+ }
            }

            /// What it means, in a few words.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$event => $meaning,)+ }
            }

            /// What the log of a game says of it, beside the play; `None` where the play says it, or
            /// where the points of the roll do.
            pub const fn reason(self) -> Option<&'static str> {
                match self { $(Self::$event => $reason,)+ }
            }
        }
    };
}

events! {
    /// A checker, or more than one, was hit.
    Hit: "hit", "turns with a hit", None;
    /// No die could be played, and nothing waited to enter.
    Pass: "pass", "no legal move", Some("no die can be played");
    /// No die could be played by a player who had checkers to enter.
    LockedOut: "locked_out", "danced (no legal move from the bar)", Some("no checker can enter");
    /// Some dice could be played and others not.
    DiceLost: "dice_lost", "some dice could be played, others not",
        Some("not every die can be played");
    /// Tabula, Buffa: a die of the first turn found its point closed and was lost.
    FirstTurnLoss: "first_turn_loss", "a die of the first turn was lost",
        Some("a die of the first turn is lost on a closed point");
    /// Puff: without the limit of two checkers on a point there would have been other plays.
    CapBinds: "cap_binds", "the limit of two on a point ruled out or forced plays",
        Some("at most two checkers may stand on 7 to 18");
    /// Puff: a double was rolled, which is up to four moves.
    Double: "double", "doubles, of up to four moves", Some("a double is up to four moves");
    /// Puff with extra rolls: the same player went on after a double.
    ExtraRoll: "extra_roll", "another roll after a double", Some("rolls again after the double");
    /// Ludus duodecim scriptorum: three equal dice, after which the same player rolled again.
    Triple: "triple", "another roll after three equal dice",
        Some("rolls again after three equal dice");
    /// Ludus duodecim scriptorum: checkers moved together, so that a turn made more pips than the
    /// dice show.
    StackMoved: "stack_moved", "checkers moved together, for more pips than the dice show",
        Some("checkers moved together");
    /// Trictrac: the roll could hit single checkers, for the roller's points.
    TrueHit: "true_hit", "points for true hits", None;
    /// Trictrac: the roll hit single checkers only through closed fields, for the opponent's points.
    FalseHit: "false_hit", "points against, for false hits", None;
    /// Trictrac: the roll could fill a jan.
    JanFilled: "jan_filled", "points for filling a jan", None;
    /// Trictrac: a full jan could be kept.
    JanKept: "jan_kept", "points for keeping a full jan", None;
    /// Trictrac: the roll could hit the opponent's empty corner.
    CoinHit: "coin_hit", "points for hitting the corner", None;
    /// Trictrac: a jan that only the first turns of a set can make, for either side.
    OpeningJan: "opening_jan", "a jan of the opening, for either side", None;
    /// Trictrac: the roller's points made a hole or more.
    HoleWon: "hole_won", "holes won by the own roll", None;
    /// Trictrac: they made two or more at once.
    DoubleHole: "double_hole", "two holes or more at once", None;
    /// Trictrac: the player went away after a hole.
    SetLeft: "set_left", "the player went away (s'en aller)",
        Some("goes away: all checkers return, and the points are lost");
    /// Trictrac: the last checker left, and a new set began.
    SetPlayedOut: "set_played_out", "the last checker left",
        Some("the last checker is off: a new set begins");
    /// Trictrac with schools: the player marked fewer points than the roll is worth, or more.
    School: "school", "points marked wrongly (école)",
        Some("school: the opponent scores the difference");
    /// El Emperador: the player was locked out, and it was counted.
    Barata: "barata", "Baratas", Some("Barata: no checker can enter");
    /// El Emperador: a Barata that the player brought about alone: the player's own checkers close
    /// all of their entry points.
    OwnBarata: "own_barata", "Baratas by own checkers alone",
        Some("the own checkers close every entry point");
    /// Fallas: an unmarked checker was borne off and guards nothing any more.
    GuardOff: "guard_off", "an unmarked checker was borne off",
        Some("an unmarked checker is off and guards no more");
    /// Buffa: dice that could not be played went to the opponent.
    DiceLeft: "dice_left", "dice were left to the opponent", Some("dice go to the opponent");
    /// Buffa: inherited dice were played, one or more.
    InheritedPlayed: "inherited_played", "inherited dice were played",
        Some("inherited dice are played");
    /// Buffa: inherited dice were declined.
    InheritedDeclined: "inherited_declined", "inherited dice were declined",
        Some("inherited dice are declined");
    /// Buffa: the last checker left with an inherited die.
    InheritedWin: "inherited_win", "the game was won with an inherited die", None;
}

/// By which rule a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EndingRule {
    /// A side bore off all that it had to.
    BorneOff,
    /// El Emperador: the fourth Barata.
    Barata,
    /// El Emperador with the historical Barata: four captives behind six points in a row.
    Prime,
    /// Fallas with the historical rule: no die could be played.
    Stuck,
    /// Neither side could ever move again: a draw.
    Dead,
    /// Trictrac: twelve holes.
    Holes,
}

tavola_rules::named!(EndingRule, "rule of an ending":
    BorneOff => "borne_off",
    Barata => "barata",
    Prime => "prime",
    Stuck => "stuck",
    Dead => "dead",
    Holes => "holes",
);

impl EndingRule {
    /// What it means, in a few words.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::BorneOff => "by bearing off",
            Self::Barata => "by the fourth Barata",
            Self::Prime => "by captives behind a row of six points",
            Self::Stuck => "because no die could be played",
            Self::Holes => "by twelve holes",
            Self::Dead => "drawn, for neither side could ever move",
        }
    }
}
