//! The `tacho serve` command, and the web view of a command that measures.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use clap::ArgMatches;
use serde_json::json;
use tacho_app::{Context, Exit};
use tacho_core::{Error, Result, masked, shell_word};
use tacho_web::{
    Access, Certificate, Collector, Export, Hub, Notice, Options, Program, Server, TOKEN_VARIABLE,
    Token,
};

use super::{output, text};
use crate::printer::{Printer, say_link};
use crate::world::World;

/// Interval between checks for an interrupt.
const LOOK: Duration = Duration::from_millis(50);

pub(super) fn call(matches: &ArgMatches, world: &World, printer: &Printer) -> Result<Exit> {
    let context = world.context(text(matches, "dir"));
    let hub = Hub::default();
    let listen = address(text(matches, "listen").unwrap_or_default())?;
    let access = access(matches, world)?;
    let export = export(matches, world, &hub)?;
    let view = open(matches, world, &context, &hub, listen, access.clone())?;
    let url = view.server.url();
    let link = |token: &Token| format!("{url}/?token={}", token.word());
    match output(matches) {
        "json" => printer.file(&format!(
            "{}\n",
            json!({ "url": url, "token": access.control.word(), "look_token": access.look.word() })
        ))?,
        "quiet" => printer.file(&format!("{}\n", link(&access.control)))?,
        _ => printer.file(&format!(
            "Open    {}\nShare   {}  (read-only)\nEnd     Ctrl-C\n",
            link(&access.control),
            link(&access.look),
        ))?,
    }
    until_stopped(&context, &hub);
    if let Some(export) = export {
        exported(export);
    }
    Ok(Exit::Success)
}

/// Starts exporting metrics to a collector, if `--otlp` requests it.
fn export(matches: &ArgMatches, world: &World, hub: &Hub) -> Result<Option<Export>> {
    let Some(url) = text(matches, "otlp") else { return Ok(None) };
    let collector = Collector::read(url, &world.otlp_headers)?;
    let collector = collector.trusting(world.otlp_authorities.clone());
    Export::start(collector, hub.clone(), say_link).map(Some)
}

/// Sends the last metrics. If any exports failed, reports their number.
fn exported(export: Export) {
    let count = export.end();
    if count.failed > 0 {
        let all = count.sent + count.failed;
        say_link(&format!("{} of {all} metric exports failed", count.failed));
    }
}

/// Waits for Ctrl-C. If a measurement is running, passes each Ctrl-C on to it and waits until it has ended.
fn until_stopped(context: &Context, hub: &Hub) {
    let (_keep, pause): (_, Receiver<()>) = channel();
    let mut passed_on = 0;
    loop {
        let pressed = context.interrupt.interrupt_count();
        if pressed > 0 && !hub.is_busy() {
            return;
        }
        for _ in passed_on..pressed {
            say_link("stopping the measurement; press Ctrl-C again to abort it");
            hub.stop();
        }
        passed_on = pressed.max(passed_on);
        let _ = pause.recv_timeout(LOOK);
    }
}

/// A server, and the file with its address, which is removed when the server stops.
struct View {
    server: Server,
    _notice: Option<Notice>,
}

fn open(
    matches: &ArgMatches,
    world: &World,
    context: &Context,
    hub: &Hub,
    listen: SocketAddr,
    access: Access,
) -> Result<View> {
    let certificate = text(matches, "tls-cert").zip(text(matches, "tls-key"));
    let look = access.look.word().to_owned();
    let server = Server::start(Options {
        listen,
        hosts: matches.get_many("allow-host").into_iter().flatten().cloned().collect(),
        certificate: certificate.map(|(chain, key)| Certificate {
            chain: world.folder.join(chain),
            key: world.folder.join(key),
        }),
        plain_http: matches.get_flag("plain-http"),
        access,
        program: Some(program(matches, world)?),
        context: context.clone(),
        hub: hub.clone(),
        more: tacho_hammerdb::web_routes(&context.folder, &world.temp),
    })?;
    let notice = Notice::leave(&context.folder, &server.url(), &look);
    if let Err(error) = &notice {
        say_link(&format!(
            "could not publish this server's address, so tacho watch needs it as an argument: {error}"
        ));
    }
    Ok(View { server, _notice: notice.ok() })
}

/// Returns the path of this program, and the global options with which it was started.
fn program(matches: &ArgMatches, world: &World) -> Result<Program> {
    let file = std::env::current_exe()?;
    let global = ["dir", "config"].into_iter().filter_map(|name| {
        let value = text(matches, name)?;
        Some(format!("--{name}={value}").into())
    });
    let allowed = world.trust().allowed.iter().map(|key| format!("--allow={key}").into());
    let options = global.chain(allowed).collect();
    Ok(Program { file, folder: PathBuf::from(&world.folder), options })
}

fn access(matches: &ArgMatches, world: &World) -> Result<Access> {
    let control = world.variable(TOKEN_VARIABLE).map_or_else(Token::random, Token::given)?;
    Ok(Access { control, look: Token::random()?, read_only: matches.get_flag("read-only") })
}

pub(super) fn address(word: &str) -> Result<SocketAddr> {
    let found = word.to_socket_addrs().ok().and_then(|mut all| all.next());
    found.ok_or_else(|| {
        Error::usage(format!("invalid address \"{word}\": expected ADDRESS:PORT"))
            .hint("use an address such as 127.0.0.1:4100; port 0 selects any free port")
    })
}

/// The observers of a measurement in this process: the web view and a collector.
pub(super) struct Watchers {
    pub(super) hub: Hub,
    _view: Option<View>,
    export: Option<Export>,
}

impl Watchers {
    /// Starts the observers for `--web` and `--otlp`, and prints the web view's address.
    pub(super) fn open(
        matches: &ArgMatches,
        world: &World,
        context: &Context,
        command: &str,
    ) -> Result<Option<Self>> {
        let (listen, hub) = (text(matches, "web").map(address).transpose()?, Hub::default());
        let export = export(matches, world, &hub)?;
        if listen.is_none() && export.is_none() {
            return Ok(None);
        }
        let access = access(matches, world)?;
        let view = listen.map(|listen| open(matches, world, context, &hub, listen, access.clone()));
        let view = view.transpose()?;
        let words =
            world.arguments.iter().skip(1).map(|word| shell_word(&masked(&word.to_string_lossy())));
        let words: Vec<String> = std::iter::once("tacho".to_owned()).chain(words).collect();
        let interrupt = context.interrupt.clone();
        hub.begin(command, &words.join(" "), Arc::new(move || interrupt.press()));
        if let Some(view) = &view {
            say_link(&format!("Watch   {}/?token={}", view.server.url(), access.control.word()));
        }
        Ok(Some(Self { hub, _view: view, export }))
    }

    /// Tells the observers that the measurement has ended, and with which exit code.
    pub(super) fn ended(self, exit: Result<Exit, &Error>) {
        let code = match exit {
            Ok(exit) => exit.code(),
            Err(error) => Exit::of(error).code(),
        };
        self.hub.ended(code);
        if let Some(export) = self.export {
            exported(export);
        }
    }
}
