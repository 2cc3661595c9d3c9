//! `tacho agent`, and the agents that a run asks.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use clap::ArgMatches;
use serde_json::json;
use tacho_app::{Exit, HostSource};
use tacho_core::Result;
use tacho_web::{
    AGENT_TOKEN_VARIABLE, Access, Address, Certificate, Listening, RemoteHost, Server, Token,
};

use super::serve::address;
use super::{output, text};
use crate::printer::Printer;
use crate::world::World;

/// Between two looks at whether the user wants to stop.
const LOOK: Duration = Duration::from_millis(50);

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
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

/// The machines that a run shall observe.
pub(super) fn observed(matches: &ArgMatches, world: &World) -> Result<Vec<Arc<dyn HostSource>>> {
    let ca = text(matches, "observe-ca").map(|file| world.folder.join(file));
    let named = matches.get_many::<String>("observe").into_iter().flatten();
    let remote = named.map(|url| {
        let address = Address::of_agent(url, world.variable(AGENT_TOKEN_VARIABLE), ca.clone())?;
        Ok(Arc::new(RemoteHost::new(address)) as Arc<dyn HostSource>)
    });
    remote.collect()
}
