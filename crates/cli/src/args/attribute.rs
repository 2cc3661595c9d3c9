//! The arguments of `tacho attribute`.

use clap::{Arg, ArgAction, Command};
use tacho_config::Command as Subject;

use super::common::{file, flags, live_progress, output, switch, target, workload};

pub(super) fn attribute() -> Command {
    let option =
        |name: &'static str, long: &'static str, value: &'static str, help: &'static str| {
            Arg::new(name).long(long).value_name(value).help(help)
        };
    Command::new("attribute")
        .about("Measure the cost of each difference between two profiles")
        .arg(workload("Workload, or a run defined in tacho.toml"))
        .arg(target())
        .args([
            option("first", "from", "PROFILE", "First configuration: PROFILE or PROFILE,KEY=VALUE,…, where KEY is a parameter, a setting, target.OPTION or server.SETTING")
                .required(true),
            option("last", "to", "PROFILE", "Last configuration, in the same format")
                .required(true),
            option("rounds", "rounds", "N", "Number of times to measure each step [default: 4]")
                .value_parser(clap::value_parser!(u32).range(2..=1_000)),
            option("one_order", "one-order", "",
                "Change the groups in one order only; takes half the time but does not show \
                 interactions")
                .action(ArgAction::SetTrue),
        ])
        .args(flags(Subject::Run).filter(|flag| flag.get_id() != "profile"))
        .args([live_progress(), output()])
        .arg(
            file("export", "FILE", "Also write the result to a file (created before the runs); its extension selects the format: .html .md .json .txt").action(ArgAction::Append),
        )
        .arg(
            switch("dry_run", "Print the groups of differences without measuring anything"),
        )
        .after_help(
            "The target must be empty: data is loaded, and removed when a step needs other data.\n\n\
             Examples:\n  tacho attribute tprocc pg --from spec --to sysbench-tpcc --scale 2 --dry-run\n  \
             tacho attribute tprocc pg --from hammerdb --to sysbench-tpcc,form=simple --scale 10 \
             --sessions 8 --duration 30s --export why.html",
        )
}
