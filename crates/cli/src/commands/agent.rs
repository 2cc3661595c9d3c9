//! The `tacho agent` command, and the agents that a run uses.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use clap::ArgMatches;
use serde_json::json;
use tacho_app::{AgentRequest, Exit, HostSource, Job, Wanted};
use tacho_cluster::Broker;
use tacho_core::units::parse_duration;
use tacho_core::{Error, ErrorKind, Result};
use tacho_store::{Event, Listener};
use tacho_web::{
    AGENT_TOKEN_VARIABLE, Access, Address, Certificate, Listening, RemoteHost, Server, Token,
};

use super::serve::address;
use super::{output, request, text, up};
use crate::printer::Printer;
use crate::world::World;

/// The environment variables that specify the NATS server and its token.
const NATS_VARIABLE: &str = "TACHO_NATS";
const NATS_TOKEN_VARIABLE: &str = "TACHO_NATS_TOKEN";
/// Minimum lease. The lease is the time for which agents and their coordinator continue without messages from each
/// other. If it were shorter, a short pause of one host would end the run.
const LEASE_MIN: Duration = Duration::from_secs(3);
/// Interval between checks for an interrupt.
const LOOK: Duration = Duration::from_millis(50);

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    if !matches.get_flag("observe") {
        return work(matches, world, printer);
    }
    let context = world.context(text(matches, "dir"));
    let token = world.variable(AGENT_TOKEN_VARIABLE).map_or_else(Token::random, Token::given)?;
    let certificate = text(matches, "tls-cert").zip(text(matches, "tls-key"));
    let listening = Listening {
        listen: address(text(matches, "listen").unwrap_or_default())?,
        hosts: matches.get_many("allow-host").into_iter().flatten().cloned().collect(),
        certificate: certificate.map(|(chain, key)| Certificate {
            chain: world.folder.join(chain),
            key: world.folder.join(key),
        }),
        plain_http: matches.get_flag("plain-http"),
    };
    let access = Access { control: token.clone(), look: token.clone(), read_only: true };
    let server = Server::agent(&listening, access)?;
    let (url, secret) = (server.url(), token.word());
    match output(matches) {
        "json" => printer.file(&format!("{}\n", json!({ "url": url, "token": secret })))?,
        "quiet" => printer.file(&format!("{url}/?token={secret}\n"))?,
        _ => printer.file(&format!(
            "Observe {url}\nToken   {secret}\nUse     TACHO_AGENT_TOKEN={secret} tacho run … --observe {url}\nEnd     Ctrl-C\n"
        ))?,
    }
    let (_keep, pause) = channel::<()>();
    while !context.interrupted() {
        let _ = pause.recv_timeout(LOOK);
    }
    Ok(Exit::Success)
}

/// Waits for runs, and performs this host's share of each run.
fn work(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let context = world.context(text(matches, "dir"));
    let broker = broker(matches, world)?.ok_or_else(|| {
        Error::usage("a NATS server or --observe is required")
            .hint(
                "to run shares of runs, use --nats URL or TACHO_NATS; tacho up nats starts a \
                   server",
            )
            .hint("to report this machine's activity, use --observe")
    })?;
    let name = text(matches, "name").map_or_else(|| tacho_app::own_host().name, str::to_owned);
    if name.is_empty() {
        return Err(Error::usage("this machine has no name").hint("use --name NAME"));
    }
    let request = AgentRequest {
        name: name.clone(),
        file: request::config_file(matches, world)?,
        targets: request::servers(matches, world),
        target: text(matches, "target").map(str::to_owned),
        broker,
    };
    let url = request.broker.url();
    let mut listening = || match output(matches) {
        "json" => printer.file(&format!("{}\n", json!({ "agent": name, "nats": url }))),
        "quiet" => Ok(()),
        _ => printer.file(&format!("Agent  {name}\nNATS   {url}\nEnd    Ctrl-C\n")),
    };
    let mut progress = AgentNotes(printer);
    tacho_app::agent(&request, &context, &mut progress, &mut listening)?;
    Ok(Exit::Success)
}

/// Prints an agent's notes, one per line.
struct AgentNotes<'a>(&'a Printer);

impl Listener for AgentNotes<'_> {
    fn on(&mut self, event: &Event) {
        if let Event::Note { text } = event {
            self.0.tell(text);
        }
    }
}

/// Returns the NATS server, which may be specified by its address or by the name of a private server.
fn broker(matches: &ArgMatches, world: &World) -> Result<Option<Broker>> {
    let Some(named) = text(matches, "nats").or_else(|| world.variable(NATS_VARIABLE)) else {
        return Ok(None);
    };
    let file = text(matches, "nats-token-file").map(|file| world.folder.join(file));
    let token = match file {
        Some(file) => Some(token_of(&file)?),
        None => world.variable(NATS_TOKEN_VARIABLE).map(str::to_owned),
    };
    let ca = text(matches, "nats-ca").map(|file| world.folder.join(file));
    let states = up::server_pool(matches, world).list().unwrap_or_default();
    if let Some(state) = states.into_iter().find(|state| state.name == named) {
        if !state.runs() {
            let text = format!("the private server {named} is {}", state.word());
            return Err(Error::new(ErrorKind::Connect, text)
                .hint(format!("to start it again, use tacho up {named}")));
        }
        return Broker::read(&state.target, token.or(Some(state.password)), ca).map(Some);
    }
    Broker::read(named, token, ca).map(Some)
}

/// Returns the token stored in a file, without the trailing line break.
fn token_of(file: &Path) -> Result<String> {
    let during = format!("read the token from {}", file.display());
    let token = tacho_servers::text::read(file).trim().to_owned();
    if token.is_empty() {
        let error = Error::new(ErrorKind::Missing, "the file is missing, unreadable or empty");
        return Err(error.during(during).hint("write the NATS server's token to this file"));
    }
    Ok(token)
}

/// Returns the load hosts of a run, or `None` if it uses only this host.
pub(super) fn wanted(matches: &ArgMatches, world: &World, job: &Job) -> Result<Option<Wanted>> {
    wanted_if(job.resolved.is_given("hosts"), matches, world)
}

/// Returns the load hosts, if requested.
pub(super) fn wanted_if(
    asked: bool,
    matches: &ArgMatches,
    world: &World,
) -> Result<Option<Wanted>> {
    let span = |name: &str| parse_duration(text(matches, name).unwrap_or_default());
    if !asked {
        if text(matches, "nats").is_some() {
            return Err(Error::usage("--nats requires --hosts")
                .hint("use --hosts N to set the number of agents that run the sessions"));
        }
        return Ok(None);
    }
    let Some(broker) = broker(matches, world)? else { return Ok(None) };
    let (within, lease) = (span("hosts-within")?, span("lease")?);
    if lease < LEASE_MIN {
        return Err(Error::usage("the lease is shorter than 3s").hint("use 3s or longer"));
    }
    Ok(Some(Wanted { broker, within, lease }))
}

/// Returns the machines that a run should observe.
pub(super) fn observed(matches: &ArgMatches, world: &World) -> Result<Vec<Arc<dyn HostSource>>> {
    let ca = text(matches, "observe-ca").map(|file| world.folder.join(file));
    let named = matches.get_many::<String>("observe").into_iter().flatten();
    let remote = named.map(|url| {
        let address = Address::of_agent(url, world.variable(AGENT_TOKEN_VARIABLE), ca.clone())?;
        Ok(Arc::new(RemoteHost::new(address)) as Arc<dyn HostSource>)
    });
    remote.collect()
}
