//! `cargo xtask dist --check`: tries what was made, each program on its system or on what stands for it here.
//!
//! What cannot be tried is said. Start reading at [`run`].

mod packages;
mod terminal;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use xtask::{Outcome, machine, process};

use self::packages::Trials;
use self::terminal::View;
use crate::Programs;
use crate::build::Builder;
use crate::release::Release;
use crate::targets::{self, System};

/// Programs that stand for other systems, and the packages of Debian that have them.
const HELPERS: [(&str, &[&str]); 6] = [
    ("qemu-aarch64", &["qemu-user"]),
    ("/usr/aarch64-linux-gnu/lib/libc.so.6", &["libc6-arm64-cross"]),
    ("wine", &["wine", "wine64"]),
    ("rpm", &["rpm"]),
    ("debootstrap", &["debootstrap"]),
    ("ruby", &["ruby"]),
];
/// The name of the server that programs of other systems measure.
const SERVER: &str = "dist";

/// What became of the trials, line by line.
#[derive(Default)]
pub struct Report {
    lines: Vec<String>,
    failed: bool,
}

impl Report {
    fn note(&mut self, what: &str, outcome: Result<String, String>) {
        self.failed |= outcome.is_err();
        self.add(match outcome {
            Ok(how) => format!("ok          {what}: {how}"),
            Err(why) => format!("FAILED      {what}: {why}"),
        });
    }

    fn untried(&mut self, what: &str, why: &str) {
        self.add(format!("NOT TRIED   {what}: {why}"));
    }

    fn add(&mut self, line: String) {
        println!("{line}");
        self.lines.push(line);
    }

    /// Removes what the trials left, and prints all lines again; true if nothing failed.
    fn end(self, place: &Path) -> Outcome {
        std::fs::remove_dir_all(place).map_err(crate::failed("remove", place))?;
        println!("== tried\n{}", self.lines.join("\n"));
        Ok(!self.failed)
    }
}

/// Tries everything, with the tools in this `PATH`; true if nothing failed.
pub fn run(release: &Release, programs: &Programs, folder: &Path, path: &OsStr) -> Outcome {
    install(&HELPERS);
    let mut report = Report::default();
    let place = place()?;
    let own = programs.iter().find(|(target, _)| target.is_own());
    let server = own.map(|(_, program)| Server::start(program, &place)).transpose()?;
    for (target, program) in programs {
        println!("== try {}", target.triple);
        let builder = Builder { path, release, target };
        match trial(&builder, program, &place) {
            Ok(Some(mut trial)) => {
                let suite = conformance(&trial, &builder);
                report.note(&format!("{} conformance and faults of SQLite", target.triple), suite);
                let password = server.as_ref().map(|server| server.password.clone());
                trial.variables.extend(password.map(|own| ("PGPASSWORD".to_owned(), own)));
                try_all(&trial, release, server.as_ref(), &mut report);
            }
            Ok(None) => report.untried(
                target.triple,
                "it was only read: libraries and load commands are known ones",
            ),
            Err(why) => report.untried(target.triple, &why),
        }
    }
    for target in targets::named(&[])? {
        if !programs.iter().any(|(own, _)| *own == target) {
            report.untried(target.triple, "it was not asked for");
        }
    }
    let mut trials = Trials { release, programs, folder, place: &place, report: &mut report };
    trials.packages();
    trials.formats();
    trials.trees();
    if let Some(server) = server {
        server.stop()?;
    }
    report.end(&place)
}

/// Tries only the packages of this machine's own system; true if nothing failed.
pub fn packages_of_this_system(release: &Release, programs: &Programs, folder: &Path) -> Outcome {
    install(&[("rpm", &["rpm"])]);
    let mut report = Report::default();
    let place = place()?;
    Trials { release, programs, folder, place: &place, report: &mut report }.packages();
    report.untried("other systems, bare trees and formats", "cargo xtask dist --check tries them");
    report.end(&place)
}

/// Installs the packages whose programs are not here, if we may.
fn install(helpers: &[(&str, &[&str])]) {
    for (probe, packages) in helpers {
        if !machine::has(probe) && !machine::install(packages) {
            println!("{probe} is not here and cannot be installed");
        }
    }
}

/// A folder for what the trials leave.
fn place() -> Result<PathBuf, String> {
    let place = std::env::temp_dir().join(format!("tacho-dist-check-{}", std::process::id()));
    make(&place)?;
    Ok(place)
}

/// A program and what it needs to run here.
#[derive(Clone)]
struct Trial {
    what: String,
    /// The words before the arguments.
    words: Vec<String>,
    variables: Vec<(String, String)>,
    folder: PathBuf,
}

impl Trial {
    /// A command in the folder and the environment of the trial.
    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.folder);
        for (name, _) in
            std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("TACHO_"))
        {
            command.env_remove(name);
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Another program that is run in the same way.
    fn of(&self, program: &str) -> Self {
        let mut other = self.clone();
        other.words.pop();
        other.words.push(program.to_owned());
        other
    }

    /// What the program says if it succeeds; with an exit code other than 0 it is an error.
    fn output(&self, arguments: &[&str]) -> Result<String, String> {
        let words: Vec<&str> =
            self.words[1..].iter().map(String::as_str).chain(arguments.iter().copied()).collect();
        let mut command = self.command(&self.words[0], &words);
        let done = command.output().map_err(|error| format!("start {}: {error}", self.words[0]))?;
        let [said, complaints] =
            [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        // A machine that others use makes a measurement invalid, and not the program.
        let only_busy = done.status.code() == Some(4) && said.contains("tool stopped");
        if done.status.success() || only_busy {
            return Ok(said);
        }
        let arguments = arguments.join(" ");
        Err(format!("tacho {arguments}: {}\n{said}\n{complaints}", done.status))
    }

    /// What the program says, which must contain these words.
    fn says(&self, arguments: &[&str], wanted: &[&str]) -> Result<String, String> {
        let said = self.output(arguments)?;
        let arguments = arguments.join(" ");
        match wanted.iter().find(|wanted| !said.contains(**wanted)) {
            None => Ok(said),
            Some(missing) => Err(format!("tacho {arguments} does not say \"{missing}\":\n{said}")),
        }
    }

    fn json(&self, arguments: &[&str]) -> Result<Value, String> {
        let said = self.output(arguments)?;
        serde_json::from_str(&said).map_err(|error| format!("{}: {error}", arguments.join(" ")))
    }
}

/// How the program is run here; `None` if nothing here stands for its system.
fn trial(builder: &Builder, program: &Path, place: &Path) -> Result<Option<Trial>, String> {
    let target = builder.target;
    let folder = place.join(target.triple);
    make(&folder)?;
    let program = program.display().to_string();
    let variables = Vec::new();
    let mut trial =
        Trial { what: target.triple.to_owned(), words: vec![program.clone()], variables, folder };
    match target.system {
        System::Linux if target.is_own() => {}
        System::Linux if target.rpm() == "aarch64" => {
            require(&["qemu-aarch64", "/usr/aarch64-linux-gnu/lib/libc.so.6"])?;
            let words = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", &program];
            trial.words = words.map(str::to_owned).into();
        }
        System::Windows => {
            require(&["wine"])?;
            on_wine(&mut trial, builder.path)?;
        }
        System::MacOs => return Ok(None),
        System::Linux => return Err("nothing here runs programs of this processor".into()),
    }
    Ok(Some(trial))
}

/// Moves the program to where it sees none of Linux' own files, such as those with the metrics of the host: to the disk of
/// Windows, without the disk that stands for the root of Linux.
fn on_wine(trial: &mut Trial, path: &OsStr) -> Result<(), String> {
    let prefix = trial.folder.join("prefix");
    let place = prefix.join("drive_c/tacho");
    let program =
        std::mem::replace(&mut trial.words, ["wine", "cmd", "/c", "ver"].map(str::to_owned).into());
    trial.variables = vec![
        ("WINEPREFIX".into(), prefix.display().to_string()),
        ("WINEDEBUG".into(), "-all".into()),
    ];
    // The first program makes the disk.
    trial.output(&[])?;
    make(&place)?;
    let copy = place.join("tacho.exe");
    std::fs::copy(&program[0], &copy).map_err(crate::failed("copy to", &copy))?;
    shim(path, &place)?;
    let disk = prefix.join("dosdevices/z:");
    std::fs::remove_file(&disk).map_err(crate::failed("remove", &disk))?;
    trial.words = ["wine", "C:/tacho/tacho.exe"].map(str::to_owned).into();
    trial.folder = prefix.join("drive_c/users");
    Ok(())
}

/// The conformance suite of the embedded database, on the system; its last line.
fn conformance(trial: &Trial, builder: &Builder) -> Result<String, String> {
    let mut suite = builder.conformance()?.display().to_string();
    if builder.target.system == System::Windows {
        // Next to the library that Wine does not have.
        let copy = trial.folder.with_file_name("tacho").join("conformance.exe");
        std::fs::copy(&suite, &copy).map_err(crate::failed("copy to", &copy))?;
        suite = "C:/tacho/conformance.exe".into();
    }
    let said = trial.of(&suite).output(&[])?;
    let result = said.lines().find_map(|line| line.strip_prefix("test result: ok. "));
    let (passed, _) = result.and_then(|result| result.split_once(';')).ok_or("no result")?;
    Ok(passed.to_owned())
}

/// A library of Windows that Wine 8 does not have, with the one function that Rust's own library wants. Windows looks for
/// libraries next to the program first.
fn shim(path: &OsStr, folder: &Path) -> Result<(), String> {
    const SOURCE: &str = "#include <windows.h>\nBOOLEAN NTAPI SystemFunction036(void *, ULONG);\n\
        __declspec(dllexport) BOOL WINAPI ProcessPrng(unsigned char *to, SIZE_T bytes) \
        { return SystemFunction036(to, (ULONG)bytes); }\n";
    const COMPILER: &str = "-m ziglang cc -target x86_64-windows-gnu -shared shim.c -ladvapi32 \
        -o bcryptprimitives.dll";
    crate::write(&folder.join("shim.c"), SOURCE.as_bytes())?;
    let words: Vec<&str> = COMPILER.split_whitespace().collect();
    let done = process::program("python3", &words).current_dir(folder).env("PATH", path).output();
    let done = done.map_err(|error| format!("cannot start python3: {error}"))?;
    let why = String::from_utf8_lossy(&done.stderr).into_owned();
    if done.status.success() { Ok(()) } else { Err(why) }
}

fn require(probes: &[&str]) -> Result<(), String> {
    match probes.iter().find(|probe| !machine::has(probe)) {
        None => Ok(()),
        Some(missing) => Err(format!("{missing} is not here")),
    }
}

/// What a person does in the first minutes.
fn try_all(trial: &Trial, release: &Release, server: Option<&Server>, report: &mut Report) {
    let what = &trial.what;
    report.note(&format!("{what} version"), version(trial, release));
    report.note(&format!("{what} run on SQLite, doctor, report"), first_runs(trial));
    report.note(&format!("{what} metrics of the host"), host_metrics(trial));
    report.note(&format!("{what} Ctrl-C in a terminal"), terminal::stops_a_run(trial));
    let view = format!("{what} live view");
    match terminal::shows_the_live_view(trial) {
        Ok(View::Refused(why)) => report.untried(&view, &why),
        Ok(View::Shown(how)) => report.note(&view, Ok(how)),
        Err(why) => report.note(&view, Err(why)),
    }
    match server {
        None => {
            report.untried(&format!("{what} with PostgreSQL"), "no program here can start a server")
        }
        Some(server) => {
            report.note(&format!("{what} with PostgreSQL over TCP"), with_server(trial, server));
        }
    }
}

fn version(trial: &Trial, release: &Release) -> Result<String, String> {
    let said = trial.json(&["version", "--json"])?;
    let system = said["system"].as_str().unwrap_or_default().to_owned();
    if said["version"] == release.version.as_str() { Ok(system) } else { Err(said.to_string()) }
}

fn first_runs(trial: &Trial) -> Result<String, String> {
    let wanted = ["commits match", "24 of 24 after the run"];
    let said = trial.says(&["run", "-d", "3s", "--progress", "none"], &wanted)?;
    trial.says(&["doctor"], &["Machine", "Client", "own cost"])?;
    trial.output(&["report", "latest", "-o", "report.html"])?;
    let page = crate::read(&trial.folder.join("report.html"))?;
    let is_page = page.starts_with(b"<!") && page.len() > 100_000;
    if is_page { Ok(line_with(&said, &["NOPM"])) } else { Err("the report is no page".into()) }
}

fn with_server(trial: &Trial, server: &Server) -> Result<String, String> {
    let target = server.target.as_str();
    trial.output(&["prepare", "tpcb", target, "--progress", "none"])?;
    let run = ["run", "tpcb", target, "-d", "2s", "--progress", "none"];
    let said = trial.says(&run, &["commits match"])?;
    trial.output(&["clean", "tpcb", target, "--yes"])?;
    Ok(line_with(&said, &["TPM", "TPS"]))
}

/// The first line with a figure in one of these units.
fn line_with(said: &str, units: &[&str]) -> String {
    let has_unit = |line: &&str| units.iter().any(|unit| line.contains(unit));
    said.lines().find(has_unit).unwrap_or_default().trim().to_owned()
}

/// What the record of the last run has about the machine.
fn host_metrics(trial: &Trial) -> Result<String, String> {
    let record = trial.json(&["show", "latest", "-o", "json"])?;
    let load = &record["result"]["hosts"][0]["load"];
    if let Some(missing) = ["cpu", "available_bytes"].iter().find(|name| load[**name].is_null()) {
        return Err(format!("the record has no {missing} of the host: {load}"));
    }
    let fields = load.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    Ok(fields.map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", "))
}

/// A PostgreSQL server of our own.
struct Server {
    own: String,
    folder: PathBuf,
    /// Over TCP.
    target: String,
    password: String,
}

impl Server {
    fn start(own: &Path, place: &Path) -> Result<Self, String> {
        let own = own.display().to_string();
        let folder = place.join("servers");
        make(&folder)?;
        let dir = folder.display().to_string();
        process::output(&own, &["up", "postgres", "--name", SERVER, "--dir", &dir])?;
        let file = folder.join("servers").join(format!("{SERVER}.json"));
        let state: Value =
            serde_json::from_slice(&crate::read(&file)?).map_err(|error| error.to_string())?;
        let password = state["password"].as_str().unwrap_or_default();
        let target = format!("postgres://postgres@127.0.0.1:{}/postgres", state["port"]);
        Ok(Self { own, folder, target, password: password.to_owned() })
    }

    fn stop(self) -> Result<(), String> {
        let dir = self.folder.display().to_string();
        process::output(&self.own, &["down", "--all", "--dir", &dir]).map(drop)
    }
}

/// A folder that every user can go into, as servers need it.
fn make(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(crate::failed("make", folder))
}
