//! TLS, passwords, credentials and small messages, as nats-server does them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use nkeys::KeyPair;
use serde_json::{Value, json};
use tavola_fleet::{Address, Fleet, FleetError, FleetSettings};

use crate::fleet::{Runs, Server, train_here, work_here};

/// Two rounds of few games.
fn runs() -> Runs {
    let config = crate::fleet::TINY.replace("rounds = 4", "rounds = 2");
    Runs::of(&config.replace("games_per_round = 120", "games_per_round = 30"))
}

fn connect(address: &Address, runs: &Runs) -> Result<Fleet, FleetError> {
    let settings =
        FleetSettings { address: address.clone(), check: 0.0, ack_wait: Duration::from_secs(5) };
    Fleet::connect(settings, Some(&runs.folder.path().join("fleet")))
}

/// A learner and a worker train at this address, to the network of one process.
fn trains(address: &Address, runs: &Runs) {
    let fleet = connect(address, runs).unwrap();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _worker = scope.spawn(|| work_here(address.clone(), &over));
        let warnings = train_here(runs, "fleet", &fleet);
        over.store(true, Ordering::Relaxed);
        assert_eq!(warnings, [""; 0]);
    });
    assert!(runs.network("fleet") == runs.alone(), "the networks differ");
}

fn refused(address: &Address, runs: &Runs) -> String {
    match connect(address, runs) {
        Ok(_) => panic!("{address:?} is served"),
        Err(error) => {
            assert!(error.is_unusable_input(), "{error}");
            error.to_string()
        }
    }
}

/// A certificate for this machine, its key, and the one that vouches for it; `None` without
/// openssl.
fn certificates(folder: &Path) -> Option<[PathBuf; 3]> {
    let path = |name: &str| folder.join(name);
    let openssl = |args: &[&str]| {
        let done = Command::new("openssl").args(args).current_dir(folder).output();
        done.is_ok_and(|done| done.status.success())
    };
    let key = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    let ca = ["-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=tavola test", "-days", "2"];
    let leaf = ["-keyout", "key.pem", "-out", "cert.pem", "-subj", "/CN=localhost", "-days", "2"];
    let of_leaf = ["-addext", "subjectAltName=IP:127.0.0.1", "-CA", "ca.pem", "-CAkey", "ca.key"];
    let no_ca = ["-addext", "basicConstraints=critical,CA:FALSE"];
    if !openssl(&[&key[..], &ca].concat())
        || !openssl(&[&key[..], &leaf, &of_leaf, &no_ca].concat())
    {
        eprintln!("skipped: there is no openssl 3 that makes certificates");
        return None;
    }
    Some([path("cert.pem"), path("key.pem"), path("ca.pem")])
}

#[test]
fn a_fleet_works_over_tls_and_refuses_unknown_servers() {
    let runs = runs();
    let folder = runs.folder.path().to_owned();
    let Some([cert, key, ca]) = certificates(&folder) else { return };
    let args = ["--tls", "--tlscert", cert.to_str().unwrap(), "--tlskey", key.to_str().unwrap()];
    let Some(server) = Server::start_with(&folder, &args) else { return };
    let known = Address { url: server.url.clone(), tls_ca: Some(ca), ..Address::default() };
    trains(&known, &runs);
    // Without the certificate of its authority the server is not trusted.
    let said = refused(&Address { tls_ca: None, ..known.clone() }, &runs);
    assert!(said.contains("certificate"), "{said}");
    let url = server.url.replace("nats://", "tls://");
    refused(&Address { url, ..Address::default() }, &runs);
}

#[test]
fn with_a_certificate_no_connection_is_made_without_tls() {
    let runs = runs();
    let folder = runs.folder.path().to_owned();
    let Some([_, _, ca]) = certificates(&folder) else { return };
    let Some(server) = Server::start(&folder) else { return };
    refused(&Address { url: server.url, tls_ca: Some(ca), ..Address::default() }, &runs);
}

#[test]
fn passwords_are_asked_and_not_shown() {
    let runs = runs();
    let args = ["--user", "trainer", "--pass", "right"];
    let Some(server) = Server::start_with(runs.folder.path(), &args) else { return };
    let with = |user: &str| Address {
        url: server.url.replace("://", &format!("://{user}@")),
        ..Address::default()
    };
    trains(&with("trainer:r%69ght"), &runs);
    for user in ["trainer:wrong", "other:right"] {
        let said = refused(&with(user), &runs);
        assert!(!said.contains(user) && said.contains(&server.url), "{said}");
    }
    refused(&Address { url: server.url.clone(), ..Address::default() }, &runs);
}

/// A token of NATS: claims about a key, signed by another.
fn token(claims: &Value, signer: &KeyPair) -> String {
    let encode = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
    let header = encode(json!({"typ": "JWT", "alg": "ed25519-nkey"}).to_string().as_bytes());
    let text = format!("{header}.{}", encode(claims.to_string().as_bytes()));
    let signature = signer.sign(text.as_bytes()).unwrap();
    format!("{text}.{}", encode(&signature))
}

fn claims(name: &str, of: &KeyPair, by: &KeyPair, nats: Value) -> Value {
    let (of, by) = (of.public_key(), by.public_key());
    json!({"jti": name, "iat": 1_700_000_000, "iss": by, "name": name, "sub": of, "nats": nats})
}

#[test]
fn credentials_of_a_user_open_the_server_and_others_do_not() {
    let runs = runs();
    let folder = runs.folder.path();
    let operator = KeyPair::new_operator();
    let [system, account, other] = [(); 3].map(|()| KeyPair::new_account());
    let no_limits = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "conn": -1,
        "leaf": -1, "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1,
        "wildcards": true,
    });
    // The account of the server itself has no JetStream.
    let mut of_system = no_limits.clone();
    for key in ["mem_storage", "disk_storage", "streams", "consumer"] {
        of_system[key] = 0.into();
    }
    let account_token = |name: &str, key: &KeyPair| {
        let limits = if name == "SYS" { &of_system } else { &no_limits };
        let nats = json!({"type": "account", "version": 2, "limits": limits});
        token(&claims(name, key, &operator, nats), &operator)
    };
    let nats = json!({"type": "operator", "version": 2, "system_account": system.public_key()});
    let operator_token = token(&claims("operator", &operator, &operator, nats), &operator);
    let preload: Vec<String> = [("SYS", &system), ("TRAINING", &account)]
        .iter()
        .map(|(name, key)| format!("  {}: {}\n", key.public_key(), account_token(name, key)))
        .collect();
    let config = format!(
        "operator: {operator_token}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload: \
         {{\n{}}}\n",
        system.public_key(),
        preload.concat()
    );
    fs::write(folder.join("server.conf"), config).unwrap();
    let credentials = |name: &str, by: &KeyPair| {
        let user = KeyPair::new_user();
        let nats = json!({
            "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1,
        });
        let token = token(&claims(name, &user, by, nats), by);
        let path = folder.join(format!("{name}.creds"));
        let text = format!(
            "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n-----BEGIN \
             USER NKEY SEED-----\n{}\n------END USER NKEY SEED------\n",
            user.seed().unwrap()
        );
        fs::write(&path, text).unwrap();
        path
    };
    let config = folder.join("server.conf");
    let Some(server) = Server::start_with(folder, &["-c", config.to_str().unwrap()]) else {
        return;
    };
    let with = |path: PathBuf| Address {
        url: server.url.clone(),
        credentials: Some(path),
        ..Address::default()
    };
    trains(&with(credentials("trainer", &account)), &runs);
    refused(&with(credentials("stranger", &other)), &runs);
    refused(&Address { url: server.url.clone(), ..Address::default() }, &runs);
    let said = refused(&with(folder.join("none.creds")), &runs);
    assert!(said.contains("none.creds"), "{said}");
}

#[test]
fn a_server_that_takes_small_messages_alone_is_refused() {
    let runs = runs();
    let config = runs.folder.path().join("server.conf");
    fs::write(&config, "max_payload: 65536\n").unwrap();
    let args = ["-c", config.to_str().unwrap()];
    let Some(server) = Server::start_with(runs.folder.path(), &args) else { return };
    let said = refused(&Address { url: server.url.clone(), ..Address::default() }, &runs);
    assert!(said.contains("max_payload") && said.contains("65536"), "{said}");
}
