//! Faults at moments of the load: of a private server, or a command of the user.
//!
//! They run on a thread of their own, so that neither a session nor an observer waits for them; what stands
//! still is let go on when the run ends. Start reading at [`Fault::parse`] and [`Faults::begin`].

use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tacho_core::units::{exact_span, parse_duration};
use tacho_core::{Clock, Error, ErrorKind, Result, nearest};
use tacho_servers::Park;
use tacho_store::record::FaultRecord;

use crate::build::clock;
use crate::{Context, Job};

/// One fault, as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    at: Duration,
    action: Action,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Action {
    /// Kills a server; starts it again after a while, if at all.
    Kill { server: Option<String>, lasts: Option<Duration> },
    /// Lets it stand still for a while.
    Pause { server: Option<String>, lasts: Duration },
    /// Stops it in good order and starts it again.
    Restart { server: Option<String> },
    /// Kills it, and lets its replica take its place.
    FailOver { server: Option<String> },
    /// Makes a replica take writes.
    Promote { server: String },
    /// Runs a command of the user.
    Run(String),
}

const WORDS: [&str; 5] = ["kill", "pause", "restart", "failover", "promote"];
const EXAMPLE: &str = "write it as 'at=30s kill', 'at=30s kill for=5s', 'at=30s pause for=2s', \
                       'at=30s restart' or 'at=30s failover'";

impl Fault {
    /// Reads `at=SPAN WORD [SERVER] [for=SPAN]`.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let invalid =
            |why: String| Error::usage(format!("invalid fault \"{text}\": {why}")).hint(EXAMPLE);
        let (mut at, mut lasts, mut words) = (None, None, Vec::new());
        for word in text.split_whitespace() {
            match word.split_once('=') {
                Some(("at", span)) => at = Some(parse_duration(span)?),
                Some(("for", span)) => lasts = Some(parse_duration(span)?),
                Some((key, _)) => return Err(invalid(format!("unknown key \"{key}\""))),
                None => words.push(word),
            }
        }
        let at = at.ok_or_else(|| invalid("at=SPAN is missing".into()))?;
        let (word, server) = match words[..] {
            [word] => (word, None),
            [word, server] => {
                (word, Some(server).filter(|own| *own != "server").map(str::to_owned))
            }
            _ => return Err(invalid("expected a fault and at most one server".into())),
        };
        let action = match (word, lasts, server) {
            ("kill", lasts, server) => Action::Kill { server, lasts },
            ("pause", Some(lasts), server) => Action::Pause { server, lasts },
            ("pause", None, _) => return Err(invalid("for=SPAN is missing".into())),
            ("restart", None, server) => Action::Restart { server },
            ("failover", None, server) => Action::FailOver { server },
            ("promote", None, Some(server)) => Action::Promote { server },
            ("promote", None, None) => {
                return Err(invalid("the name of a replica is missing".into()));
            }
            ("restart" | "failover" | "promote", Some(_), _) => {
                return Err(invalid(format!("{word} takes no for=SPAN")));
            }
            _ => {
                let close = nearest(word, WORDS.into_iter()).join(", ");
                return Err(invalid(format!("unknown fault \"{word}\""))
                    .hint(format!("did you mean {close}?")));
            }
        };
        Ok(Self { at, action })
    }

    /// Reads `at=SPAN COMMAND`.
    pub(super) fn parse_command(text: &str) -> Result<Self> {
        let invalid = || {
            Error::usage(format!("invalid fault command \"{text}\""))
                .hint("write it as 'at=30s ./fail-over.sh'")
        };
        let (at, command) = text.trim().split_once(char::is_whitespace).ok_or_else(invalid)?;
        let at = parse_duration(at.strip_prefix("at=").ok_or_else(invalid)?)?;
        let command = command.trim();
        if command.is_empty() {
            return Err(invalid());
        }
        Ok(Self { at, action: Action::Run(command.to_owned()) })
    }

    /// In words, with the name of the server; of a command only its program, since its words may hold a
    /// password.
    fn words(&self, own: Option<&str>) -> String {
        let name =
            |server: &Option<String>| server.as_deref().or(own).unwrap_or("the server").to_owned();
        match &self.action {
            Action::Kill { server, lasts: None } => format!("kill {}", name(server)),
            Action::Kill { server, lasts: Some(lasts) } => {
                format!("kill {} for {}", name(server), exact_span(*lasts))
            }
            Action::Pause { server, lasts } => {
                format!("pause {} for {}", name(server), exact_span(*lasts))
            }
            Action::Restart { server } => format!("restart {}", name(server)),
            Action::FailOver { server } => format!("fail over {}", name(server)),
            Action::Promote { server } => format!("promote {server}"),
            Action::Run(command) => {
                format!("run {}", command.split_whitespace().next().unwrap_or_default())
            }
        }
    }

    fn server<'a>(&'a self, own: Option<&'a str>) -> Option<&'a str> {
        match &self.action {
            Action::Kill { server, .. }
            | Action::Pause { server, .. }
            | Action::FailOver { server }
            | Action::Restart { server } => server.as_deref().or(own),
            Action::Promote { server } => Some(server),
            Action::Run(_) => None,
        }
    }
}

/// The faults of a run, before it and while it lasts.
pub(super) struct Faults {
    plan: Vec<Fault>,
    /// The private server that the target is.
    own: Option<String>,
    context: Context,
    running: Option<(Sender<()>, JoinHandle<Vec<FaultRecord>>)>,
}

impl Faults {
    /// Reads the faults of a job and finds their servers.
    pub(super) fn of(job: &Job, context: &Context) -> Result<Self> {
        let judgement = &job.resolved.plan.judgement;
        let mut plan = Vec::new();
        for text in &judgement.faults {
            plan.push(Fault::parse(text)?);
        }
        for text in &judgement.fault_commands {
            plan.push(Fault::parse_command(text)?);
        }
        plan.sort_by_key(|fault| fault.at);
        let states = if plan.is_empty() { Vec::new() } else { context.park().list()? };
        let is_own = |name: &str| name == job.target_name || name == job.target_text;
        let own = states.iter().map(|state| state.name.clone()).find(|name| is_own(name));
        for fault in plan.iter().filter(|fault| !matches!(fault.action, Action::Run(_))) {
            let Some(name) = fault.server(own.as_deref()) else {
                let text = format!("{} is not a private server", job.target_text);
                return Err(Error::usage(text)
                    .during("read --fault")
                    .hint("tacho up makes one; --fault-command runs a command of yours"));
            };
            if !states.iter().any(|state| state.name == name) {
                let names = states.iter().map(|state| state.name.as_str());
                let close = nearest(name, names).join(", ");
                return Err(Error::usage(format!("unknown server \"{name}\""))
                    .during("read --fault")
                    .hint(format!("tacho list servers names them; did you mean {close}?")));
            }
        }
        Ok(Self { plan, own, context: context.clone(), running: None })
    }

    /// Starts them: the load begins now.
    pub(super) fn begin(&mut self) {
        if self.plan.is_empty() || self.running.is_some() {
            return;
        }
        let (stop, stopped) = channel();
        let (plan, own, context) = (self.plan.clone(), self.own.clone(), self.context.clone());
        let clock = clock();
        let begin = clock.now();
        let work = move || {
            let mut done = Vec::new();
            for fault in &plan {
                let left = begin.plus(fault.at).since(clock.now());
                if !matches!(stopped.recv_timeout(left), Err(RecvTimeoutError::Timeout)) {
                    break;
                }
                let at = clock.now();
                let wait = |lasts| {
                    let _ = stopped.recv_timeout(lasts);
                };
                let result = perform(fault, own.as_deref(), &context.park(), &wait);
                done.push(FaultRecord {
                    at_s: at.since(begin).as_secs_f64(),
                    what: fault.words(own.as_deref()),
                    took_s: clock.now().since(at).as_secs_f64(),
                    error: result.err().map(|error| error.to_string()),
                });
            }
            done
        };
        let thread = std::thread::Builder::new().name("faults".into()).spawn(work);
        self.running = thread.ok().map(|thread| (stop, thread));
    }

    /// What was done until now. What lasts is ended, and what was due later is not done.
    pub(super) fn end(self) -> Vec<FaultRecord> {
        let mut done = Vec::new();
        if let Some((stop, thread)) = self.running {
            drop(stop);
            done = thread.join().unwrap_or_default();
        }
        for fault in &self.plan[done.len().min(self.plan.len())..] {
            done.push(FaultRecord {
                at_s: fault.at.as_secs_f64(),
                what: fault.words(self.own.as_deref()),
                took_s: 0.0,
                error: Some("the load ended before it".into()),
            });
        }
        done
    }
}

/// Does what a fault asks for; `wait` ends early when the run does.
fn perform(fault: &Fault, own: Option<&str>, park: &Park, wait: &dyn Fn(Duration)) -> Result<()> {
    let name = fault.server(own).unwrap_or_default();
    let go_on = || true;
    match &fault.action {
        Action::Kill { lasts, .. } => {
            park.kill(name)?;
            match lasts {
                Some(lasts) => {
                    wait(*lasts);
                    park.start(name, &go_on)
                }
                None => Ok(()),
            }
        }
        Action::Pause { lasts, .. } => {
            park.pause(name)?;
            wait(*lasts);
            park.resume(name)
        }
        Action::Restart { .. } => park.restart_with(name, &[], &go_on),
        Action::FailOver { .. } => park.fail_over(name),
        Action::Promote { .. } => park.promote(name),
        Action::Run(command) => run(command),
    }
}

fn run(command: &str) -> Result<()> {
    let done = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| Error::from(error).during("run the fault command"))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let text = format!("{}: {}", done.status, said.lines().next_back().unwrap_or_default());
    Err(Error::new(ErrorKind::Other, text).during("run the fault command"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_read_and_named() -> Result<()> {
        let table = [
            ("at=60s kill server", 60, "kill pg"),
            ("kill at=1m for=5s", 60, "kill pg for 5s"),
            ("at=2s pause other for=500ms", 2, "pause other for 500ms"),
            ("at=2s restart", 2, "restart pg"),
            ("at=2s failover", 2, "fail over pg"),
            ("at=2s promote pg-replica", 2, "promote pg-replica"),
        ];
        for (text, at, words) in table {
            let fault = Fault::parse(text)?;
            assert_eq!((fault.at.as_secs(), fault.words(Some("pg"))), (at, words.into()), "{text}");
        }
        let command = Fault::parse_command("at=3s ./fail.sh --password x")?;
        assert_eq!((command.at.as_secs(), command.words(None)), (3, "run ./fail.sh".into()));
        Ok(())
    }

    #[test]
    fn what_is_no_fault_is_refused_with_an_example() {
        let bad = [
            "",
            "kill",
            "at=5s",
            "at=5 kill",
            "at=5s kil",
            "at=5s pause",
            "at=5s promote",
            "at=5s restart for=2s",
            "at=5s kill a b",
            "in=5s kill",
        ];
        for text in bad {
            let error = Fault::parse(text).expect_err(text);
            assert!(!error.hints().is_empty(), "{text}: {error}");
        }
        for text in ["", "at=5s", "5s x", "at=x y"] {
            assert!(Fault::parse_command(text).is_err(), "{text}");
        }
    }
}
