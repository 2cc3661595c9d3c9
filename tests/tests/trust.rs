//! Settings files, records, state files and requests can name programs and code. These run only if
//! the user has asked for them.

#![expect(clippy::disallowed_methods, reason = "a test forges files and waits for requests")]

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tacho_tests::{Call, Folder};

use crate::web::{answer, end, request, served};

const RUN: &str = "run tpcb sim: -c 2 -d 2s --ramp-up 0s --progress none -o quiet";
/// Name of the file that a program in these tests creates when it runs.
const MARK: &str = "started";

/// Returns a fault that runs a command. The command creates a file, which shows that it has run.
fn command(folder: &Folder) -> String {
    format!("at=0s touch {}", folder.file(MARK).display())
}

fn has_run(folder: &Folder) -> bool {
    folder.file(MARK).exists()
}

/// Builds a library that creates the mark file when it is loaded.
fn library(folder: &Folder) -> String {
    let mark = folder.file(MARK);
    let code = format!(
        "#include <stdio.h>\n__attribute__((constructor)) static void run(void) {{ FILE *f = fopen(\"{}\", \"w\"); if (f) fclose(f); }}\n",
        mark.display()
    );
    folder.write("evil.c", &code);
    folder.shell("cc -shared -fPIC -o evil.so evil.c").exits(0);
    folder.file("evil.so").display().to_string()
}

/// Creates a `tacho` command that has a home folder, as a real user would have.
fn at_home(folder: &Folder, line: &str) -> Call {
    let home = folder.file("home");
    std::fs::create_dir_all(&home).expect("a folder");
    folder.tacho(line).env("HOME", &home.display().to_string())
}

pub fn post(url: &str, token: &str, place: &str, body: &Value) -> (u16, String) {
    let bearer = format!("Authorization: Bearer {token}");
    let line = format!("POST /api/v1/{place}");
    let head = [&*bearer, "Content-Type: application/json"];
    let answer = answer(url, &request(url, &line, &head, &body.to_string()));
    let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
    (status.unwrap_or_default(), answer)
}

/// Waits until no command is running.
pub fn settled(url: &str, token: &str) -> String {
    let bearer = format!("Authorization: Bearer {token}");
    let limit = Instant::now() + Duration::from_mins(1);
    loop {
        let answer = answer(url, &request(url, "GET /api/v1/activity", &[&bearer], ""));
        if !answer.contains("\"state\":\"running\"") || Instant::now() > limit {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn no_request_starts_a_program_or_loads_code() {
    let folder = Folder::new();
    let evil = library(&folder);
    folder.tacho(&format!("{RUN} --fault-command '{}'", command(&folder))).done();
    assert!(has_run(&folder), "the user's own command runs");
    std::fs::remove_file(folder.file(MARK)).expect("the mark");
    std::fs::create_dir(folder.file("shop")).expect("a folder");
    folder.write("shop/workload.toml", "");
    let (server, url, token, _) = served(&folder, "");
    let fault = command(&folder);
    let base = json!({ "workload": "tpcb", "target": "sim:", "duration": "1s", "ramp_up": "0s" });
    let with = |more: Value| {
        let mut all = base.clone();
        for (key, value) in more.as_object().expect("settings") {
            all[key] = value.clone();
        }
        all
    };
    let targets = [
        format!("duckdb:x.db?library={evil}"),
        format!("odbc:Driver={evil};Server=h"),
        format!("odbc:bench?library={evil}"),
        format!("db2://h/x?library={evil}"),
        format!("timesten://h/x?library={evil}"),
        format!("postgres://a@h/x?options=-csession_preload_libraries={evil}"),
        "mysql://a@h/x?init-command=SET%20@a=1".to_owned(),
    ];
    let mut bodies = vec![
        with(json!({ "fault_command": fault })),
        with(json!({ "fault_command": [fault] })),
        with(json!({ "pack": folder.path() })),
        with(json!({ "workload": "./shop" })),
        with(json!({ "workload": "pgbench:evil.c" })),
    ];
    bodies.extend(targets.iter().map(|target| with(json!({ "target": target }))));
    for settings in bodies {
        for (place, command) in [("activity", "run"), ("plan", "run"), ("activity", "sweep")] {
            let body = json!({ "command": command, "settings": settings });
            let (status, answer) = post(&url, &token, place, &body);
            assert_eq!(status, 403, "{body}: {answer}");
            assert!(answer.contains("--allow"), "{answer}");
        }
        let (status, answer) = post(&url, &token, "runs", &json!({ "settings": settings }));
        assert_eq!(status, 403, "{answer}");
    }
    for name in ["session_preload_libraries", "archive-command", "init_connect", "my.setting"] {
        let settings = with(json!({ "vary": ["sessions=1,2", format!("server.{name}={evil}")] }));
        for place in ["activity", "plan"] {
            let body = json!({ "command": "sweep", "settings": settings });
            let (status, answer) = post(&url, &token, place, &body);
            assert_eq!(status, 403, "{body}: {answer}");
            assert!(answer.contains("--allow server_setting"), "{answer}");
        }
    }
    for target in &targets {
        let body = json!({ "command": "doctor", "settings": { "target": target } });
        assert_eq!(post(&url, &token, "activity", &body).0, 403, "{target}");
        for command in ["prepare", "check", "clean"] {
            let settings = json!({ "workload": "tpcb", "target": target });
            let body = json!({ "command": command, "settings": settings });
            assert_eq!(post(&url, &token, "activity", &body).0, 403, "{command} {target}");
        }
    }
    // These settings come from a record or from a variable of the sweep, so the server does not see them in the
    // request. Only the command that the server starts can reject them.
    for settings in [
        json!({ "from": "latest", "duration": "1s" }),
        with(json!({ "target": "duckdb:x.db", "vary": format!("target.library={evil}") })),
    ] {
        let command = if settings["vary"].is_string() { "sweep" } else { "run" };
        let body = json!({ "command": command, "settings": settings });
        let (status, answer) = post(&url, &token, "activity", &body);
        assert_eq!(status, 202, "{answer}");
        let answer = settled(&url, &token);
        assert!(answer.contains("would run a program or load code"), "{answer}");
    }
    assert!(!has_run(&folder));
    // This target must be accepted, because it only refers to data and cannot start a program.
    let body = with(json!({ "target": format!("sqlite:{}", folder.file("a.db").display()) }));
    let (status, answer) =
        post(&url, &token, "plan", &json!({ "command": "run", "settings": body }));
    assert_eq!(status, 200, "{answer}");
    // Other server settings can be varied.
    let settings = with(json!({ "vary": "server.shared_buffers=1GB,2GB" }));
    let body = json!({ "command": "sweep", "settings": settings });
    assert_ne!(post(&url, &token, "plan", &body).0, 403);
    end(server);
    let (server, url, token, _) = served(&folder, "--allow fault-command");
    let body = json!({ "settings": with(json!({ "fault_command": fault })) });
    assert_eq!(post(&url, &token, "runs", &body).0, 202);
    settled(&url, &token);
    assert!(has_run(&folder));
    let body = json!({ "settings": with(json!({ "pack": folder.path() })) });
    assert_eq!(post(&url, &token, "runs", &body).0, 403);
    end(server);
}

#[test]
fn a_settings_file_runs_nothing_until_it_is_trusted() {
    let folder = Folder::new();
    let fault = command(&folder);
    let file = format!("[defaults]\ncheck = \"none\"\nfault_command = [\"{fault}\"]\n");
    folder.write("tacho.toml", &file);
    at_home(&folder, RUN).exits(2).complains(&[
        "would run a program",
        "touch",
        "tacho config trust",
        "--allow fault_command",
    ]);
    assert!(!has_run(&folder));
    folder.tacho("config check").exits(0);
    at_home(&folder, "config trust").exits(0).complains(&["touch"]);
    assert!(!has_run(&folder));
    at_home(&folder, RUN).done();
    assert!(has_run(&folder));
    std::fs::remove_file(folder.file(MARK)).expect("the mark");
    // The user trusts a file only with its current content and at its current location.
    folder.write("tacho.toml", &format!("{file}seed = 7\n"));
    at_home(&folder, RUN).exits(2);
    folder.tacho(RUN).exits(2);
    assert!(!has_run(&folder));
    for flag in ["--config tacho.toml", "--allow fault_command"] {
        folder.tacho(&format!("{RUN} {flag}")).done();
        assert!(has_run(&folder), "{flag}");
        std::fs::remove_file(folder.file(MARK)).expect("the mark");
    }
    // A file that does not start any program works without being trusted.
    folder.write(
        "tacho.toml",
        "[targets.a]\nurl = \"sim:\"\n[run.n]\nworkload = \"tpcb\"\ntarget = \"a\"\n",
    );
    folder.tacho("run n -d 2s --ramp-up 0s --progress none -o quiet").exits(0);
}

#[test]
fn neither_records_nor_named_targets_run_code_unasked() {
    let folder = Folder::new();
    let evil = library(&folder);
    folder.tacho(&format!("{RUN} --fault-command '{}'", command(&folder))).done();
    assert!(has_run(&folder));
    std::fs::remove_file(folder.file(MARK)).expect("the mark");
    let from = "run --from latest -d 1s --progress none -o quiet";
    folder.tacho(from).exits(2).complains(&[
        "would run a program",
        "touch",
        "--allow fault_command",
    ]);
    folder.write("tacho.toml", &format!("[targets.duck]\nurl = \"duckdb:x.db?library={evil}\"\n"));
    for command in ["run tpcb duck", "doctor duck", "prepare tpcb duck", "run tpcb duck --dry-run"]
    {
        folder.tacho(command).exits(2).complains(&["load code", "library=", "--allow library"]);
    }
    folder.tacho("config check").exits(0);
    let sweep = format!(
        "sweep tpcb sim: --vary sessions=1,2 -d 1s --progress none -o quiet --fault-command '{}'",
        command(&folder)
    );
    std::fs::remove_file(folder.file("tacho.toml")).expect("the file");
    let before = folder.runs();
    folder.tacho(&sweep).done();
    std::fs::remove_file(folder.file(MARK)).expect("the mark");
    // A sweep that was copied from another machine needs permission to be resumed, because it may run a program.
    let of_sweep = folder.runs().into_iter().find(|run| !before.contains(run));
    std::fs::remove_dir_all(of_sweep.expect("a run")).expect("its folder");
    folder.tacho("sweep --resume latest").exits(2).complains(&["would run a program"]);
    assert!(!has_run(&folder));
    folder.tacho(&format!("{from} --allow fault_command")).done();
    assert!(has_run(&folder));
}

/// The user has specified the pipeline file, but the records of the pipeline and its sweeps may have been copied.
#[test]
fn a_forged_pipeline_runs_nothing_that_its_file_does_not_request() {
    let folder = Folder::new();
    let run = "duration = \"1s\"\nramp_up = \"0s\"\ncheck = \"none\"\n";
    let file = format!(
        "baseline = \"a\"\nrepeat = 2\n[servers.a]\ntarget = \"sim:\"\n[workloads.tpcb]\n[workloads.tpcb.run]\n{run}"
    );
    folder.write("p.toml", &file);
    folder.tacho("pipeline p.toml --progress none").exits(0);
    for run in folder.runs() {
        std::fs::remove_dir_all(run).expect("a run");
    }
    let forge = |kind: &str, change: &dyn Fn(&mut Value)| {
        let folder = folder.file("tacho-data").join(kind);
        for path in std::fs::read_dir(folder).expect("records").map(|e| e.expect("one").path()) {
            let text = std::fs::read_to_string(&path).expect("a record");
            let mut record = tacho_tests::unsealed(serde_json::from_str(&text).expect("JSON"));
            record["state"] = json!("incomplete");
            change(&mut record);
            std::fs::write(&path, record.to_string()).expect("a record");
        }
    };
    let fault = command(&folder);
    forge("pipelines", &|_| ());
    forge("sweeps", &|record| {
        record["vary"] = json!([{ "key": "fault_command", "values": [fault] }]);
        for point in record["points"].as_array_mut().expect("points") {
            point["values"] = json!([fault]);
        }
    });
    folder
        .tacho("pipeline p.toml --progress none")
        .exits(2)
        .complains(&["differs from what the pipeline file requests", "--restart"]);
    assert!(!has_run(&folder));
}

#[test]
fn many_processes_change_one_record_and_lose_nothing() {
    let folder = Folder::new();
    folder.tacho(RUN).exits(0);
    let id = folder.record("latest")["id"].as_str().expect("an id").to_owned();
    let tags: Vec<String> = (0..12).map(|number| format!("tag{number:02}")).collect();
    let tagging = tags.iter().map(|tag| format!("runs tag {id} {tag}"));
    let noting =
        (0..6).map(|number| format!("runs note {id} '{}'", "long ".repeat(1 + number * 40)));
    let calls: Vec<_> = tagging.chain(noting).map(|line| folder.tacho(&line).start()).collect();
    for call in calls {
        call.wait().expect_code(0);
    }
    let record = folder.record(&id);
    let mut kept: Vec<&str> =
        record["tags"].as_array().expect("tags").iter().filter_map(Value::as_str).collect();
    kept.sort_unstable();
    assert_eq!(kept, tags);
    assert!(record["note"].as_str().is_some_and(|note| note.starts_with("long")));
    assert_eq!(record["result"]["valid"], true);
}

#[test]
fn a_damaged_run_is_repaired_and_never_valid() {
    let folder = Folder::new();
    folder.tacho(RUN).exits(0);
    let whole = folder.record("latest");
    let id = whole["id"].as_str().expect("an id").to_owned();
    folder.tacho(&format!("runs repair {id}")).exits(2).complains(&["is not damaged"]);
    let path = folder.runs()[0].join("run.json");
    let text = std::fs::read_to_string(&path).expect("a record");
    std::fs::write(&path, &text[..text.find("\"result\"").expect("a result")]).expect("damage");
    folder.tacho(&format!("show {id}")).exits(3).complains(&["damaged", "tacho runs repair"]);
    folder.tacho(&format!("runs repair {id}")).exits(0).says(&["INVALID", "rebuilt"]);
    folder.tacho(&format!("show {id}")).exits(0).says(&["INVALID", "rebuilt from intervals"]);
    let record = folder.record(&id);
    assert_eq!((&record["repaired"], &record["result"]["valid"]), (&json!(true), &json!(false)));
    assert_eq!(record["plan"], whole["plan"]);
    let (repaired, all) = (&record["result"]["accounting"], &whole["result"]["accounting"]);
    assert_eq!(repaired["committed"], all["committed"]);
    folder.tacho("runs list").exits(0).says(&["INVALID"]);
}

#[test]
fn a_forged_server_state_removes_nothing() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.file("tacho-data/servers")).expect("a folder");
    std::fs::create_dir_all(folder.file("victim/data")).expect("a folder");
    let state = |name: &str| {
        json!({
            "format": "tacho-server", "version": 1, "name": name, "product": "postgres",
            "server_version": "15.1", "port": 5999, "settings": [], "password": "x",
            "target": "postgres://x@localhost/x", "made": true,
        })
    };
    for name in ["../../victim", "../../../victim", "pg/../../../victim", ".."] {
        folder.write("tacho-data/servers/pg.json", &state(name).to_string());
        for command in ["down pg", "down --all", "down", "up pg"] {
            let done = folder.tacho(command).done();
            assert_ne!(done.code(), 0, "{command}: {}", done.out);
        }
        assert!(folder.file("victim/data").exists(), "{name}");
    }
}
