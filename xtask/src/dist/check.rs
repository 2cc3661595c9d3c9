//! `cargo xtask dist --check`: tries what was made, each program on its system or on what stands for it here.
//!
//! What cannot be tried is said. Start reading at [`run`].

mod formats;
mod packages;
mod terminal;
mod trees;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use self::terminal::View;
use super::build;
use super::release::Release;
use super::targets::{self, System, Target};
use super::tools::{self, Tools};
use crate::{Outcome, needs, process};

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
        let line = match outcome {
            Ok(how) => format!("ok          {what}: {how}"),
            Err(why) => {
                self.failed = true;
                format!("FAILED      {what}: {why}")
            }
        };
        println!("{line}");
        self.lines.push(line);
    }

    fn untried(&mut self, what: &str, why: &str) {
        let line = format!("NOT TRIED   {what}: {why}");
        println!("{line}");
        self.lines.push(line);
    }

    /// Removes what the trials left, and prints all lines again; true if nothing failed.
    fn end(self, place: &Path) -> Outcome {
        std::fs::remove_dir_all(place)
            .map_err(|error| format!("remove {}: {error}", place.display()))?;
        println!("== tried\n{}", self.lines.join("\n"));
        Ok(!self.failed)
    }
}

/// Tries everything; true if nothing failed.
pub fn run(release: &Release, programs: &[(&'static Target, PathBuf)], folder: &Path) -> Outcome {
    let tools = tools::ensure(&[])?;
    install(&HELPERS);
    let mut report = Report::default();
    let place = place()?;
    let own = programs.iter().find(|(target, _)| target.is_own()).map(|(_, program)| program);
    let server = match own {
        Some(own) => Some(Server::start(own, &place)?),
        None => None,
    };
    for (target, program) in programs {
        println!("== try {}", target.triple);
        match trial(target, program, &tools, &place) {
            Ok(Some(mut trial)) => {
                let suite = conformance(&trial, release, target, &tools);
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
    let unpacked = packages::run(release, programs, folder, &place, &mut report);
    formats::run(release, folder, unpacked.as_deref(), &mut report);
    trees::run(release, programs, folder, &place, &mut report);
    if let Some(server) = server {
        server.stop()?;
    }
    report.end(&place)
}

/// Tries only the packages of this machine's own system; true if nothing failed.
pub fn packages(
    release: &Release,
    programs: &[(&'static Target, PathBuf)],
    folder: &Path,
) -> Outcome {
    install(&[("rpm", &["rpm"])]);
    let mut report = Report::default();
    let place = place()?;
    packages::run(release, programs, folder, &place, &mut report);
    report.untried("other systems, bare trees and formats", "cargo xtask dist --check tries them");
    report.end(&place)
}

/// Installs the packages whose programs are not here, if we may.
fn install(helpers: &[(&str, &[&str])]) {
    for (probe, packages) in helpers {
        if !needs::is_there(probe) && !needs::install(packages) {
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
pub struct Trial {
    pub what: String,
    /// The words before the arguments.
    pub words: Vec<String>,
    pub variables: Vec<(String, String)>,
    pub folder: PathBuf,
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
    pub fn output(&self, arguments: &[&str]) -> Result<String, String> {
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
}

/// How the program is run here; none of a system that nothing here stands for.
fn trial(
    target: &Target,
    program: &Path,
    tools: &Tools,
    place: &Path,
) -> Result<Option<Trial>, String> {
    let folder = place.join(target.triple);
    make(&folder)?;
    let program = program.display().to_string();
    let mut trial = Trial {
        what: target.triple.to_owned(),
        words: vec![program.clone()],
        variables: Vec::new(),
        folder: folder.clone(),
    };
    match target.system {
        System::Linux if target.is_own() => {}
        System::Linux if target.triple.starts_with("aarch64") => {
            require(&["qemu-aarch64", "/usr/aarch64-linux-gnu/lib/libc.so.6"])?;
            trial.words = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", &program]
                .map(str::to_owned)
                .into();
        }
        System::Windows => {
            require(&["wine"])?;
            // Next to the program, where Windows looks for libraries first.
            let copy = folder.join("tacho.exe");
            std::fs::copy(&program, &copy).map_err(|error| format!("copy {program}: {error}"))?;
            shim(tools, &folder)?;
            trial.words = vec!["wine".into(), copy.display().to_string()];
            let prefix = folder.join("prefix").display().to_string();
            trial.variables = [("WINEPREFIX", prefix.as_str()), ("WINEDEBUG", "-all")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into();
            trial.output(&["version"])?;
            move_to_disk_of_windows(&mut trial)?;
        }
        System::MacOs => return Ok(None),
        System::Linux => return Err("nothing here runs programs of this processor".into()),
    }
    Ok(Some(trial))
}

/// Where the program sees none of Linux' own files, such as those with the metrics of the host: only on the disk of
/// Windows, and without the one that stands for the root of Linux.
fn move_to_disk_of_windows(trial: &mut Trial) -> Result<(), String> {
    let prefix = trial.folder.join("prefix");
    let place = prefix.join("drive_c/tacho");
    make(&place)?;
    for file in ["tacho.exe", "bcryptprimitives.dll"] {
        std::fs::copy(trial.folder.join(file), place.join(file))
            .map_err(|error| format!("copy {file}: {error}"))?;
    }
    std::fs::remove_file(prefix.join("dosdevices/z:"))
        .map_err(|error| format!("remove the disk of Linux: {error}"))?;
    trial.words = ["wine", "C:/tacho/tacho.exe"].map(str::to_owned).into();
    trial.folder = prefix.join("drive_c/users");
    Ok(())
}

/// The conformance suite of the embedded database, on the system; its last line.
fn conformance(
    trial: &Trial,
    release: &Release,
    target: &Target,
    tools: &Tools,
) -> Result<String, String> {
    let built = build::conformance(tools, release, target, &build::target_dir())?;
    let mut suite = built.display().to_string();
    if target.system == System::Windows {
        // Next to the library that Wine does not have.
        let copy = trial.folder.with_file_name("tacho").join("conformance.exe");
        std::fs::copy(&built, &copy).map_err(|error| format!("copy {suite}: {error}"))?;
        suite = "C:/tacho/conformance.exe".into();
    }
    let said = trial.of(&suite).output(&[])?;
    let result = said.lines().find_map(|line| line.strip_prefix("test result: ok. "));
    let (passed, _) = result.and_then(|result| result.split_once(';')).ok_or("no result")?;
    Ok(passed.to_owned())
}

/// A library of Windows that Wine 8 does not have, with the one function that Rust's own library wants.
fn shim(tools: &Tools, folder: &Path) -> Result<(), String> {
    const SOURCE: &str = "#include <windows.h>\nBOOLEAN NTAPI SystemFunction036(void *, ULONG);\n\
        __declspec(dllexport) BOOL WINAPI ProcessPrng(unsigned char *to, SIZE_T bytes) \
        { return SystemFunction036(to, (ULONG)bytes); }\n";
    super::write(&folder.join("shim.c"), SOURCE.as_bytes())?;
    let words = [
        "-m",
        "ziglang",
        "cc",
        "-target",
        "x86_64-windows-gnu",
        "-shared",
        "shim.c",
        "-ladvapi32",
        "-o",
        "bcryptprimitives.dll",
    ];
    let mut command = process::program("python3", &words);
    let done = command.current_dir(folder).env("PATH", &tools.path).output();
    let done = done.map_err(|error| format!("cannot start python3: {error}"))?;
    if done.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&done.stderr).into_owned())
    }
}

fn require(probes: &[&str]) -> Result<(), String> {
    match probes.iter().find(|probe| !needs::is_there(probe)) {
        None => Ok(()),
        Some(missing) => Err(format!("{missing} is not here")),
    }
}

/// What a person does in the first minutes.
pub fn try_all(trial: &Trial, release: &Release, server: Option<&Server>, report: &mut Report) {
    let what = &trial.what;
    let step = |words: &[&str], wanted: &[&str]| -> Result<String, String> {
        let said = trial.output(words)?;
        match wanted.iter().find(|wanted| !said.contains(**wanted)) {
            None => Ok(said),
            Some(missing) => {
                Err(format!("tacho {} does not say \"{missing}\":\n{said}", words.join(" ")))
            }
        }
    };
    let version = || -> Result<String, String> {
        let said = trial.output(&["version", "--json"])?;
        let said: Value =
            serde_json::from_str(&said).map_err(|error| format!("version --json: {error}"))?;
        let system = said["system"].as_str().unwrap_or_default().to_owned();
        if said["version"] == release.version.as_str() { Ok(system) } else { Err(said.to_string()) }
    };
    report.note(&format!("{what} version"), version());
    let run = || -> Result<String, String> {
        let said = step(
            &["run", "-d", "3s", "--progress", "none"],
            &["commits match", "24 of 24 after the run"],
        )?;
        let figure =
            said.lines().find(|line| line.contains("NOPM")).unwrap_or_default().trim().to_owned();
        step(&["doctor"], &["Machine", "Client", "own cost"])?;
        step(&["report", "latest", "-o", "report.html"], &[])?;
        let page = super::read(&trial.folder.join("report.html"))?;
        let is_page = page.starts_with(b"<!") && page.len() > 100_000;
        if is_page { Ok(figure) } else { Err("the report is no page".into()) }
    };
    report.note(&format!("{what} run on SQLite, doctor, report"), run());
    report.note(&format!("{what} metrics of the host"), host_metrics(trial));
    report.note(&format!("{what} Ctrl-C in a terminal"), terminal::stops_a_run(trial));
    let (view, shown) = (format!("{what} live view"), terminal::shows_the_live_view(trial));
    match shown {
        Ok(View::Refused(why)) => report.untried(&view, &why),
        Ok(View::Shown(how)) => report.note(&view, Ok(how)),
        Err(why) => report.note(&view, Err(why)),
    }
    let Some(server) = server else {
        return report
            .untried(&format!("{what} with PostgreSQL"), "no program here can start a server");
    };
    let run = || -> Result<String, String> {
        step(&["prepare", "tpcb", &server.target, "--progress", "none"], &[])?;
        let said = step(
            &["run", "tpcb", &server.target, "-d", "2s", "--progress", "none"],
            &["commits match"],
        )?;
        step(&["clean", "tpcb", &server.target, "--yes"], &[])?;
        Ok(said
            .lines()
            .find(|line| line.contains("TPM") || line.contains("TPS"))
            .unwrap_or_default()
            .trim()
            .to_owned())
    };
    report.note(&format!("{what} with PostgreSQL over TCP"), run());
}

/// What the record of the last run has about the machine.
fn host_metrics(trial: &Trial) -> Result<String, String> {
    let record: Value = serde_json::from_str(&trial.output(&["show", "latest", "-o", "json"])?)
        .map_err(|error| format!("show -o json: {error}"))?;
    let load = &record["result"]["hosts"][0]["load"];
    if let Some(missing) = ["cpu", "available_bytes"].iter().find(|name| load[**name].is_null()) {
        return Err(format!("the record has no {missing} of the host: {load}"));
    }
    let fields = load.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    Ok(fields.map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", "))
}

/// A PostgreSQL server of our own.
pub struct Server {
    own: String,
    folder: PathBuf,
    /// Over TCP.
    pub target: String,
    pub password: String,
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
            serde_json::from_slice(&super::read(&file)?).map_err(|error| error.to_string())?;
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
pub fn make(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("make {}: {error}", folder.display()))
}
