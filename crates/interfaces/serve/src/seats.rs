//! Games between people on several devices: their seats, the tokens that open them, and the clock.
//!
//! The token of a seat opens it. A link has the token of an invitation, which gives a free seat once;
//! afterwards it lets people watch.

use std::time::{Duration, Instant, SystemTime};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tavola_engine::live::{
    Awaited, DiceSource, GameEnd, GameView, Live, NewGame, SeatAction, Waiting,
};

use crate::access::is_equal;
use crate::clock::{Clock, ClockRules, ClockView, MOST_SECONDS};
use crate::error::{ApiError, Result};
use crate::store::{is_key, new_key, new_seed};

/// How long after their last request people count as being there.
const PRESENCE: Duration = Duration::from_secs(20);

/// A game with people on other devices.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NewShared {
    /// The game; `name` is that of who begins it. It has no `people`, no `seed` and no real dice.
    game: NewGame,
    /// The seat of who begins it, from 1; missing: by lot.
    #[schemars(range(min = 1, max = 7))]
    seat: Option<u8>,
    /// How many others are invited, to the seats that follow; the engine has the rest.
    #[schemars(range(min = 1, max = 6))]
    guests: u8,
    /// The clock, in games for two; missing: none.
    clock: Option<ClockRules>,
    /// Whether the engine gives hints to all of them.
    hints: bool,
}

impl Default for NewShared {
    fn default() -> Self {
        Self { game: NewGame::default(), seat: None, guests: 1, clock: None, hints: false }
    }
}

/// A player who comes by a link.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Guest {
    /// Up to 24 characters; missing: what the seat is called already.
    #[schemars(length(min = 1, max = 24))]
    name: Option<String>,
    /// The token that the seat is to have, 24 random letters like those of a game; missing: the
    /// server makes one. A request that is sent twice gets the same answer.
    #[schemars(regex(pattern = "^[a-km-np-z2-9]{24}$"))]
    token: Option<String>,
}

/// What the owner of a seat wants of the clock.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClockWish {
    /// Whether the clock should be switched off, which happens once both want it.
    pub(crate) off: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct Person {
    seat: usize,
    token: String,
    /// The token of the link to the seat; who begins a game needs none.
    invitation: Option<String>,
    taken: bool,
    #[serde(skip)]
    seen: Option<Instant>,
}

/// The seats of a game between people on several devices.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Seats {
    people: Vec<Person>,
    /// The token of those who watch.
    watch: String,
    hints: bool,
    clock: Option<Clock>,
    /// When the links to free seats end, in seconds since 1970.
    expires: u64,
}

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The owner of the key of a game on one device.
    Owner,
    /// The person in this seat.
    Seat(usize),
    /// A spectator.
    Watcher,
}

/// The seats as a client sees them.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SeatsView {
    /// The seat of the client, from 1; null for who watches.
    you: Option<usize>,
    /// The token of the seat, where it was just given: the header `Tavola-Seat` of all requests.
    token: Option<String>,
    /// The seat, from 1, to which the link of the client leads.
    invited: Option<usize>,
    /// Why it leads there no more: `taken` or `expired`.
    closed: Option<&'static str>,
    /// Who sits on a device, in turn order.
    people: Vec<PersonView>,
    /// Whether all seats are taken: the game has begun.
    begun: bool,
    /// Whose action is awaited, from 1.
    acts: Option<usize>,
    /// How many watch.
    watching: usize,
    /// The token of the link to watch, for those who play.
    watch: Option<String>,
    /// Whether the engine gives hints.
    hints: bool,
    /// The clock; null where there is none.
    clock: Option<ClockView>,
    /// Another number after each change: `?after=` waits for the next one.
    version: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
struct PersonView {
    /// From 1.
    seat: usize,
    taken: bool,
    /// Whether the device was heard of lately.
    here: bool,
    /// The token of the link to a free seat, for who began the game.
    invitation: Option<String>,
}

fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}

impl NewShared {
    /// The game before anybody has come, and its seats; links to free ones end after `age`.
    pub(crate) fn seats(self, age: Duration) -> Result<(NewGame, Seats)> {
        let Self { mut game, seat, guests, clock, hints } = self;
        let several = tavola_engine::live::many_games();
        let family = game.game.split(':').next();
        let several = several.iter().find(|known| Some(known.game.as_str()) == family);
        let count = several.map_or(2, |known| known.seats.len());
        let wrong = |text: String| Err(ApiError::request(text));
        let seat = match seat.map(usize::from) {
            Some(seat) if (1..=count).contains(&seat) => seat - 1,
            Some(seat) => return wrong(format!("\"seat\" is {seat}, expected 1 to {count}")),
            None => new_seed()? as usize % count,
        };
        let guests = usize::from(guests);
        if !(1..count).contains(&guests) {
            return wrong(format!("\"guests\" is {guests}, expected 1 to {}", count - 1));
        }
        let set = [
            ("dice", game.dice == DiceSource::Typed),
            ("chouette", game.chouette.is_some()),
            ("people", !game.people.is_empty()),
            ("seed", game.seed.is_some()),
        ];
        if let Some((name, _)) = set.iter().find(|(_, is_set)| *is_set) {
            return wrong(format!(
                "{name:?} is set, expected none in a game on several devices: the server rolls, and \
                 a link seats each person"
            ));
        }
        let clock = match clock {
            Some(_) if count > 2 => {
                return wrong(format!("\"clock\" is set, expected none between {count} players"));
            }
            Some(rules)
                if !(1..=MOST_SECONDS).contains(&rules.reserve) || rules.delay > MOST_SECONDS =>
            {
                return wrong(format!(
                    "\"clock\" has a reserve of {} and a delay of {} seconds, expected a reserve \
                     from 1 and both to {MOST_SECONDS}",
                    rules.reserve, rules.delay
                ));
            }
            Some(rules) => Some(Clock {
                rules,
                left: [Duration::from_secs(rules.reserve.into()); 2],
                off: [false; 2],
                lost: None,
                turn: None,
            }),
            None => None,
        };
        let mut people = vec![Person {
            seat,
            token: new_key()?,
            invitation: None,
            taken: true,
            seen: Some(Instant::now()),
        }];
        for guest in 1..=guests {
            let (token, invitation) = (new_key()?, Some(new_key()?));
            let seat = (seat + guest) % count;
            people.push(Person { seat, token, invitation, taken: false, seen: None });
        }
        // Of two players the first one is the user of a setup; the others are people beside.
        let own = game.name.clone();
        let name = |person: &Person| match person.seat {
            it if it == seat => own.clone(),
            _ if guests == 1 => if own == "Guest" { "Guest 2" } else { "Guest" }.to_owned(),
            it => format!("Guest {}", it + 1),
        };
        let first = if count == 2 { 0 } else { seat };
        for person in &people {
            let number = u8::try_from(person.seat + 1).unwrap_or(u8::MAX);
            match person.seat == first {
                true => (game.seat, game.name) = (number, name(person)),
                false => drop(game.people.insert(number, name(person))),
            }
        }
        let expires = now().saturating_add(age.as_secs());
        Ok((game, Seats { people, watch: new_key()?, hints, clock, expires }))
    }
}

impl Seats {
    /// Who sends this token. All of them are compared, whichever fits.
    pub(crate) fn role(&mut self, given: Option<&str>) -> Result<Role> {
        let given = given.ok_or_else(|| {
            ApiError::seat(
                "the people of this game have seats, expected the header Tavola-Seat with a token",
            )
        })?;
        let is = |token: &str| is_equal(token, given);
        let mut role = is(&self.watch).then_some(Role::Watcher);
        for person in &mut self.people {
            if is(&person.token) && person.taken {
                person.seen = Some(Instant::now());
                role = Some(Role::Seat(person.seat));
            }
            if person.invitation.as_deref().is_some_and(is) {
                role = Some(Role::Watcher);
            }
        }
        role.ok_or_else(|| {
            ApiError::seat(
                "the token opens no seat of this game, expected that of a seat or of a link",
            )
        })
    }

    /// Whether all have come.
    pub(crate) fn begun(&self) -> bool {
        self.people.iter().all(|person| person.taken)
    }

    fn invited(&mut self, given: &str) -> Option<&mut Person> {
        let is = |token: &String| is_equal(token, given);
        self.people.iter_mut().find(|person| person.invitation.as_ref().is_some_and(is))
    }

    /// Gives a free seat to who comes by its link; the seat.
    pub(crate) fn join(&mut self, given: &str, guest: Guest, live: &mut Live) -> Result<usize> {
        let is_over = self.expires <= now();
        if let Some(token) = guest.token.as_deref().filter(|token| !is_key(token)) {
            return Err(ApiError::request(format_args!(
                "\"token\" is {token:?}, expected 24 letters like those of the key of a game"
            )));
        }
        let person = self.invited(given).ok_or_else(|| {
            ApiError::seat("the link is for those who watch, expected one to a seat")
        })?;
        if person.taken {
            let same = guest.token.is_some_and(|token| is_equal(&token, &person.token));
            return if same {
                Ok(person.seat)
            } else {
                Err(ApiError::seat("the seat of this link is taken; the link still lets you watch"))
            };
        }
        if is_over {
            return Err(ApiError::expired(
                "the link has expired; who began the game can make another one",
            ));
        }
        let seat = person.seat;
        if let Some(name) = guest.name {
            // Two people may have one name; the second one gets a number.
            let short: String = name.trim().chars().take(22).collect();
            live.rename(seat, &name).or_else(|error| {
                live.rename(seat, &format!("{short} {}", seat + 1)).map_err(|_| error)
            })?;
        }
        if let Some(token) = guest.token {
            person.token = token;
        }
        (person.taken, person.seen) = (true, Some(Instant::now()));
        Ok(seat)
    }

    /// Makes other links to the free seats.
    pub(crate) fn renew(&mut self, role: Role, age: Duration) -> Result<()> {
        self.expect_host(role)?;
        for person in self.people.iter_mut().filter(|person| !person.taken) {
            person.invitation = Some(new_key()?);
        }
        self.expires = now().saturating_add(age.as_secs());
        Ok(())
    }

    /// What who began the game may do alone.
    pub(crate) fn expect_host(&self, role: Role) -> Result<()> {
        match role == Role::Seat(self.people[0].seat) {
            true => Ok(()),
            false => Err(ApiError::seat("only who began the game may do this")),
        }
    }

    /// Whether the person of a role may do this now.
    pub(crate) fn check(&mut self, role: Role, action: &SeatAction, live: &Live) -> Result<()> {
        self.look(live);
        match role {
            Role::Watcher => {
                Err(ApiError::seat("who watches can't act, expected the token of a seat"))
            }
            _ if !self.begun() => Err(ApiError::seat("the game begins once all seats are taken")),
            _ if self.clock.as_ref().is_some_and(|clock| clock.lost.is_some()) => {
                Err(ApiError::seat("the match is over: the time of a player was up"))
            }
            _ if *action == SeatAction::TakeBack => Err(ApiError::seat(
                "what the other one has seen can't be taken back in a game on several devices",
            )),
            _ => Ok(()),
        }
    }

    /// Whether the engine may give hints to this person.
    pub(crate) fn check_hints(&self, role: Role) -> Result<()> {
        match role {
            Role::Watcher => Err(ApiError::seat("who watches gets no hints")),
            _ if self.hints => Ok(()),
            _ => Err(ApiError::seat("the engine gives no hints while people play each other")),
        }
    }

    /// Whose action is awaited.
    fn acts(&self, live: &Live) -> Option<usize> {
        let over = self.clock.as_ref().is_some_and(|clock| clock.lost.is_some());
        live.to_act().filter(|_| self.begun() && !over)
    }

    fn look(&mut self, live: &Live) {
        let acts = self.acts(live);
        if let Some(clock) = &mut self.clock {
            if clock.turn.is_none() {
                clock.press(acts, false);
            }
            clock.look();
        }
    }

    /// Something was done.
    pub(crate) fn acted(&mut self, action: &SeatAction, live: &Live) {
        let (acts, rolled) = (self.acts(live), matches!(action, SeatAction::Roll { .. }));
        if let Some(clock) = &mut self.clock {
            clock.press(acts, !rolled);
        }
    }

    /// The clock is switched off once both want it.
    pub(crate) fn switch(&mut self, role: Role, wish: &ClockWish) -> Result<()> {
        let Role::Seat(seat) = role else {
            return Err(ApiError::seat("who watches has no clock, expected the token of a seat"));
        };
        if let Some(clock) = self.clock.as_mut().filter(|clock| clock.lost.is_none()) {
            clock.off[seat] = wish.off;
            if clock.off == [true; 2] {
                self.clock = None;
            }
        }
        Ok(())
    }

    /// Leaves of a view what this role may do; a match that is lost by the clock is over.
    pub(crate) fn limit(&mut self, role: Role, view: &mut GameView, live: &Live) {
        self.look(live);
        // Who knew the seed would know the dice.
        (view.may_take_back, view.seed) = (false, 0);
        let is_over = matches!(live.awaited(), Awaited::GameOver(_) | Awaited::MatchOver(_));
        if let Some(late) = self.clock.as_ref().and_then(|clock| clock.lost).filter(|_| !is_over) {
            let winner = 1 - late;
            let left = f64::from(view.length) - view.score[winner];
            let points = match view.length {
                0 => view.cube.as_ref().map_or(1.0, |cube| f64::from(cube.cube.value())),
                _ => left,
            };
            let mut gains = vec![-points; 2];
            gains[winner] = points;
            view.score[winner] += points;
            let how = "on time".to_owned();
            view.waiting = Waiting::MatchOver(GameEnd { winner: Some(winner), gains, how });
        } else if role == Role::Watcher && !is_over || !self.begun() {
            view.waiting = Waiting::Engine;
        } else {
            return;
        }
        (view.may_resign, view.may_claim) = (false, false);
        if let Some(cube) = &mut view.cube {
            (cube.may_double, cube.may_beaver, cube.may_raccoon) = (false, false, false);
        }
    }

    /// The seats as this role sees them, which came by this token.
    pub(crate) fn view(
        &mut self,
        role: Role,
        given: &str,
        live: &Live,
        of: (usize, u32),
    ) -> SeatsView {
        let (watching, version) = of;
        let expired = self.expires <= now();
        let by_link = self.invited(given).map(|person| (person.seat + 1, person.taken));
        let host = self.expect_host(role).is_ok();
        let clock = self.clock.as_ref().map(Clock::view);
        let mut people: Vec<PersonView> = self
            .people
            .iter()
            .map(|person| PersonView {
                seat: person.seat + 1,
                taken: person.taken,
                here: person.seen.is_some_and(|seen| seen.elapsed() < PRESENCE),
                invitation: person.invitation.clone().filter(|_| host && !person.taken && !expired),
            })
            .collect();
        people.sort_by_key(|person| person.seat);
        SeatsView {
            you: match role {
                Role::Seat(seat) => Some(seat + 1),
                _ => None,
            },
            token: None,
            invited: by_link.map(|(seat, _)| seat),
            closed: by_link.and_then(|(_, taken)| match (taken, expired) {
                (true, _) => Some("taken"),
                (false, true) => Some("expired"),
                _ => None,
            }),
            people,
            begun: self.begun(),
            acts: self.acts(live).map(|seat| seat + 1),
            watching,
            watch: matches!(role, Role::Seat(_)).then(|| self.watch.clone()),
            hints: self.hints,
            clock,
            version,
        }
    }

    /// The same with the token of the seat, which is told once.
    pub(crate) fn welcome(&self, seat: usize, view: SeatsView) -> SeatsView {
        let person = self.people.iter().find(|person| person.seat == seat);
        SeatsView { token: person.map(|person| person.token.clone()), ..view }
    }

    /// The seat of who began the game.
    pub(crate) fn host(&self) -> usize {
        self.people[0].seat
    }
}
