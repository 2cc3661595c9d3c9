//! Sets of scripts as run by HammerDB's wrappers. Each script has its own process and folder, and all share `TMP`.

use crate::hammerdb::MINUTE;
use tacho_tests::{Done, Folder};

/// A command with its arguments.
type Line<'a> = Vec<&'a str>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Tcl,
    Python,
}

/// The database and benchmark for a set of scripts.
struct Subject<'a> {
    prefix: &'a str,
    benchmark: &'a str,
    /// Commands that connect to the server. Only the first script contains them.
    place: Vec<Line<'a>>,
}

impl Language {
    const fn suffix(self) -> &'static str {
        match self {
            Self::Tcl => "tcl",
            Self::Python => "py",
        }
    }

    /// Returns the commands as statements in the given language.
    fn script(self, lines: &[Line<'_>]) -> String {
        let statement = |line: &Line<'_>| match self {
            Self::Tcl => {
                let words: Vec<String> = line.iter().map(|word| format!("{{{word}}}")).collect();
                words.join(" ")
            }
            Self::Python => {
                let words: Vec<String> = line[1..].iter().map(|word| format!("'{word}'")).collect();
                format!("{}({})", line[0], words.join(", "))
            }
        };
        let statements: Vec<String> = lines.iter().map(statement).collect();
        statements.join("\n") + "\n"
    }

    /// Returns a script that runs the benchmark and writes its job ID to the folder for temporary files.
    const fn run(self) -> &'static str {
        match self {
            Self::Tcl => {
                "set jobid [ vurun ]\nset fd [ open $::env(TMP)/job w ]\nputs $fd $jobid\nclose $fd\n"
            }
            Self::Python => {
                "import os\njobid = tclpy.eval('vurun')\n\
                 with open(os.path.join(os.environ['TMP'], 'job'), 'w') as fd:\n    fd.write(jobid)\n"
            }
        }
    }

    /// Returns a script that redirects `puts` to write the run's result to a file.
    const fn result(self) -> &'static str {
        match self {
            Self::Tcl => {
                "set fd [ open $::env(TMP)/job r ]\n\
                 set jobid [ lindex [ split [ string trim [ read $fd ] ] = ] 1 ]\nclose $fd\n\
                 set ::out [ open $::env(TMP)/result_tcl.out w ]\n\
                 rename puts plain\nproc puts { args } { plain $::out [ lindex $args end ] }\n\
                 set nothing [ jobs $jobid result ]\njobs $jobid timestamp\njob $jobid 1\n\
                 rename puts {}\nrename plain puts\nclose $::out\n\
                 if { $nothing ne {} } { error \"jobs with an id has the value $nothing\" }\n"
            }
            Self::Python => {
                "import os\ntmp = os.environ['TMP']\n\
                 jobid = open(os.path.join(tmp, 'job')).read().strip().split('=')[1]\n\
                 tclpy.eval('set ::out [ open ' + tmp + '/result_py.out w ]')\n\
                 tclpy.eval('rename puts plain')\n\
                 tclpy.eval('proc puts { args } { plain $::out [ lindex $args end ] }')\n\
                 text = jobs(jobid, 'result')\njobs(jobid + ' timestamp')\njob(jobid, 1)\n\
                 tclpy.eval('rename puts {}; rename plain puts; close $::out')\n\
                 assert jobid in text, text\n"
            }
        }
    }
}

/// Writes the five scripts.
fn write(folder: &Folder, subject: &Subject<'_>, language: Language) {
    let Subject { prefix, benchmark, place } = subject;
    let head = vec![vec!["dbset", "db", *prefix], vec!["dbset", "bm", *benchmark]];
    let with = |lines: &[Line<'_>]| language.script(&[head.clone(), lines.to_vec()].concat());
    let build = [place.clone(), vec![vec!["buildschema"]]].concat();
    let (rampup, duration) = (format!("{prefix}_rampup"), format!("{prefix}_duration"));
    let mut run = vec![vec!["loadscript"], vec!["vuset", "vu", "1"], vec!["vucreate"]];
    if *benchmark == "TPROC-C" {
        run.insert(0, vec!["diset", "tpcc", &rampup, "1"]);
        run.insert(1, vec!["diset", "tpcc", &duration, "2"]);
    }
    let end = language.script(&[vec!["vudestroy"]]);
    let scripts = [
        ("build", with(&build)),
        ("check", with(&[vec!["checkschema"]])),
        ("run", with(&run) + language.run() + &end),
        ("result", language.result().to_owned()),
        ("delete", with(&[vec!["deleteschema"]])),
    ];
    for (name, text) in scripts {
        folder.write(&format!("{name}.{}", language.suffix()), &text);
    }
}

/// Runs some of the scripts in a wrapper that stops at the first script that fails.
fn wrapped(folder: &Folder, language: Language, names: &[&str]) -> Done {
    let (py, suffix) = (if language == Language::Python { "py" } else { "" }, language.suffix());
    let mut lines = vec!["set -e; export TMP=$PWD/tmp; mkdir -p tmp".to_owned()];
    lines.extend(names.iter().map(|name| {
        format!("mkdir -p {name}; (cd {name}; $TACHO hammerdb {py} auto ../{name}.{suffix}); echo DID {name}")
    }));
    let call = folder.shell(&lines.join("\n")).env("TACHO_HAMMERDB_MINUTE", MINUTE);
    call.env("TACHO_HAMMERDB_GIGABYTE", "0.01").exits(0)
}

/// Runs a complete set.
fn runs(folder: &Folder, subject: &Subject<'_>, language: Language) {
    write(folder, subject, language);
    let (benchmark, suffix) = (subject.benchmark, language.suffix());
    wrapped(folder, language, &["build"]).says(&["SCHEMA COMPLETE", "DID build"]);
    let done = wrapped(folder, language, &["check", "run"]);
    done.says(&[
        &format!("{benchmark} Schema has been checked successfully."),
        "DID check",
        "DID run",
    ]);
    let done = wrapped(folder, language, &["result", "delete"]);
    done.says(&["DID result", "has been deleted successfully.", "DID delete"]);
    let found =
        if benchmark == "TPROC-C" { "TEST RESULT : System achieved" } else { "Geometric mean" };
    let text = folder.read(&format!("tmp/result_{suffix}.out"));
    let text = String::from_utf8(text).expect("text");
    // The text occurs twice in the file: in the result, and in the virtual user's output.
    assert_eq!(text.matches(found).count(), 2, "{text}");
    assert!(!done.out.contains(found), "{}", done.out);
    kept(folder, subject.prefix);
}

/// Checks that only the owner can read the settings file, and that it contains the first script's settings.
fn kept(folder: &Folder, prefix: &str) {
    let name = "tmp/tacho-hammerdb-settings.json";
    let text = String::from_utf8(folder.read(name)).expect("text");
    let settings: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let host = &settings["values"][prefix]["connection"][format!("{prefix}_host")];
    assert_eq!(host, "127.0.0.1", "{text}");
    folder.shell(&format!("test $(stat -c %a {name}) = 600")).exits(0);
}

/// Runs all script sets for a database: both benchmarks in both languages.
pub fn all_sets(prefix: &str, place: &dyn Fn(&'static str) -> Vec<Line<'static>>) {
    for (benchmark, section) in [("TPROC-C", "tpcc"), ("TPROC-H", "tpch")] {
        for language in [Language::Tcl, Language::Python] {
            let subject = Subject { prefix, benchmark, place: place(section) };
            runs(&Folder::new(), &subject, language);
        }
    }
}

pub fn leaked(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// Returns the commands that set host, port, user and password. The socket is set to `null`, so that the client uses
/// TCP.
pub fn by_tcp(
    prefix: &'static str,
    port: u16,
    password: &str,
) -> impl Fn(&'static str) -> Vec<Line<'static>> {
    let password = leaked(password.to_owned());
    move |section| {
        let infix = if section == "tpch" { "tpch_" } else { "" };
        let key = |name: &str| leaked(format!("{prefix}_{name}"));
        vec![
            vec!["diset", "connection", key("host"), "127.0.0.1"],
            vec!["diset", "connection", key("port"), leaked(port.to_string())],
            vec!["diset", "connection", key("socket"), "null"],
            vec!["diset", section, key(&format!("{infix}user")), "tacho"],
            vec!["diset", section, key(&format!("{infix}pass")), password],
        ]
    }
}

/// In both languages, a wrapper stops at the script that fails, with the documented exit code.
#[test]
fn a_refusal_ends_a_wrapper_with_the_same_code_in_both_languages() {
    let guide = include_str!("../../docs/guides/hammerdb-scripts.md");
    assert!(guide.contains("it ends with exit code 2"));
    for language in [Language::Tcl, Language::Python] {
        let folder = Folder::new();
        let suffix = language.suffix();
        let lines = [
            vec!["dbset", "db", "mysql"],
            vec!["dbset", "bm", "TPROC-H"],
            vec!["diset", "tpch", "mysql_tpch_obcompat", "true"],
        ];
        folder.write(&format!("set.{suffix}"), &language.script(&lines));
        let script = language.script(&[vec!["deleteschema"]]);
        folder.write(&format!("delete.{suffix}"), &script);
        let py = if language == Language::Python { "py" } else { "" };
        let line = format!(
            "set -e; export TMP=$PWD; $TACHO hammerdb {py} auto set.{suffix}\n\
             $TACHO hammerdb {py} auto delete.{suffix}; echo NOT_REACHED"
        );
        let done = folder.shell(&line).exits(2);
        done.complains(&["deleteschema was not run: mysql_tpch_obcompat is true", "OceanBase"]);
        assert!(!done.out.contains("NOT_REACHED") && !done.out.contains("Vuser"), "{}", done.out);
    }
}
