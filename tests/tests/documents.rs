//! All commands in README and the guides must be valid, the first steps must work, and claims about features must be
//! true.
//!
//! `cargo xtask tidy` checks that link targets exist.

#![expect(clippy::disallowed_methods, reason = "the documents lie beside the tests, not in a run")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::prepared::ONE;
use serde_json::Value;
use tacho_tests::{Data, Folder};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).expect("a document")
}

/// Returns the Markdown files in a folder, including its subfolders.
fn pages(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string());
    let mut pages = Vec::new();
    for name in names.map(|name| format!("{folder}/{}", name.expect("UTF-8"))) {
        match Path::new(&name).extension() {
            Some(extension) if extension == "md" => pages.push(name.into()),
            None => pages.extend(self::pages(&name)),
            _ => {}
        }
    }
    pages.sort();
    pages
}

/// Returns code blocks as lists of lines. If a line ends with `\`, it is joined with the next one.
fn blocks(text: &str) -> Vec<Vec<String>> {
    let joined = text.replace("\\\n", " ");
    let parts: Vec<&str> = joined.split("```").collect();
    parts
        .iter()
        .skip(1)
        .step_by(2)
        .map(|block| block.lines().map(str::to_owned).collect())
        .collect()
}

/// Returns the arguments of a command, without a comment at the end of the line.
fn arguments(line: &str) -> Option<String> {
    // An indented line is part of the output.
    let line = line.strip_prefix("$ ").unwrap_or(line);
    let rest = line.strip_prefix("tacho")?;
    if !rest.is_empty() && !rest.starts_with(' ') {
        return None;
    }
    let rest = rest.trim_start();
    let end = [" #", "   "].iter().filter_map(|mark| rest.find(mark)).min();
    Some(rest[..end.unwrap_or(rest.len())].trim().to_owned())
}

#[test]
fn every_command_in_the_documents_is_taken() {
    let folder = Folder::new();
    let mut files = pages("docs");
    files.push("README.md".into());
    let mut count = 0;
    for file in files {
        let text = read(&file.display().to_string());
        let lines = blocks(&text).concat();
        // With `--help` at the end, all arguments are parsed but nothing is run. `tacho hammerdb` is left out, because
        // its arguments belong to a script.
        let commands = lines.iter().filter_map(|line| arguments(line));
        for command in commands.filter(|command| !command.starts_with("hammerdb")) {
            let done = folder.tacho(&format!("{command} --help")).done();
            assert!(done.code() == 0, "{}: tacho {command}\n{}", file.display(), done.err);
            count += 1;
        }
    }
    assert!(count > 60, "{count} commands were found");
    for wrong in ["runn", "run --no-such", "run tprocc sim more", "sweep --order none"] {
        folder.tacho(&format!("{wrong} --help")).exits(2).is_error();
    }
    assert!(folder.names().is_empty(), "looking leaves nothing");
}

/// Follows the steps of README exactly, except that the scale is smaller and the runs are shorter.
#[test]
fn the_first_steps_of_readme_lead_to_the_end() {
    let folder = Folder::new();
    let readme = read("README.md");
    let steps = blocks(&readme).into_iter().flatten().filter_map(|line| arguments(&line));
    let (last, steps): (Vec<String>, Vec<String>) =
        steps.partition(|step| step.starts_with("clean"));
    assert!(steps.len() >= 10 && last.len() == 1, "{steps:?} {last:?}");
    for step in steps {
        if step == "serve" {
            let mut server = folder.tacho("serve --listen 127.0.0.1:0").start();
            server.until_said(|line| line.starts_with("Open "));
            server.signal(tacho_tests::Signal::INT);
            server.wait().expect_code(130);
            continue;
        }
        let short = match step.split_whitespace().next() {
            Some("run" | "sweep") => {
                format!("{} -d 1s --ramp-up 0s --check none", step.replace("-d 1m", ""))
            }
            // The result of comparing one-second runs does not matter here.
            Some("compare") => format!("{step} --force"),
            _ => step.replace("--scale 10", "--scale 1"),
        };
        // Do not wait for the disk, so that other tasks that use it do not affect the result.
        let short = short.replace("sqlite:bench.db", "sqlite:bench.db?synchronous=off");
        let done = folder.tacho(&short).done();
        // A run may end with one of these exit codes because this machine is slow or busy, which does not matter here.
        let run = short.starts_with("run") || short.starts_with("sweep");
        let good: &[i32] = if run { &[0, 4, 6] } else { &[0] };
        assert!(good.contains(&done.code()), "{short}\n{}", done.err);
        assert!(!done.out.is_empty() || short.starts_with("report"), "{short} says nothing");
    }
    assert!(folder.read("report.html").starts_with(b"<!doctype html>"));
    folder.tacho(&format!("{} --yes", last[0])).exits(0);
}

/// Returns the row of a table whose first cell has this text.
fn row<'a>(text: &'a str, first: &str) -> &'a str {
    let begin = format!("| {first} |");
    text.lines().find(|line| line.starts_with(&begin)).unwrap_or_else(|| panic!("no row {first}"))
}

/// Returns names and their descriptions.
fn listed(folder: &Folder, command: &str) -> Vec<(String, String)> {
    let list = folder.tacho(&format!("{command} -o json")).exits(0).json();
    let text = |entry: &Value, key: &str| entry[key].as_str().expect("a text").to_owned();
    let list = list.as_array().expect("a list").iter();
    list.map(|entry| (text(entry, "name"), text(entry, "about"))).collect()
}

#[test]
fn readme_says_what_there_is() {
    let folder = Folder::new();
    let readme = read("README.md");
    let places = [row(&readme, "Databases"), row(&readme, "Without a database")].concat();
    for (name, about) in listed(&folder, "list drivers") {
        // In README, a product is listed by its title, and any other driver by its name.
        let title = about.split(" (").next().expect("a title");
        let said = title.split(" and ").all(|one| places.contains(one));
        assert!(said || places.contains(&format!("`{name}`")), "{about} is in no row of README");
    }
    for (name, _) in listed(&folder, "list workloads") {
        assert!(row(&readme, "Workloads").contains(&format!("`{name}`")), "{name}");
        assert!(readme.contains(&format!("(docs/reference/{name}.md)")), "{name} has no link");
    }
    for format in ["HTML", "Markdown", "CSV", "JUnit"] {
        assert!(row(&readme, "Output").contains(format), "{format}");
    }
    // `cargo xtask tidy` checks that the table of contents lists every page.
    assert!(readme.contains("(docs/SUMMARY.md)"));
    // README and the reference list the same exit codes.
    let codes = read("docs/reference/exit-codes.md");
    for code in ["0", "4", "5", "6"] {
        row(&codes, code);
        assert!(readme.contains(&format!("{code} ")), "{code}");
    }
    assert!(readme.contains("twelve consistency conditions"));
    let described = folder.tacho("describe tprocc").exits(0).out;
    assert!(described.contains("C12") && !described.contains("C13"), "{described}");
}

/// Every number in the comparison with other tools must appear in the raw file that belongs to it.
#[test]
fn the_figures_of_readme_were_measured() {
    let readme = read("README.md");
    let mut count = 0;
    for line in readme.lines().filter(|line| line.contains("](benches/results/")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let link = cells[4].trim_start_matches('[').trim_end_matches(')');
        let (ratio, file) = link.split_once("](").expect("a link");
        let raw = read(file);
        let first = |cell: &str| cell.split([' ', ',']).next().expect("a word").to_owned();
        let (peer, theirs) = cells[3].split_once(' ').expect("a name and a figure");
        // A raw file contains each comparison on three consecutive lines: Tacho's result, the result of the other tool,
        // and the ratio between them.
        let median = |figure: &str| format!("median {figure}");
        let lines: Vec<&str> = raw.lines().collect();
        let found = lines.windows(3).any(|three| {
            three[0].ends_with(&median(cells[2]))
                && three[1].trim_start().starts_with(peer)
                && three[1].ends_with(&median(&first(theirs)))
                && three[2].ends_with(&median(ratio))
        });
        assert!(found, "{line}\nis not in {file}");
        count += 1;
    }
    assert!(count >= 5, "{count} rows");
}

/// README must not hide unfavourable results. If it links to a raw file, it must list every measurement in this file
/// that shows higher costs for Tacho than for the other tool.
#[test]
fn readme_leaves_out_no_measurement_that_tacho_loses() {
    let readme = read("README.md");
    let links = readme.split("](benches/results/").skip(1);
    let files: BTreeSet<&str> = links.filter_map(|link| Some(link.split_once(')')?.0)).collect();
    let mut seen = 0;
    for file in files {
        for (title, ratio) in costs(&read(&format!("benches/results/{file}"))) {
            let row = format!("[{ratio}](benches/results/{file})");
            let is_worse = ratio.parse::<f64>().expect("a ratio") > 1.0;
            assert!(
                !is_worse || readme.contains(&row),
                "{file}: {title}: {ratio} is not in README"
            );
            seen += 1;
        }
    }
    assert!(seen > 30, "{seen} measurements");
    let raw = "CPU us of the client per event, x\n  tacho  3 median 3.0\n  peer  2 median 2.0\n  ratio  1.5 median 1.50\n";
    assert_eq!(costs(raw), [("CPU us of the client per event, x", "1.50")]);
    assert!(costs(&raw.replace("CPU us of the client", "statements")).is_empty());
}

/// Returns the title and the ratio of each measurement of costs, which is the client's CPU time.
fn costs(raw: &str) -> Vec<(&str, &str)> {
    let lines: Vec<&str> = raw.lines().collect();
    let is_other = |title: &str| title.starts_with("events per") || title.starts_with("statements");
    let blocks = lines.windows(4).filter(|four| four[3].trim_start().starts_with("ratio "));
    let costs = blocks.filter(|four| !is_other(four[0]));
    costs.map(|four| (four[0], four[3].rsplit("median ").next().expect("a median"))).collect()
}

/// The documentation says how many rows there are per warehouse on average, and how many items all warehouses share.
///
/// The number of order lines is random, which can change the number of rows by half a percent.
#[test]
fn a_warehouse_has_as_many_rows_as_the_pages_say() {
    let folder = ONE.folder();
    let data = Data::open(&folder.file("a.db"));
    let count = |table: &str| data.number(&format!("SELECT COUNT(*) FROM {table}"));
    let tables = data.tables().into_iter().filter(|table| !table.starts_with("tacho_"));
    let items = count("item");
    let rows = tables.map(|table| count(&table)).sum::<i64>() - items;
    assert_eq!(items, 100_000);
    assert!((rows - 499_011).abs() < 2_500, "{rows} rows");
    for page in ["docs/guides/first-measurement.md", "docs/help/sizing.md"] {
        let text = read(page).replace(['\u{202f}', '\u{a0}'], " ");
        for number in ["499 011", "100 000"] {
            assert!(text.contains(number), "{page} does not state {number}");
        }
    }
}

/// README must state the conditions of its claims, the versions that were compared and the test command. It must offer
/// only packages that have been published.
#[test]
fn readme_limits_its_claims() {
    let readme = read("README.md");
    for condition in [
        "with [`--verify commits`]",
        "once `--backlog` of them wait",
        "such as `sim`, keeps no data",
        "except in `replay`",
        "pgbench 18",
        "HammerDB 6.0",
        "`\\startpipeline`",
        "durable commits",
        "ten, by `check` of sysbench-tpcc",
        "with configuration, percentiles, counts and CPU",
        "`cargo xtask test`",
    ] {
        assert!(readme.contains(condition), "{condition}");
    }
    for page in ["README.md", "docs/guides/install.md", "docs/quick-starts/postgresql.md"] {
        for package in ["npx tacho", "pip install tacho", "cargo install tacho", "brew install"] {
            assert!(!read(page).contains(package), "{page}: {package}");
        }
    }
}

/// The overloaded run in the example of the accounting page must print the lines that the page shows.
#[test]
fn the_example_of_accounting_is_what_a_run_prints() {
    let folder = Folder::new();
    let page = read("docs/concepts/accounting.md");
    let after = page.split("For example:").nth(1).expect("an example");
    let mut lines = after.lines().map_while(|line| match line.strip_prefix("    ") {
        Some(code) => Some(code),
        None => line.is_empty().then_some(""),
    });
    let command = lines.find(|line| !line.is_empty()).expect("a command");
    let lines: Vec<&str> = lines.map(str::trim).filter(|line| !line.is_empty()).collect();
    assert!(lines.len() >= 4, "{lines:?}");
    let done = folder.tacho(&arguments(command).expect("a command of tacho")).exits(4);
    let words = |text: &str| text.split_whitespace().collect::<Vec<&str>>().join(" ");
    for line in lines {
        let (line, printed) = (words(line), words(&done.out));
        assert!(printed.contains(&line), "{line}: {}", done.out);
    }
}

/// Terms of other tools, each with the equivalent in Tacho.
#[test]
fn the_words_of_other_tools_lead_to_ours() {
    let folder = Folder::new();
    let table = read("docs/guides/profiles.md");
    let all = |command: &str| folder.tacho(&format!("{command} --help")).exits(0).out;
    let help = [all("run"), all("sweep"), all("prepare")].concat();
    let commands = all("");
    let mut seen = 0;
    for line in table.lines().filter(|line| line.starts_with("| ")).skip(1) {
        let ours = line.trim_end_matches('|').rsplit('|').next().expect("the last column");
        for words in ours.split('`').skip(1).step_by(2) {
            // Skip text in single quotation marks, because it is a command line of another tool with options of its
            // own.
            let words = words.split('\'').step_by(2).collect::<String>();
            let words = words.trim_start_matches("tacho ");
            for word in words.split_whitespace().filter(|word| word.starts_with("--")) {
                assert!(help.contains(word), "{word} is no option: {line}");
                seen += 1;
            }
            let first = words.split_whitespace().next().expect("a word");
            if !first.starts_with("--") {
                assert!(
                    commands.contains(&format!("\n  {first} ")),
                    "tacho has no {first}: {line}"
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 15, "{seen} words");
}
