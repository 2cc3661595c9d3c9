//! The commands that show, compare and report results.

use clap::builder::{PossibleValuesParser, ValueHint};
use clap::{Arg, ArgAction, Command};

use super::common::{file, folder, output, position, switch, value};

pub(super) const RUN_HELP: &str = "Unique prefix of an ID, latest, latest~1, or a tag";

pub(super) fn show() -> Command {
    Command::new("show")
        .about("Print the summary of a saved run, the table of a sweep, or part of a run")
        .arg(Arg::new("run").value_name("RUN").default_value("latest").help(RUN_HELP))
        .args([
            switch("timeline", "Each interval"),
            switch("transactions", "Latency and service time of each transaction"),
            switch("errors", "Failures with their messages"),
            switch("plan", "Resolved plan, conditions and settings"),
            switch(
                "conditions",
                "Server, machine, disk, settings with their defaults, table sizes",
            ),
            switch(
                "audit",
                "Audit of the submitted transactions against the specification's limits",
            ),
            switch("checks", "Each consistency condition with its result"),
            switch("server", "The server's waits, counters and gauges").visible_alias("waits"),
        ])
        .arg(output())
        .after_help(
            "Examples:\n  tacho show\n  tacho show latest~1 --timeline\n  \
             tacho show baseline --output json",
        )
}

pub(super) fn timing() -> Command {
    Command::new("timing")
        .about("Print the time profile of a saved run, or export it as a spreadsheet with charts")
        .arg(Arg::new("run").value_name("RUN").default_value("latest").help(RUN_HELP))
        .arg(
            file(
                "export",
                "FILE",
                "Also write the profile to a file; its extension selects the format: .xlsx, .csv, .json, .hlog (HDR histograms)",
            )
            .action(ArgAction::Append),
        )
        .arg(output())
        .after_help(
            "Examples:\n  tacho timing\n  tacho timing latest --export profile.xlsx\n  \
             tacho timing baseline --export profile.csv --export profile.hlog -o quiet",
        )
}

pub(super) fn compare() -> Command {
    Command::new("compare")
        .about("Compare runs or sweeps with a baseline, showing 95 % confidence intervals")
        .arg(
            position("baseline", "BASELINE", "A run; repeated runs separated by commas; tag:NAME; or a sweep, specified by ID or as sweep:latest~1").default_value("latest~1"),
        )
        .arg(
            position("runs", "RUN|SWEEP", "Runs or a sweep to compare with the baseline, specified in the same way [default: latest]").num_args(1..),
        )
        .arg(
            switch("force", "Compare even if the workload, scale, arrival or machine differs, or if a run is INVALID"),
        )
        .arg(
            switch("dry_run", "Print the smallest difference that these runs can detect, without comparing them"),
        )
        .arg(
            value("fail_on", "WHAT", "Exit with code 7 if any metric is worse (regression), if the throughput is worse (throughput), or if a metric is worse by more than a given size (such as 'p95>5%' or 'tps<-5%'); if a size is given, exit with code 9 if the runs are inconclusive"),
        )
        .arg(
            switch("pass_undecided", "Exit with code 0 instead of 9 if the runs are inconclusive").requires("fail_on"),
        )
        .arg(output())
        .after_help(
            "Examples:\n  tacho compare                              the latest run with the one before\n  \
             tacho compare baseline latest --fail-on regression\n  \
             tacho compare tag:before tag:after --fail-on 'p95>5%'\n  \
             tacho compare tag:before tag:after         repeated runs: intervals between runs\n  \
             tacho compare 7q1a,7q1b 7q3f,7q3g -o json\n  \
             tacho compare sweep:latest~1 sweep:latest  two profiles, point by point",
        )
}

pub(super) fn report() -> Command {
    let formats = crate::forms::FORMATS.map(|(format, _)| format);
    Command::new("report")
        .about("Write a report of runs, a sweep or a comparison: HTML, Markdown, CSV, JSON, JUnit")
        .arg(
            position("runs", "RUN|SWEEP", "A run; repeated runs separated by commas; tag:NAME; or a sweep, specified by ID or as sweep:latest").num_args(1..).default_value("latest"),
        )
        .args([
            Arg::new("file")
                .long("output")
                .short('o')
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .help("Output file, or - for standard output [default: report.html, or - for other formats]"),
            value("format", "FORMAT", "Report format [default: selected by the file extension]").value_parser(PossibleValuesParser::new(formats)),
            value("table", "TABLE", "Table to write as CSV [default: the report's main table]").value_parser(PossibleValuesParser::new(tacho_report::CsvTable::NAMES)),
            value("baseline", "RUN", "Compare with this run, repeated runs, tag:NAME or another sweep"),
            value("title", "TEXT", "Title of the page, such as the question that it answers [default: from the runs]"),
            file("summary", "FILE", "Your own summary in Markdown, shown at the top of the page"),
            switch("force", "Compare even if the workload, scale, arrival or machine differs, or if a run is INVALID"),
            switch("redact", "Hide the names of machines, users and targets, as well as addresses, paths and notes"),
            folder("site", "FOLDER", "Write all saved runs as a static site in a folder, replacing any earlier site").conflicts_with_all(["runs", "file", "format", "table", "baseline", "title", "summary", "force"]),
        ])
        .after_help(
            "Examples:\n  tacho report                                the latest run, to report.html\n  \
             tacho report latest -o run.html --redact    without names and addresses\n  \
             tacho report sweep:latest -o profile.html\n  \
             tacho report sweep:latest~1 sweep:latest    two overlaid profiles\n  \
             tacho report latest --baseline tag:before -o change.html\n  \
             tacho report latest --title \"Is PostgreSQL 18 faster?\" --summary why.md\n  \
             tacho report latest -o junit.xml            thresholds and checks as test cases\n  \
             tacho report --site public                  all runs, for a web server or file://\n  \
             tacho report --site public --redact         without names and addresses",
        )
}

pub(super) fn trend() -> Command {
    Command::new("trend")
        .about("Find the runs at which a metric's level changed, and what else changed at that point")
        .arg(
            position("runs", "RUNS", "tag:NAME, a workload, or runs separated by commas [default: \
                                      all runs]"),
        )
        .arg(value("metric", "NAME", "Headline metric such as nopm, or tps, tpm, queries, \
                                      geomean, p95, new_order.p99 [default: the headline metric]"))
        .arg(
            value("fail_on", "WHAT", "Exit with code 7 if the newest change is a regression, or if there are too few runs").value_parser(PossibleValuesParser::new(["regression"])),
        )
        .arg(output())
        .after_help(
            "Examples:\n  tacho trend\n  tacho trend tag:nightly --fail-on regression\n  \
             tacho trend tprocc --metric new_order.p95 -o json",
        )
}
