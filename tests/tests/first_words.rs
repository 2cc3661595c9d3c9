//! Tests of the first use: `tacho` without arguments, `tacho init` in a terminal, and the introduction that the program
//! prints.

use serde_json::Value;
use tacho_tests::{Folder, Terminal};

const SIZE: (u16, u16) = (120, 40);

#[test]
fn without_a_word_a_terminal_shows_what_can_be_done_here() {
    let folder = Folder::new();
    let ended = Terminal::start(&folder, "", SIZE).ends(0);
    let said = ended.written;
    let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
    assert!((6..=10).contains(&lines.len()), "{said}");
    assert!(
        lines[0].contains("Tacho ") && lines[1].trim_start().starts_with("tacho run "),
        "{said}"
    );
    // PostgreSQL and MariaDB are installed on all machines that run these tests.
    for words in ["tacho up postgres", "tacho up mariadb", "tacho init", "tacho --help"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(folder.names().is_empty(), "{:?}", folder.names());
    // If the output is not a terminal, `tacho` without arguments must print its help, and an error that a command is
    // missing.
    folder.tacho("").exits(2);
}

#[test]
fn five_questions_make_a_file_that_a_run_takes() {
    let folder = Folder::new();
    let mut terminal = Terminal::start(&folder, "init", SIZE);
    let answers = [
        ("Which database?", "postgres"),
        ("is a driver, not a database", "sqlite:shop.db?synchronous=off"),
        ("Which workload?", "tpcd"),
        // The workload `tpcd` does not exist, so Tacho must ask again.
        ("unknown workload", "tpcb"),
        ("How large?", ""),
        ("How many parallel sessions", "2"),
        ("How long", "1s"),
    ];
    for (question, answer) in answers {
        terminal.until(|terminal| terminal.screen().contains(question));
        terminal.press(&format!("{answer}\r"));
    }
    let said = terminal.ends(0).written;
    assert!(said.contains("Wrote tacho.toml") && said.contains("tacho run first"), "{said}");
    folder.tacho("config check").exits(0);
    folder.tacho("prepare tpcb mine --scale 1").exits(0);
    folder.tacho("run first --ramp-up 0s").exits(0).says(&["tpcb on mine", "2 sessions"]);
    let again = folder.tacho("init").exits(2);
    again.complains(&["tacho.toml already exists"]);
}

/// A target that is only the name of a driver means the default server on this machine. If it is not running, Tacho
/// must suggest how to start one.
#[test]
fn a_server_that_is_missing_can_be_started() {
    let folder = Folder::new();
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
    let port = free.expect("a port").port().to_string();
    let without = |command: &str| {
        let call = folder.tacho(command).env("PGHOST", "127.0.0.1").env("PGPORT", &port);
        call.done().complains(&["start a private server with tacho up postgres", "pg"]);
    };
    without("prepare tprocc postgres");
    without("check tprocc postgres");
}

/// If a private server is running, Tacho must suggest it as the target, by its name.
#[test]
fn a_private_server_is_the_first_answer() {
    let folder = Folder::open();
    folder.tacho("up postgres").exits(0);
    let welcome = Terminal::start(&folder, "", SIZE).ends(0).written;
    assert!(
        welcome.contains("tacho doctor pg ") && welcome.contains("private server pg"),
        "{welcome}"
    );
    let mut terminal = Terminal::start(&folder, "init", SIZE);
    for (question, answer) in [
        ("Which database? Enter a URL; tacho list drivers shows examples [pg]", ""),
        ("Which workload?", "tpcb"),
        ("How large?", ""),
        ("How many parallel sessions", "2"),
        ("How long", "1s"),
    ] {
        terminal.until(|terminal| terminal.screen().contains(question));
        terminal.press(&format!("{answer}\r"));
    }
    let said = terminal.ends(0).written;
    let next =
        ["Found the private server pg: pg", "tacho doctor pg", "tacho prepare tpcb pg --scale 1"];
    assert!(next.iter().all(|line| said.contains(line)), "{said}");
    folder.tacho("prepare tpcb pg --scale 1").exits(0);
    folder.tacho("run first --ramp-up 0s").exits(0).says(&["tpcb on pg", "2 sessions"]);
    folder.tacho("config check").exits(0);
    folder.tacho("down --all").exits(0);
}

#[test]
fn a_password_is_not_written_and_nobody_is_asked_without_a_terminal() {
    let folder = Folder::new();
    folder.tacho("init").exits(2).complains(&["not a terminal", "hint:"]);
    let mut terminal = Terminal::start(&folder, "init", SIZE);
    terminal.until(|terminal| terminal.screen().contains("Which database?"));
    terminal.press("postgres://me:quiet@db1/shop\r");
    terminal.until(|terminal| terminal.screen().contains("without the password"));
    // End of input.
    terminal.press("\u{4}");
    terminal.ends(2);
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn the_version_tells_what_the_program_is_built_for() {
    let folder = Folder::new();
    let said = folder.tacho("version --json").exits(0).out;
    let version: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
    let system = version["system"].as_str().expect("a system");
    assert!(system.starts_with(std::env::consts::ARCH), "{system}");
    assert_eq!(version["loads_libraries"], true);
    assert_eq!(said, folder.tacho("version --output json").exits(0).out);
}

#[test]
fn each_command_has_a_manual_page() {
    let folder = Folder::new();
    folder.tacho("man --all pages").exits(0).says(&["Wrote", "pages"]);
    let text = |name: &str| String::from_utf8(folder.read(name)).expect("text");
    let page = text("pages/tacho-run.1");
    assert!(page.starts_with(".ie") || page.contains(".TH"), "{page}");
    assert!(page.contains("TACHO-RUN") && page.contains("\\-\\-threshold"), "{page}");
    assert_eq!(folder.tacho("man run").exits(0).out.trim_end(), page.trim_end());
    assert!(text("pages/tacho.1").contains("tacho\\-prepare(1)"));
    folder.tacho("man runn").exits(2).complains(&["did you mean run"]);
}
