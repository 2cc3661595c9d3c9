//! Converts the options of sysbench-tpcc, whose script is called `tpcc.lua`.

use tacho_core::Result;

use super::super::options::invalid;
use super::scripts::TPCC;
use super::{Import, OF_A_RUN, no_command};

/// The workload that contains the profile.
const WORKLOAD: &str = "tprocc";
/// Number of warehouses in each set of tables if no option specifies it.
const SCALE: u64 = 100;
/// Values of `--trx_level` and the corresponding isolation levels. The first one is the default.
const LEVELS: [(&str, &str); 3] =
    [("RR", "repeatable-read"), ("RC", "read-committed"), ("SER", "serializable")];

impl Import {
    pub(super) fn tpcc(&mut self, command: &str) -> Result<()> {
        let sets = self.script_number("tables")?.unwrap_or(1);
        let scale = self.script_number("scale")?;
        let level = self.options.take("trx_level").unwrap_or_else(|| LEVELS[0].0.to_owned());
        let known = LEVELS.iter().find(|(name, _)| *name == level);
        let (_, level) = known.ok_or_else(|| invalid("trx_level", &level, "RR, RC or SER"))?;
        let ours = match command {
            "cleanup" => "clean",
            "prepare" | "run" | "check" => command,
            _ => return Err(no_command(command).hint("use prepare, run, check or cleanup")),
        };
        self.level = (command == "run").then_some(*level);
        self.draft.begin(ours, WORKLOAD);
        self.target()?;
        if command == "prepare" || command == "run" {
            self.draft.say("profile", TPCC);
            self.draft.say("scale", scale.unwrap_or(SCALE));
            if scale.is_none() {
                self.draft.note(format!("without --scale, sysbench-tpcc has {SCALE} warehouses"));
            }
        }
        if sets > 1 {
            self.draft.say("sets", sets);
        }
        self.of_the_data(command == "prepare")?;
        match command {
            "prepare" => self.draft.say("sessions", self.threads),
            "run" => {
                self.draft.say("sessions", self.threads);
                self.time()?;
                self.rate()?;
                self.draft.say("form", "simple");
                self.retries();
            }
            _ => {}
        }
        self.discard(&OF_A_RUN);
        self.distribution();
        self.seed()
    }

    /// Converts the options that determine the data. They are needed only for loading, because `run` finds them in
    /// the data.
    fn of_the_data(&mut self, is_loading: bool) -> Result<()> {
        let has_foreign_keys = self.options.switch("use_fk")? != Some(false);
        let has_history_key = self.options.switch("force_pk")? == Some(true);
        if !is_loading {
            self.discard(&["mysql_storage_engine"]);
            return Ok(());
        }
        if !has_foreign_keys {
            self.draft.set("foreign_keys", "none");
        }
        if has_history_key {
            self.draft.set("history_pk", "true");
        }
        self.engine();
        Ok(())
    }
}
