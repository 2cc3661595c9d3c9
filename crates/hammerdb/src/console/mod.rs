//! The console: HammerDB's commands as a state machine. A name and arguments go in, lines and a
//! value come out.
//!
//! It knows neither Tcl nor Python nor a terminal, and it never waits: what takes time continues
//! behind it, and [`Console::hear`] gives the lines that have come since. Start reading at
//! [`Console::call`].

mod background;
mod ci;
mod commands;
mod counter;
mod datagen;
mod globals;
mod help;
mod jobs;
mod log;
mod metrics;
mod mode;
mod plan;
mod print;
mod rest;
mod schema;
mod script;
mod settings;
mod step;
mod users;
mod web;

use std::path::PathBuf;
use std::time::Duration;

use tacho_app::{Context, Exit};

pub use commands::{COMMANDS, Command, command};

use crate::dictionary::{Dictionary, SettingsFile};
use crate::jobs::{ALL_COMPLETE, Jobs};
use crate::tcl::Library;
use crate::work::{Event, State, Task, Work};
use background::Background;
use log::Log;
use mode::Mode;
use plan::Plan;
use step::Step;
use users::Users;

/// What a console may use of the world.
#[derive(Clone)]
pub struct Setup {
    /// The world of the use cases.
    pub context: Context,
    /// Where logs and other files of HammerDB's kind are written.
    pub temp: PathBuf,
    /// The Tcl library for virtual users that run scripts.
    pub tcl: Library,
    /// How long a minute of a script lasts: a minute, but in tests.
    pub minute: Duration,
    /// How many gigabytes a scale factor of 1 is: one, but in tests.
    pub gigabyte: f64,
    /// The token of the agent of another machine, if there is one.
    pub agent_token: Option<String>,
}

/// How a command has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Without a value.
    Done,
    /// With a value, which was not read yet.
    Value(String),
    /// With a value that was printed too.
    Printed(String),
    /// With a text that was printed: no value in Tcl, and the value in Python.
    Shown(String),
    /// It failed, and a script may catch that.
    Failed(String),
    /// Not yet: lines come from [`Console::hear`], and the end from [`Console::ended`].
    Wait,
}

/// A console.
#[expect(clippy::struct_excessive_bools, reason = "independent switches, read by name")]
pub struct Console {
    setup: Setup,
    dictionary: Dictionary,
    /// Where settings are kept for the next session, unless nothing is to be kept.
    kept: Option<SettingsFile>,
    /// Whether the settings of earlier sessions were named.
    told_earlier: bool,
    users: Users,
    jobs: Jobs,
    /// Whether this session keeps and shows no jobs.
    jobs_off: bool,
    log: Option<Log>,
    /// What is running, and how its value begins.
    work: Option<(Work, &'static str)>,
    /// The end of what went on, once it is over.
    ended: Option<Next>,
    /// Lines to be printed when all virtual users are done.
    epilogue: Vec<String>,
    background: Background,
    /// How this console is coupled to others.
    mode: Mode,
    /// Whether a primary started what is running, so that this console does not wait for it.
    told_to_run: bool,
    /// The load in steps that is running.
    step: Option<Step>,
    /// Whether the user wants what is running to stop.
    wants_to_stop: bool,
    /// The web service, if it was started.
    web: Option<crate::web::Service>,
    /// Settings of pipelines.
    ci: ci::CiValues,
    /// Lines not yet taken.
    out: Vec<String>,
    /// The first failure of a build, check, removal or run.
    failure: Option<Exit>,
    /// Set while a script is only translated: nothing is done, and all is written down.
    plan: Option<Plan>,
}

impl Console {
    /// A console with the defaults of a new session.
    pub fn new(setup: Setup) -> Self {
        let jobs = Jobs::open(&setup.context.folder);
        Self {
            setup,
            dictionary: Dictionary::default(),
            kept: None,
            told_earlier: false,
            users: Users::default(),
            jobs,
            jobs_off: false,
            log: None,
            work: None,
            ended: None,
            epilogue: Vec::new(),
            background: Background::default(),
            mode: Mode::default(),
            told_to_run: false,
            step: None,
            wants_to_stop: false,
            web: None,
            ci: ci::CiValues::new(),
            out: Vec::new(),
            failure: None,
            plan: None,
        }
    }

    /// Begins with what earlier sessions have set, and keeps what this one sets.
    pub fn keep_settings(&mut self) -> tacho_core::Result<()> {
        let file = SettingsFile::new(&self.setup.temp);
        if let Some(kept) = file.read()? {
            self.dictionary.restore(&kept.values);
            self.jobs.also(kept.folders);
        }
        self.jobs_off = self.dictionary.generic("commandline", "jobs_disable") == "1";
        self.kept = Some(file);
        Ok(())
    }

    /// Names the settings of earlier sessions that apply, once and before they have an effect.
    fn tell_earlier_settings(&mut self) {
        let Some(file) = self.kept.as_ref().filter(|_| !self.mode.is_replica()) else { return };
        let settings = self.dictionary.earlier();
        if settings.is_empty() || std::mem::replace(&mut self.told_earlier, true) {
            return;
        }
        let (settings, path) = (settings.join(", "), file.path().display());
        self.say(format!("Settings of earlier scripts apply: {settings}; remove {path} to start with the defaults"));
    }

    /// Notes where the jobs of this session are, for sessions that begin in another folder.
    pub(super) fn keep_folder(&mut self) {
        let Some(file) = &self.kept else { return };
        let folder = std::path::absolute(&self.setup.context.folder);
        let noted = folder.map_err(Into::into).and_then(|folder| file.put_folder(&folder));
        if let Err(error) = noted {
            let text = format!("Error: settings are not kept: {}", crate::work::words(&error));
            self.kept = None;
            self.say(text);
        }
    }

    /// Keeps what was set since the last time. A replica's settings are its primary's.
    fn save_settings(&mut self) {
        let unsaved = self.dictionary.take_unsaved();
        let Some(file) = self.kept.as_ref().filter(|_| !self.mode.is_replica()) else { return };
        if unsaved.is_empty() {
            return;
        }
        if let Err(error) = file.put(unsaved) {
            let text = format!("Error: settings are not kept: {}", crate::work::words(&error));
            self.kept = None;
            self.say(text);
        }
    }

    /// Calls a command by its name. A name that is none of ours fails.
    pub fn call(&mut self, name: &str, arguments: &[&str]) -> Next {
        let Some(command) = command(name) else {
            return Next::Failed(format!("invalid command name \"{name}\""));
        };
        // Those with words of their own complain about them themselves.
        if command.usage == name && !arguments.is_empty() {
            return self.usage(name, "Invalid number of arguments");
        }
        if command.has_effect() {
            self.tell_earlier_settings();
        }
        let next = (command.act)(self, arguments);
        self.save_settings();
        self.pass_on(name, arguments, &next);
        next
    }

    /// The lines that have come since the last time, without those of the counter and of the metrics.
    pub fn hear(&mut self) -> Vec<String> {
        while let Some(event) = self.work.as_ref().and_then(|(work, _)| work.events.try_recv().ok())
        {
            self.handle(event);
        }
        self.hear_background();
        self.hear_mode();
        std::mem::take(&mut self.out)
    }

    /// The end of the command that answered [`Next::Wait`], once it is over.
    pub fn ended(&mut self) -> Option<Next> {
        if self.step.is_some() || self.mode.is_waiting() {
            return None;
        }
        self.ended.take()
    }

    /// Asks what is running to stop: in good order, and at once if it was asked before.
    pub fn stop(&mut self) {
        self.wants_to_stop = true;
        if let Some((work, _)) = &self.work {
            work.stop();
        }
        for replica in self.mode.replicas().iter_mut().filter(|replica| replica.running) {
            replica.call(&["vudestroy"]);
        }
    }

    /// Whether a build, check, removal or run continues.
    pub fn is_busy(&self) -> bool {
        self.work.is_some() || self.step.is_some()
    }

    /// Whether this console does what another one does.
    pub fn is_replica(&self) -> bool {
        self.mode.is_replica()
    }

    /// The exit code of the first thing that failed.
    pub fn failure(&self) -> Option<Exit> {
        self.failure
    }

    /// Notes a failure: the first one becomes the exit code.
    pub fn failed(&mut self, exit: Exit) {
        self.failure.get_or_insert(exit);
    }

    /// Where files of HammerDB's kind are written.
    pub fn temp(&self) -> &std::path::Path {
        &self.setup.temp
    }

    /// Tells where files of HammerDB's kind are written from now on.
    pub fn set_temp(&mut self, folder: PathBuf) {
        self.setup.temp = folder;
    }

    /// Says a line.
    fn say(&mut self, text: impl Into<String>) {
        self.out.push(text.into());
    }

    /// Says a line or several, and ends with them as value.
    fn printed(&mut self, text: impl Into<String>) -> Next {
        let text = text.into();
        self.out.extend(text.lines().map(str::to_owned));
        Next::Printed(text)
    }

    /// Says a text that is a value in Python only.
    fn shown(&mut self, text: impl Into<String>) -> Next {
        let text = text.into();
        self.out.extend(text.lines().map(str::to_owned));
        Next::Shown(text)
    }

    /// Says what was wrong with the words of a command, and how it is used.
    fn usage(&mut self, name: &str, what: &str) -> Next {
        let usage = command(name).map_or("", |command| command.usage);
        self.complain(format!("Error: {what}\nUsage: {usage}"))
    }

    /// Says a line or several, such as what was wrong; the script continues, as with HammerDB.
    fn complain(&mut self, text: impl AsRef<str>) -> Next {
        self.out.extend(text.as_ref().lines().map(str::to_owned));
        Next::Done
    }

    /// Begins something that takes time.
    fn begin(&mut self, task: Task, value: &'static str) -> Next {
        self.wants_to_stop = false;
        self.work = Some((Work::start(task, &self.setup.context), value));
        Next::Wait
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Says(user, text) => self.user_says(user, &text),
            Event::Prints(user, text) => self.user_prints(user, &text),
            Event::Error(user, text) => {
                self.jobs.says(user, &text);
                self.line(format!("Error in Virtual User {user}: {text}"));
            }
            Event::Is(user, state) => self.user_is(user, state),
            Event::Record(run) => self.jobs.record(&run),
            Event::Measures => self.measures(),
            Event::Epilogue(text) => self.epilogue.push(text),
            Event::Over(exit) => self.over(exit),
        }
    }

    fn user_says(&mut self, user: u32, text: &str) {
        self.jobs.says(user, text);
        self.line(format!("Vuser {user}:{text}"));
    }

    /// Prints what a transaction of the test driver returned, if output is shown. Nothing else is hidden: results
    /// and errors are printed in any case, as by HammerDB.
    fn user_prints(&mut self, user: u32, text: &str) {
        if self.dictionary.generic("virtual_user_options", "show_output") == "0" {
            return self.log(&format!("Vuser {user}:{text}"));
        }
        self.user_says(user, text);
    }

    /// Prints a line of a virtual user, on the console and in the log.
    fn line(&mut self, text: String) {
        self.log(&text);
        self.out.push(text);
    }

    fn user_is(&mut self, user: u32, state: State) {
        self.users.set(user, state);
        let text = format!("Vuser {user}:{}", state.line());
        self.jobs.says(0, &text);
        // States are recorded whether output is shown or not.
        self.log(&text);
        self.say(text);
    }

    /// Writes a line to the log, if there is one.
    fn log(&mut self, text: &str) {
        if let Some(trouble) = self.log.as_mut().and_then(|log| log.write(text)) {
            self.no_log(trouble);
        }
    }

    /// There is no log any more, or never was: what is running continues, and the script fails in the end.
    fn no_log(&mut self, why: String) {
        self.log = None;
        self.say(why);
        self.failure.get_or_insert(Exit::Target);
    }

    fn over(&mut self, exit: Exit) {
        let Some((_, value)) = self.work.take() else { return };
        self.say(ALL_COMPLETE);
        self.jobs.says(0, ALL_COMPLETE);
        if exit != Exit::Success {
            self.failure.get_or_insert(exit);
        }
        // Files have neither a job nor a value.
        if value.is_empty() {
            self.log = None;
            self.ended = Some(Next::Done);
            return;
        }
        let value = match self.jobs.current_id() {
            Some(id) => format!("{value} jobid={id}"),
            None => format!("{value} (No jobid)"),
        };
        self.say(value.clone());
        let epilogue = std::mem::take(&mut self.epilogue);
        self.out.extend(epilogue);
        if let Err(error) = self.jobs.end(exit == Exit::Success) {
            self.say(format!("Error: {}", crate::work::words(&error)));
        }
        if !self.users.exist() {
            self.log = None;
        }
        self.ended = Some(Next::Printed(value));
        self.answer_over(exit == Exit::Success);
    }
}
