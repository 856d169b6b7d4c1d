//! Running games over HTTP, whichever game it is, of one client or between people on several devices.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequestParts, Path, Query, State};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tavola_engine::live::{Awaited, GameView, Live, LoggedTurn, NewGame, SeatAction};
use tavola_engine::{Cost, Engine, EngineError, Watch};
use tavola_files::limits;

use crate::access::{Client, JsonText};
use crate::error::{ApiError, Result, json_response};
use crate::jobs::to_json;
use crate::seats::{ClockWish, Guest, NewShared, Role, Seats, SeatsView};
use crate::state::App;
use crate::store::{Shared, Stored, new_key, new_long_seed, new_seed};

/// The part of the patience of the server that a request waits for a change of a game.
const WAITING: f32 = 0.8;

/// A running game with what was just done in it.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Shown {
    /// The key of the game.
    id: String,
    /// What was done, in order, since the request before.
    happened: Vec<LoggedTurn>,
    /// The game.
    state: GameView,
    /// Who sits where, if people play it on several devices.
    #[serde(skip_serializing_if = "Option::is_none")]
    seats: Option<SeatsView>,
}

fn shown(status: StatusCode, shown: &Shown) -> Response {
    json_response(status, to_json(shown))
}

/// `POST /api/v1/games`
pub(crate) async fn create(
    State(app): State<App>,
    Client(client): Client,
    body: JsonText,
) -> Result<Response> {
    let asked: NewGame = body.read()?;
    let model = own_network(&app, &asked);
    begin(&app, client, asked, None, model).await
}

/// The network of the server, for games of its own.
fn own_network(app: &App, asked: &NewGame) -> Option<PathBuf> {
    app.default.model.clone().filter(|_| asked.game == app.default.game.id())
}

/// Begins a game against the network of a weights file, or the built-in one. Where people have seats
/// on other devices, nothing is played yet.
pub(crate) async fn begin(
    app: &App,
    client: IpAddr,
    asked: NewGame,
    seats: Option<Seats>,
    model: Option<PathBuf>,
) -> Result<Response> {
    let mut setup = asked.setup(new_seed()?)?;
    setup.model = model;
    if seats.is_some() {
        setup.seed = new_long_seed()?;
    }
    let mut live = Live::new(setup)?;
    let cost = Cost::of_game(&live);
    let answer = app.work(client, cost, move |app, watch| {
        live.check_network(&app.engine, watch)?;
        let happened = match &seats {
            None => live.go_on(&app.engine, watch)?,
            Some(_) => Vec::new(),
        };
        let id = new_key()?;
        let mut stored = Stored::new(live, seats)?;
        let shown = joined(&mut stored, &id, None);
        app.games.add(&id, client, stored)?;
        Ok::<_, ApiError>(Shown { happened, ..shown })
    });
    Ok(shown(StatusCode::CREATED, &answer.await??))
}

/// `POST /api/v1/invitations`: a game with people on other devices, who come by links.
pub(crate) async fn invite(
    State(app): State<App>,
    Client(client): Client,
    body: JsonText,
) -> Result<Response> {
    let asked: NewShared = body.read()?;
    let (asked, seats) = asked.seats(app.settings.limits.time(&limits::LINK_AGE))?;
    let model = own_network(&app, &asked);
    begin(&app, client, asked, Some(seats), model).await
}

/// A game as a role sees it that came by this token, from an entry of its log on.
fn seen(stored: &mut Stored, role: Role, id: &str, token: &str, from: Option<usize>) -> Shown {
    // How many watch it, and its version.
    let of = (Arc::strong_count(&stored.watchers) - 1, *stored.changed.borrow());
    let live = &mut stored.live;
    let Some(seats) = &mut stored.seats else {
        let state = live.view();
        return Shown { id: id.to_owned(), happened: Vec::new(), state, seats: None };
    };
    live.look_from(Some(if let Role::Seat(seat) = role { seat } else { 0 }));
    let happened = from.map(|from| live.log_since(from)).unwrap_or_default();
    let mut state = live.view();
    live.look_from(None);
    seats.limit(role, &mut state, live);
    let seats = seats.view(role, token, live, of);
    Shown { id: id.to_owned(), happened, state, seats: Some(seats) }
}

/// The same for who has just got a seat, with its token; `None` is who began the game.
fn joined(stored: &mut Stored, id: &str, seat: Option<usize>) -> Shown {
    let seat = seat.or_else(|| stored.seats.as_ref().map(|seats| seats.host())).unwrap_or(0);
    let shown = seen(stored, Role::Seat(seat), id, "", Some(0));
    let seats = stored.seats.as_ref().zip(shown.seats);
    Shown { seats: seats.map(|(seats, view)| seats.welcome(seat, view)), ..shown }
}

/// What it costs to let the others move until the user has to act.
fn cost_of_going_on(live: &Live) -> Cost {
    let is_over = matches!(live.awaited(), Awaited::GameOver(_) | Awaited::MatchOver(_));
    let waits_for_user = is_over || live.to_act() == Some(live.user());
    if waits_for_user { Cost::Small } else { Cost::of_game(live) }
}

/// A game, from memory or from its file.
async fn find(app: &App, client: IpAddr, key: &str) -> Result<Shared> {
    if let Some(game) = app.games.in_memory(key)? {
        return Ok(game);
    }
    let key = key.to_owned();
    app.work(client, Cost::Small, move |app, _| app.games.read(&key, client)).await?
}

/// A request about a game: who asks, with which token of a seat.
pub(crate) struct Asked {
    app: App,
    client: IpAddr,
    key: String,
    token: Option<String>,
}

impl FromRequestParts<App> for Asked {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let Client(client) = Client::from_request_parts(parts, app).await?;
        let key = Path::<String>::from_request_parts(parts, app).await;
        let Path(key) = key.map_err(|_| ApiError::request("the path can't be read"))?;
        let given = parts.headers.get("tavola-seat").and_then(|value| value.to_str().ok());
        let token = given.map(|token| token.trim().to_owned());
        Ok(Self { app: Arc::clone(app), client, key, token })
    }
}

impl Asked {
    /// The token; none is one that opens nothing.
    fn given(&self) -> &str {
        self.token.as_deref().unwrap_or_default()
    }

    /// Does something with a game on a worker, one at a time.
    async fn with<T: Send + 'static>(
        self,
        cost: impl FnOnce(&Live) -> Cost,
        work: impl FnOnce(&mut Stored, Role, &Self, &Watch<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (app, client) = (Arc::clone(&self.app), self.client);
        let (patience, began) = (app.settings.patience, Instant::now());
        let game = find(&app, client, &self.key).await?;
        // Whoever waits for another request about the same game holds no worker.
        let locked = tokio::time::timeout(patience, Arc::clone(&game).lock_owned()).await;
        let mut stored = locked.map_err(|_| ApiError::too_long(patience))?;
        // The one before may have ended it.
        app.games.expect(&self.key, &game)?;
        let role = stored.role(self.token.as_deref())?;
        let left = patience.saturating_sub(began.elapsed());
        let asked = app.pool.ask(client, cost(&stored.live), left, move |cancel| {
            let watch = Watch { cancel, ..Watch::default() };
            work(&mut stored, role, &self, &watch)
        });
        asked.await?
    }

    /// Does something about the seats, keeps it and tells those who wait.
    async fn change(
        self,
        work: impl FnOnce(&mut Stored, Role, &Self, &Watch<'_>) -> Result<Option<usize>>
        + Send
        + 'static,
    ) -> Result<Response> {
        let changed = self.with(Cost::of_game, move |stored, role, asked, watch| {
            if stored.seats.is_none() {
                return Err(ApiError::seat("this game is played on one device, it has no links"));
            }
            let given = work(stored, role, asked, watch)?;
            asked.app.games.keep(&asked.key, &stored.live, stored.seats.as_ref())?;
            stored.changed.send_modify(|version| *version = version.wrapping_add(1));
            Ok(match given {
                Some(_) => joined(stored, &asked.key, given),
                None => seen(stored, role, &asked.key, asked.given(), None),
            })
        });
        Ok(shown(StatusCode::OK, &changed.await?))
    }

    /// Waits until a game is another one than that of this number, but not for long; who watches
    /// counts as long as the answer of this is held.
    async fn wait(&self, after: u32) -> Result<Option<Arc<()>>> {
        let Self { app, client, key, token } = self;
        let game = find(app, *client, key).await?;
        let (mut changed, watcher) = {
            let mut stored = game.lock().await;
            let role = stored.role(token.as_deref())?;
            let most = app.settings.limits.count(&limits::WATCHERS);
            if stored.changed.receiver_count() >= most {
                return Err(ApiError::busy(format_args!(
                    "{most} requests wait for a change of this game, expected fewer; try again later"
                )));
            }
            let watcher = (role == Role::Watcher).then(|| Arc::clone(&stored.watchers));
            (stored.changed.subscribe(), watcher)
        };
        drop(game);
        let patience = app.settings.patience.mul_f32(WAITING);
        // What ends the server ends this too.
        let _ = tokio::time::timeout(patience, changed.wait_for(|&version| version != after)).await;
        Ok(watcher)
    }
}

/// What a client has of a game between people.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Since {
    /// The version after which there is something to say.
    after: Option<u32>,
    /// The number of the game, and how much of its log is known.
    game: Option<usize>,
    shown: Option<usize>,
}

/// `GET /api/v1/games/{id}`
pub(crate) async fn get(
    asked: Asked,
    since: Result<Query<Since>, QueryRejection>,
) -> Result<Response> {
    let Query(since) = since.map_err(|error| {
        ApiError::request(format_args!(
            "{}, expected after=VERSION, game=NUMBER and shown=ENTRIES or none of them",
            error.body_text()
        ))
    })?;
    let _watcher = match since.after {
        Some(after) => asked.wait(after).await?,
        None => None,
    };
    let answer = asked.with(cost_of_going_on, move |stored, role, asked, watch| {
        if stored.seats.as_ref().is_none_or(|seats| seats.begun()) {
            stored.live.go_on(&asked.app.engine, watch)?;
        }
        // Of another game than the one that is known all is new.
        let known = since.game == Some(stored.live.game_number());
        let from = since.shown.map(|shown| if known { shown } else { 0 });
        Ok(seen(stored, role, &asked.key, asked.given(), from))
    });
    Ok(shown(StatusCode::OK, &answer.await?))
}

/// `POST /api/v1/games/{id}/seats`: takes the free seat to which the link leads.
pub(crate) async fn join(asked: Asked, body: JsonText) -> Result<Response> {
    let guest: Guest = body.read()?;
    let work = move |stored: &mut Stored, role: Role, asked: &Asked, watch: &Watch<'_>| {
        let (live, Some(seats)) = (&mut stored.live, &mut stored.seats) else {
            return Ok(None);
        };
        if let Role::Seat(seat) = role {
            return Ok(Some(seat));
        }
        let seat = seats.join(asked.given(), guest, live)?;
        if seats.begun() {
            live.go_on(&asked.app.engine, watch)?;
        }
        Ok(Some(seat))
    };
    asked.change(work).await
}

/// `POST /api/v1/games/{id}/links`: other links to the free seats.
pub(crate) async fn renew(asked: Asked) -> Result<Response> {
    let work = move |stored: &mut Stored, role: Role, asked: &Asked, _: &Watch<'_>| {
        let age = asked.app.settings.limits.time(&limits::LINK_AGE);
        stored.seats.as_mut().map_or(Ok(()), |seats| seats.renew(role, age))?;
        Ok(None)
    };
    asked.change(work).await
}

/// `POST /api/v1/games/{id}/clock`: whether a player wants the clock switched off.
pub(crate) async fn switch_clock(asked: Asked, body: JsonText) -> Result<Response> {
    let wish: ClockWish = body.read()?;
    let work = move |stored: &mut Stored, role: Role, _: &Asked, _: &Watch<'_>| {
        stored.seats.as_mut().map_or(Ok(()), |seats| seats.switch(role, &wish))?;
        Ok(None)
    };
    asked.change(work).await
}

/// `POST /api/v1/games/{id}/actions`
pub(crate) async fn act(asked: Asked, body: JsonText) -> Result<Response> {
    let action: SeatAction = body.read()?;
    let done = asked.with(Cost::of_game, move |stored, role, asked, watch| {
        let mut after = stored.live.clone();
        if let Some(seats) = &mut stored.seats {
            seats.check(role, &action, &after)?;
        }
        if let Role::Seat(seat) = role {
            after.look_from(Some(seat));
        }
        let happened = after.turn(&action, &asked.app.engine, watch)?;
        after.look_from(None);
        // What is not on disk has not happened.
        asked.app.games.keep(&asked.key, &after, stored.seats.as_ref())?;
        stored.live = after;
        if let Some(seats) = &mut stored.seats {
            seats.acted(&action, &stored.live);
            stored.changed.send_modify(|version| *version = version.wrapping_add(1));
        }
        Ok(Shown { happened, ..seen(stored, role, &asked.key, asked.given(), None) })
    });
    Ok(shown(StatusCode::OK, &done.await?))
}

/// The advice of the engine for who asks, if people who play each other have agreed on it.
async fn advised<T: Serialize + Send + 'static>(
    asked: Asked,
    advice: impl FnOnce(&Live, &Engine, &Watch<'_>) -> Result<T, EngineError> + Send + 'static,
) -> Result<Response> {
    let work = move |stored: &mut Stored, role: Role, asked: &Asked, watch: &Watch<'_>| {
        if let Some(seats) = &stored.seats {
            seats.check_hints(role)?;
        }
        if let Role::Seat(seat) = role {
            stored.live.look_from(Some(seat));
        }
        let answer = advice(&stored.live, &asked.app.engine, watch);
        stored.live.look_from(None);
        Ok(answer?)
    };
    let answer = asked.with(|_| Cost::Medium, work).await?;
    Ok(json_response(StatusCode::OK, to_json(&answer)))
}

/// `GET /api/v1/games/{id}/hint`
pub(crate) async fn hint(asked: Asked) -> Result<Response> {
    advised(asked, |live, engine, watch| live.hint(engine, watch)).await
}

/// `POST /api/v1/games/{id}/mistake`: what an action would lose.
pub(crate) async fn mistake(asked: Asked, body: JsonText) -> Result<Response> {
    let action: SeatAction = body.read()?;
    advised(asked, move |live, engine, watch| live.mistake(&action, engine, watch)).await
}

/// `DELETE /api/v1/games/{id}`
pub(crate) async fn remove(asked: Asked) -> Result<Response> {
    let work = |stored: &mut Stored, role: Role, asked: &Asked, _: &Watch<'_>| {
        stored.seats.as_ref().map_or(Ok(()), |seats| seats.expect_host(role))?;
        asked.app.games.remove(&asked.key)
    };
    asked.with(|_| Cost::Small, work).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `GET /api/v1/games/{id}/record`: a match as match text, another game as a transcript.
pub(crate) async fn record(asked: Asked) -> Result<Response> {
    let text = asked.with(
        |_| Cost::Small,
        |Stored { live, .. }, _, _, _| {
            let name = if live.record_of_match().is_some() { "match.mat" } else { "game.txt" };
            Ok((name, live.record_text()))
        },
    );
    let (name, text) = text.await?;
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    Ok((headers, text).into_response())
}
