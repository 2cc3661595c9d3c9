//! The command tree. Flags of settings come from the one table in `tacho_config`.

mod doctor;
mod files;
mod scripts;
mod servers;

use clap::builder::{PossibleValuesParser, ValueHint};
use clap::{Arg, ArgAction, Command};
use tacho_config::{SETTINGS, Scope, Setting};
use tacho_core::Kind;

const AFTER: &str = "Examples:
  tacho run                                     10 seconds, embedded database, no server
  tacho prepare tprocc sqlite:bench.db -s 10
  tacho run tprocc sqlite:bench.db -c 4 -d 1m --ramp-up 10s
  tacho run tprocc sqlite:bench.db -r 500 --threshold 'new_order.p95<50ms'
  tacho show latest
  tacho doctor sqlite:bench.db                  is it ready to be measured?
  tacho report latest -o report.html            a page to send
  tacho up postgres                             a private server; tacho down removes it

Exit codes:
  0 done, run valid   1 internal error        2 usage     3 target not reachable or not prepared
  4 run INVALID       5 check failed          6 threshold crossed or without data
  7 compare or trend --fail-on found a regression
  130, 143 stopped by the user or by a signal; what exists is saved";

/// The whole tree.
pub(crate) fn command() -> Command {
    Command::new("tacho")
        .about("A database benchmark: a true number fast, proof that it is true, and the cause")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(AFTER)
        .args([
            Arg::new("dir")
                .long("dir")
                .global(true)
                .value_name("FOLDER")
                .value_hint(ValueHint::DirPath)
                .help("Folder for records and embedded databases [env: TACHO_DIR] [default: tacho-data]"),
            Arg::new("config")
                .long("config")
                .global(true)
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .help("Settings file [env: TACHO_CONFIG] [default: the nearest tacho.toml]"),
        ])
        .subcommands(COMMANDS.iter().map(|command| command()))
}

/// In the order of the help page.
const COMMANDS: [fn() -> Command; 24] = [
    doctor::doctor,
    run,
    sweep,
    restore,
    prepare,
    check,
    clean,
    files::generate,
    scripts::hammerdb,
    scripts::import,
    servers::up,
    servers::down,
    describe,
    list,
    runs,
    show,
    timing,
    compare,
    report,
    trend,
    config,
    schema,
    completions,
    version,
];

fn run() -> Command {
    Command::new("run")
        .about("Measure (no arguments: the default workload, embedded, 10 seconds)")
        .arg(workload("Workload, or a run named in tacho.toml"))
        .arg(target())
        .args(flags(&[Scope::Run, Scope::Build, Scope::Check, Scope::Data]))
        .args([live_progress(), output(), export()])
        .arg(
            Arg::new("dry_run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Print the resolved plan and touch nothing"),
        )
        .after_help(
            "Examples:\n  tacho run\n  tacho run tprocc sqlite:bench.db -c 8 -d 1m --ramp-up 10s\n  \
             tacho run tprocc sqlite:bench.db -r 200 --threshold 'p99<100ms'\n  \
             tacho run tprocc noop -d 5s            what this tool costs by itself\n  \
             tacho run nightly                      [run.nightly] in tacho.toml",
        )
}

fn sweep() -> Command {
    let option = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name.replace('_', "-")).value_name(value).help(help)
    };
    Command::new("sweep")
        .about("Measure over lists of values, or search the highest rate at which a limit holds")
        .arg(workload("Workload, or a run named in tacho.toml"))
        .arg(target())
        .args([
            option("vary", "KEY=A,B,C", "What varies: a setting, a workload parameter, target.OPTION, or server.SETTING; repeat it for a grid")
                .action(ArgAction::Append),
            option("repeat", "N", "Runs of each combination; from two on, changes have intervals between runs")
                .value_parser(clap::value_parser!(u32).range(1..=1_000)),
            option("order", "WORD", "Order of repeated runs: there and back, value by value, or by chance [default: turns]")
                .value_parser(PossibleValuesParser::new(tacho_app::Order::NAMES)),
            option("calibrate", "", "Measure the first combination against itself before: how much equal runs differ")
                .action(ArgAction::SetTrue),
            option("detect", "CHANGE", "The smallest change that is to be told, such as 3%; calibrates, and says if it cannot be")
                .conflicts_with_all(["find_max", "resume", "show"]),
            option("stop_past_peak", "", "Leave out the rest of a ladder after two points below 95 % of its best")
                .action(ArgAction::SetTrue),
            option("on_failure", "WORD", "What follows a run that fails or is INVALID: the next one, or the end [default: go-on]")
                .value_parser(PossibleValuesParser::new(["go-on", "stop"])),
            option("find_max", "LIMIT", "Search the highest rate at which this limit holds, such as 'new_order.p99<50ms'"),
            option("resume", "SWEEP", "Go on with a sweep that was cut off: its id, or latest")
                .conflicts_with_all(["vary", "find_max", "repeat"]),
            option("show", "SWEEP", "Print the table of a saved sweep again")
                .conflicts_with_all(["vary", "find_max", "repeat", "resume"]),
        ])
        .args(flags(&[Scope::Run, Scope::Build, Scope::Check, Scope::Data]))
        .args([live_progress(), output()])
        .arg(
            Arg::new("dry_run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Check all points, print them and touch nothing"),
        )
        .after_help(
            "Examples:\n  tacho sweep tprocc pg --vary sessions=1,2,4,8,16 -d 1m --ramp-up 20s\n  \
             tacho sweep tprocc pg --vary form=sql,pipelined --repeat 6 --detect 3%   A against B\n  \
             tacho sweep tprocc --vary target=pg15,pg17 --vary sessions=1,8,64\n  \
             tacho sweep tprocc pg --vary server.shared_buffers=128MB,1GB --repeat 3\n  \
             tacho sweep tprocc pg -c 64 --find-max 'new_order.p99<50ms'\n  \
             tacho sweep --resume latest",
        )
}

fn restore() -> Command {
    Command::new("restore")
        .about("Put back the settings of servers that a killed sweep has left changed")
        .arg(
            Arg::new("list")
                .long("list")
                .action(ArgAction::SetTrue)
                .help("Only say what is left changed"),
        )
        .arg(output())
        .after_help(
            "Examples:\n  tacho restore\n  tacho restore --list\n\n\
             Exit codes:\n  0 everything is as before   2, 3 something could not be put back",
        )
}

fn prepare() -> Command {
    Command::new("prepare")
        .about("Make schema and data; a stopped build is gone on with")
        .arg(workload("Workload").required(true))
        .arg(target().required(true))
        .args(flags(&[Scope::Build, Scope::Check, Scope::Data]))
        .args([progress(), output()])
        .arg(
            Arg::new("dry_run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Print what would be made and its size, and touch nothing"),
        )
        .after_help(
            "Examples:\n  tacho prepare tprocc sqlite:bench.db --scale 10\n  \
             tacho prepare tprocc sqlite:bench.db --profile hammerdb --check after\n  \
             tacho prepare tprocc print > build.sql",
        )
}

fn data_command(name: &'static str, about: &'static str) -> Command {
    Command::new(name)
        .about(about)
        .arg(workload("Workload").required(true))
        .arg(target().required(true))
        .args(flags(&[Scope::Data]))
        .args([progress(), output()])
}

fn check() -> Command {
    data_command("check", "Check the consistency conditions of the data, one line each")
        .args(flags(&[Scope::Check]))
        .after_help("Examples:\n  tacho check tprocc sqlite:bench.db")
}

fn clean() -> Command {
    data_command("clean", "Remove what prepare made, and nothing else")
        .arg(Arg::new("yes").long("yes").short('y').action(ArgAction::SetTrue).help("Do not ask"))
        .after_help(
            "Examples:\n  tacho clean tprocc sqlite:bench.db\n  tacho clean tprocc bench --yes",
        )
}

fn describe() -> Command {
    Command::new("describe")
        .about("Parameters, profiles, transactions, SQL, deviations of a workload; or a driver")
        .arg(Arg::new("name").value_name("WORKLOAD|DRIVER").required(true))
        .arg(
            Arg::new("sql")
                .long("sql")
                .value_name("DRIVER")
                .help("Print the statements as written for a driver"),
        )
        .arg(output())
        .after_help(
            "Examples:\n  tacho describe tprocc\n  tacho describe tprocc --sql sqlite\n  \
             tacho describe sqlite",
        )
}

fn list() -> Command {
    Command::new("list")
        .about("List drivers, workloads, targets or private servers")
        .arg(Arg::new("what").required(true).value_parser(PossibleValuesParser::new([
            "drivers",
            "workloads",
            "targets",
            "servers",
        ])))
        .arg(output())
        .after_help("Examples:\n  tacho list drivers\n  tacho list targets --output json")
}

fn runs() -> Command {
    let run = || Arg::new("run").value_name("RUN").required(true).help(RUN_HELP);
    Command::new("runs")
        .about("List, label and remove saved runs")
        .subcommand(Command::new("list").about("All saved runs, newest first").arg(output()))
        .subcommand(
            Command::new("tag")
                .about("Add labels to a run, or remove them")
                .arg(run())
                .arg(Arg::new("tags").value_name("TAG").num_args(1..).required(true))
                .arg(
                    Arg::new("remove")
                        .long("remove")
                        .action(ArgAction::SetTrue)
                        .help("Remove the labels instead"),
                )
                .after_help(
                    "Examples:\n  tacho runs tag latest baseline\n  \
                     tacho runs tag baseline baseline --remove",
                ),
        )
        .subcommand(
            Command::new("note")
                .about("Set the remark of a run; an empty one removes it")
                .arg(run())
                .arg(Arg::new("text").value_name("TEXT").required(true))
                .after_help("Examples:\n  tacho runs note latest 'after the upgrade'"),
        )
        .subcommand(prune())
        .arg(output())
        .after_help("Examples:\n  tacho runs list\n  tacho runs tag latest baseline")
}

const RUN_HELP: &str = "A unique prefix of an id, latest, latest~1, or a tag";

fn prune() -> Command {
    Command::new("prune")
        .about("Remove old runs; tagged ones stay")
        .arg(
            Arg::new("keep")
                .long("keep")
                .value_name("N")
                .value_parser(clap::value_parser!(u64))
                .help("Newest untagged runs that stay"),
        )
        .arg(
            Arg::new("older_than")
                .long("older-than")
                .value_name("SPAN")
                .help("Remove untagged runs older than this, such as 30d"),
        )
        .arg(
            Arg::new("max_size")
                .long("max-size")
                .value_name("MB")
                .value_parser(clap::value_parser!(u64))
                .help("Remove the oldest untagged runs until all fit in this many megabytes"),
        )
        .arg(
            Arg::new("dry_run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Only say what would go"),
        )
        .after_help(
            "Examples:\n  tacho runs prune --keep 20\n  \
             tacho runs prune --older-than 30d --dry-run",
        )
}

fn show() -> Command {
    let part = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    Command::new("show")
        .about("The summary of a saved run again, or a part of it")
        .arg(Arg::new("run").value_name("RUN").default_value("latest").help(RUN_HELP))
        .args([
            part("timeline", "All intervals"),
            part("transactions", "Latency and service time of each transaction"),
            part("errors", "Failures with their texts"),
            part("plan", "The resolved plan and the conditions"),
            part("audit", "What was submitted against what was promised"),
            part("checks", "Each consistency condition with what it found"),
            part(
                "server",
                "What the server said of itself: waits, counters, and what rose and fell",
            ),
        ])
        .arg(output())
        .after_help(
            "Examples:\n  tacho show\n  tacho show latest~1 --timeline\n  \
             tacho show baseline --output json",
        )
}

fn timing() -> Command {
    Command::new("timing")
        .about("The time profile of a saved run, of all sessions; also as a spreadsheet with charts")
        .arg(Arg::new("run").value_name("RUN").default_value("latest").help(RUN_HELP))
        .arg(
            Arg::new("export")
                .long("export")
                .value_name("FILE")
                .action(ArgAction::Append)
                .value_hint(ValueHint::FilePath)
                .help("Write it to a file too, by extension: .xlsx, .csv, .json, .hlog (HDR histograms)"),
        )
        .arg(output())
        .after_help(
            "Examples:\n  tacho timing\n  tacho timing latest --export profile.xlsx\n  \
             tacho timing baseline --export profile.csv --export profile.hlog -o quiet",
        )
}

fn compare() -> Command {
    Command::new("compare")
        .about("Hold runs or sweeps against a baseline: changes with intervals, and what else differs")
        .arg(
            Arg::new("baseline")
                .value_name("BASELINE")
                .default_value("latest~1")
                .help("A run; repeated ones with commas; tag:NAME; or a sweep by its id or as sweep:latest~1"),
        )
        .arg(
            Arg::new("runs")
                .value_name("RUN|SWEEP")
                .num_args(1..)
                .help("What is compared with it, in the same way [default: latest]"),
        )
        .arg(
            Arg::new("force")
                .long("force")
                .action(ArgAction::SetTrue)
                .help("Compare also what differs in workload, scale, arrival or machine, or is INVALID"),
        )
        .arg(
            Arg::new("fail_on")
                .long("fail-on")
                .value_name("WHAT")
                .value_parser(PossibleValuesParser::new(["regression", "throughput"]))
                .help("Exit with 7 if any metric is worse, or the throughput; or if it cannot be told"),
        )
        .arg(output())
        .after_help(
            "Examples:\n  tacho compare                              the latest run with the one before\n  \
             tacho compare baseline latest --fail-on regression\n  \
             tacho compare tag:before tag:after         repeated runs: intervals between runs\n  \
             tacho compare 7q1a,7q1b 7q3f,7q3g -o json\n  \
             tacho compare sweep:latest~1 sweep:latest  two profiles, point by point",
        )
}

fn report() -> Command {
    let formats = crate::forms::FORMATS.map(|(format, _)| format);
    Command::new("report")
        .about("A report to send: runs, a sweep, or runs against a baseline, as a page or a table")
        .arg(
            Arg::new("runs")
                .value_name("RUN|SWEEP")
                .num_args(1..)
                .default_value("latest")
                .help("A run; repeated ones with commas; tag:NAME; a sweep by its id or as sweep:latest"),
        )
        .args([
            Arg::new("file")
                .long("output")
                .short('o')
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .help("Where to write; - is standard output [default: report.html; other formats to -]"),
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(PossibleValuesParser::new(formats))
                .help("Form of the report [default: by the extension of the file]"),
            Arg::new("table")
                .long("table")
                .value_name("TABLE")
                .value_parser(PossibleValuesParser::new(tacho_report::CsvTable::NAMES))
                .help("Which table as CSV [default: the one that says most]"),
            Arg::new("baseline")
                .long("baseline")
                .value_name("RUN")
                .help("Hold them against this run, repeated ones, tag:NAME, or another sweep"),
            Arg::new("force")
                .long("force")
                .action(ArgAction::SetTrue)
                .help("Compare also what differs in workload, scale, arrival or machine, or is INVALID"),
            Arg::new("redact")
                .long("redact")
                .action(ArgAction::SetTrue)
                .help("Hide names of machines, users and targets, addresses, paths and free texts"),
        ])
        .after_help(
            "Examples:\n  tacho report                                the latest run, to report.html\n  \
             tacho report latest -o run.html --redact    to send to others\n  \
             tacho report sweep:latest -o profile.html\n  \
             tacho report sweep:latest~1 sweep:latest    two profiles over each other\n  \
             tacho report latest --baseline tag:before -o change.html\n  \
             tacho report latest -o junit.xml            thresholds and checks as test cases",
        )
}

fn trend() -> Command {
    Command::new("trend")
        .about("Where a figure changed its level over the history of runs, and what changed there")
        .arg(
            Arg::new("runs")
                .value_name("RUNS")
                .help("tag:NAME, a workload, or runs with commas between them [default: all runs]"),
        )
        .arg(Arg::new("metric").long("metric").value_name("NAME").help(
            "nopm or the like, tps, tpm, queries, geomean, p95, new_order.p99 [default: the workload's own]",
        ))
        .arg(
            Arg::new("fail_on")
                .long("fail-on")
                .value_name("WHAT")
                .value_parser(PossibleValuesParser::new(["regression"]))
                .help("Exit with 7 if the newest change is for the worse, or if the runs are too few to tell"),
        )
        .arg(output())
        .after_help(
            "Examples:\n  tacho trend\n  tacho trend tag:nightly --fail-on regression\n  \
             tacho trend tprocc --metric new_order.p95 -o json",
        )
}

fn config() -> Command {
    Command::new("config")
        .about("Show where settings come from")
        .subcommand_required(true)
        .subcommand(
            Command::new("show")
                .about("All settings with their values")
                .arg(Arg::new("run").value_name("RUN").help("A run named in tacho.toml"))
                .arg(
                    Arg::new("origin")
                        .long("origin")
                        .action(ArgAction::SetTrue)
                        .help("Say where each value comes from"),
                )
                .args(flags(&[Scope::Run, Scope::Build, Scope::Check, Scope::Data]))
                .arg(output())
                .after_help("Examples:\n  tacho config show --origin\n  tacho config show nightly"),
        )
        .subcommand(Command::new("path").about("Path of the settings file in use"))
        .subcommand(Command::new("check").about("Check the settings file"))
}

fn schema() -> Command {
    Command::new("schema")
        .about("JSON schema of a file that we write")
        .arg(Arg::new("name").required(true).value_parser(PossibleValuesParser::new(
            tacho_store::SCHEMAS.into_iter().chain(tacho_report::SCHEMAS),
        )))
        .after_help("Examples:\n  tacho schema run\n  tacho schema report")
}

fn version() -> Command {
    Command::new("version").about("Print the version and what is built in").arg(output())
}

fn completions() -> Command {
    Command::new("completions")
        .about("Completions for a shell, on standard output")
        .arg(
            Arg::new("shell")
                .required(true)
                .value_parser(clap::value_parser!(clap_complete::Shell)),
        )
        .after_help("Examples:\n  tacho completions fish")
}

fn workload(help: &'static str) -> Arg {
    Arg::new("workload_name").value_name("WORKLOAD").help(help)
}

fn target() -> Arg {
    Arg::new("target_name")
        .value_name("TARGET")
        .help("Database, as driver:place or a name from tacho.toml or of tacho up")
}

fn output() -> Arg {
    Arg::new("output")
        .long("output")
        .short('o')
        .value_name("FORMAT")
        .value_parser(PossibleValuesParser::new(["text", "json", "quiet"]))
        .default_value("text")
        .help("Form of the answer on standard output")
}

fn progress() -> Arg {
    Arg::new("progress")
        .long("progress")
        .value_name("FORM")
        .value_parser(PossibleValuesParser::new(["auto", "plain", "json", "none"]))
        .default_value("auto")
        .help("Form of the progress on standard error")
}

/// Of commands that measure: they have a live view too.
fn live_progress() -> Arg {
    progress()
        .value_parser(PossibleValuesParser::new(["auto", "plain", "tui", "json", "none"]))
        .help("Form of the progress on standard error; tui is a live view, auto is plain")
}

fn export() -> Arg {
    Arg::new("export")
        .long("export")
        .value_name("FILE")
        .action(ArgAction::Append)
        .value_hint(ValueHint::FilePath)
        .help("Also write the result to a file, by extension: .json .txt .html .md .csv .xml; created before the run")
}

/// One flag for each setting of these scopes.
fn flags(scopes: &[Scope]) -> Vec<Arg> {
    SETTINGS.iter().filter(|setting| scopes.contains(&setting.scope)).map(flag).collect()
}

fn flag(setting: &Setting) -> Arg {
    let parameter = setting.parameter;
    let default = match parameter.default {
        "" => String::new(),
        default => format!(" [default: {default}]"),
    };
    let allowed = match parameter.kind {
        Kind::Choice(words) => format!(" [{}]", words.join(", ")),
        _ => String::new(),
    };
    let action = if setting.repeated { ArgAction::Append } else { ArgAction::Set };
    let arg = Arg::new(parameter.key)
        .long(setting.flag())
        .value_name(setting.value_name)
        .help_heading(setting.group)
        .allow_hyphen_values(true)
        .action(action)
        .help(format!("{}{allowed}{default}", parameter.help));
    match setting.short {
        Some(letter) => arg.short(letter),
        None => arg,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_tree_is_sound() {
        super::command().debug_assert();
    }
}
