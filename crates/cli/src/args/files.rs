//! The `generate` command, which writes a workload's rows to files.

use clap::Command;
use clap::builder::PossibleValuesParser;
use tacho_config::Command as Subject;
use tacho_driver::FileFormat;

use super::common::{flags, folder, output, progress, target, value, workload};

pub(super) fn generate() -> Command {
    Command::new("generate")
        .about("Generate files with the rows that prepare would load, one file per table and session")
        .arg(workload("Workload, unless specified with --workload"))
        .arg(target())
        .args([
            folder("to", "FOLDER", "Folder for the files; existing files are not overwritten").required(true),
            value("format", "WORD", "csv: comma-separated, with a header line; tbl: separated by |, without a header").default_value(FileFormat::NAMES[0]).value_parser(PossibleValuesParser::new(FileFormat::NAMES)),
            value("part", "K/N", "Write only the K-th of N equal parts, so that N machines can \
                                  write one part each"),
            value("load_date", "DATE", "Load date for the rows, in UTC; use the same date for all parts \
                                        [default: now]"),
        ])
        .args(flags(Subject::Generate))
        .args([progress(), output()])
        .after_help(
            "Tacho does not connect to the target; the driver determines the table layout.\n\n\
             Examples:\n  tacho generate tproch --scale 1 --sessions 4 --to files\n  \
             tacho generate tprocc postgres: --profile hammerdb --scale 100 --to files --format tbl\n  \
             tacho generate tprocc --scale 100000 --to files --part 3/8 --load-date 2026-11-25",
        )
}
