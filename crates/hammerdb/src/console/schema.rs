//! Implements `buildschema`, `checkschema` and `deleteschema`.

use super::{Console, Next};
use crate::dictionary::Benchmark;
use crate::work::request::{self, BuildPlan};
use crate::work::{
    Names, Task, database_name, has_aliases, server, socket, tablespace_key, tproch,
};

impl Console {
    pub(super) fn buildschema(&mut self, _: &[&str]) -> Next {
        if let Some(refused) = self.refuse_with_users("build") {
            return refused;
        }
        let asked = match self.dictionary.benchmark {
            Benchmark::TprocC => request::build(&self.dictionary),
            Benchmark::TprocH => tproch::build(&self.dictionary, self.setup.gigabyte),
        };
        let plan = match asked {
            Ok(plan) => plan,
            // Stop the script if a request is not supported, but not if a value is invalid.
            Err(text) if text.contains("was not run") => return Next::Failed(text),
            Err(text) => {
                self.failure.get_or_insert(tacho_app::Exit::Usage);
                return self.complain(text);
            }
        };
        self.announce_build(&plan);
        if let Some(planned) = &mut self.plan {
            planned.build(&plan);
            return Next::Printed("Schema Build (No jobid)".into());
        }
        self.prepare_users("build", plan.users + u32::from(plan.users > 1));
        let names = self.names();
        self.begin(Task::Build(plan, names), "Schema Build")
    }

    fn announce_build(&mut self, plan: &BuildPlan) {
        let BuildPlan { size, users, .. } = plan;
        let (one, many, ready) = match self.dictionary.benchmark {
            Benchmark::TprocC => {
                let (one, many) = (format!("{size} Warehouses(s)"), format!("{size} Warehouses"));
                (one, many, format!("{size} Warehouse"))
            }
            Benchmark::TprocH => {
                let factor = format!("Scale Factor {size}");
                (factor.clone(), factor.clone(), factor)
            }
        };
        if *users == 1 {
            self.say(format!("Building {one} with 1 Virtual User"));
        } else {
            let key = self.dictionary.key("num_vu");
            self.say(format!(
                "Building {many} with {} Virtual Users, {users} active + 1 \
                 Monitor VU(dict value {key} is set to {users})",
                users + 1
            ));
        }
        let (database, benchmark) = (self.dictionary.database(), self.dictionary.benchmark.name());
        self.say(format!("Ready to create a {ready} {} {benchmark} schema", database.build_name));
        self.say(self.place());
        self.say("Enter yes or no: replied yes");
    }

    /// Describes the destination of a build, using HammerDB's wording.
    fn place(&self) -> String {
        let prefix = self.dictionary.database().prefix;
        let connection = |key: &str| {
            self.dictionary.get("connection", &format!("{prefix}_{key}")).to_uppercase()
        };
        let schema = |key: &str| self.dictionary.common(key).to_uppercase();
        let (user, database) = (schema("user"), schema("dbase"));
        let (host, port) = (connection("host"), connection("port"));
        let port = socket(&self.dictionary).map_or(port, |socket| socket.to_uppercase());
        if prefix == "pg" {
            let (mode, space) = (connection("sslmode"), schema("tspace"));
            return format!(
                "in host {host}:{port} sslmode {mode} under user {user} in database {database} in \
                 tablespace {space}?"
            );
        }
        if prefix == "mssqls" {
            return format!("in host {} in database {database}?", server(&self.dictionary));
        }
        if prefix == "ora" {
            let user = database_name(&self.dictionary).to_uppercase();
            let (instance, key) = (server(&self.dictionary), tablespace_key(&self.dictionary));
            let space = key.map_or("", |key| self.dictionary.get(key.section, key.name));
            let space = space.to_uppercase();
            return format!("in database {instance} under user {user} in tablespace {space}?");
        }
        if has_aliases(&self.dictionary) {
            return format!("under user {user} in database {database}?");
        }
        let engine = schema("storage_engine");
        format!(
            "in host {host}:{port} under user {user} in database {database} with storage engine \
             {engine}?"
        )
    }

    pub(super) fn checkschema(&mut self, _: &[&str]) -> Next {
        self.look("check", "checkschema", "Schema Check", Task::Check)
    }

    pub(super) fn deleteschema(&mut self, _: &[&str]) -> Next {
        let task = Task::Delete;
        self.look("delete", "deleteschema", "Schema Delete", task)
    }

    fn look(
        &mut self,
        verb: &'static str,
        what: &'static str,
        value: &'static str,
        task: fn(request::Flags, Names) -> Task,
    ) -> Next {
        if let Some(refused) = self.refuse_with_users(verb) {
            return refused;
        }
        let flags = match request::data(&self.dictionary, what) {
            Ok(flags) => flags,
            Err(text) => return Next::Failed(text),
        };
        if let Some(planned) = &mut self.plan {
            planned.data(verb, &flags);
            return Next::Printed(format!("{value} (No jobid)"));
        }
        let ing = if verb == "check" { "Checking" } else { "Deleting" };
        self.say(format!("{ing} schema with 1 Virtual User"));
        let name = database_name(&self.dictionary).to_uppercase();
        let benchmark = self.dictionary.benchmark.name();
        self.say(format!("Do you want to {verb} the {name} {benchmark} schema"));
        self.say(format!("in host {}?", server(&self.dictionary)));
        self.say("Enter yes or no: replied yes");
        self.prepare_users(verb, 1);
        self.begin(task(flags, self.names()), value)
    }

    fn refuse_with_users(&mut self, verb: &str) -> Option<Next> {
        if self.work.is_none() && !self.users.exist() {
            return None;
        }
        self.failure.get_or_insert(tacho_app::Exit::Usage);
        let text = format!(
            "Error: Cannot {verb} schema with Virtual Users active, destroy Virtual Users first"
        );
        Some(self.complain(text))
    }

    /// Creates virtual users for a build, check or deletion, and starts the job.
    fn prepare_users(&mut self, kind: &'static str, count: u32) {
        self.users.create(count, false, true);
        let id = self.begin_job(kind, count);
        self.open_log(id.as_deref());
        for user in 1..=count {
            self.say(format!("Vuser {user} created - WAIT IDLE"));
        }
    }

    fn names(&self) -> Names {
        let size = match self.dictionary.benchmark {
            Benchmark::TprocC => self.dictionary.common("count_ware").trim().to_owned(),
            Benchmark::TprocH => tproch::scale(&self.dictionary, self.setup.gigabyte),
        };
        Names {
            benchmark: self.dictionary.benchmark,
            prefix: self.dictionary.database().prefix,
            database: database_name(&self.dictionary).to_owned(),
            user: self.dictionary.common("user").to_owned(),
            size,
            procedures: self.dictionary.is_on("storedprocs"),
            keys: request::option_keys(&self.dictionary),
        }
    }
}
