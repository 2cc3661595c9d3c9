//! Converts a `BenchBase` configuration to Tacho commands.
//!
//! The conversion executes nothing and does not reveal passwords. Start reading at [`translated`].

mod place;
mod works;

use std::path::Path;

use roxmltree::{Document, Node};
use tacho_core::file::{SMALL_MAX, text};
use tacho_core::{Error, Result};

use super::draft::{Draft, Translation};
use super::getopt::{Flag, read};
use super::options::Options;
use works::Work;

/// The profile of the order-processing workloads that corresponds to `BenchBase`.
const PROFILE: &str = "benchbase";
const FLAGS: [Flag; 13] = [
    ("b", "bench", true),
    ("c", "config", true),
    ("", "create", true),
    ("", "load", true),
    ("", "execute", true),
    ("", "clear", true),
    ("d", "directory", true),
    ("s", "sample", true),
    ("", "interval_monitor", true),
    ("", "json_histograms", true),
    ("", "anonymize", true),
    ("h", "help", false),
    ("v", "version", false),
];
/// Options whose two-letter names follow a single dash, with their long names.
const PAIRS: [(&str, &str); 2] = [("-im", "--interval-monitor"), ("-jh", "--json-histograms")];
/// Names of benchmarks, each with the corresponding Tacho workload.
const WORKLOADS: [(&str, &str); 4] = [
    ("tpcc", "tprocc"),
    ("tpch", "tproch"),
    ("chbenchmark", "chbench"),
    ("tpcc,chbenchmark", "chbench"),
];
/// Elements that Tacho does not need.
const UNNEEDED: [&str; 5] = ["driver", "type", "batchsize", "name", "datadir"];
/// Transaction types, in the same order as the values of the `weights` parameter.
const TYPES: [&str; 5] = ["NewOrder", "Payment", "OrderStatus", "Delivery", "StockLevel"];
/// Waits before and after a new order, in milliseconds, as required by the specification.
const SPECIFIED: [&str; 2] = ["18000", "12000"];

/// Converts the words after the program's name, which are its options or the name of a configuration file.
pub(super) fn translated(words: &[String], folder: &Path) -> Result<Translation> {
    let words: Vec<String> = words
        .iter()
        .map(|word| {
            PAIRS.iter().find(|(pair, _)| pair == word).map_or(word.as_str(), |(_, name)| name)
        })
        .map(str::to_owned)
        .collect();
    let given = read(&words, &FLAGS)?;
    let mut options = given.by_name();
    let mut others = given.others.iter();
    let file = options.take("config").or_else(|| others.next().cloned());
    let Some(file) = file else {
        return Err(Error::usage("a BenchBase configuration file is required")
            .hint("tacho import benchbase sample_tpcc_config.xml"));
    };
    let path = folder.join(&file);
    let content = text(&path, SMALL_MAX).map_err(|error| {
        Error::usage(format!("could not read {}: {error}", path.display())).source(error)
    })?;
    let document = Document::parse(&content)
        .map_err(|error| Error::usage(format!("{file} is not a valid XML file: {error}")))?;
    let mut config = Config::read(document.root_element());
    let benchmark = options.take("bench").or_else(|| others.next().cloned());
    config.workload = workload(benchmark.as_deref(), &config)?;
    config.commands(&mut options)
}

/// Returns the workload for a benchmark. If no benchmark is named, recognizes it by the names of its transaction
/// types.
fn workload(benchmark: Option<&str>, config: &Config) -> Result<&'static str> {
    let benchmark = match benchmark {
        Some(benchmark) => benchmark,
        None if config.types.iter().any(|kind| kind.name == TYPES[0]) => "tpcc",
        None if config.types.iter().any(|kind| kind.name == "Q1") => "tpch",
        None => "",
    };
    let found = WORKLOADS.iter().find(|(name, _)| *name == benchmark);
    found.map(|(_, workload)| *workload).ok_or_else(|| {
        let error = if benchmark.is_empty() {
            Error::usage("the file does not name a benchmark")
                .hint("add its name, as in tacho import benchbase config.xml tpcc")
        } else {
            Error::usage(format!("no workload for the BenchBase benchmark \"{benchmark}\""))
        };
        let known = WORKLOADS.map(|(name, _)| name).join(" · ");
        error.hint(format!("benchmarks with a workload: {known}")).hint(
            "for any other benchmark, create a workload folder with tacho init workload NAME, and \
             describe its tables, statements and transactions there",
        )
    })
}

/// A transaction type.
#[derive(Debug, Default)]
struct Kind {
    name: String,
    /// Waits before and after the transaction, in milliseconds.
    waits: [Option<String>; 2],
}

/// A configuration file.
#[derive(Debug, Default)]
struct Config {
    workload: &'static str,
    /// Elements without children.
    values: Options,
    works: Vec<Work>,
    types: Vec<Kind>,
    notes: Vec<String>,
}

impl Config {
    fn read(root: Node<'_, '_>) -> Self {
        let mut config = Self::default();
        for node in root.children().filter(Node::is_element) {
            let name = node.tag_name().name();
            if is_of_queries(node) {
                config.without(node);
            } else if name == "works" {
                for work in node.children().filter(|node| node.has_tag_name("work")) {
                    config.works.push(Work::read(work, &mut config.notes));
                }
            } else if name == "transactiontypes" {
                for kind in node.children().filter(|node| node.has_tag_name("transactiontype")) {
                    config.read_kind(kind);
                }
            } else if node.children().any(|child| child.is_element()) {
                config.without(node);
            } else {
                config.values.insert(name, content(node));
            }
        }
        config
    }

    fn read_kind(&mut self, node: Node<'_, '_>) {
        if is_of_queries(node) {
            return;
        }
        let mut kind = Kind::default();
        for child in node.children().filter(Node::is_element) {
            let text = content(child).to_owned();
            match child.tag_name().name() {
                "name" => kind.name = text,
                "preExecutionWait" => kind.waits[0] = Some(text),
                "postExecutionWait" => kind.waits[1] = Some(text),
                "id" => {}
                _ => self.without(child),
            }
        }
        self.types.push(kind);
    }

    fn without(&mut self, node: Node<'_, '_>) {
        self.notes.push(without(node));
    }

    /// Returns the commands that the options request. If they request none, returns the commands for loading and
    /// running.
    fn commands(mut self, options: &mut Options) -> Result<Translation> {
        let mut is_set = |name| options.switch(name).map(|set| set == Some(true));
        let loads = [is_set("create")?, is_set("load")?].contains(&true);
        let (runs, clears) = (is_set("execute")?, is_set("clear")?);
        let all = !(loads || runs || clears);
        let target = self.target(runs || all)?;
        let scale = self.values.take("scalefactor").unwrap_or_else(|| "1".into());
        let mut drafts = Vec::new();
        let loaders = self.number("loaderThreads")?;
        if loads || all {
            let mut draft = self.begin("prepare", &target, &scale);
            if let Some(loaders) = loaders {
                draft.say("sessions", loaders);
            }
            drafts.push(draft);
        }
        let all_runs = self.runs(&target, &scale)?;
        if runs || all {
            drafts.extend(all_runs);
        }
        if clears {
            let mut draft = Draft::default();
            draft.begin("clean", self.workload);
            draft.word(target);
            drafts.push(draft);
        }
        self.values.take_any(&UNNEEDED);
        let left = self.values.left();
        let left = left.iter().map(|name| format!("<{}>", name.trim_start_matches('-')));
        let unknown = left.map(|name| format!("{name} has no equivalent"));
        let mut all = Translation { commands: Vec::new(), notes: self.notes };
        all.notes.extend(unknown);
        for draft in drafts {
            let found = draft.finished();
            all.commands.extend(found.commands);
            for note in found.notes {
                if !all.notes.contains(&note) {
                    all.notes.push(note);
                }
            }
        }
        Ok(all)
    }

    fn begin(&self, command: &str, target: &str, scale: &str) -> Draft {
        let mut draft = Draft::default();
        draft.begin(command, self.workload);
        draft.word(target);
        if self.workload != "tproch" {
            draft.say("profile", PROFILE);
        }
        draft.say("scale", scale);
        draft
    }

    /// Returns the runs for all `<work>` elements. If the elements cannot be combined in one run, returns several runs.
    fn runs(&mut self, target: &str, scale: &str) -> Result<Vec<Draft>> {
        let terminals = self.number("terminals")?.unwrap_or(1);
        let failures = self.failures()?;
        let works = std::mem::take(&mut self.works);
        let mut groups: Vec<&[Work]> = works.chunk_by(Work::is_like).collect();
        if groups.is_empty() || self.workload == "tproch" {
            groups = vec![&works[..]];
        }
        let mut drafts = Vec::new();
        for group in &groups {
            let mut draft = self.begin("run", target, scale);
            if groups.len() > 1 {
                draft.note(
                    "<work> elements become separate runs if their weights differ or if only some have a rate",
                );
            }
            if self.workload == "tproch" {
                queries(group, terminals, &mut draft);
            } else {
                works::load(group, terminals, &mut draft)?;
                self.weights(group, &mut draft);
                self.pacing(&mut draft);
            }
            for (flag, value) in &failures {
                draft.say(flag, value);
            }
            drafts.push(draft);
        }
        Ok(drafts)
    }

    /// Returns the option for the seed, and the options for retries and reconnection after failures.
    fn failures(&mut self) -> Result<Vec<(&'static str, String)>> {
        let mut found = Vec::new();
        if let Some(retries) = self.number("retries")?.filter(|retries| *retries > 0) {
            found.extend([("retry", "new".to_owned()), ("attempts", (retries + 1).to_string())]);
        }
        if self.is_true("reconnectOnConnectionFailure") {
            found.push(("on-disconnect", "reconnect".to_owned()));
        }
        if self.is_true("newConnectionPerTxn") {
            let text =
                "<newConnectionPerTxn> has no equivalent, so the load differs in this respect";
            self.notes.push(text.to_owned());
        }
        if let Some(seed) = self.number("randomSeed")? {
            found.push(("seed", seed.to_string()));
        }
        Ok(found)
    }

    /// Converts the weights, which have the same order as the transaction types in the file.
    fn weights(&self, works: &[Work], draft: &mut Draft) {
        let Some(weights) = works.first().and_then(|work| work.weights.as_deref()) else {
            return;
        };
        let weights: Vec<&str> = weights.split(',').map(str::trim).collect();
        let of = |name: &str| {
            let at = self.types.iter().position(|kind| kind.name == name);
            at.and_then(|at| weights.get(at)).copied().unwrap_or("0")
        };
        draft.set("weights", TYPES.map(of).join(","));
        for kind in self.types.iter().filter(|kind| !TYPES.contains(&kind.name.as_str())) {
            draft.without(&format!("transaction type {}", kind.name));
        }
    }

    fn pacing(&self, draft: &mut Draft) {
        let waits = |kind: &Kind| kind.waits.iter().any(Option::is_some);
        let Some(kind) = self.types.iter().find(|kind| waits(kind)) else { return };
        let is_specified = kind.name == TYPES[0]
            && kind.waits.iter().zip(SPECIFIED).all(|(wait, usual)| wait.as_deref() == Some(usual));
        if is_specified {
            draft.say("pacing", "spec");
        } else {
            draft.note(
                "<preExecutionWait> and <postExecutionWait>: to keep a share of the specified \
                        times, use a factor such as --pacing x0.5",
            );
        }
    }

    fn is_true(&mut self, name: &str) -> bool {
        self.values.take(name).is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    fn number(&mut self, name: &str) -> Result<Option<u64>> {
        let Some(value) = self.values.take(name) else { return Ok(None) };
        value.parse().map(Some).map_err(|_| {
            Error::usage(format!("invalid value for <{name}>: {value}: expected an integer"))
        })
    }
}

/// Converts `<work>` elements that run query streams. In Tacho, such a run ends after the last query.
fn queries(works: &[Work], terminals: u64, draft: &mut Draft) {
    draft.say("sessions", terminals);
    if works.iter().any(|work| work.time.is_some()) {
        draft.note(
            "<time> has no equivalent: a run ends when each session has run its queries; to repeat them, use \
             --set query_sets=N",
        );
    }
}

/// Returns true if an XML element only affects queries that run alongside transactions.
fn is_of_queries(node: Node<'_, '_>) -> bool {
    node.attribute("bench").is_some_and(|bench| bench == "chbenchmark")
}

fn content<'a>(node: Node<'a, '_>) -> &'a str {
    node.text().unwrap_or_default().trim()
}

fn without(node: Node<'_, '_>) -> String {
    format!("<{}> has no equivalent", node.tag_name().name())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TPCC: &str = "<?xml version=\"1.0\"?>
        <parameters>
            <type>POSTGRES</type>
            <driver>org.postgresql.Driver</driver>
            <url>jdbc:postgresql://db:5433/bench?sslmode=disable&amp;reWriteBatchedInserts=true</url>
            <username>me</username> <password>secret</password>
            <reconnectOnConnectionFailure>true</reconnectOnConnectionFailure>
            <isolation>TRANSACTION_READ_COMMITTED</isolation>
            <batchsize>128</batchsize> <scalefactor>4</scalefactor> <retries>3</retries>
            <terminals>8</terminals> <loaderThreads>2</loaderThreads> <odd>1</odd>
            <works>WORKS</works>
            <transactiontypes>
                <transactiontype><name>Payment</name></transactiontype>
                <transactiontype><name>NewOrder</name>WAITS</transactiontype>
                <transactiontype><name>StockLevel</name></transactiontype>
            </transactiontypes>
        </parameters>";
    const TARGET: &str = "'postgres://me@db:5433/bench?sslmode=disable&isolation=read-committed'";

    /// Returns the commands and the notes.
    #[expect(clippy::disallowed_methods, reason = "writes the configuration of a test")]
    fn imported(content: &str, words: &[&str]) -> Result<(String, String)> {
        let id = format!("{:p}", content.as_ptr());
        let folder =
            std::env::temp_dir().join(format!("tacho-benchbase-{}-{id}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("c.xml"), content).expect("a file");
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let found = translated(&words, &folder);
        std::fs::remove_dir_all(&folder).expect("the folder");
        found.map(|found| (found.commands.join("\n"), found.notes.join("\n")))
    }

    fn tpcc(works: &str) -> String {
        TPCC.replace("WORKS", works).replace("WAITS", "")
    }

    #[test]
    fn a_configuration_becomes_a_load_and_a_run() {
        let work = "<work><time>60</time><warmup>5</warmup><rate>unlimited</rate>\
                    <weights>43,45,12</weights></work>";
        let (commands, notes) = imported(&tpcc(work), &["c.xml"]).expect("commands");
        assert_eq!(
            commands,
            format!(
                "tacho prepare tprocc {TARGET} --profile benchbase --scale 4 --sessions 2\n\
                 tacho run tprocc {TARGET} --profile benchbase --scale 4 --sessions 8 --duration 60s \
                 --ramp-up 5s --set weights=45,43,0,0,12 --retry new --attempts 4 --on-disconnect reconnect"
            )
        );
        for word in ["PGPASSWORD", "reWriteBatchedInserts", "<odd>"] {
            assert!(notes.contains(word), "{word}: {notes}");
        }
        assert!(!notes.contains("secret"), "{notes}");
        let words = ["-b", "tpcc", "-c", "c.xml", "--execute=true", "-s", "5", "-im", "1000"];
        let run = imported(&tpcc(work), &words).expect("commands").0;
        assert!(run.starts_with("tacho run ") && !run.contains('\n'), "{run}");
        let waits = "<preExecutionWait>18000</preExecutionWait><postExecutionWait>12000</postExecutionWait>";
        let paced = TPCC.replace("WORKS", work).replace("WAITS", waits);
        assert!(imported(&paced, &["c.xml"]).expect("commands").0.contains("--pacing spec"));
    }

    #[test]
    fn works_are_rates_or_steps() {
        for (works, load) in [
            (
                "<work><time>60</time><rate>500</rate></work>",
                "--sessions 8 --duration 60s --ramp-up 0s --rate 500 --spacing uniform",
            ),
            (
                "<work arrival=\"POISSON\"><time>60</time><rate>500</rate></work>",
                "--sessions 8 --duration 60s --ramp-up 0s --rate 500 --retry",
            ),
            (
                "<work><time>60</time><rate>500</rate></work><work><time>30</time><rate>900</rate></work>",
                "--sessions 8 --load 'steps: 500/sx60s, 900/sx30s' --ramp-up 0s --spacing uniform",
            ),
            (
                "<work><time>60</time><rate>disabled</rate><active_terminals>2</active_terminals></work>\
                 <work><time>30</time></work>",
                "--load 'steps: 2x60s, 8x30s' --ramp-up 0s",
            ),
        ] {
            let found = imported(&tpcc(works), &["c.xml"]).expect(works).0;
            assert!(found.contains(load), "{load}: {found}");
        }
    }

    #[test]
    fn works_that_differ_in_kind_or_weights_are_separate_runs() {
        let works = "<work><time>60</time><rate>200</rate><weights>43,45,12</weights><warmup>5</warmup></work>\
                     <work><time>9</time><rate>unlimited</rate><weights>43,45,12</weights></work>\
                     <work><time>8</time><rate>disabled</rate><weights>43,45,12</weights></work>\
                     <work><time>7</time><weights>10,80,10</weights></work>";
        let (commands, notes) =
            imported(&tpcc(works), &["c.xml", "tpcc", "--execute=true"]).expect("commands");
        let loads = [
            "--duration 60s --ramp-up 5s --rate 200 --spacing uniform --set weights=45,43,0,0,12 --retry new",
            "--load 'steps: 8x9s, 8x8s' --ramp-up 0s --set weights=45,43,0,0,12 --retry new",
            "--duration 7s --ramp-up 0s --set weights=80,10,0,0,10 --retry new",
        ];
        let lines: Vec<&str> = commands.lines().collect();
        assert_eq!(lines.len(), loads.len(), "{commands}");
        for (line, load) in lines.iter().zip(loads) {
            assert!(line.starts_with("tacho run ") && line.contains(load), "{load}: {line}");
        }
        assert_eq!(notes.matches("become separate runs").count(), 1, "{notes}");
    }

    #[test]
    fn urls_of_all_drivers_have_a_target() {
        for (url, target) in [
            (
                "jdbc:mysql://h:3306/b?useSSL=false&amp;x=1",
                "mysql://me@h:3306/b?product=any&ssl-mode=disabled",
            ),
            ("jdbc:mariadb://h/b?sslMode=VERIFY_CA", "mariadb://me@h/b?ssl-mode=verify-ca"),
            ("jdbc:sqlite:b.db", "sqlite:b.db"),
            (
                "jdbc:sqlserver://h:1433;encrypt=false;databaseName=b;trustServerCertificate=true",
                "sqlserver://me@h:1433/b?encrypt=no&trust_server_certificate=yes",
            ),
            ("jdbc:oracle:thin:@//h:1521/s", "oracle://me@h:1521/s"),
            ("jdbc:oracle:thin:@h:1521:s", "oracle://me@h:1521/?sid=s"),
        ] {
            let content = tpcc("<work><time>5</time></work>").replace(
                "jdbc:postgresql://db:5433/bench?sslmode=disable&amp;reWriteBatchedInserts=true",
                url,
            );
            let found = imported(&content, &["c.xml"]).expect(url).0;
            assert!(found.contains(target), "{target}: {found}");
        }
    }

    #[test]
    fn what_has_no_equivalent_is_said() {
        let content = tpcc("<work><time>5</time></work>");
        let queries = content.replace("NewOrder", "Q1");
        let found = imported(&queries, &["c.xml", "tpch"]).expect("commands");
        assert!(found.0.contains("tacho run tproch") && found.1.contains("<time>"), "{found:?}");
        for (content, words, message) in [
            (content.as_str(), &["c.xml", "ycsb"][..], "ycsb"),
            (&content, &[], "is required"),
            (&content, &["gone.xml"], "gone.xml"),
            ("<parameters>", &["c.xml"], "not a valid XML file"),
            ("<parameters/>", &["c.xml"], "does not name a benchmark"),
            (&tpcc("<work/>"), &["c.xml"], "<time>"),
            (&content.replace("postgresql", "phoenix"), &["c.xml"], "phoenix"),
            (&content.replace("<terminals>8", "<terminals>x"), &["c.xml"], "<terminals>"),
        ] {
            let error = imported(content, words).expect_err(message).to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
