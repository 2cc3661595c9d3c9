//! Panics on a second thread and then on the main thread while a view is shown. A test then checks the terminal.

#![expect(clippy::print_stderr, reason = "a test checks the output of this example")]

use std::sync::mpsc::channel;

use tacho_store::Event;
use tacho_tui::{Ui, View};

/// Prints panic messages, as a front end does.
struct Front(View);

impl Drop for Front {
    fn drop(&mut self) {
        for words in self.0.close() {
            eprintln!("kept: {words}");
        }
    }
}

fn main() {
    let (say, stopped) = channel();
    let front = Front(View::open(Ui { color: true, ..Ui::default() }, move || {
        let _ = say.send(());
    }));
    assert!(front.0.is_shown(), "{:?}", front.0.why_not());
    let thread = std::thread::spawn(|| panic!("a session panics"));
    assert!(thread.join().is_err(), "it panics");
    front.0.tell(Event::Note { text: "still shown".into() });
    stopped.recv().expect("Ctrl-C comes");
    panic!("the program panics");
}
