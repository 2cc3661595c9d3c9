//! Injects faults at given times during the load. A fault affects a private server or runs a command that the user
//! specified.
//!
//! A separate thread runs the faults, so that sessions never wait for them. Suspended processes are resumed at the end
//! of the run.
//!
//! Start reading at [`Faults::of`] and [`Faults::begin`].

mod fault;

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tacho_core::{Clock, Error, ErrorKind, Result};
use tacho_driver::{Driver, Target};
use tacho_servers::{Passage, Proxy};
use tacho_store::event::MarkKind;
use tacho_store::journal::FaultState;
use tacho_store::record::FaultRecord;

use super::marks::Mark;
use crate::clock::clock;
use crate::repair::during;
use crate::settle::checkpoint;
use crate::{Context, Request};
use fault::{Action, Fault};

/// The faults of a run. Some of them may already have been injected.
pub(super) struct Faults {
    plan: Vec<Fault>,
    /// The name of the target, if it is a private server.
    server: Option<String>,
    context: Context,
    /// The run's driver, target and first table set, for faults that do not need a private server.
    database: (Arc<dyn Driver>, Target, u32),
    /// The proxy between the sessions and the server, if there are network faults.
    proxy: Option<Arc<Proxy>>,
    running: Option<(Sender<()>, JoinHandle<Vec<FaultRecord>>)>,
    /// The channel that receives a mark whenever a fault begins or ends.
    marks: Option<Receiver<Mark>>,
}

impl Faults {
    /// Parses a job's faults and finds the servers that they affect.
    pub(super) fn of(request: Request<'_>) -> Result<Self> {
        let Request { job, context } = request;
        let judgement = &job.resolved.plan.judgement;
        let mut plan = Vec::new();
        for text in &judgement.faults {
            plan.push(Fault::parse(text)?);
        }
        for text in &judgement.fault_commands {
            plan.push(Fault::parse_command(text)?);
        }
        plan.sort_by_key(|fault| fault.at);
        let states = if plan.is_empty() { Vec::new() } else { context.server_pool().list()? };
        let is_own = |name: &str| name == job.target_name || name == job.target_text;
        let server = states.iter().map(|state| state.name.clone()).find(|name| is_own(name));
        let anywhere = |fault: &&Fault| matches!(fault.action, Action::Run(_) | Action::Checkpoint);
        for fault in plan.iter().filter(|fault| !anywhere(fault)) {
            let Some(name) = fault.server(server.as_deref()) else {
                let text = format!("{} is not a private server", job.target_text);
                return Err(Error::usage(text).during("read --fault").hint(
                    "create a private server with tacho up, or run your own command with --fault-command",
                ));
            };
            if !states.iter().any(|state| state.name == name) {
                let names = states.iter().map(|state| state.name.as_str());
                return Err(Error::usage(format!("unknown server \"{name}\""))
                    .during("read --fault")
                    .did_you_mean(name, names)
                    .hint("tacho list servers lists all servers"));
            }
        }
        for fault in &plan {
            let Some(name) = fault.server(server.as_deref()) else { continue };
            match fault.action {
                Action::Fill { .. } => context.server_pool().require_own_disk(name)?,
                Action::Slow { .. } => context.server_pool().require_slow_disk(name)?,
                _ => {}
            }
        }
        let of_network = plan.iter().any(Fault::is_of_network);
        if of_network && !job.resolved.plan.data.routes.is_empty() {
            return Err(Error::usage("network faults are not supported with --route")
                .during("read --fault")
                .hint("use one target"));
        }
        let database = (Arc::clone(&job.driver), job.target.clone(), job.first_set());
        let (context, proxy, running, marks) = (context.clone(), None, None, None);
        Ok(Self { plan, server, context, database, proxy, running, marks })
    }

    /// Returns the proxy that interrupts the sessions' traffic, if the plan contains network faults.
    pub(super) fn target(&mut self) -> Result<Option<Target>> {
        let of_network = self.plan.iter().any(Fault::is_of_network);
        let Some(server) = self.server.as_deref().filter(|_| of_network) else { return Ok(None) };
        let (proxy, target) = self.context.server_pool().proxied(server)?;
        self.proxy = Some(Arc::new(proxy));
        Target::parse(&target).map(Some)
    }

    /// Starts the fault thread when the load starts.
    pub(super) fn begin(&mut self) {
        if self.plan.is_empty() || self.running.is_some() {
            return;
        }
        let (stop, stopped) = channel();
        let (plan, server, context) =
            (self.plan.clone(), self.server.clone(), self.context.clone());
        let (proxy, database) = (self.proxy.clone(), self.database.clone());
        let clock = clock();
        let begin = clock.now();
        let (mark, marks) = channel();
        let work = move || {
            let mut done = Vec::new();
            for fault in &plan {
                let left = begin.plus(fault.at).since(clock.now());
                if !matches!(stopped.recv_timeout(left), Err(RecvTimeoutError::Timeout)) {
                    break;
                }
                let at = clock.now();
                let at_s = at.since(begin).as_secs_f64();
                let what = fault.words(server.as_deref());
                let _ = mark.send((at_s, MarkKind::FaultBegins, format!("fault begins: {what}")));
                let wait = |lasts| {
                    let _ = stopped.recv_timeout(lasts);
                };
                let result = match &fault.action {
                    Action::Checkpoint => write_checkpoint(&database, &context),
                    _ => perform(fault, server.as_deref(), &context, proxy.as_deref(), &wait),
                };
                let error = result.err().map(|error| error.to_string());
                let took_s = clock.now().since(at).as_secs_f64();
                let text = match &error {
                    Some(error) => format!("fault failed: {what}: {error}"),
                    None => format!("fault ends: {what}"),
                };
                let _ = mark.send((at_s + took_s, MarkKind::FaultEnds, text));
                done.push(FaultRecord {
                    at_s,
                    what,
                    took_s,
                    proxied: fault.is_of_network(),
                    error,
                    ..FaultRecord::default()
                });
            }
            done
        };
        let thread = std::thread::Builder::new().name("faults".into()).spawn(work);
        self.running = thread.ok().map(|thread| (stop, thread));
        self.marks = Some(marks);
    }

    /// Returns true if any faults are planned.
    pub(super) fn is_planned(&self) -> bool {
        !self.plan.is_empty()
    }

    /// Returns a mark for each fault that has begun or ended since the last call.
    pub(super) fn marks(&self) -> Vec<Mark> {
        self.marks.iter().flat_map(Receiver::try_iter).collect()
    }

    /// Ends all faults that are still in effect, and returns the records of all planned faults. If a fault was not
    /// injected because the load ended first, its record contains an error.
    pub(super) fn end(self) -> Vec<FaultRecord> {
        let mut done = Vec::new();
        if let Some((stop, thread)) = self.running {
            drop(stop);
            done = thread.join().unwrap_or_default();
        }
        for fault in &self.plan[done.len().min(self.plan.len())..] {
            done.push(FaultRecord {
                at_s: fault.at.as_secs_f64(),
                what: fault.words(self.server.as_deref()),
                took_s: 0.0,
                proxied: fault.is_of_network(),
                error: Some("the load ended before the fault".into()),
                ..FaultRecord::default()
            });
        }
        done
    }
}

/// Injects a fault. `wait` waits for the given time but returns early if the run ends.
fn perform(
    fault: &Fault,
    server: Option<&str>,
    context: &Context,
    proxy: Option<&Proxy>,
    wait: &dyn Fn(Duration),
) -> Result<()> {
    let (pool, name) = (context.server_pool(), fault.server(server).unwrap_or_default());
    let go_on = || true;
    match &fault.action {
        Action::Kill { lasts: None, .. } => pool.kill(name),
        Action::Kill { lasts: Some(lasts), .. } => {
            during(context, name, FaultState::Stopped, || {
                pool.kill(name)?;
                wait(*lasts);
                pool.start(name, &go_on)
            })
        }
        Action::Pause { lasts, .. } => during(context, name, FaultState::Paused, || {
            pool.pause(name)?;
            wait(*lasts);
            pool.resume(name)
        }),
        Action::Restart { .. } => {
            during(context, name, FaultState::Stopped, || pool.restart_with(name, &[], &go_on))
        }
        Action::FailOver { .. } => {
            during(context, name, FaultState::FailingOver, || pool.fail_over(name))
        }
        Action::Promote { .. } => pool.promote(name),
        Action::Cut { lasts } => passes(proxy, Passage::Held, || wait(*lasts)),
        Action::Reset { lasts } => {
            passes(proxy, Passage::Closed, || wait(lasts.unwrap_or_default()))
        }
        Action::Delay { by, lasts } => passes(proxy, Passage::Open(*by), || wait(*lasts)),
        Action::Fill { lasts, .. } => during(context, name, FaultState::Filled, || {
            let ballast = pool.fill(name)?;
            wait(*lasts);
            ballast.remove()?;
            pool.start(name, &go_on)
        }),
        Action::Slow { iops, lasts, .. } => {
            let disk = pool.slow_disk(name, *iops)?;
            wait(*lasts);
            disk.remove()
        }
        Action::Run(command) => run(command),
        // Nothing to do here. A checkpoint needs the run's target rather than a private server, so the caller
        // requests it.
        Action::Checkpoint => Ok(()),
    }
}

fn write_checkpoint(
    (driver, target, set): &(Arc<dyn Driver>, Target, u32),
    context: &Context,
) -> Result<()> {
    if checkpoint(driver.as_ref(), target, *set, context)? {
        return Ok(());
    }
    let text = format!("{} does not write checkpoints on request", driver.manifest().title);
    Err(Error::new(ErrorKind::Unsupported, text))
}

/// Changes how the proxy handles traffic, until the function `lasts` returns. Afterwards, traffic passes normally
/// again.
fn passes(proxy: Option<&Proxy>, passage: Passage, lasts: impl FnOnce()) -> Result<()> {
    let proxy = proxy.ok_or_else(|| Error::usage("the sessions are not using a proxy"))?;
    proxy.set(passage);
    lasts();
    proxy.set(Passage::Open(Duration::ZERO));
    Ok(())
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
