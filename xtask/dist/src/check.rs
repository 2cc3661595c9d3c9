//! `cargo xtask dist --check`: tests each program in the release files, either on its own system or under emulation.
//!
//! Anything that cannot be tested is reported. Start reading at [`run`].

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use xtask::{Outcome, machine, process};

use crate::Programs;
use crate::build::Builder;
use crate::release::Release;
use crate::targets::{self, System};

/// Programs that emulate or inspect other systems, with the Debian packages that provide them.
#[rustfmt::skip]
const HELPERS: [(&str, &[&str]); 7] = [
    ("qemu-aarch64", &["qemu-user"]), ("/usr/aarch64-linux-gnu/lib/libc.so.6", &["libc6-arm64-cross"]),
    ("wine", &["wine", "wine64"]), ("rpm", &["rpm"]), ("debootstrap", &["debootstrap"]), ("ruby", &["ruby"]),
    ("/usr/bin/busybox", &["busybox-static"]),
];
/// Folder with the scripts that test programs and packages.
const SCRIPTS: &str = "xtask/dist/src/check";
/// Name of the database server that is used to test programs for other systems.
const SERVER: &str = "dist";

/// The results of all tests, one per line.
#[derive(Default)]
struct Report {
    lines: Vec<String>,
    failed: bool,
}

impl Report {
    fn add(&mut self, line: String) {
        println!("{line}");
        self.failed |= line.starts_with("FAILED");
        self.lines.push(line);
    }

    fn untried(&mut self, what: &str, why: &str) {
        self.add(format!("NOT TRIED   {what}: {why}"));
    }

    /// Runs a script that prints report lines.
    fn script(&mut self, name: &str, words: &[&str], command: &mut Command) -> Result<(), String> {
        let script = process::root().join(SCRIPTS).join(name);
        let done = command.arg(script).args(words).stderr(Stdio::inherit()).output();
        let done = done.map_err(|error| format!("{name}: {error}"))?;
        String::from_utf8_lossy(&done.stdout).lines().for_each(|line| self.add(line.to_owned()));
        if done.status.success() { Ok(()) } else { Err(format!("{name}: {}", done.status)) }
    }

    /// Tests the files for the systems that this machine can run.
    fn packages(&mut self, what: &str, made: &Made, place: &Path) -> Result<(), String> {
        let place = place.join("packages").display().to_string();
        let mut words = vec![what, &made.release.version, &place];
        words.extend(made.programs.iter().map(|(target, _)| target.triple));
        self.script("packages.sh", &words, Command::new("sh").current_dir(made.folder))
    }

    /// Removes the test files and prints all results once more. Returns true if nothing failed.
    fn end(self, place: &Path) -> Outcome {
        std::fs::remove_dir_all(place).map_err(crate::failed("remove", place))?;
        println!("== results\n{}", self.lines.join("\n"));
        Ok(!self.failed)
    }
}

/// The release files to test.
pub struct Made<'a> {
    pub release: &'a Release,
    pub programs: &'a Programs,
    /// Folder with the release files.
    pub folder: &'a Path,
}

/// Tests everything, using the tools in the given `PATH`. Returns true if nothing failed.
pub fn run(made: &Made, path: &OsStr) -> Outcome {
    install(&HELPERS);
    let mut report = Report::default();
    let place = place()?;
    let native = made.programs.iter().find(|(target, _)| target.is_own());
    let server = native.map(|(_, program)| Server::start(program, &place)).transpose()?;
    for (target, program) in made.programs {
        println!("== try {}", target.triple);
        let builder = Builder { path, release: made.release, target };
        match Trial::new(&builder, program, &place) {
            Ok(trial) => trial.all(&builder, server.as_ref(), &mut report)?,
            Err(why) => report.untried(target.triple, &why),
        }
    }
    for target in targets::named(&[])? {
        if !made.programs.iter().any(|(built, _)| *built == target) {
            report.untried(target.triple, "it was not requested");
        }
    }
    report.packages("all", made, &place)?;
    if let Some(server) = server {
        server.stop()?;
    }
    report.end(&place)
}

/// Tests only the packages for this machine's system. Returns true if nothing failed.
pub fn packages_of_this_system(made: &Made) -> Outcome {
    install(&[("rpm", &["rpm"])]);
    let mut report = Report::default();
    let place = place()?;
    report.packages("packages", made, &place)?;
    report.untried(
        "other systems, minimal installations and package formats",
        "use cargo xtask dist --check",
    );
    report.end(&place)
}

/// Installs the packages of missing programs if this user is allowed to.
fn install(helpers: &[(&str, &[&str])]) {
    for (probe, packages) in helpers {
        if !machine::has(probe) && !machine::install(packages) {
            println!("{probe} is not available and could not be installed");
        }
    }
}

/// Creates a folder for files produced by the tests.
fn place() -> Result<PathBuf, String> {
    let place = std::env::temp_dir().join(format!("tacho-dist-check-{}", std::process::id()));
    make(&place)?;
    Ok(place)
}

/// A program under test, and how to run it on this machine.
struct Trial {
    /// First words of the command line. The program's arguments are appended to them.
    words: Vec<String>,
    variables: Vec<(&'static str, String)>,
    folder: PathBuf,
}

impl Trial {
    /// Returns the way to run the program on this machine, or an error if its system cannot be emulated.
    fn new(builder: &Builder, program: &Path, place: &Path) -> Result<Self, String> {
        let target = builder.target;
        let folder = place.join(target.triple);
        make(&folder)?;
        let program = program.display().to_string();
        let words = match target.system {
            System::Linux if target.is_own() => vec![program],
            System::Linux if target.rpm() == "aarch64" => {
                require(&["qemu-aarch64", "/usr/aarch64-linux-gnu/lib/libc.so.6"])?;
                ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", &program].map(str::to_owned).into()
            }
            System::Windows => {
                require(&["wine"])?;
                return Self::on_wine(&program, builder.path, &folder);
            }
            System::MacOs => {
                return Err("only its libraries and load commands were checked".into());
            }
            System::Linux => {
                return Err("this machine cannot run programs for the target's processor".into());
            }
        };
        Ok(Self { words, variables: Vec::new(), folder })
    }

    /// Copies a program to a Windows drive. Removes the drive that gives access to Linux files, so
    /// that the program cannot read the host's metrics.
    fn on_wine(program: &str, path: &OsStr, folder: &Path) -> Result<Self, String> {
        let prefix = folder.join("prefix");
        let place = prefix.join("drive_c/tacho");
        let variables =
            vec![("WINEPREFIX", prefix.display().to_string()), ("WINEDEBUG", "-all".to_owned())];
        // Starting any program for the first time creates the drive.
        let mut first = process::program("wine", &["cmd", "/c", "ver"]);
        if !process::ended(first.envs(variables.iter().cloned()))? {
            return Err("cannot start wine".into());
        }
        make(&place)?;
        let copy = place.join("tacho.exe");
        std::fs::copy(program, &copy).map_err(crate::failed("copy to", &copy))?;
        shim(path, &place)?;
        let disk = prefix.join("dosdevices/z:");
        std::fs::remove_file(&disk).map_err(crate::failed("remove", &disk))?;
        let words = ["wine", "C:/tacho/tacho.exe"].map(str::to_owned).into();
        Ok(Self { words, variables, folder: prefix.join("drive_c/users") })
    }

    /// Tests what a user does in the first few minutes, and runs the conformance suite.
    fn all(
        &self,
        builder: &Builder,
        server: Option<&Server>,
        report: &mut Report,
    ) -> Result<(), String> {
        let Builder { release, target, .. } = builder;
        let suite = self.conformance(builder).unwrap_or_else(|why| {
            report.add(format!("FAILED      {} conformance: {why}", target.triple));
            String::new()
        });
        let address = server.map_or("", |server| &server.target);
        let mut words = vec![target.triple, &release.version, address, &suite];
        words.extend(self.words.iter().map(String::as_str));
        let mut command = Command::new("sh");
        command.envs(self.variables.iter().cloned()).current_dir(&self.folder);
        command.envs(server.map(|server| ("PGPASSWORD", &server.password)));
        report.script("programs.sh", &words, &mut command)
    }

    /// Builds the embedded database's conformance suite and returns its path on the system under test.
    fn conformance(&self, builder: &Builder) -> Result<String, String> {
        let suite = builder.conformance()?;
        if builder.target.system != System::Windows {
            return Ok(suite.display().to_string());
        }
        // Wine lacks a library that the program needs. The program's folder contains a replacement, so copy the suite
        // to this folder.
        let copy = self.folder.with_file_name("tacho").join("conformance.exe");
        std::fs::copy(&suite, &copy).map_err(crate::failed("copy to", &copy))?;
        Ok("C:/tacho/conformance.exe".into())
    }
}

/// Builds a replacement for a library that Wine 8 lacks. It contains the only function that Rust's
/// standard library needs.
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
        Some(missing) => Err(format!("{missing} is not available")),
    }
}

/// A private PostgreSQL server.
struct Server {
    program: String,
    folder: PathBuf,
    /// The server's target URL, over TCP.
    target: String,
    password: String,
}

impl Server {
    fn start(program: &Path, place: &Path) -> Result<Self, String> {
        let program = program.display().to_string();
        let folder = place.join("servers");
        make(&folder)?;
        let dir = folder.display().to_string();
        process::output(&program, &["up", "postgres", "--name", SERVER, "--dir", &dir])?;
        let file = folder.join("servers").join(format!("{SERVER}.json"));
        let state: Value =
            serde_json::from_slice(&crate::read(&file)?).map_err(|error| error.to_string())?;
        let password = state["password"].as_str().unwrap_or_default();
        let target = format!("postgres://postgres@127.0.0.1:{}/postgres", state["port"]);
        Ok(Self { program, folder, target, password: password.to_owned() })
    }

    fn stop(self) -> Result<(), String> {
        let dir = self.folder.display().to_string();
        process::output(&self.program, &["down", "--all", "--dir", &dir]).map(drop)
    }
}

/// Creates a folder that every user can access, which servers require.
fn make(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(crate::failed("make", folder))
}
