//! What is remarkable in a game: turns in which a special rule had a say, and how games end.
//!
//! Nothing here changes how a game is played; it serves statistics of what a rule is worth.

/// Something that can happen in a turn. A turn may bring several of them, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum TurnEvent {
    /// A checker, or more than one, was hit.
    Hit,
    /// No die could be played, and nothing waited to enter.
    Pass,
    /// No die could be played by a player who had checkers to enter.
    LockedOut,
    /// Some dice could be played and others not.
    DiceLost,
    /// Tabula, Buffa: a die of the first turn found its point closed and was lost.
    FirstTurnLoss,
    /// Puff: without the limit of two checkers on a point there would have been other plays.
    CapBinds,
    /// Puff: a double was rolled, which is up to four moves.
    Double,
    /// Puff with extra rolls: the same player went on after a double.
    ExtraRoll,
    /// Ludus duodecim scriptorum: three equal dice, after which the same player rolled again.
    Triple,
    /// Ludus duodecim scriptorum: checkers moved together, so that a turn made more pips than the
    /// dice show.
    StackMoved,
    /// Trictrac: the roll could hit single checkers, for the roller's points.
    TrueHit,
    /// Trictrac: the roll hit single checkers only through closed fields, for the opponent's points.
    FalseHit,
    /// Trictrac: the roll could fill a jan.
    JanFilled,
    /// Trictrac: a full jan could be kept.
    JanKept,
    /// Trictrac: the roll could hit the opponent's empty corner.
    CoinHit,
    /// Trictrac: a jan that only the first turns of a set can make, for either side.
    OpeningJan,
    /// Trictrac: the roller's points made a hole or more.
    HoleWon,
    /// Trictrac: they made two or more at once.
    DoubleHole,
    /// Trictrac: the player went away after a hole.
    SetLeft,
    /// Trictrac: the last checker left, and a new set began.
    SetPlayedOut,
    /// Trictrac with schools: the player marked fewer points than the roll is worth, or more.
    School,
    /// El Emperador: the player was locked out, and it was counted.
    Barata,
    /// El Emperador: a Barata that the player brought about alone: the player's own checkers close
    /// all of their entry points.
    OwnBarata,
    /// Fallas: an unmarked checker was borne off and guards nothing any more.
    GuardOff,
    /// Buffa: dice that could not be played went to the opponent.
    DiceLeft,
    /// Buffa: inherited dice were played, one or more.
    InheritedPlayed,
    /// Buffa: inherited dice were declined.
    InheritedDeclined,
    /// Buffa: the last checker left with an inherited die.
    InheritedWin,
}

impl TurnEvent {
    /// Its key in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hit => "hit",
            Self::Pass => "pass",
            Self::LockedOut => "locked_out",
            Self::DiceLost => "dice_lost",
            Self::FirstTurnLoss => "first_turn_loss",
            Self::CapBinds => "cap_binds",
            Self::Double => "double",
            Self::ExtraRoll => "extra_roll",
            Self::Triple => "triple",
            Self::StackMoved => "stack_moved",
            Self::TrueHit => "true_hit",
            Self::FalseHit => "false_hit",
            Self::JanFilled => "jan_filled",
            Self::JanKept => "jan_kept",
            Self::CoinHit => "coin_hit",
            Self::OpeningJan => "opening_jan",
            Self::HoleWon => "hole_won",
            Self::DoubleHole => "double_hole",
            Self::SetLeft => "set_left",
            Self::SetPlayedOut => "set_played_out",
            Self::School => "school",
            Self::Barata => "barata",
            Self::OwnBarata => "own_barata",
            Self::GuardOff => "guard_off",
            Self::DiceLeft => "dice_left",
            Self::InheritedPlayed => "inherited_played",
            Self::InheritedDeclined => "inherited_declined",
            Self::InheritedWin => "inherited_win",
        }
    }

    /// What it means, in a few words.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Hit => "turns with a hit",
            Self::Pass => "no legal move",
            Self::LockedOut => "danced (no legal move from the bar)",
            Self::DiceLost => "some dice could be played, others not",
            Self::FirstTurnLoss => "a die of the first turn was lost",
            Self::CapBinds => "the limit of two on a point ruled out or forced plays",
            Self::Double => "doubles, of up to four moves",
            Self::ExtraRoll => "another roll after a double",
            Self::Triple => "another roll after three equal dice",
            Self::StackMoved => "checkers moved together, for more pips than the dice show",
            Self::TrueHit => "points for true hits",
            Self::FalseHit => "points against, for false hits",
            Self::JanFilled => "points for filling a jan",
            Self::JanKept => "points for keeping a full jan",
            Self::CoinHit => "points for hitting the corner",
            Self::OpeningJan => "a jan of the opening, for either side",
            Self::HoleWon => "holes won by the own roll",
            Self::DoubleHole => "two holes or more at once",
            Self::SetLeft => "the player went away (s'en aller)",
            Self::SetPlayedOut => "the last checker left",
            Self::School => "points marked wrongly (école)",
            Self::Barata => "Baratas",
            Self::OwnBarata => "Baratas by own checkers alone",
            Self::GuardOff => "an unmarked checker was borne off",
            Self::DiceLeft => "dice were left to the opponent",
            Self::InheritedPlayed => "inherited dice were played",
            Self::InheritedDeclined => "inherited dice were declined",
            Self::InheritedWin => "the game was won with an inherited die",
        }
    }

    /// What the log of a game says of it, beside the play; `None` where the play says it, or where
    /// the points of the roll do.
    pub const fn reason(self) -> Option<&'static str> {
        match self {
            Self::Pass => Some("no die can be played"),
            Self::LockedOut => Some("no checker can enter"),
            Self::DiceLost => Some("not every die can be played"),
            Self::FirstTurnLoss => Some("a die of the first turn is lost on a closed point"),
            Self::CapBinds => Some("at most two checkers may stand on 7 to 18"),
            Self::Double => Some("a double is up to four moves"),
            Self::ExtraRoll => Some("rolls again after the double"),
            Self::Triple => Some("rolls again after three equal dice"),
            Self::StackMoved => Some("checkers moved together"),
            Self::SetLeft => Some("goes away: all checkers return, and the points are lost"),
            Self::SetPlayedOut => Some("the last checker is off: a new set begins"),
            Self::School => Some("school: the opponent scores the difference"),
            Self::Barata => Some("Barata: no checker can enter"),
            Self::OwnBarata => Some("the own checkers close every entry point"),
            Self::GuardOff => Some("an unmarked checker is off and guards no more"),
            Self::DiceLeft => Some("dice go to the opponent"),
            Self::InheritedPlayed => Some("inherited dice are played"),
            Self::InheritedDeclined => Some("inherited dice are declined"),
            Self::Hit
            | Self::TrueHit
            | Self::FalseHit
            | Self::JanFilled
            | Self::JanKept
            | Self::CoinHit
            | Self::OpeningJan
            | Self::HoleWon
            | Self::DoubleHole
            | Self::InheritedWin => None,
        }
    }
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

impl EndingRule {
    /// Its key in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BorneOff => "borne_off",
            Self::Barata => "barata",
            Self::Prime => "prime",
            Self::Stuck => "stuck",
            Self::Dead => "dead",
            Self::Holes => "holes",
        }
    }

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
