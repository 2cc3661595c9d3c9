//! The driver script: `loadscript`, `clearscript`, `savescript` and related commands.
//!
//! Tacho itself runs the transactions of the built-in driver. The printed script therefore contains only commands that
//! request this run. Virtual users execute only custom scripts.

use std::path::Path;

use tacho_core::file;

use super::{Console, Next};
use crate::dictionary::Benchmark;

impl Console {
    pub(super) fn loadscript(&mut self, _: &[&str]) -> Next {
        self.users.script = true;
        self.users.custom = None;
        if self.dictionary.benchmark == Benchmark::TprocH {
            self.say("TPROC-H Driver Script");
        }
        self.complain("Script loaded, Type \"print script\" to view")
    }

    pub(super) fn refreshscript(&mut self, words: &[&str]) -> Next {
        self.loadscript(words)
    }

    pub(super) fn clearscript(&mut self, _: &[&str]) -> Next {
        self.forget_script();
        self.complain("Script cleared")
    }

    /// Clears the script, because another database or benchmark has been selected and the script no longer fits.
    /// Informs the user if it was a custom script.
    pub(super) fn leave_script(&mut self) {
        if self.users.custom.is_some() {
            self.say("Clearing Script, reload script to activate new setting");
            self.say("Script cleared");
        }
        self.forget_script();
    }

    fn forget_script(&mut self) {
        self.users.script = false;
        self.users.custom = None;
    }

    /// Returns commands that request the same run as this session. They do not contain passwords.
    pub(super) fn script_text(&self) -> String {
        if let Some(custom) = &self.users.custom {
            return custom.clone();
        }
        let database = self.dictionary.database();
        let benchmark = self.dictionary.benchmark.name();
        let mut lines = vec![
            "# Tacho runs the transactions itself; these commands ask for the same run.".to_owned(),
            "# Passwords are left out.".to_owned(),
            format!("dbset db {}", database.prefix),
            format!("dbset bm {benchmark}"),
        ];
        let changed = self.dictionary.changed();
        lines.extend(changed.iter().map(|(section, key, value)| {
            format!("diset {section} {key} {}", crate::tcl::quoted(value))
        }));
        let users = self.dictionary.generic("virtual_user_options", "virtual_users");
        lines.push(format!("vuset vu {users}"));
        lines.extend(["loadscript", "vucreate", "vurun", "vudestroy"].map(str::to_owned));
        lines.join("\n")
    }

    #[expect(clippy::disallowed_methods, reason = "writes a file named by the user")]
    pub(super) fn savescript(&mut self, words: &[&str]) -> Next {
        let [name] = words else {
            return self.usage("savescript", "Invalid number of arguments");
        };
        if !self.users.script {
            return self.complain("Error: No script loaded to save, use loadscript to load");
        }
        let named = Path::new(name).with_extension("tcl");
        // If the name does not include a folder, write the file to the temporary folder, as HammerDB does.
        let bare = named.components().count() == 1;
        let path = if bare { self.setup.temp.join(&named) } else { named };
        match std::fs::write(&path, self.script_text() + "\n") {
            Ok(()) => self.complain(format!("Success ... wrote script to {}", path.display())),
            Err(error) => {
                let (shown, folder) = (path.display(), path.parent().filter(|at| !at.is_dir()));
                let text = match folder {
                    Some(folder) => {
                        let folder = folder.display();
                        format!(
                            "Error: directory {folder} not writable to write {shown} for savescript"
                        )
                    }
                    None => format!("Error: Failed to open {shown} for writing: {error}"),
                };
                self.complain(text)
            }
        }
    }

    pub(super) fn customscript(&mut self, words: &[&str]) -> Next {
        if words.len() != 1 {
            return self.complain("Usage: customscript scriptname.tcl");
        }
        match file::read(Path::new(words[0]), file::SMALL_MAX).map(crate::tcl::decoded) {
            Ok(text) => {
                self.users.script = true;
                self.users.custom = Some(text.trim_end().to_owned());
                self.complain(format!("Loaded {}", words[0]))
            }
            Err(error) => {
                Next::Failed(format!("Error: script {} failed to load: {error}", words[0]))
            }
        }
    }

    pub(super) fn custommonitor(&mut self, words: &[&str]) -> Next {
        match words {
            ["timed"] => {
                self.users.custom_monitor = true;
                self.complain("Monitor Virtual User enabled for customscript")
            }
            ["test"] => {
                self.users.custom_monitor = false;
                self.complain("Monitor Virtual User disabled for custom script")
            }
            _ => self.complain("Usage: custommonitor test|timed"),
        }
    }
}
