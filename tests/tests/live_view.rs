//! The live view of a run: what it shows, which keys it supports, and that it always restores the terminal.

use std::fs;
use std::path::Path;

use tacho_testkit::permits::{Group, permit};
use tacho_tests::{Folder, Signal, Terminal};

const SIZES: [(u16, u16); 3] = [(80, 24), (100, 30), (200, 50)];
/// A run that the test does not wait for.
const LONG: &str = "run tprocc -d 10m --check none --progress tui";

/// Returns true if the text contains the line that says where the run is saved.
fn is_saved(text: &str) -> bool {
    text.contains("Saved  ")
}

#[test]
fn a_run_is_shown_and_the_summary_is_left() {
    let folder = Folder::new();
    for size in SIZES {
        let line = "run tprocc -d 2s --ramp-up 2s --check none --progress tui --threshold p50<1us";
        let mut terminal = Terminal::start(&folder, line, size);
        terminal.shows("RAMP-UP");
        terminal.shows("ramp-up, not in the result");
        terminal.shows("MEASURE");
        terminal.shows("measured so far");
        terminal.until(|terminal| {
            let text = terminal.screen();
            ["NOPM", "new_order", "stock_level", "client CPU", "✗ p50<1us", "errors none"]
                .iter()
                .all(|word| text.contains(word))
        });
        let ended = terminal.ends(6);
        assert_eq!(ended.views, 1);
        assert!(ended.after.contains("TOO SHORT") && is_saved(&ended.after), "{}", ended.after);
    }
    assert_eq!(folder.runs().len(), SIZES.len());
}

#[test]
fn keys_do_what_the_last_line_says() {
    let folder = Folder::new();
    let mut terminal = Terminal::start(&folder, LONG, (100, 30));
    terminal.shows("measured so far");
    terminal.shows(" new_order  ▓");
    terminal.press("\t");
    terminal.shows(" payment  ▓");
    terminal.press("\u{1b}[Z");
    terminal.shows(" new_order  ▓");
    terminal.press("2");
    terminal.shows("latency of new_order");
    terminal.press("3");
    terminal.shows("no samples: the server reports no sessions");
    terminal.press("4");
    terminal.shows("client CPU, ");
    terminal.press("5");
    terminal.shows("errors so far");
    terminal.press("1");
    terminal.shows(" new_order  ▓");
    terminal.press("?");
    terminal.shows("stop the run (asks first)");
    terminal.press("?");
    terminal.until(|terminal| !terminal.screen().contains("after confirmation"));
    terminal.press("p");
    terminal.shows("VIEW PAUSED");
    terminal.press("p");
    terminal.until(|terminal| !terminal.screen().contains("VIEW PAUSED"));
    terminal.press("q");
    terminal.shows("Stop the run now and summarise?");
    terminal.press("n");
    terminal.until(|terminal| !terminal.screen().contains("Stop the run now"));
    terminal.press("q");
    terminal.shows("Stop the run now and summarise?");
    terminal.press("y");
    let ended = terminal.ends(130);
    assert!(is_saved(&ended.after), "{}", ended.after);
    assert_eq!(folder.record("latest")["result"]["ended_by"], "interrupt");
}

#[test]
fn ctrl_c_and_signals_give_the_terminal_back() {
    let _permit = permit(Group::Timing);
    let folder = Folder::new();
    let begun = |line: &str| {
        let mut terminal = Terminal::start(&folder, line, (80, 24));
        terminal.shows("measured so far");
        terminal
    };
    let mut once = begun(LONG);
    once.press("\u{3}");
    assert!(is_saved(&once.ends(130).after));
    let terminated = begun(LONG);
    terminated.signal(Signal::TERM);
    assert!(is_saved(&terminated.ends(143).after));
    assert_eq!(folder.record("latest")["result"]["ended_by"], "terminate");
    let hung_up = begun(LONG);
    hung_up.signal(Signal::HUP);
    assert!(is_saved(&hung_up.ends(129).after));
    let mut twice = begun(LONG);
    twice.press("\u{3}\u{3}");
    assert!(is_saved(&twice.ends(130).after));
}

fn lines(terminal: &Terminal) -> usize {
    terminal.written().matches(" 1/1 ").count()
}

#[test]
fn a_small_terminal_gets_lines_and_the_run_goes_on() {
    let folder = Folder::new();
    let mut terminal = Terminal::start(&folder, LONG, (79, 24));
    terminal
        .until(|terminal| terminal.screen().contains("smaller than 80 × 24: using plain lines"));
    terminal.until(|terminal| lines(terminal) > 0);
    assert!(!terminal.is_view());
    terminal.resize((100, 30));
    terminal.shows("measured so far");
    terminal.resize((200, 60));
    terminal.until(|terminal| {
        let text = terminal.screen();
        text.lines().any(|line| line.chars().count() > 190) && text.contains("? help")
    });
    terminal.resize((60, 10));
    terminal.until(|terminal| !terminal.is_view());
    let before = lines(&terminal);
    terminal.until(|terminal| lines(terminal) > before);
    // Once the view is closed, the terminal handles keys again, so Ctrl-C interrupts the run.
    terminal.press("\u{3}");
    let ended = terminal.ends(130);
    assert_eq!(ended.views, 1);
    assert!(is_saved(&ended.after));
}

#[test]
fn a_person_at_a_terminal_gets_the_view_and_a_word_on_plain_lines() {
    let folder = Folder::new();
    let line = "run tprocc -d 2s --ramp-up 0s --check none";
    for size in SIZES {
        let mut terminal = Terminal::start(&folder, line, size);
        terminal.shows("measured so far");
        terminal.shows("--progress plain");
        let ended = terminal.ends(0);
        assert_eq!(ended.views, 1);
        assert!(ended.after.contains("NOPM") && is_saved(&ended.after), "{}", ended.after);
    }
    // Progress is printed as plain lines if requested, if there is no suitable terminal, and if the terminal is too
    // small.
    let plain = |line: &str, size: (u16, u16), environment: &[(&str, &str)]| {
        let ended = Terminal::with(&folder, line, size, environment).ends(0);
        assert_eq!(ended.views, 0, "{line} {size:?} {environment:?}");
        assert!(ended.written.contains(" 1/1 "), "{}", ended.written);
    };
    plain(line, (100, 30), &[("CI", "true")]);
    plain(line, (100, 30), &[("TERM", "dumb")]);
    plain(line, (79, 24), &[]);
    plain(line, (80, 23), &[]);
    plain(&format!("{line} --progress plain"), (100, 30), &[]);
}

#[test]
fn processors_of_this_machine_are_drawn_over_time() {
    let folder = Folder::new();
    let mut terminal = Terminal::start(&folder, LONG, (200, 50));
    terminal.until(|terminal| {
        let text = terminal.screen();
        text.contains("client CPU, ") && text.contains("█ Tacho ")
    });
    terminal.press("\u{3}");
    let _ = terminal.ends(130);
}

#[test]
fn without_a_screen_there_is_no_view() {
    let folder = Folder::new();
    let line = "run tprocc sim -d 1m --progress tui";
    folder.tacho(line).exits(2).is_error().complains(&["--progress plain"]);
    let dumb = Terminal::with(&folder, line, (100, 30), &[("TERM", "dumb")]).ends(0);
    assert_eq!(dumb.views, 0);
    assert!(dumb.written.contains("plain lines") && !dumb.written.contains('\u{1b}'));
}

#[test]
fn no_colour_is_left_out_where_it_is_not_wanted() {
    let folder = Folder::new();
    let line = "run tprocc sim -d 5m --progress tui";
    let written = |environment: &[(&str, &str)]| {
        Terminal::with(&folder, line, (100, 30), environment).ends(0).written
    };
    // The terminal library may set colors by number or by name, so accept either sequence.
    let is_coloured = |text: &str| text.contains("\u{1b}[38;5;") || text.contains("\u{1b}[36m");
    assert!(is_coloured(&written(&[])));
    assert!(!is_coloured(&written(&[("NO_COLOR", "1")])));
}

#[test]
fn messages_during_the_view_are_printed_after_it() {
    let folder = Folder::new();
    let line = "sweep tprocc --vary sessions=1,2 -d 2s --ramp-up 0s --check none --progress tui";
    let mut terminal = Terminal::start(&folder, line, (100, 30));
    terminal.shows("1 session ");
    terminal.shows("2 of 2: sessions=2");
    terminal.shows("2 sessions ");
    let ended = terminal.ends(0);
    assert_eq!(ended.views, 1, "one view for all runs");
    let before = ended.after.find("2 of 2: sessions=2").expect("the point is told");
    assert!(before < ended.after.find("Saved").expect("the end"), "{}", ended.after);
}

#[test]
fn streams_of_queries_are_followed() {
    let _permit = permit(Group::Timing);
    let folder = Folder::new();
    let line =
        "run tproch --scale 0.01 --set query_sets=6 --check none --progress tui --interval 100ms";
    let mut terminal = Terminal::start(&folder, line, (100, 30));
    terminal.shows("streams");
    terminal.shows("done");
    let _ = terminal.ends(0);
}

#[test]
fn the_record_is_the_same_with_and_without() {
    let read = |saved: &Path, name: &str| fs::read(saved.join(name)).expect("a file of the run");
    let result = |folder: &Folder| {
        let record = folder.record("latest");
        let saved = folder.runs().pop().expect("a run");
        let log = String::from_utf8(read(&saved, "histograms.hlog")).expect("text");
        // Skip the comments at the start, because they contain the date.
        let log: Vec<&str> = log.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(log.len() > 10);
        (record["result"].to_string(), read(&saved, "intervals.jsonl.zst"), log.join("\n"))
    };
    for target in ["sim:?latency=2ms", "sim:?latency=1ms&errors=0.1% -r 300"] {
        let line = format!("run tprocc {target} -c 50 -d 2m --ramp-up 10s --ramp-down 5s --seed 7");
        let (with, without) = (Folder::new(), Folder::new());
        let code = without.tacho(&format!("{line} --progress none")).done().code();
        let seen = Terminal::start(&with, &format!("{line} --progress tui"), (100, 30)).ends(code);
        assert_eq!(seen.views, 1);
        assert!(result(&with) == result(&without), "{target}: the view has changed the record");
    }
}

/// The view reads only the files in the run's folder, so another terminal can show the run. Closing
/// the view does not end the run.
#[test]
fn a_run_ends_when_its_terminal_is_closed() {
    let folder = Folder::new();
    let mut terminal = Terminal::start(&folder, LONG, (80, 24));
    terminal.shows("measured so far");
    terminal.vanishes(129);
    assert_eq!(folder.record("latest")["result"]["ended_by"], "terminate");
}

#[test]
fn a_run_of_another_terminal_is_shown_by_its_folder() {
    let folder = Folder::new();
    let line = "run tprocc -d 5m --ramp-up 1s --check none --progress plain";
    let mut run = folder.tacho(line).start();
    run.until(|line| line.contains("measure  "));
    let mut watch = Terminal::start(&folder, "watch latest --progress tui", (100, 30));
    watch.shows("measured so far");
    watch.until(|terminal| {
        let text = terminal.screen();
        ["MEASURE", "NOPM", "new_order", "stock_level", "errors none", "q close"]
            .iter()
            .all(|word| text.contains(word))
    });
    watch.press("?");
    watch.shows("close this view; the run continues");
    watch.press("q");
    assert_eq!(watch.ends(130).views, 1);
    // If the view is still open when the run ends, `watch` closes it and prints how to show the results.
    let mut watch = Terminal::start(&folder, "watch --progress tui", (80, 24));
    watch.shows("measured so far");
    run.signal(Signal::INT);
    let code = run.wait().code();
    let ended = watch.ends(code);
    assert!(ended.after.contains("tacho show"), "{}", ended.after);
}
