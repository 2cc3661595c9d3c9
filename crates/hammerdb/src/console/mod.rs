//! HammerDB's commands as a state machine that turns commands into output lines and values.
//!
//! The console never blocks. Long commands continue in the background, and [`Console::hear`] returns their output.
//!
//! Start reading at [`Console::call`].

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

/// The environment of a console.
#[derive(Clone)]
pub struct Setup {
    /// The use cases' environment.
    pub context: Context,
    /// The folder for logs and other files that HammerDB's users expect.
    pub temp: PathBuf,
    /// The Tcl library that virtual users load to run scripts.
    pub tcl: Library,
    /// The actual duration of one minute in a script. It is shorter only in tests and trial runs.
    pub minute: Duration,
    /// Number of gigabytes that correspond to a scale factor of 1. This is 1 except in tests and trial runs.
    pub gigabyte: f64,
    /// The token for connecting to an agent on another machine, if any.
    pub agent_token: Option<String>,
}

/// The result of calling a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// The command has finished without a value.
    Done,
    /// The command has finished with a value, which still has to be printed.
    Value(String),
    /// The command has finished with a value, which has already been printed.
    Printed(String),
    /// The command has finished and printed a text. In Python, this text is also the command's value.
    Shown(String),
    /// The command has failed. A script can catch this error.
    Failed(String),
    /// The command is still running. [`Console::hear`] returns its output, and [`Console::ended`] returns its result.
    Wait,
}

/// A console.
#[expect(clippy::struct_excessive_bools, reason = "independent switches, read by name")]
pub struct Console {
    setup: Setup,
    dictionary: Dictionary,
    /// The file that stores settings for the next session, if requested.
    kept: Option<SettingsFile>,
    /// True if the settings from earlier sessions have been listed already.
    told_earlier: bool,
    users: Users,
    jobs: Jobs,
    /// True if this session neither stores nor shows jobs.
    jobs_off: bool,
    log: Option<Log>,
    /// The work in progress, and the text with which the value that it returns will start.
    work: Option<(Work, &'static str)>,
    /// The result of the work, once it has finished.
    ended: Option<Next>,
    /// Lines to print when all virtual users have finished.
    epilogue: Vec<String>,
    background: Background,
    /// This console's role if it is connected to other consoles.
    mode: Mode,
    /// True if a primary started the current work, so that this console does not wait for it.
    told_to_run: bool,
    /// The step workload in progress.
    step: Option<Step>,
    /// True if the user has asked for the work in progress to stop.
    wants_to_stop: bool,
    /// The web service, if it has been started.
    web: Option<crate::web::Service>,
    /// Settings of commit pipelines.
    ci: ci::CiValues,
    /// Output lines that have not been fetched yet.
    out: Vec<String>,
    /// The first failure of a build, check, deletion or run.
    failure: Option<Exit>,
    /// The plan into which a script is being translated. While it is present, commands are recorded but not run.
    plan: Option<Plan>,
}

impl Console {
    /// Creates a console with the default settings of a new session.
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

    /// Loads the settings that earlier sessions stored. From now on, the settings of this session are stored as well.
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

    /// Lists the settings of earlier sessions before they first take effect. They are listed only once.
    fn tell_earlier_settings(&mut self) {
        let Some(file) = self.kept.as_ref().filter(|_| !self.mode.is_replica()) else { return };
        let settings = self.dictionary.earlier();
        if settings.is_empty() || std::mem::replace(&mut self.told_earlier, true) {
            return;
        }
        let (settings, path) = (settings.join(", "), file.path().display());
        self.say(format!("Settings from earlier scripts apply: {settings}; remove {path} to start with the defaults"));
    }

    /// Adds the folder with this session's jobs to the settings file, so that sessions started elsewhere can find the
    /// jobs.
    pub(super) fn keep_folder(&mut self) {
        let Some(file) = &self.kept else { return };
        let folder = std::path::absolute(&self.setup.context.folder);
        let noted = folder.map_err(Into::into).and_then(|folder| file.put_folder(&folder));
        if let Err(error) = noted {
            let text = format!("Error: settings will not be saved: {}", crate::work::words(&error));
            self.kept = None;
            self.say(text);
        }
    }

    /// Stores the settings that were made since the last call. A replica does not do this, because its primary already
    /// stores them.
    fn save_settings(&mut self) {
        let unsaved = self.dictionary.take_unsaved();
        let Some(file) = self.kept.as_ref().filter(|_| !self.mode.is_replica()) else { return };
        if unsaved.is_empty() {
            return;
        }
        if let Err(error) = file.put(unsaved) {
            let text = format!("Error: settings will not be saved: {}", crate::work::words(&error));
            self.kept = None;
            self.say(text);
        }
    }

    /// Calls a command by name. Fails if the name is unknown.
    pub fn call(&mut self, name: &str, arguments: &[&str]) -> Next {
        let Some(command) = command(name) else {
            return Next::Failed(format!("invalid command name \"{name}\""));
        };
        // Each command checks its own arguments.
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

    /// Returns the lines printed since the last call, except lines of the counter and the metrics.
    pub fn hear(&mut self) -> Vec<String> {
        while let Some(event) = self.work.as_ref().and_then(|(work, _)| work.events.try_recv().ok())
        {
            self.handle(event);
        }
        self.hear_background();
        self.hear_mode();
        std::mem::take(&mut self.out)
    }

    /// Returns the result of a command that first returned [`Next::Wait`] and has now finished.
    pub fn ended(&mut self) -> Option<Next> {
        if self.step.is_some() || self.mode.is_waiting() {
            return None;
        }
        self.ended.take()
    }

    /// Stops the current work gracefully on the first call and immediately on the second.
    pub fn stop(&mut self) {
        self.wants_to_stop = true;
        if let Some((work, _)) = &self.work {
            work.stop();
        }
        for replica in self.mode.replicas().iter_mut().filter(|replica| replica.running) {
            replica.call(&["vudestroy"]);
        }
    }

    /// Returns true if a build, check, deletion or run is in progress.
    pub fn is_busy(&self) -> bool {
        self.work.is_some() || self.step.is_some()
    }

    /// Returns true if this console is a replica, which runs the commands of a primary.
    pub fn is_replica(&self) -> bool {
        self.mode.is_replica()
    }

    /// Returns the exit code of the first failure, if any.
    pub fn failure(&self) -> Option<Exit> {
        self.failure
    }

    /// Records a failure. The first failure determines the exit code.
    pub fn failed(&mut self, exit: Exit) {
        self.failure.get_or_insert(exit);
    }

    /// Returns the folder for files that HammerDB's users expect.
    pub fn temp(&self) -> &std::path::Path {
        &self.setup.temp
    }

    /// Sets the folder for files that HammerDB's users expect.
    pub fn set_temp(&mut self, folder: PathBuf) {
        self.setup.temp = folder;
    }

    /// Prints a line.
    fn say(&mut self, text: impl Into<String>) {
        self.out.push(text.into());
    }

    /// Prints one or more lines and returns them as the value.
    fn printed(&mut self, text: impl Into<String>) -> Next {
        let text = text.into();
        self.out.extend(text.lines().map(str::to_owned));
        Next::Printed(text)
    }

    /// Prints a text, which is also the command's value in Python.
    fn shown(&mut self, text: impl Into<String>) -> Next {
        let text = text.into();
        self.out.extend(text.lines().map(str::to_owned));
        Next::Shown(text)
    }

    /// Prints an error about a command's arguments, followed by the command's usage.
    fn usage(&mut self, name: &str, what: &str) -> Next {
        let usage = command(name).map_or("", |command| command.usage);
        self.complain(format!("Error: {what}\nUsage: {usage}"))
    }

    /// Prints a text such as an error message. The script continues, as in HammerDB.
    fn complain(&mut self, text: impl AsRef<str>) -> Next {
        self.out.extend(text.as_ref().lines().map(str::to_owned));
        Next::Done
    }

    /// Starts work that takes time.
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

    /// Prints a result of the test driver's transactions, if output is enabled. Other results and errors are always
    /// printed, as in HammerDB.
    fn user_prints(&mut self, user: u32, text: &str) {
        if self.dictionary.generic("virtual_user_options", "show_output") == "0" {
            return self.log(&format!("Vuser {user}:{text}"));
        }
        self.user_says(user, text);
    }

    /// Prints a line of virtual user output on the console and writes it to the log.
    fn line(&mut self, text: String) {
        self.log(&text);
        self.out.push(text);
    }

    fn user_is(&mut self, user: u32, state: State) {
        self.users.set(user, state);
        let text = format!("Vuser {user}:{}", state.line());
        self.jobs.says(0, &text);
        // Changes of a virtual user's state are logged and printed even if its output is disabled.
        self.log(&text);
        self.say(text);
    }

    fn log(&mut self, text: &str) {
        if let Some(trouble) = self.log.as_mut().and_then(|log| log.write(text)) {
            self.no_log(trouble);
        }
    }

    /// Closes the log after an error. The current work continues, but the script's exit code will show the failure.
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
        // Data generation returns no value, because it is not recorded as a job and therefore has no job ID.
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
        self.tell_of_jobs();
        if !self.users.exist() {
            self.log = None;
        }
        self.ended = Some(Next::Printed(value));
        self.answer_over(exit == Exit::Success);
    }
}
