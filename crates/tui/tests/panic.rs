//! Tests that a panic restores the terminal and prints its message.

use tacho_tests::{Folder, Terminal};

#[test]
fn panics_restore_the_terminal() {
    let program = tacho_tests::example("panics").into_os_string();
    let folder = Folder::new();
    let mut terminal = Terminal::of(&[program], &folder, (80, 24), &[]);
    terminal.shows("! still shown");
    terminal.press("\u{3}");
    let ended = terminal.ends(101);
    assert_eq!(ended.views, 1);
    for words in ["a session panics", "the program panics"] {
        assert_eq!(ended.after.matches(words).count(), 1, "{}", ended.after);
        assert_eq!(ended.written.matches(words).count(), 1, "only after the view");
    }
    assert!(ended.after.contains("kept: "), "{}", ended.after);
}
