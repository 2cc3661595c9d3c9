//! A signal stops an endless script within seconds and leaves no interpreter process or temporary folder behind.

use std::time::{Duration, Instant};

use crate::hammerdb::console;
use tacho_tests::{Folder, Running, Signal};

/// Time limit for reacting to a signal on a busy machine. Even a Python script that ignores the signal is killed after
/// 4 seconds.
const SECONDS: Duration = Duration::from_secs(20);

const SIGNALS: [(Signal, i32); 2] = [(Signal::INT, 130), (Signal::TERM, 143)];

/// Returns the command lines of running processes that mention this folder, such as a script's child process.
fn processes(folder: &Folder) -> Vec<String> {
    let name = folder.path().display().to_string();
    let pid = std::process::id().to_string();
    let all = std::fs::read_dir("/proc").expect("processes").flatten();
    let others = all.filter(|one| one.file_name().to_string_lossy() != pid);
    let commands = others.filter_map(|one| std::fs::read(one.path().join("cmdline")).ok());
    let texts = commands.map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', " "));
    texts.filter(|text| text.contains(&name)).collect()
}

/// Sends a signal once the script prints that it is looping, then waits for it to exit.
#[expect(clippy::disallowed_methods, reason = "a signal is answered in real time")]
#[track_caller]
fn ends(folder: &Folder, mut run: Running, (signal, code): (Signal, i32), what: &str) {
    run.until_said(|line| line.contains("LOOPING"));
    let since = Instant::now();
    run.signal(signal);
    let done = run.wait();
    assert!(since.elapsed() < SECONDS, "{what} took {:?} after {signal:?}", since.elapsed());
    assert_eq!(done.code(), code, "{what} {signal:?}: {}\n{}", done.out, done.err);
    assert!(!done.out.contains("WENT_ON"), "{what}: {}", done.out);
    assert_eq!(processes(folder), Vec::<String>::new(), "{what} {signal:?}");
    let left: Vec<String> =
        folder.names().into_iter().filter(|name| name.starts_with("tacho-")).collect();
    assert_eq!(left, Vec::<String>::new(), "{what} {signal:?}");
}

#[test]
fn loops_in_tcl_end_at_a_signal() {
    let folder = Folder::new();
    let loops = [
        "puts LOOPING\nwhile 1 {}\nputs WENT_ON\n",
        "puts LOOPING\nwhile 1 {after 10}\nputs WENT_ON\n",
        "proc never {} {\nputs LOOPING\nwhile 1 {}\n}\nnever\nputs WENT_ON\n",
        "proc never {} {\nputs LOOPING\nwhile 1 {after 10}\n}\nnever\nputs WENT_ON\n",
        // The signal must stop even a script that catches all errors.
        "proc never {} {\nputs LOOPING\nwhile 1 {catch {after 10}}\n}\ncatch never\nputs WENT_ON\n",
    ];
    for text in loops {
        folder.write("loop.tcl", text);
        for signal in SIGNALS {
            ends(&folder, console(&folder, "auto loop.tcl").start(), signal, text);
        }
        // The script's lines as keyboard input.
        let typed = console(&folder, "").input(&folder.file("loop.tcl")).start();
        ends(&folder, typed, (Signal::INT, 130), text);
        let typed = console(&folder, "tcl").input(&folder.file("loop.tcl")).start();
        ends(&folder, typed, (Signal::TERM, 143), text);
    }
}

#[test]
fn loops_in_python_end_at_a_signal() {
    let folder = Folder::new();
    let loops = [
        "print('LOOPING')\nwhile True: pass\n",
        "import time\ndef never():\n    print('LOOPING')\n    while True: time.sleep(0.01)\n\nnever()\n",
        // Even a script that handles every exception cannot handle the signal.
        "print('LOOPING')\nwhile True:\n    try:\n        while True: pass\n    except BaseException: pass\n\n",
        // A Python script that runs an endless loop in its Tcl interpreter.
        "tclpy.eval('puts LOOPING; while 1 {}')\n",
    ];
    for text in loops {
        folder.write("loop.py", &format!("{text}print('WENT_ON')\n"));
        for signal in SIGNALS {
            ends(&folder, console(&folder, "py auto loop.py").start(), signal, text);
        }
        // Input typed after a loop is not read until the loop has ended.
        folder.write("typed.py", text);
        let typed = console(&folder, "py").input(&folder.file("typed.py")).start();
        ends(&folder, typed, (Signal::TERM, 143), text);
    }
}
