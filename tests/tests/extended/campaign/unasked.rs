//! Settings that start programs or load code, from a source that the user does not control. None of them has an effect.
//!
//! The settings come from the table in `tacho-config`, so settings that are added to this table are tested too.

#![expect(clippy::disallowed_methods, reason = "files are forged")]

use std::fs;

use serde_json::{Value, json};
use tacho_config::{Http, OPTIONS, SETTINGS, Setting};
use tacho_tests::unsealed;

use super::left::Ends;
use super::trial::{Trial, expect_documented};

/// Name of the file that a program leaves behind if it runs.
const MARK: &str = "started";
const RUN: &str = "run tpcb sim: -c 2 -d 2s --ramp-up 0s --progress none -o quiet";
const SHORT: &str = "-d 1s --ramp-up 0s --check none --progress none -o quiet";

/// A setting with a value that would start a program or load code.
pub struct Forged {
    pub setting: &'static Setting,
    pub value: String,
    /// True if Tacho must reject the value because it is code. For example, the path of a load file is not code,
    /// because the file is only read.
    pub is_code: bool,
}

/// Builds a library that creates the mark file when it is loaded, and a folder and a script that refer to it.
fn library(trial: &Trial) -> String {
    let folder = &trial.folder;
    let mark = folder.file(MARK);
    let code = format!(
        "#include <stdio.h>\n__attribute__((constructor)) static void run(void) {{ FILE *f = fopen(\"{}\", \"w\"); if (f) fclose(f); }}\n",
        mark.display()
    );
    folder.write("evil.c", &code);
    folder.shell("cc -shared -fPIC -o evil.so evil.c && mkdir -p shop").exits(0);
    folder.write("shop/workload.toml", "");
    folder.write("shop/pack.toml", "");
    folder.file("evil.so").display().to_string()
}

impl Forged {
    /// Returns a random setting that can start a program or open a file, with a value that tries to do so.
    pub fn draw(trial: &mut Trial) -> Self {
        let reaching: Vec<&'static Setting> =
            SETTINGS.iter().chain(OPTIONS).filter(|setting| setting.http != Http::Safe).collect();
        let setting = *trial.pick(&reaching);
        let evil = library(trial);
        let targets = [
            format!("duckdb:x.db?library={evil}"),
            format!("odbc:Driver={evil};Server=h"),
            format!("odbc:bench?library={evil}"),
            format!("db2://h/x?library={evil}"),
            format!("timesten://h/x?library={evil}"),
            format!("timesten://h/x?keywords=Driver%3D{evil}"),
            format!("postgres://a@h/x?options=-c%20local_preload_libraries={evil}"),
            "mariadb://a@h/x?init-command=SET%20@a=1".to_owned(),
            "mysql://a@h/x?defaults-file=evil.c".to_owned(),
        ];
        let target = trial.pick(&targets);
        let command = format!("at=0s touch {}", trial.folder.file(MARK).display());
        let (value, is_code) = match setting.parameter.key {
            "target" => (target.clone(), true),
            "route" => (format!("tpcb_like=random:sqlite:a.db,{target}"), true),
            "workload" => {
                ((*trial.pick(&["./shop", "pgbench:evil.c", "replay:evil.c"])).to_owned(), true)
            }
            "pack" => (trial.folder.file("shop").display().to_string(), true),
            "load" => {
                let files = ["file: evil.c", "file: evil.so", "file: /dev/zero"];
                ((*trial.pick(&files)).to_owned(), false)
            }
            // Use a command as the value of every other setting, even of settings that are added in the future. Tacho
            // must never run it.
            _ => (command, setting.http == Http::Program),
        };
        trial.note(format!("{} = {value}", setting.parameter.key));
        Self { setting, value, is_code }
    }

    pub fn key(&self) -> &'static str {
        self.setting.parameter.key
    }

    /// Returns the value as JSON, for a settings file, a record or a request.
    pub fn json(&self) -> Value {
        if self.setting.repeated { json!([self.value]) } else { json!(self.value) }
    }

    /// Returns the positional arguments that a command needs in addition to this setting.
    fn rest(&self) -> &'static str {
        match self.key() {
            "workload" => "-t sim:",
            "target" => "tpcb",
            _ => "tpcb sim:",
        }
    }
}

/// Fails if a program has run.
#[track_caller]
pub fn expect_nothing_ran(trial: &Trial) {
    assert!(!trial.folder.file(MARK).exists(), "code has run");
}

/// Writes a settings file with the value in one of its sections. Returns the command line that uses the section.
fn write_settings(trial: &mut Trial, forged: &Forged) -> String {
    let (key, value) = (forged.key(), forged.json());
    let commands: Vec<&str> =
        forged.setting.commands.iter().map(|command| command.word()).collect();
    let section = *trial.pick(&["defaults", "run.n"]);
    if key == "target" && trial.chance(50) {
        trial.folder.write("tacho.toml", &format!("[targets.duck]\nurl = {value}\n"));
        let line =
            trial.pick(&["run tpcb duck", "doctor duck", "prepare tpcb duck", "check tpcb duck"]);
        return (*line).to_owned();
    }
    trial.folder.write("tacho.toml", &format!("[{section}]\n{key} = {value}\n"));
    if section == "run.n" {
        let rest = match key {
            "workload" => "-t sim:",
            "target" => "--workload tpcb",
            _ => "--workload tpcb -t sim:",
        };
        return format!("run n {rest} {SHORT}");
    }
    match *trial.pick(&commands) {
        "doctor" => "doctor".to_owned(),
        "run" => format!("run {} {SHORT}", forged.rest()),
        "sweep" => format!("sweep {} --vary sessions=1,2 {SHORT}", forged.rest()),
        "clean" => format!("clean {} --yes", forged.rest()),
        "generate" => format!("generate {} --to files", forged.rest()),
        command => format!("{command} {}", forged.rest()),
    }
}

/// Creates a run whose record contains the value, and has no checksum that would reveal the change.
fn forge_record(trial: &Trial, forged: &Forged) {
    trial.folder.tacho(RUN).exits(0);
    let path = trial.folder.runs()[0].join("run.json");
    let record: Value = serde_json::from_slice(&fs::read(&path).expect("a record")).expect("JSON");
    let mut record = unsealed(record);
    record["plan"][forged.setting.recorded_as()] = forged.json();
    fs::write(&path, record.to_string()).expect("a record");
}

fn expect_refusal(trial: &Trial, forged: &Forged, line: &str) {
    let done = trial.folder.tacho(line).done();
    expect_documented(&done);
    expect_nothing_ran(trial);
    if forged.is_code {
        assert!(matches!(done.code(), 2 | 3), "{}: {line}: {}", done.code(), done.err);
    }
}

pub fn perform(trial: &mut Trial) {
    if trial.chance(15) {
        return forged_state(trial);
    }
    if trial.chance(15) {
        return forged_sweep(trial);
    }
    let forged = Forged::draw(trial);
    match trial.below(4) {
        0 | 1 => {
            let line = write_settings(trial, &forged);
            trial.note(format!("tacho.toml: {line}"));
            let done = trial.tacho(&line);
            expect_nothing_ran(trial);
            let is_run = line.starts_with("run") && forged.is_code;
            assert!(!is_run || done.code() == 2, "{}: {}", done.code(), done.err);
            trial.tacho("config check");
            trial.tacho("config trust");
            expect_nothing_ran(trial);
        }
        2 => {
            forge_record(trial, &forged);
            trial.note("record");
            for line in ["show latest", "report latest --format md -o -"] {
                trial.tacho(line);
            }
            expect_refusal(trial, &forged, &format!("run --from latest {SHORT}"));
        }
        _ => {
            forge_record(trial, &forged);
            trial.note("bundle");
            // Create the archive with tar, as somebody could do on another machine. tar does not check the record.
            let pack = "tar -C tacho-data --zstd -cf all.tar.zst runs";
            trial.folder.shell(pack).exits(0);
            let done = trial.tacho("runs import all.tar.zst --dir elsewhere");
            trial.note(format!("import {}", done.code()));
            if done.code() == 0 {
                expect_refusal(
                    trial,
                    &forged,
                    &format!("run --from latest --dir elsewhere {SHORT}"),
                );
            }
        }
    }
    expect_nothing_ran(trial);
}

/// A sweep that was copied varies a server setting that runs code. Resuming it must not change this setting.
fn forged_sweep(trial: &mut Trial) {
    let evil = library(trial);
    trial.folder.tacho(&format!("sweep tpcb sim: --vary sessions=1,2 {SHORT}")).exits(0);
    for run in trial.folder.runs() {
        fs::remove_dir_all(run).expect("a run");
    }
    let names = [
        "session_preload_libraries",
        "Archive_Command",
        "jit_provider",
        "init_connect",
        "init-file",
        "plugin_dir",
        "general_log_file",
        "xp_cmdshell",
        "clr enabled",
        "my.setting",
    ];
    let name = *trial.pick(&names);
    trial.note(format!("sweep of server.{name}"));
    let sweeps = fs::read_dir(trial.folder.file("tacho-data/sweeps")).expect("the sweeps");
    for path in sweeps.map(|entry| entry.expect("an entry").path()) {
        let text = fs::read_to_string(&path).expect("a record");
        let mut record = unsealed(serde_json::from_str(&text).expect("JSON"));
        record["vary"][0]["key"] = json!(format!("server.{name}"));
        record["vary"][0]["values"] = json!([evil, "x"]);
        record["points"][0]["values"] = json!([evil]);
        record["points"][1]["values"] = json!(["x"]);
        fs::write(&path, record.to_string()).expect("a record");
    }
    let done = trial.tacho("sweep --resume latest --progress none");
    done.expect_code(2);
    done.complains(&["would run a program or load code", name]);
    expect_nothing_ran(trial);
}

/// If the name in a server's state file is a path that leads to another folder, that folder must be kept.
fn forged_state(trial: &mut Trial) {
    let _ends = Ends::of(trial);
    let folder = &trial.folder;
    fs::create_dir_all(folder.file("tacho-data/servers")).expect("a folder");
    fs::create_dir_all(folder.file("victim/data")).expect("a folder");
    let absolute = folder.file("victim").display().to_string();
    let names = [
        "../../victim",
        "../../../victim",
        "pg/../../../victim",
        "..",
        ".",
        "",
        &absolute,
        "pg\0",
        "pg/",
    ];
    let name = (*trial.pick(&names)).to_owned();
    let product = *trial.pick(&["postgres", "mariadb", "mysql", "touch"]);
    let file = *trial.pick(&["pg", "maria", "victim"]);
    let state = json!({
        "format": "tacho-server", "version": 1, "name": name, "product": product,
        "server_version": "15.1", "port": 5999, "settings": [], "password": "x",
        "target": "postgres://x@localhost/x", "made": true,
    });
    trial.folder.write(&format!("tacho-data/servers/{file}.json"), &state.to_string());
    for _ in 0..3 {
        let line = match trial.below(5) {
            0 => format!("down {file}"),
            1 => "down --all".into(),
            2 => "restore".into(),
            3 => "list servers".into(),
            _ => format!("up {file}"),
        };
        let code = trial.tacho(&line).code();
        trial.note(format!("state {name:?} of {product}: {line} {code}"));
        assert!(trial.folder.file("victim/data").exists(), "the folder is gone");
    }
}
