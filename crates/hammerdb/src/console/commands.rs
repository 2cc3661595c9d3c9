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

/// Commands that may use settings from earlier sessions.
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
    /// Returns true if the command accesses a database or writes data.
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

/// Returns the command name, which precedes the arguments.
const fn first_word(usage: &'static str) -> &'static str {
    let mut end = 0;
    while end < usage.len() && usage.as_bytes()[end] != b' ' {
        end += 1;
    }
    usage.split_at(end).0
}

/// All commands, in alphabetical order.
#[rustfmt::skip]
pub const COMMANDS: &[Command] = &[
    command_of("buildschema", "Build the schema described by the dictionary", Console::buildschema),
    command_of("checkschema", "Check the schema and the consistency of its data", Console::checkschema),
    command_of("ci ?id?", "List the commit pipelines (always empty)", Console::pipes),
    command_of("cifix", "Prepare a build farm (not supported)", Console::cifix),
    command_of("cilisten", "Listen for commits (not supported)", Console::cilisten),
    command_of("cipush ref ?pipeline? ?workload? ?prefix? ?io_intensive?", "Build and measure a commit (not supported)", Console::cipush),
    command_of("cireset", "Abandon unfinished pipelines", Console::cireset),
    command_of("ciset top ?section? key value", "Set a pipeline key", Console::ciset),
    command_of("cistatus", "Show whether the commit listener is running", Console::cistatus),
    command_of("cistop", "Stop listening for commits", Console::cistop),
    command_of("citmp", "Show the folder for temporary files and the job database", Console::citmp),
    command_of("clearscript", "Unload the script", Console::clearscript),
    command_of("custommonitor test|timed", "Set whether an additional virtual user monitors a custom script", Console::custommonitor),
    command_of("customscript scriptname.tcl", "Load a custom script to be run by each virtual user", Console::customscript),
    command_of("datagenrun", "Write the data to flat files", Console::datagenrun),
    command_of("dbset [db|bm] value", "Select the database or the benchmark", Console::dbset),
    command_of("deleteschema", "Remove the schema", Console::deleteschema),
    command_of("dgset [vu|ware|warehouse|scale_fact|directory] value", "Set a data generation option", Console::dgset),
    command_of("diset dict key value", "Set a dictionary key", Console::diset),
    command_of("distributescript", "Send this console's settings and script to the replicas", Console::distributescript),
    command_of("findtempdir", "Show the folder for temporary files", Console::findtempdir),
    command_of("giset dict key value", "Set a generic key", Console::giset),
    command_of("help ?command?", "List the commands, or describe one of them", Console::help),
    command_of("job ?id? ?what?", "The same as jobs", Console::jobs),
    command_of("jobs ?id? ?what?", "Show the output and results of earlier builds, checks and runs", Console::jobs),
    command_of("librarycheck", "Show which databases have a driver", Console::librarycheck),
    command_of("loadscript", "Load the driver script described by the dictionary", Console::loadscript),
    command_of("metset [agent_hostname|agent_id] value", "Set a metrics option", Console::metset),
    command_of("metstart", "Start showing the machine's load", Console::metstart),
    command_of("metstatus", "Show whether the machine's load is being displayed", Console::metstatus),
    command_of("metstop", "Stop showing the machine's load", Console::metstop),
    command_of("numberOfCPUs", "Show the number of logical CPUs in this machine", Console::number_of_cpus),
    command_of("numberOfWHs", "Suggest a number of warehouses for this machine", Console::number_of_whs),
    command_of("pipe ?id?", "The same as ci", Console::pipes),
    command_of("pipes ?id?", "The same as ci", Console::pipes),
    command_of("print [db|bm|ci|dict|generic|script|vuconf|vucreated|vustatus|vucomplete|datagen|tcconf]", "Show part of the configuration", Console::print),
    command_of("refreshscript", "Load the driver script again", Console::refreshscript),
    command_of("runtimer seconds", "Do nothing (deprecated)", Console::runtimer),
    command_of("savescript file", "Write this session's commands to a file", Console::savescript),
    command_of("steprun", "Increase the load in steps, using replicas on this machine", Console::steprun),
    command_of("switchmode ?Local|Primary|Replica? ?id? ?host?", "Connect consoles on this machine so that replicas run the primary's commands", Console::switchmode),
    command_of("tcset [refreshrate|logtotemp|unique|timestamps] value", "Set a transaction counter option", Console::tcset),
    command_of("tcstart", "Start the transaction counter", Console::tcstart),
    command_of("tcstatus", "Show whether the transaction counter is running", Console::tcstatus),
    command_of("tcstop", "Stop the transaction counter", Console::tcstop),
    command_of("vucomplete", "Show whether all virtual users have finished", Console::vucomplete),
    command_of("vucreate", "Create the virtual users", Console::vucreate),
    command_of("vudestroy", "Destroy the virtual users", Console::vudestroy),
    command_of("vurun", "Run the loaded script", Console::vurun),
    command_of("vuset [vu|delay|repeat|iterations|showoutput|logtotemp|unique|nobuff|timestamps] value", "Set a virtual user option", Console::vuset),
    command_of("vustatus", "Show the state of each virtual user", Console::vustatus),
    command_of("waittocomplete", "Do nothing (deprecated)", Console::waittocomplete),
    command_of("wsport ?n?", "Show or set the port of the web service", Console::wsport),
    command_of("wsstart", "Start the web service, which shows jobs in a browser on this machine", Console::wsstart),
    command_of("wsstatus", "Show whether the web service is running", Console::wsstatus),
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
