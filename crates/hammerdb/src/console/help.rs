//! Implements `help`.

use super::{COMMANDS, Console, Next, command};

impl Console {
    pub(super) fn help(&mut self, words: &[&str]) -> Next {
        let text = match words {
            [] => index(),
            [name] => about(name),
            _ => "Error: Invalid number of arguments\nUsage: help ?command?".into(),
        };
        self.complain(text)
    }
}

fn about(name: &str) -> String {
    if let Some(command) = command(name) {
        return format!("{name} - {}\nUsage: {}", command.about, command.usage);
    }
    let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
    format!("Error: invalid option\nUsage: help [{}]", names.join("|"))
}

fn index() -> String {
    let mut lines = vec![
        format!("Tacho {}, commands of HammerDB", env!("CARGO_PKG_VERSION")),
        "Type \"help command\" for more on one of them".to_owned(),
    ];
    let width = COMMANDS.iter().map(|command| command.name.len()).max().unwrap_or(0);
    lines.extend(COMMANDS.iter().map(|c| format!("  {:width$}  {}", c.name, c.about)));
    lines.join("\n")
}
