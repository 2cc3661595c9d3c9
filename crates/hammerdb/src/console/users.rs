//! Implements the virtual users' commands: `vucreate`, `vurun`, `vustatus`, `vucomplete` and `vudestroy`.

use std::time::Duration;

use super::log::{self, Log};
use super::{Console, Next};
use crate::dictionary::Benchmark;
use crate::jobs::Beginning;
use crate::work::request::{self, RunPlan};
use crate::work::tproch::{self, StreamsTask};
use crate::work::{CustomTask, Repeat, RunTask, State, Task};

/// The virtual users that exist.
#[expect(clippy::struct_excessive_bools, reason = "independent facts, read by name")]
#[derive(Debug, Default)]
pub(super) struct Users {
    /// States of the virtual users. If there is a monitor, it comes first.
    states: Vec<State>,
    monitor: bool,
    /// True if the virtual users belong to a build, check or deletion. The script need not destroy such users.
    passing: bool,
    /// True if a driver script is loaded.
    pub(super) script: bool,
    /// Text of a custom script, which replaces the built-in one.
    pub(super) custom: Option<String>,
    /// True if the custom script has a monitor, which is an additional virtual user.
    pub(super) custom_monitor: bool,
    /// ID of this session's first job. Present only if the log's name contains this ID.
    job_id: Option<String>,
    /// True if any work has been started in this session.
    started: bool,
}

impl Users {
    pub(super) fn create(&mut self, count: u32, monitor: bool, passing: bool) {
        self.states = vec![State::Idle; count as usize];
        self.started |= passing;
        (self.monitor, self.passing) = (monitor, passing);
    }

    /// Returns true if there are virtual users that must be destroyed first.
    pub(super) fn exist(&self) -> bool {
        !(self.states.is_empty() || self.passing && self.are_done())
    }

    pub(super) fn destroy(&mut self) {
        self.states.clear();
        self.job_id = None;
    }

    pub(super) fn set(&mut self, user: u32, state: State) {
        if let Some(place) = self.states.get_mut((user as usize).wrapping_sub(1)) {
            *place = state;
        }
    }

    /// Marks all virtual users as finished. Scripts wait for this, even if the work is only planned and no virtual user
    /// runs.
    fn finish(&mut self) {
        self.states.fill(State::Success);
    }

    fn are_done(&self) -> bool {
        self.states.iter().all(|state| matches!(state, State::Success | State::Failed))
    }

    /// Returns the number of virtual users that run transactions.
    pub(super) fn active(&self) -> u32 {
        self.states.len() as u32 - u32::from(self.monitor)
    }

    pub(super) fn count(&self) -> usize {
        self.states.len()
    }
}

impl Console {
    /// Returns the value of a numeric virtual user option.
    fn user_option(&self, key: &str) -> u64 {
        self.dictionary.generic("virtual_user_options", key).parse().unwrap_or(0)
    }

    fn has_monitor(&self) -> bool {
        if self.users.custom.is_some() {
            return self.users.custom_monitor;
        }
        // Query streams do not have a monitor.
        self.dictionary.benchmark == Benchmark::TprocC && self.dictionary.common("driver") != "test"
    }

    pub(super) fn vucreate(&mut self, _: &[&str]) -> Next {
        if self.users.exist() {
            return self
                .complain("Error: Virtual Users exist, destroy with vudestroy before creating");
        }
        if !self.users.script {
            self.loadscript(&[]);
        }
        let monitor = self.has_monitor();
        let wanted = match self.dictionary.generic("virtual_user_options", "virtual_users") {
            "vcpu" => super::rest::cpus(),
            number => number.parse().unwrap_or(1).max(1),
        };
        let count = wanted + u32::from(monitor);
        self.users.create(count, monitor, false);
        self.open_log_of_users();
        for user in 1..=count {
            let role = if monitor && user == 1 { " MONITOR" } else { "" };
            self.say(format!("Vuser {user} created{role} - WAIT IDLE"));
        }
        let with = if monitor { " with Monitor VU" } else { "" };
        self.say(format!("{count} Virtual Users Created{with}"));
        Next::Done
    }

    pub(super) fn vurun(&mut self, _: &[&str]) -> Next {
        if self.work.is_some() {
            return self.complain("Error: Cannot call vurun with Virtual Users already active");
        }
        if !self.users.exist() {
            self.vucreate(&[]);
        }
        self.users.started = true;
        if !self.users.script {
            return self.complain("Error: There is no workload to run because the Script is empty");
        }
        let users = self.users.active();
        if let Some(text) = self.users.custom.clone() {
            return self.begin_custom(text, users);
        }
        if self.dictionary.benchmark == Benchmark::TprocH {
            return self.begin_streams(users);
        }
        let plan = match request::run(&self.dictionary, users, self.setup.minute) {
            Ok(plan) => plan,
            Err(text) => return Next::Failed(text),
        };
        if let Some(planned) = &mut self.plan {
            planned.run(&plan);
            self.users.finish();
            return Next::Printed("Benchmark Run (No jobid)".into());
        }
        self.begin_run(plan, users)
    }

    fn begin_run(&mut self, mut plan: RunPlan, users: u32) -> Next {
        plan.replica = self.mode.is_replica();
        if self.mode.is_shared() || self.step.is_some() {
            plan.flags.push(("shared".into(), vec!["yes".into()]));
        }
        // A test run is not recorded as a job, as in HammerDB.
        let id = if plan.test { None } else { self.begin_job("run", users) };
        let profile_file =
            self.temp_file("hdbxtprofile", "timeprofile", "xt_unique_log_name", id.as_deref());
        let mut tags = vec!["hammerdb".to_owned()];
        tags.extend(id);
        let repeat = self.repeat();
        let task = RunTask {
            plan,
            result_name: self.dictionary.database().result_name,
            minute: self.setup.minute,
            repeat,
            tags,
            profile_file,
        };
        self.begin(Task::Run(Box::new(task)), "Benchmark Run")
    }

    fn begin_custom(&mut self, text: String, active: u32) -> Next {
        if let Some(planned) = &mut self.plan {
            planned.leave_out(
                "a custom script cannot be translated because its virtual users run Tcl",
            );
            self.users.finish();
            return Next::Printed("Benchmark Run (No jobid)".into());
        }
        self.begin_job("run", active);
        let task = CustomTask {
            text,
            users: self.users.count() as u32,
            delay: Duration::from_millis(self.user_option("user_delay")),
            repeat: self.repeat(),
            library: self.setup.tcl.clone(),
        };
        self.begin(Task::Custom(Box::new(task)), "Benchmark Run")
    }

    fn begin_streams(&mut self, users: u32) -> Next {
        let (gigabyte, minute) = (self.setup.gigabyte, self.setup.minute);
        let plan = match tproch::streams(&self.dictionary, users, gigabyte, minute) {
            Ok(plan) => plan,
            Err(text) => return Next::Failed(text),
        };
        if let Some(planned) = &mut self.plan {
            planned.streams(&plan);
            self.users.finish();
            return Next::Printed("Benchmark Run (No jobid)".into());
        }
        let id = self.begin_job("run", users);
        let mut tags = vec!["hammerdb".to_owned()];
        tags.extend(id);
        let prefix = self.dictionary.database().prefix;
        let task = StreamsTask { plan, prefix, repeat: self.repeat(), tags };
        self.begin(Task::Streams(Box::new(task)), "Benchmark Run")
    }

    /// Returns the number of repetitions of a run and the pause between them.
    fn repeat(&self) -> Repeat {
        let times = u32::try_from(self.user_option("iterations")).unwrap_or(1).max(1);
        Repeat { times, pause: Duration::from_millis(self.user_option("repeat_delay")) }
    }

    /// Starts a job, unless the job repository is disabled. If this fails, prints an error.
    pub(super) fn begin_job(&mut self, kind: &'static str, users: u32) -> Option<String> {
        if self.jobs_off {
            return None;
        }
        let profile =
            self.dictionary.generic("commandline", "jobs_profile_id").parse().unwrap_or(0);
        let id = self.users.job_id.take();
        self.place_jobs();
        let beginning = Beginning { id, kind, dictionary: &self.dictionary, users, profile };
        match self.jobs.begin(&beginning) {
            Ok(id) => {
                self.tell_of_jobs();
                self.count_from_zero();
                self.keep_folder();
                Some(id)
            }
            Err(error) => {
                self.say(format!("Error: {}", crate::work::words(&error)));
                None
            }
        }
    }

    /// Returns the path of a file in the temporary folder. Its name contains the job ID if names must be unique.
    pub(super) fn temp_file(
        &self,
        stem: &str,
        section: &str,
        unique: &str,
        id: Option<&str>,
    ) -> std::path::PathBuf {
        let unique = self.dictionary.generic(section, unique) == "1";
        let name = match id {
            Some(id) if unique => format!("{stem}_{id}.log"),
            _ => format!("{stem}.log"),
        };
        self.setup.temp.join(name)
    }

    /// Opens the log before the virtual users run for the first time. Its name contains the first job's ID if log names
    /// must be unique.
    fn open_log_of_users(&mut self) {
        if self.plan.is_some() {
            return;
        }
        let id = crate::jobs::new_id();
        self.open_log(Some(&id));
        self.users.job_id = self.log.is_some().then_some(id);
    }

    /// Opens the log of the virtual users, if logging is enabled.
    pub(super) fn open_log(&mut self, id: Option<&str>) {
        if self.user_option("log_to_temp") != 1 {
            return;
        }
        let path = self.temp_file("hammerdb", "virtual_user_options", "unique_log_name", id);
        let timestamps = self.user_option("log_timestamps") == 1;
        match Log::open(&path, &log::USERS, timestamps) {
            Ok(log) => {
                self.log = Some(log);
                self.say(format!("Logging activated to {}", path.display()));
            }
            Err(text) => self.no_log(text),
        }
    }

    pub(super) fn vustatus(&mut self, _: &[&str]) -> Next {
        if self.users.states.is_empty() {
            return self.complain("No Virtual Users found");
        }
        let states = (1..).zip(&self.users.states);
        let lines: Vec<String> =
            states.map(|(user, state): (u32, _)| format!(" {user} = {}", state.words())).collect();
        self.printed(lines.join("\n"))
    }

    pub(super) fn vucomplete(&mut self, _: &[&str]) -> Next {
        let done = self.users.started && self.work.is_none() && self.users.are_done();
        Next::Value(done.to_string())
    }

    pub(super) fn vudestroy(&mut self, _: &[&str]) -> Next {
        if self.users.states.is_empty() {
            return self.complain("No Virtual Users found to destroy");
        }
        if self.work.is_some() {
            self.stop();
            return self
                .complain("Virtual Users remain running in background or shutting down, retry");
        }
        self.users.destroy();
        self.log = None;
        self.complain("vudestroy success")
    }

    /// Destroys the virtual users if their work was stopped and they have all finished.
    pub fn destroy_stopped(&mut self) {
        if self.work.is_none() && self.users.exist() && self.users.are_done() {
            self.vudestroy(&[]);
        }
    }
}
