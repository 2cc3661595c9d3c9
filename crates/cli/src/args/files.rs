//! `generate`: the rows of a workload as files.

use clap::builder::{PossibleValuesParser, ValueHint};
use clap::{Arg, Command};
use tacho_config::Scope;
use tacho_driver::FileFormat;

use super::common::{flags, output, progress, target, workload};

pub(super) fn generate() -> Command {
    Command::new("generate")
        .about("Write the rows that prepare would load to files, one for each table and session")
        .arg(workload("Workload, unless --workload names it"))
        .arg(target())
        .args([
            Arg::new("to")
                .long("to")
                .value_name("FOLDER")
                .required(true)
                .value_hint(ValueHint::DirPath)
                .help("Folder for the files; none is overwritten"),
            Arg::new("format")
                .long("format")
                .value_name("WORD")
                .default_value(FileFormat::NAMES[0])
                .value_parser(PossibleValuesParser::new(FileFormat::NAMES))
                .help("csv: commas and a header line; tbl: | and no header"),
            Arg::new("part")
                .long("part")
                .value_name("K/N")
                .help("Only the K-th of N equal parts, so that N machines can write one each"),
            Arg::new("load_date")
                .long("load-date")
                .value_name("DATE")
                .help("Date of the load in the rows, in UTC, the same for all parts [default: now]"),
        ])
        .args(flags(&[Scope::Build, Scope::Data]))
        .args([progress(), output()])
        .after_help(
            "The target is not connected to; its driver decides the layout of the tables.\n\n\
             Examples:\n  tacho generate tproch --scale 1 --sessions 4 --to files\n  \
             tacho generate tprocc postgres: --profile hammerdb --scale 100 --to files --format tbl\n  \
             tacho generate tprocc --scale 100000 --to files --part 3/8 --load-date 2026-11-25",
        )
}
