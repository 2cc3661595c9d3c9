//! Implements `switchmode` and `distributescript`, which connect a primary to replicas that run the same commands.
//!
//! All consoles work on the same data. Only the primary measures, and its counts include the work of all consoles.

use super::{Console, Next};
use crate::couple::{Message, Note, Peer, Primary, Replica};
use crate::dictionary::Dictionary;

/// Commands that a primary also sends to its replicas.
const PASSED_ON: [&str; 9] = [
    "dbset",
    "diset",
    "giset",
    "vuset",
    "loadscript",
    "clearscript",
    "vucreate",
    "vurun",
    "vudestroy",
];

/// A console's role if it is connected to other consoles.
#[derive(Default)]
pub(super) enum Mode {
    /// The console is not coupled.
    #[default]
    Local,
    /// Replicas run the same commands as this console.
    Primary(Primary, Vec<Linked>),
    /// This console runs the same commands as its primary.
    Replica(Box<Replica>),
}

/// A replica as seen by its primary.
pub(super) struct Linked {
    pub(super) peer: Peer,
    /// True if the replica is running a command and has not reported its end yet.
    pub(super) running: bool,
}

impl Linked {
    /// Sends a command to the replica, which runs it.
    pub(super) fn call(&mut self, words: &[&str]) {
        self.running |= words == ["vurun"];
        self.peer.say(&Message::Call(words.iter().map(|word| (*word).to_owned()).collect()));
    }

    fn name(&self) -> String {
        format!("{} {}", self.peer.number, self.peer.host)
    }
}

impl Mode {
    const fn name(&self) -> &'static str {
        match self {
            Self::Local => "Local",
            Self::Primary(..) => "Primary",
            Self::Replica(_) => "Replica",
        }
    }

    /// Returns the replicas. Only a primary has replicas.
    pub(super) fn replicas(&mut self) -> &mut [Linked] {
        match self {
            Self::Primary(_, replicas) => replicas,
            Self::Local | Self::Replica(_) => &mut [],
        }
    }

    /// Returns true if this is a primary and some of its replicas are still running.
    pub(super) fn is_waiting(&self) -> bool {
        matches!(self, Self::Primary(_, replicas) if replicas.iter().any(|one| one.running))
    }

    pub(super) const fn is_replica(&self) -> bool {
        matches!(self, Self::Replica(_))
    }

    /// Returns true if other consoles put load on the same data.
    pub(super) fn is_shared(&self) -> bool {
        match self {
            Self::Local => false,
            Self::Primary(_, replicas) => !replicas.is_empty(),
            Self::Replica(_) => true,
        }
    }

    fn note(&self) -> Option<Note> {
        match self {
            Self::Local => None,
            Self::Primary(primary, _) => primary.note(),
            Self::Replica(replica) => replica.note(),
        }
    }
}

/// Returns the commands that transfer this console's settings to another console.
pub(super) fn settings(dictionary: &Dictionary) -> Vec<Vec<String>> {
    let database = dictionary.database();
    let command = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let mut commands = vec![
        command(&["dbset", "db", database.prefix]),
        command(&["dbset", "bm", dictionary.benchmark.name()]),
    ];
    // Include keys that have been reset to their defaults, because they may have other values on the other console.
    let set = dictionary.set_keys();
    commands.extend(set.map(|(section, key, value)| command(&["diset", section, key, value])));
    commands
}

impl Console {
    pub(super) fn switchmode(&mut self, words: &[&str]) -> Next {
        let [wanted, rest @ ..] = words else {
            return self.complain(format!("Mode currently set to {}", self.mode.name()));
        };
        if !matches!(*wanted, "Local" | "Primary" | "Replica") {
            return self
                .complain("Error:Mode to switch to must be one of Local, Primary or Replica");
        }
        if *wanted == self.mode.name() {
            return self.complain(format!("Already in {wanted} mode"));
        }
        if self.work.is_some() {
            return Next::Failed("Error: Cannot switch mode with Virtual Users active".into());
        }
        self.say(format!("Switch from {}", self.mode.name()));
        self.say(format!("to {wanted} mode?"));
        self.say("Enter yes or no: replied yes");
        if self.plan.is_some() {
            return Next::Done;
        }
        let id =
            match rest.first().copied().unwrap_or_else(|| self.dictionary.generic("mode", "id")) {
                "" => Ok(0),
                id => id.parse::<u16>(),
            };
        let Ok(id) = id else {
            return Next::Failed(format!("Error: invalid id {}: expected a port", rest[0]));
        };
        let host = rest.get(1).copied();
        let host = host.unwrap_or_else(|| self.dictionary.generic("mode", "hostname")).to_owned();
        let switched = match *wanted {
            "Local" => {
                self.mode = Mode::Local;
                Ok(())
            }
            "Primary" => self.become_primary(id),
            _ => self.become_replica(id, &host),
        };
        match switched {
            Ok(()) => Next::Done,
            Err(text) => Next::Failed(text),
        }
    }

    pub(super) fn become_primary(&mut self, id: u16) -> Result<(), String> {
        let primary = Primary::open(id, self.jobs.folder());
        let primary = primary.map_err(|error| format!("Error: {}", crate::work::words(&error)))?;
        let (port, host) = (primary.port, tacho_collect::host().name);
        self.say(format!("Setting Primary Mode at id : {port}, hostname : {host}"));
        self.say(format!("Primary Mode active at id : {port}, hostname : {host}"));
        self.mode = Mode::Primary(primary, Vec::new());
        Ok(())
    }

    fn become_replica(&mut self, id: u16, host: &str) -> Result<(), String> {
        let hostname = tacho_collect::host().name;
        if !matches!(host, "localhost" | "127.0.0.1" | "::1") && host != hostname {
            return Err(format!(
                "Connection Failed : {host} is another machine, but Tacho \
                 couples only consoles on the same machine"
            ));
        }
        let replica = Replica::join(id, self.jobs.folder(), &hostname);
        let replica = replica
            .map_err(|error| format!("Connection Failed : {}", crate::work::words(&error)))?;
        self.say(format!("Setting Replica Mode at id : {}, hostname : {hostname}", replica.id));
        self.say(format!("Replica connecting to {host} {id} : Connection succeeded"));
        self.say("Primary call back successful");
        self.mode = Mode::Replica(Box::new(replica));
        Ok(())
    }

    pub(super) fn distributescript(&mut self, _: &[&str]) -> Next {
        if !matches!(self.mode, Mode::Primary(..)) {
            return self.complain("Error: Cannot distribute script if not in Primary mode");
        }
        if self.mode.replicas().is_empty() {
            return self.complain("Error: Primary has no Replicas to distribute to");
        }
        let mut commands = settings(&self.dictionary);
        commands.push(vec!["loadscript".into()]);
        let mut lines = Vec::new();
        for replica in self.mode.replicas() {
            for words in &commands {
                replica.call(&words.iter().map(String::as_str).collect::<Vec<_>>());
            }
            let name = replica.name();
            lines.push(format!("Distributing to {name} ...Primary Distribution Succeeded"));
        }
        self.out.extend(lines);
        Next::Done
    }

    /// Sends a command to the replicas as well, unless it failed on the primary.
    pub(super) fn pass_on(&mut self, name: &str, words: &[&str], next: &Next) {
        if self.step.is_some() || !PASSED_ON.contains(&name) || matches!(next, Next::Failed(_)) {
            return;
        }
        // If a run could not start on the primary, do not start it on the replicas either.
        if name == "vurun" && *next != Next::Wait {
            return;
        }
        let all: Vec<&str> = std::iter::once(name).chain(words.iter().copied()).collect();
        self.mode.replicas().iter_mut().for_each(|replica| replica.call(&all));
    }

    /// Processes messages from the other consoles.
    pub(super) fn hear_mode(&mut self) {
        while let Some(note) = self.mode.note() {
            match note {
                Note::Joined(peer) => self.joined(peer),
                Note::Said(_, Message::Call(words)) => self.called(&words),
                Note::Said(from, message) => self.reported(from, &message),
                Note::Lost(from, why) => self.lost(from, &why),
            }
        }
        self.go_on_stepping();
    }

    fn joined(&mut self, peer: Peer) {
        self.say("Received a new replica connection from host 127.0.0.1");
        self.say(format!("New replica joined : {{{} {}}}", peer.number, peer.host));
        if let Mode::Primary(_, replicas) = &mut self.mode {
            replicas.push(Linked { peer, running: false });
        }
    }

    /// Runs a command sent by the primary.
    fn called(&mut self, words: &[String]) {
        let Some((name, rest)) = words.split_first() else { return };
        if !PASSED_ON.contains(&name.as_str()) {
            return;
        }
        let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
        match self.call(name, &rest) {
            Next::Failed(text) => {
                self.say(text.clone());
                self.answer(&Message::Failed(text));
            }
            // The command is still running. When it ends, this console will tell the primary.
            Next::Wait => self.told_to_run = true,
            Next::Done if name == "vurun" => self.answer(&Message::Over(false)),
            Next::Done | Next::Value(_) | Next::Printed(_) | Next::Shown(_) => {}
        }
        if name == "vudestroy" {
            self.say("vudestroy from Primary, Replica status clean up");
        }
    }

    fn answer(&mut self, message: &Message) {
        if let Mode::Replica(replica) = &mut self.mode {
            replica.primary.say(message);
        }
    }

    /// Reports to the primary that the requested work has finished.
    pub(super) fn answer_over(&mut self, success: bool) {
        if std::mem::take(&mut self.told_to_run) {
            self.answer(&Message::Over(success));
            self.ended = None;
        }
    }

    fn reported(&mut self, from: u32, message: &Message) {
        let replicas = self.mode.replicas().iter_mut();
        let Some(replica) = replicas.into_iter().find(|one| one.peer.number == from) else {
            return;
        };
        let name = replica.name();
        let (text, good) = match message {
            Message::Over(success) => {
                replica.running = false;
                (if *success { "FINISHED SUCCESS" } else { "FINISHED FAILED" }.to_owned(), *success)
            }
            Message::Failed(text) => {
                replica.running = false;
                (text.clone(), false)
            }
            Message::Hello { .. } | Message::Welcome | Message::Call(_) => return,
        };
        if !good {
            self.failure.get_or_insert(tacho_app::Exit::Target);
        }
        self.say(format!("Replica {name}:{text}"));
    }

    fn lost(&mut self, from: u32, why: &str) {
        match &mut self.mode {
            Mode::Primary(_, replicas) => {
                let Some(place) = replicas.iter().position(|one| one.peer.number == from) else {
                    return;
                };
                if replicas.remove(place).running {
                    self.failure.get_or_insert(tacho_app::Exit::Target);
                }
                self.say(format!("Lost connection to : {from} because {why}"));
            }
            Mode::Replica(_) => {
                self.say(format!("Lost connection to : Primary because {why}"));
                self.mode = Mode::Local;
                // Stop the work, because the console that requested it is no longer connected.
                if std::mem::take(&mut self.told_to_run) {
                    self.stop();
                }
            }
            Mode::Local => {}
        }
    }
}
