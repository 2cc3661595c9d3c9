//! The command tree. Flags of settings come from the one table in `tacho_config`.

mod about;
mod agent;
mod attribute;
mod brief;
mod doctor;
mod elsewhere;
mod files;
mod pipeline;
mod scripts;
mod servers;
mod web;

use std::ffi::OsString;

use clap::builder::{PossibleValuesParser, ValueHint};
use clap::{Arg, ArgAction, Command};
use tacho_config::{SETTINGS, Scope, Setting};
use tacho_core::Kind;

use pipeline::pipeline;

pub(crate) use elsewhere::ours_for;

const AFTER: &str = "Examples:
  tacho run                                     10 seconds, embedded database, no server
  tacho prepare tprocc sqlite:bench.db -s 10
  tacho run tprocc sqlite:bench.db -c 4 -d 1m --ramp-up 10s
  tacho run tprocc sqlite:bench.db -r 500 --threshold 'new_order.p95<50ms'
  tacho show latest
  tacho doctor sqlite:bench.db                  check the machine and the database
  tacho report latest -o report.html            one HTML file with charts
  tacho up postgres                             a private server; tacho down removes it

Exit codes:
  0 done, run valid   1 internal error        2 usage     3 target not reachable or not prepared
  4 run INVALID       5 check failed          6 threshold crossed or without data
  7 compare or trend --fail-on found a regression
  8 run UNSTABLE or TOO SHORT, with --require steady
  130, 143 stopped by the user or by a signal; what exists is saved
  When several apply, the first of 1, 130, 143, 2, 3, 5, 4, 8, 6, 7";

/// The whole tree, as `--help` shows it.
pub(crate) fn command() -> Command {
    tree(|command| command)
}

/// The tree for these arguments: with `-h`, the usual options without examples.
pub(crate) fn tree_for(arguments: &[OsString]) -> Command {
    let asked = arguments.iter().take_while(|word| *word != "--").any(|word| word == "-h");
    if asked { tree(brief::shortened) } else { command() }
}

/// The tree with each command changed in this way.
fn tree(change: fn(Command) -> Command) -> Command {
    let mut commands = Vec::new();
    let mut listed = String::new();
    for (heading, members) in GROUPS {
        let members: Vec<Command> = members.iter().map(|make| change(make())).collect();
        listed.push_str(&brief::list(heading, &members));
        commands.extend(members);
    }
    let root = Command::new("tacho")
        .about("Benchmark databases with TPC-C- and TPC-H-derived workloads")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_flag(true)
        .help_template(format!(
            "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{listed}Options:\n{{options}}{{after-help}}"
        ))
        .after_help(AFTER)
        .args([
            Arg::new("help")
                .short('h')
                .long("help")
                .global(true)
                .action(ArgAction::HelpShort)
                .help("Print help: -h the usual options, --help all of them with examples"),
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
        ]);
    change(root).subcommands(commands)
}

/// A heading of the help page, and the commands below it.
type Group = (&'static str, &'static [fn() -> Command]);

const GROUPS: [Group; 4] = [
    ("Start", &[doctor::doctor, servers::up, servers::down, describe, list]),
    (
        "Measure",
        &[
            prepare,
            run,
            sweep,
            attribute::attribute,
            pipeline,
            restore,
            check,
            clean,
            files::generate,
            scripts::hammerdb,
        ],
    ),
    (
        "Understand",
        &[show, timing, runs, compare, report, trend, web::serve, web::watch, agent::agent],
    ),
    (
        "Other",
        &[
            scripts::init,
            scripts::import,
            config,
            about::schema,
            about::completions,
            about::man,
            about::version,
        ],
    ),
];

fn run() -> Command {
    Command::new("run")
        .about("Run a workload against a database and print the result. Without arguments: tprocc on embedded SQLite, 10 seconds")
        .arg(workload("Workload, or a run named in tacho.toml"))
        .arg(target())
        .args(flags(&[Scope::Run, Scope::Build, Scope::Check, Scope::Data]))
        .args([live_progress(), output(), export()])
        .args(web::flags())
        .args(agent::flags())
        .arg(adopt().hide_short_help(true))
        .arg(
            Arg::new("from")
                .long("from")
                .value_name("RUN")
                .hide_short_help(true)
                .help("Repeat a saved run: its plan, changed by the other flags; tacho.toml and environment only name targets"),
        )
        .arg(
            Arg::new("dry_run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Print the resolved plan; connect to nothing"),
        )
        .after_help(
            "Examples:\n  tacho run\n  tacho run tprocc sqlite:bench.db -c 8 -d 1m --ramp-up 10s\n  \
             tacho run tprocc sqlite:bench.db -r 200 --threshold 'p99<100ms'\n  \
             tacho run tprocc noop -d 5s            the cost of Tacho alone\n  \
             tacho run nightly                      [run.nightly] in tacho.toml\n  \
             tacho run --from latest -c 16          the last run again, with 16 sessions",
        )
}

fn sweep() -> Command {
    let option = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name.replace('_', "-")).value_name(value).help(help)
    };
    Command::new("sweep")
        .about("Run once for each value of a list, or find the highest rate that meets a threshold")
        .arg(workload("Workload, or a run named in tacho.toml"))
        .arg(target())
        .args([
            option("vary", "KEY=A,B,C", "Values to run with, of a setting, a workload parameter, target.OPTION or server.SETTING; repeat it for a grid")
                .action(ArgAction::Append),
            option("repeat", "N", "Runs of each combination; from 2 on, confidence intervals are between runs")
                .value_parser(clap::value_parser!(u32).range(1..=1_000)),
            option("order", "WORD", "Order of repeated runs: turns (up and down), grouped (value by value), random [default: turns]")
                .value_parser(PossibleValuesParser::new(tacho_app::Order::NAMES)),
            option("calibrate", "", "First run the first combination against itself, to measure how much equal runs differ")
                .action(ArgAction::SetTrue),
            option("detect", "CHANGE", "Smallest change to detect, such as 3%; calibrates, and reports whether more runs are needed")
                .conflicts_with_all(["find_max", "resume", "show"]),
            option("stop_past_peak", "", "Skip the remaining values after two points below 95 % of the best")
                .action(ArgAction::SetTrue),
            option("on_failure", "WORD", "After a run that fails or is INVALID: continue with the next one (go-on) or stop [default: go-on]")
                .value_parser(PossibleValuesParser::new(["go-on", "stop"])),
            option("find_max", "LIMIT", "Find the highest rate at which this threshold holds, such as 'new_order.p99<50ms'"),
            option("resume", "SWEEP", "Resume an interrupted sweep: its id, or latest")
                .conflicts_with_all(["vary", "find_max", "repeat"]),
            option("show", "SWEEP", "Print the table of a saved sweep")
                .conflicts_with_all(["vary", "find_max", "repeat", "resume"]),
        ])
        .args(flags(&[Scope::Run, Scope::Build, Scope::Check, Scope::Data]))
        .args(agent::hosts())
        .args([live_progress(), output()])
        .args(web::flags())
        .arg(
            Arg::new("dry_run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Check all points and print them; connect to nothing"),
        )
        .after_help(
            "Examples:\n  tacho sweep tprocc pg --vary sessions=1,2,4,8,16 -d 1m --ramp-up 20s\n  \
             tacho sweep tprocc pg --vary form=sql,pipelined --repeat 6 --detect 3%   A against B\n  \
             tacho sweep tprocc --vary target=pg15,pg17 --vary sessions=1,8,64\n  \
             tacho sweep tprocc pg --vary server.shared_buffers=128MB,1GB --repeat 3\n  \
             tacho sweep tprocc pg -c 64 --find-max 'new_order.p99<50ms'\n  \
             tacho sweep tprocc pg -c 64 --vary hosts=1,2,4 --nats nats://broker:4222\n  \
             tacho sweep --resume latest",
        )
}

fn restore() -> Command {
    Command::new("restore")
        .about("Restore server settings that an interrupted sweep left changed")
        .arg(
            Arg::new("list")
                .long("list")
                .action(ArgAction::SetTrue)
                .help("List changed settings; restore nothing"),
        )
        .arg(output())
        .after_help(
            "Examples:\n  tacho restore\n  tacho restore --list\n\n\
             Exit codes:\n  0 all settings restored   2, 3 a setting could not be restored",
        )
}

fn prepare() -> Command {
    Command::new("prepare")
        .about("Create the schema and load the data; resumes an interrupted build")
        .arg(workload("Workload").required(true))
        .arg(target().required(true))
        .args(flags(&[Scope::Build, Scope::Check, Scope::Data]))
        .args(agent::hosts())
        .args([progress(), output()])
        .arg(
            Arg::new("dry_run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Print what would be created and its size; connect to nothing"),
        )
        .after_help(
            "Examples:\n  tacho prepare tprocc sqlite:bench.db --scale 10\n  \
             tacho prepare tprocc sqlite:bench.db --profile hammerdb --check after\n  \
             tacho prepare tprocc print > build.sql\n  \
             tacho prepare tprocc pg16 --scale 1000 --hosts 3 -c 24 --nats nats://broker:4222",
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
        .arg(adopt())
        .args(agent::hosts())
        .arg(Arg::new("commits").long("commits").value_name("RUN").help(
            "Look for each commit that this run of --verify commits acknowledged, also if it was killed",
        ))
        .after_help(
            "Examples:\n  tacho check tprocc sqlite:bench.db\n  \
             tacho check tprocc pg16 --commits latest\n  \
             tacho check tprocc pg16 --hosts 3 --nats nats://broker:4222",
        )
}

fn clean() -> Command {
    data_command("clean", "Remove what prepare created, and nothing else")
        .arg(Arg::new("yes").long("yes").short('y').action(ArgAction::SetTrue).help("Do not ask"))
        .after_help(
            "Examples:\n  tacho clean tprocc sqlite:bench.db\n  tacho clean tprocc bench --yes",
        )
}

fn describe() -> Command {
    Command::new("describe")
        .about("Describe a workload (parameters, profiles, deviations), a driver or a pack")
        .arg(Arg::new("name").value_name("WORKLOAD|DRIVER|PACK").required(true))
        .arg(pack())
        .arg(
            Arg::new("sql")
                .long("sql")
                .value_name("DRIVER")
                .help("Print the SQL statements for this driver"),
        )
        .arg(output())
        .after_help(
            "Examples:\n  tacho describe tprocc\n  tacho describe tprocc --sql sqlite\n  \
             tacho describe sqlite\n  tacho describe tidb --pack packs/tidb",
        )
}

/// The setting `pack` of a command that has no other.
fn pack() -> Arg {
    let setting = SETTINGS.iter().find(|setting| setting.parameter.key == "pack");
    setting.map_or_else(|| Arg::new("pack"), flag)
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
        .arg(pack())
        .arg(output())
        .after_help("Examples:\n  tacho list drivers\n  tacho list targets --output json")
}

fn runs() -> Command {
    let run = || Arg::new("run").value_name("RUN").required(true).help(RUN_HELP);
    Command::new("runs")
        .about("List, label and remove saved runs")
        .subcommand(
            Command::new("list")
                .about("List saved runs or sweeps, newest first, with verdicts and warnings")
                .args([sweeps(), output()])
                .after_help("Examples:\n  tacho runs list\n  tacho runs list --sweeps"),
        )
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
                .about("Set the note of a run; an empty text removes it")
                .arg(run())
                .arg(Arg::new("text").value_name("TEXT").required(true))
                .after_help("Examples:\n  tacho runs note latest 'after the upgrade'"),
        )
        .subcommand(prune())
        .subcommand(
            Command::new("export")
                .about("Write runs and sweeps as one file, for another machine")
                .arg(Arg::new("file").value_name("FILE").required(true).value_hint(ValueHint::FilePath).help("The file, such as runs.tar.zst"))
                .arg(
                    Arg::new("runs")
                        .value_name("RUN|SWEEP")
                        .num_args(1..)
                        .help("What to export, named as for tacho report; a sweep brings its runs [default: all that have ended]"),
                )
                .after_help("Examples:\n  tacho runs export runs.tar.zst\n  tacho runs export base.tar.zst tag:baseline sweep:latest"),
        )
        .subcommand(
            Command::new("import")
                .about("Take over the runs and sweeps of an exported file, or a share saved by an agent")
                .arg(Arg::new("file").value_name("FILE").required(true).value_hint(ValueHint::FilePath).help("The file"))
                .after_help("Examples:\n  tacho runs import runs.tar.zst\n  tacho runs import tacho-data/shares/RUN-1.jsonl"),
        )
        .args([sweeps(), output()])
        .after_help(
            "Examples:\n  tacho runs list\n  tacho runs --sweeps\n  tacho runs tag latest baseline",
        )
}

fn sweeps() -> Arg {
    Arg::new("sweeps").long("sweeps").action(ArgAction::SetTrue).help("List sweeps instead of runs")
}

const RUN_HELP: &str = "A unique prefix of an id, latest, latest~1, or a tag";

fn prune() -> Command {
    Command::new("prune")
        .about("Remove old runs; tagged runs are kept, and a sweep is kept or removed with all \
                of its runs")
        .arg(
            Arg::new("keep")
                .long("keep")
                .value_name("N")
                .value_parser(clap::value_parser!(u64))
                .help("Keep this many untagged runs, the newest, and the sweeps that they are part of"),
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
                .value_name("MiB")
                .value_parser(clap::value_parser!(u64))
                .help("Remove the oldest untagged runs until the rest fit in this many MiB"),
        )
        .arg(
            Arg::new("dry_run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("List what would be removed; remove nothing"),
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
        .about("Print the summary of a saved run or the table of a sweep, or a part of a run")
        .arg(Arg::new("run").value_name("RUN").default_value("latest").help(RUN_HELP))
        .args([
            part("timeline", "Each interval"),
            part("transactions", "Latency and service time of each transaction"),
            part("errors", "Failures with their messages"),
            part("plan", "Resolved plan, conditions and settings"),
            part(
                "conditions",
                "Server, machine, disk, settings with their defaults, sizes of the tables",
            ),
            part("audit", "Audit of the submitted work against the limits of the specification"),
            part("checks", "Each consistency condition with its result"),
            part("server", "Waits, counters and gauges of the server"),
        ])
        .arg(output())
        .after_help(
            "Examples:\n  tacho show\n  tacho show latest~1 --timeline\n  \
             tacho show baseline --output json",
        )
}

fn timing() -> Command {
    Command::new("timing")
        .about("Print the time profile of a saved run, or export it as a spreadsheet with charts")
        .arg(Arg::new("run").value_name("RUN").default_value("latest").help(RUN_HELP))
        .arg(
            Arg::new("export")
                .long("export")
                .value_name("FILE")
                .action(ArgAction::Append)
                .value_hint(ValueHint::FilePath)
                .help("Also write it to a file, by extension: .xlsx, .csv, .json, .hlog (HDR histograms)"),
        )
        .arg(output())
        .after_help(
            "Examples:\n  tacho timing\n  tacho timing latest --export profile.xlsx\n  \
             tacho timing baseline --export profile.csv --export profile.hlog -o quiet",
        )
}

fn compare() -> Command {
    Command::new("compare")
        .about("Compare runs or sweeps with a baseline: changes with 95 % intervals")
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
                .help("Runs or a sweep to compare with it, named in the same way [default: latest]"),
        )
        .arg(
            Arg::new("force")
                .long("force")
                .action(ArgAction::SetTrue)
                .help("Compare even if workload, scale, arrival or machine differ, or a run is INVALID"),
        )
        .arg(
            Arg::new("fail_on")
                .long("fail-on")
                .value_name("WHAT")
                .value_parser(PossibleValuesParser::new(["regression", "throughput"]))
                .help("Exit with code 7 if any metric is worse (regression) or the throughput is (throughput), or if that is undecided"),
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
        .about("Write a report of runs, a sweep or a comparison: HTML, Markdown, CSV, JSON, JUnit")
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
                .help("Output file; - is standard output [default: report.html; other formats to -]"),
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(PossibleValuesParser::new(formats))
                .help("Format of the report [default: by the extension of the file]"),
            Arg::new("table")
                .long("table")
                .value_name("TABLE")
                .value_parser(PossibleValuesParser::new(tacho_report::CsvTable::NAMES))
                .help("Table to write as CSV [default: the main one of the report]"),
            Arg::new("baseline")
                .long("baseline")
                .value_name("RUN")
                .help("Compare with this run, repeated runs, tag:NAME or another sweep"),
            Arg::new("force")
                .long("force")
                .action(ArgAction::SetTrue)
                .help("Compare even if workload, scale, arrival or machine differ, or a run is INVALID"),
            Arg::new("redact")
                .long("redact")
                .action(ArgAction::SetTrue)
                .help("Hide names of machines, users and targets, addresses, paths and notes"),
            Arg::new("site")
                .long("site")
                .value_name("FOLDER")
                .value_hint(ValueHint::DirPath)
                .conflicts_with_all(["runs", "file", "format", "table", "baseline", "force"])
                .help("Write all saved runs as a folder of pages, which need no server; an earlier site is replaced"),
        ])
        .after_help(
            "Examples:\n  tacho report                                the latest run, to report.html\n  \
             tacho report latest -o run.html --redact    without names and addresses\n  \
             tacho report sweep:latest -o profile.html\n  \
             tacho report sweep:latest~1 sweep:latest    two profiles over each other\n  \
             tacho report latest --baseline tag:before -o change.html\n  \
             tacho report latest -o junit.xml            thresholds and checks as test cases\n  \
             tacho report --site public                  all runs, for a web server or file://\n  \
             tacho report --site public --redact         without names and addresses",
        )
}

fn trend() -> Command {
    Command::new("trend")
        .about("Find the runs at which a metric changed its level, and what changed there")
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
                .help("Exit with code 7 if the newest change is a regression, or if there are too few runs"),
        )
        .arg(output())
        .after_help(
            "Examples:\n  tacho trend\n  tacho trend tag:nightly --fail-on regression\n  \
             tacho trend tprocc --metric new_order.p95 -o json",
        )
}

fn config() -> Command {
    Command::new("config")
        .about("Print settings and where they come from")
        .subcommand_required(true)
        .subcommand(
            Command::new("show")
                .about("Print all settings with their values")
                .arg(Arg::new("run").value_name("RUN").help("A run named in tacho.toml"))
                .arg(
                    Arg::new("origin")
                        .long("origin")
                        .action(ArgAction::SetTrue)
                        .help("Print where each value comes from"),
                )
                .args(flags(&[Scope::Run, Scope::Build, Scope::Check, Scope::Data]))
                .arg(output())
                .after_help("Examples:\n  tacho config show --origin\n  tacho config show nightly"),
        )
        .subcommand(Command::new("path").about("Print the path of the settings file"))
        .subcommand(Command::new("check").about("Check the settings file"))
}

fn workload(help: &'static str) -> Arg {
    Arg::new("workload_name").value_name("WORKLOAD").help(help)
}

fn target() -> Arg {
    Arg::new("target_name")
        .value_name("TARGET")
        .help("Database, as driver:place or a name from tacho.toml or of tacho up")
}

fn adopt() -> Arg {
    Arg::new("adopt")
        .long("adopt")
        .value_name("PROFILE")
        .help("Use tables that Tacho did not create: those of the tool of this profile")
}

fn output() -> Arg {
    Arg::new("output")
        .long("output")
        .short('o')
        .value_name("FORMAT")
        .value_parser(PossibleValuesParser::new(["text", "json", "quiet"]))
        .default_value("text")
        .help("Format of the answer on standard output")
}

fn progress() -> Arg {
    Arg::new("progress")
        .long("progress")
        .value_name("FORM")
        .value_parser(PossibleValuesParser::new(["auto", "plain", "json", "none"]))
        .default_value("auto")
        .help("Format of the progress on standard error")
}

/// Of commands that measure: they have a live view too.
fn live_progress() -> Arg {
    progress()
        .value_parser(PossibleValuesParser::new(["auto", "plain", "tui", "json", "none"]))
        .help(
            "Form of the progress on standard error; auto is tui, a live view, on a terminal of 80 × 24 or \
             more, and plain lines elsewhere",
        )
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
