//! Tests every command of HammerDB scripts in Tcl and in Python: its help, invalid arguments, use at the wrong time,
//! and repeated use.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};

use crate::hammerdb::{console, in_order, part, script};
use tacho_tests::{Done, Folder};

fn commands(folder: &Folder) -> Vec<String> {
    let help = script(folder, "help").exits(0);
    let lines = help.out.lines().filter_map(|line| line.strip_prefix("  "));
    let names: Vec<String> =
        lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
    assert!(names.len() > 50, "{names:?}");
    names
}

/// Checks that the script has run to its end without a crash, although there is no database.
#[track_caller]
fn went_on(done: &Done) {
    done.says(&["== END"]);
    assert!(!done.err.contains("panicked") && done.code() < 100, "{}\n{}", done.out, done.err);
}

#[test]
fn every_command_has_its_help_and_answers_to_wrong_arguments_and_twice() {
    let folder = Folder::new();
    let names = commands(&folder);
    let list = names.join(" ");
    // By default, a session uses Oracle, whose client library is not installed.
    let text = format!(
        "wsport 0\nforeach name {{{list}}} {{\nputs \"== help $name\"\nhelp $name\n\
         foreach words {{{{}} {{nosuch}} {{1 2}} {{a b c}} {{a b c d e f}}}} {{\n\
         puts \"== $name [llength $words]\"\nforeach time {{1 2}} {{\n\
         catch {{$name {{*}}$words}} message\nputs \"ANSWER $message\"\n}}\n}}\n}}\nputs \"== END\""
    );
    folder.write("all.tcl", &text);
    let done = console(&folder, "auto all.tcl").start().wait();
    went_on(&done);
    for name in &names {
        let help = part(&done, &format!("help {name}"));
        assert!(help.contains(&format!("{name} - ")) && help.contains("Usage: "), "{help}");
        let twice = part(&done, &format!("{name} 6"));
        assert_eq!(twice.matches("ANSWER").count(), 2, "{twice}");
        assert!(!twice.contains("invalid command name"), "{twice}");
        // A command that does not accept six words must print its usage or say why it cannot be used.
        let said = ["Usage", "rror", "not", "No ", "deprecated", "unknown", "Unknown"];
        assert!(said.iter().any(|word| twice.contains(word)), "{name}: {twice}");
    }
    // The same words in Python.
    let text = format!(
        "wsport(0)\nfor name in '{list}'.split():\n    help(name)\n    \
         for words in ([], ['nosuch'], [1, 2], ['a', 'b', 'c'], list('abcdef')):\n        \
         print('== ' + name + ' ' + str(len(words)))\n        for time in (1, 2):\n            \
         try:\n                print('ANSWER', globals()[name](*words))\n            \
         except Exception as error:\n                print('ANSWER', error)\nprint('== END')\n"
    );
    folder.write("all.py", &text);
    let python = console(&folder, "py auto all.py").start().wait();
    went_on(&python);
    for name in &names {
        assert_eq!(part(&python, &format!("{name} 6")).matches("ANSWER").count(), 2, "{name}");
    }
}

#[test]
fn commands_before_their_time_say_so() {
    let folder = Folder::new();
    let table = [
        ("vustatus", "No Virtual Users found"),
        ("vudestroy", "No Virtual Users found to destroy"),
        ("savescript x", "Error: No script loaded to save, use loadscript to load"),
        ("distributescript", "Error: Cannot distribute script if not in Primary mode"),
        ("tcstatus", "Transaction Counter is not running"),
        ("tcstop", "Transaction Counter is not running"),
        ("metstatus", "CPU Metrics are not running on localhost"),
        ("wsstatus", "Web Service not running"),
        ("wsstop", "Web Service not running"),
        ("cistatus", "CI listener not running"),
        ("cistop", "CI listener not running"),
        ("vucreate x", "Usage: vucreate"),
        ("vurun now", "Usage: vurun"),
        ("buildschema x", "Usage: buildschema"),
        ("vuset delay", "Usage: vuset "),
        ("jobs nosuch", "Jobid nosuch does not exist"),
    ];
    let calls = table.iter().enumerate();
    let tcl: Vec<String> =
        calls.clone().map(|(number, (call, _))| format!("puts \"== {number}\"\n{call}")).collect();
    let done = script(&folder, &format!("{}\nputs \"== END\"", tcl.join("\n"))).exits(0);
    went_on(&done);
    let python: Vec<String> = calls
        .map(|(number, (call, _))| {
            let mut words = call.split(' ');
            let name = words.next().unwrap_or_default();
            let words: Vec<String> = words.map(|word| format!("'{word}'")).collect();
            format!("print('== {number}')\n{name}({})", words.join(","))
        })
        .collect();
    folder.write("early.py", &format!("{}\nprint('== END')\n", python.join("\n")));
    let python = console(&folder, "py auto early.py").exits(0);
    for (number, (call, words)) in table.iter().enumerate() {
        for done in [&done, &python] {
            let said = part(done, &number.to_string());
            assert!(said.contains(words), "{call}: {said}");
        }
    }
    script(&folder, "print script").exits(0).says(&["No Script loaded: Load with loadscript"]);
    // If a command is repeated in the middle of a session, it must not create anything a second time, such as virtual
    // users.
    let twice = script(
        &folder,
        "dbset db pg\nloadscript\nvucreate\nvucreate\nvuset delay 5\nvudestroy\nvudestroy\nmetstart\n\
         metstart\nmetset agent_id 3\nmetstop\nwsport 0\nwsstart\nwsstart\nwsstop\nwsstop",
    );
    in_order(
        &twice.exits(0),
        &[
            "2 Virtual Users Created with Monitor VU",
            "Error: Virtual Users exist, destroy with vudestroy before creating",
            "Error: Virtual Users exist, destroy with vudestroy before changing settings",
            "vudestroy success",
            "No Virtual Users found to destroy",
            "CPU metrics are already running on localhost, call metstop to stop",
            "Stop Metrics before setting configuration",
        ],
    );
}

#[test]
fn settings_of_pipelines_are_kept_and_pipelines_fail() {
    let folder = Folder::new();
    let text = "ciset common listen_port 5001\nciset common listen_port 5001\n\
        ciset MariaDB build repo_url http://x\nciset nosuch a b\nciset MySQL test nosuch x\nciset one\n\
        print ci\npipes\nci 7\ncireset\njobs cireset\ncitmp\ncipush nothing\n\
        cipush refs/heads/main single X\ncipush refs/heads/main single C pg 2\n\
        foreach call {cilisten cifix {cipush refs/tags/v1} {cipush 0123abc single C}} {\n\
        puts \"CAUGHT[catch $call message] $message\"\n}\nputs \"== END\"";
    let done = script(&folder, text).exits(0);
    went_on(&done);
    done.says(&[
        "Changed common/listen_port from \"5000\" to \"5001\"",
        // A dash cannot be displayed in a terminal whose character set has only one byte per character.
        "Value unchanged (5001) ",
        "Changed MariaDB/build/repo_url from \"\" to \"http://x\"",
        "CI ERROR: Top-level 'nosuch' does not exist",
        "CI ERROR: Key 'nosuch' does not exist in 'MySQL/test'",
        "CI Dictionary Settings",
        " listen_port = 5001",
        "MariaDB/build {",
        "Pipeline 7 does not exist",
        "Error: refname must start with 'refs/tags/' or 'refs/heads/' or be a commit SHA",
        "Error: workload must be C or H",
        "Error: io_intensive must be 0 or 1",
        "CAUGHT1 Error: cilisten was not run: ",
        "CAUGHT1 Error: cipush was not run: ",
    ]);
    assert_eq!(done.out.matches("CAUGHT1 ").count(), 4, "{}", done.out);
}

/// Sends a request to the web service.
fn get(port: u16, path: &str, host: &str) -> String {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a connection");
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn jobs_are_shown_to_browsers_of_this_machine() {
    let folder = Folder::new();
    // There is no server at this port, so the job fails. It must still be recorded.
    let text = "dbset db pg\ndiset connection pg_host 127.0.0.1\ndiset connection pg_port 1\n\
        diset tpcc pg_pass geheim\nvuset logtotemp 1\nset r [checkschema]\nwsport x\nwsport 0\nwsport\n\
        wsstart\nwsstatus\nwhile {![file exists stop]} { after 50; update }\nwsstop\nputs STOPPED";
    let mut run = script(&folder, text).start();
    let port = std::cell::Cell::new(0_u16);
    run.until_said(|line| {
        let rest = line.split_once("http://localhost:").map(|(_, rest)| rest);
        port.set(rest.and_then(|rest| rest.split_once('/')?.0.parse().ok()).unwrap_or(0));
        port.get() > 0
    });
    let ask = |path: &str| get(port.get(), path, "localhost");
    let home = ask("/");
    assert!(home.starts_with("HTTP/1.1 200 OK\r\n") && home.contains("FAILED"), "{home}");
    let (_, rest) = home.split_once("/jobs?jobid=").expect("a link");
    let id = &rest[..24];
    let words = [
        (String::from("&index"), "summaryjson"),
        (String::new(), "FINISHED FAILED"),
        (String::from("&status"), "FINISHED FAILED"),
        (String::from("&dict"), "\"pg_pass\": \"***\""),
        (String::from("&vu=1"), "Checking tpcc TPROC-C schema"),
        (String::from("&summaryjson"), "hammerdb-job-report-v1"),
    ];
    for (query, wanted) in words {
        let said = ask(&format!("/jobs?jobid={id}{query}"));
        assert!(said.contains(" 200 OK\r\n") && said.contains(wanted), "{query}: {said}");
        assert!(!said.contains("geheim"), "{said}");
    }
    assert!(ask("/jobs?tailworkload=1").contains("Hammerdb Log @ "));
    assert!(ask(&format!("/jobs?jobid={id}&result")).contains(" 404 "));
    for path in [format!("/jobs?jobid={id}&DELETE"), "/quit".into()] {
        assert!(ask(&path).contains(" 405 "), "{path}");
    }
    // Imitate a request from a web page with another hostname that resolves to this machine. It must be rejected.
    assert!(get(port.get(), "/", "evil.example").contains(" 403 "));
    folder.write("stop", "");
    let done = run.wait();
    done.says(&["Error: Web Service port should be an integer", "Setting Web Service port to 0"]);
    done.says(&["Stopping HammerDB Web Service on port ", "STOPPED"]);
    assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port.get())).is_err(), "it still listens");
}

/// Returns all settings that scripts can change. Each has a prefix (or `generic`), a section, a key and a default.
fn all_keys() -> Vec<(String, String, String, String)> {
    let table = include_str!("../../crates/hammerdb/src/dictionary/keys.tsv");
    let (mut owner, mut keys) = (String::new(), Vec::new());
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[') {
            name.trim_end_matches(']').clone_into(&mut owner);
            continue;
        }
        let fields: Vec<&str> = line.split('\t').collect();
        keys.push((owner.clone(), fields[0].into(), fields[2].into(), fields[4].into()));
    }
    assert!(keys.len() > 300, "{}", keys.len());
    keys
}

#[test]
fn every_key_of_every_database_is_set_and_printed() {
    let folder = Folder::new();
    let (mut lines, mut owner) = (Vec::new(), String::new());
    for (prefix, section, key, _) in all_keys() {
        if prefix != owner && prefix != "generic" {
            lines.push(format!("dbset db {prefix}"));
        }
        owner.clone_from(&prefix);
        // The key for the driver accepts only two values. All other keys accept any value.
        let value = if key.ends_with("driver") && section == "tpcc" { "test" } else { "{x y}" };
        let set = if prefix == "generic" { "giset" } else { "diset" };
        lines.push(format!("puts \"== {prefix} {section} {key}\"\n{set} {section} {key} {value}"));
    }
    lines.push("puts \"== printed\"\nprint generic".into());
    for prefix in ["ora", "mssqls", "db2", "mysql", "maria", "pg"] {
        lines.push(format!(
            "dbset db {prefix}\nforeach bm {{TPROC-C TPROC-H}} {{ dbset bm $bm; print dict }}"
        ));
    }
    lines.push("puts \"== END\"".into());
    let done = script(&folder, &lines.join("\n")).exits(0);
    let printed = part(&done, "printed");
    for (prefix, section, key, default) in all_keys() {
        let said = part(&done, &format!("{prefix} {section} {key}"));
        let told = format!("Changed {section}:{key} from ");
        assert!(said.starts_with(&told), "{prefix} {section} {key}: {said}");
        // Two kinds of keys print something else: passwords are hidden, and `dbset` has already changed the value of
        // `rdbms`.
        let other = key.contains("pass") && !key.starts_with("quote") || key == "rdbms";
        assert!(
            other || said.contains(&format!(" from {default} to x y")) || key.ends_with("driver"),
            "{said}"
        );
        let line = |line: &&str| line.trim_start().split(" = ").next().map(str::trim) == Some(&key);
        assert!(printed.lines().any(|said| line(&said)), "{key} is not printed");
    }
}

/// By default, the instance name of Oracle comes from a file. Tacho does not read this file.
#[test]
fn commands_that_cannot_connect_fail_in_one_line() {
    let folder = Folder::new();
    let commands = ["buildschema", "checkschema", "deleteschema", "vurun", "tcstart", "datagenrun"];
    let text = format!(
        "foreach db {{ora}} {{\nforeach bm {{TPROC-C TPROC-H}} {{\ndbset db $db; dbset bm $bm\n\
         foreach call {{{}}} {{\nset code [catch $call message]\n\
         puts \"== $db $bm $call\"\nputs \"$code $message\"\ncatch vudestroy\n}}\n}}\n}}\nputs \"== END\"",
        commands.join(" ")
    );
    let done = script(&folder, &text).exits(0);
    let instance = "instance is oracle, but Tacho does not read tnsnames.ora; set instance to \
                    host:port/service";
    for (db, why) in [("ora", instance)] {
        for bm in ["TPROC-C", "TPROC-H"] {
            for call in commands {
                let said = part(&done, &format!("{db} {bm} {call}"));
                let wanted = format!("1 Error: {call} was not run: {why}");
                assert_eq!(said.lines().next(), Some(&*wanted), "{db} {bm} {call}");
            }
        }
    }
}

#[test]
fn the_guide_names_every_command_and_every_key() {
    let guide = include_str!("../../docs/guides/hammerdb-scripts.md");
    let quoted: Vec<&str> = guide.split('`').skip(1).step_by(2).collect();
    let named = |word: &str| {
        quoted.iter().any(|text| {
            text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|said| said == word)
        })
    };
    for name in commands(&Folder::new()) {
        assert!(named(&name), "the guide does not name the command {name}");
    }
    // The guide contains a key only once if it exists for both benchmarks. Keys of databases without a driver are left
    // out.
    for (prefix, _, key, _) in all_keys() {
        if !matches!(&*prefix, "pg" | "mysql" | "maria") {
            continue;
        }
        let name = key.strip_prefix(&format!("{prefix}_")).unwrap_or(&key);
        let once = name.strip_prefix("tpch_").unwrap_or(name);
        assert!(named(name) || named(once), "the guide does not name the key {key}");
    }
}
