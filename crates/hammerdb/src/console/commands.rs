//! The table of all commands: name, usage, description and implementation.

use super::{Console, Next};

/// A command.
pub struct Command {
    /// Name of the command.
    pub name: &'static str,
    /// Name and arguments.
    pub usage: &'static str,
    /// Description in one line.
    pub about: &'static str,
    pub(super) act: fn(&mut Console, &[&str]) -> Next,
}

/// Commands whose effect can depend on settings that earlier sessions have made.
const EFFECTIVE: [&str; 8] = [
    "buildschema",
    "checkschema",
    "datagenrun",
    "deleteschema",
    "steprun",
    "tcstart",
    "vucreate",
    "vurun",
];

impl Command {
    /// Returns true if the command works on a database or writes data.
    pub(super) fn has_effect(&self) -> bool {
        EFFECTIVE.contains(&self.name)
    }
}

const fn command_of(
    usage: &'static str,
    about: &'static str,
    act: fn(&mut Console, &[&str]) -> Next,
) -> Command {
    Command { name: first_word(usage), usage, about, act }
}

/// The name stands in front of the arguments.
const fn first_word(usage: &'static str) -> &'static str {
    let mut end = 0;
    while end < usage.len() && usage.as_bytes()[end] != b' ' {
        end += 1;
    }
    usage.split_at(end).0
}

/// All commands, in the order of the alphabet.
#[rustfmt::skip]
pub const COMMANDS: &[Command] = &[
    command_of("buildschema", "Build the schema that the dictionary describes", Console::buildschema),
    command_of("checkschema", "Check the schema and the consistency of its data", Console::checkschema),
    command_of("ci ?id?", "Pipelines of commits (always empty)", Console::pipes),
    command_of("cifix", "Prepare a build farm (not supported)", Console::cifix),
    command_of("cilisten", "Listen for commits (not supported)", Console::cilisten),
    command_of("cipush ref ?pipeline? ?workload? ?prefix? ?io_intensive?", "Build and measure a commit (not supported)", Console::cipush),
    command_of("cireset", "Give unfinished pipelines up", Console::cireset),
    command_of("ciset top ?section? key value", "Set a key of pipelines", Console::ciset),
    command_of("cistatus", "Whether commits are listened for", Console::cistatus),
    command_of("cistop", "Listen for commits no longer", Console::cistop),
    command_of("citmp", "The folder for temporary files and that of the jobs", Console::citmp),
    command_of("clearscript", "Forget the loaded script", Console::clearscript),
    command_of("custommonitor test|timed", "Whether one more virtual user monitors those of a custom script", Console::custommonitor),
    command_of("customscript scriptname.tcl", "Load a custom script, which each virtual user runs", Console::customscript),
    command_of("datagenrun", "Write the data to flat files", Console::datagenrun),
    command_of("dbset [db|bm] value", "Choose the database or the benchmark", Console::dbset),
    command_of("deleteschema", "Remove the schema", Console::deleteschema),
    command_of("dgset [vu|ware|warehouse|scale_fact|directory] value", "Set an option of data generation", Console::dgset),
    command_of("diset dict key value", "Set a key of the dictionary", Console::diset),
    command_of("distributescript", "Give the replicas the settings and the script of this console", Console::distributescript),
    command_of("findtempdir", "The folder for temporary files", Console::findtempdir),
    command_of("giset dict key value", "Set a generic key", Console::giset),
    command_of("help ?command?", "The commands, or one of them", Console::help),
    command_of("job ?id? ?what?", "The same as jobs", Console::jobs),
    command_of("jobs ?id? ?what?", "Output and results of earlier builds, checks and runs", Console::jobs),
    command_of("librarycheck", "Which databases have a driver", Console::librarycheck),
    command_of("loadscript", "Load the driver script that the dictionary describes", Console::loadscript),
    command_of("metset [agent_hostname|agent_id] value", "Set an option of the metrics", Console::metset),
    command_of("metstart", "Begin to show the load of the machine", Console::metstart),
    command_of("metstatus", "Whether the load of the machine is shown", Console::metstatus),
    command_of("metstop", "Show the load of the machine no longer", Console::metstop),
    command_of("numberOfCPUs", "Logical CPUs of this machine", Console::number_of_cpus),
    command_of("numberOfWHs", "Warehouses that suit this machine", Console::number_of_whs),
    command_of("pipe ?id?", "The same as ci", Console::pipes),
    command_of("pipes ?id?", "The same as ci", Console::pipes),
    command_of("print [db|bm|ci|dict|generic|script|vuconf|vucreated|vustatus|vucomplete|datagen|tcconf]", "Show a part of the configuration", Console::print),
    command_of("refreshscript", "Load the driver script again", Console::refreshscript),
    command_of("runtimer seconds", "Do nothing (deprecated)", Console::runtimer),
    command_of("savescript file", "Write the commands of this session to a file", Console::savescript),
    command_of("steprun", "Run a load in steps, with replicas on this machine", Console::steprun),
    command_of("switchmode ?Local|Primary|Replica? ?id? ?host?", "Couple consoles of this machine: a primary whose replicas do what it does", Console::switchmode),
    command_of("tcset [refreshrate|logtotemp|unique|timestamps] value", "Set an option of the transaction counter", Console::tcset),
    command_of("tcstart", "Begin to count the transactions of the server", Console::tcstart),
    command_of("tcstatus", "Whether the transactions are counted", Console::tcstatus),
    command_of("tcstop", "Count the transactions no longer", Console::tcstop),
    command_of("vucomplete", "Whether all virtual users are done", Console::vucomplete),
    command_of("vucreate", "Create the virtual users", Console::vucreate),
    command_of("vudestroy", "Destroy the virtual users", Console::vudestroy),
    command_of("vurun", "Run the loaded script", Console::vurun),
    command_of("vuset [vu|delay|repeat|iterations|showoutput|logtotemp|unique|nobuff|timestamps] value", "Set an option of the virtual users", Console::vuset),
    command_of("vustatus", "The state of each virtual user", Console::vustatus),
    command_of("waittocomplete", "Do nothing (deprecated)", Console::waittocomplete),
    command_of("wsport ?n?", "The port of the web service, or another one", Console::wsport),
    command_of("wsstart", "Show jobs to browsers of this machine", Console::wsstart),
    command_of("wsstatus", "Whether the web service runs", Console::wsstatus),
    command_of("wsstop", "Stop the web service", Console::wsstop),
];

/// The command of this name.
pub fn command(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_unique() {
        let names: Vec<String> =
            COMMANDS.iter().map(|command| command.name.to_lowercase()).collect();
        let mut sorted = names.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(names, sorted);
    }
}
