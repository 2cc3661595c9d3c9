//! Parses the output of `--help`: groups of entries, each with a term and an explanation.

/// Headings of command groups.
const COMMANDS: [&str; 5] = ["Start", "Measure", "Understand", "Other", "Commands"];

/// The parsed help of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Help {
    /// Description of the command.
    pub about: String,
    /// Usage line.
    pub usage: String,
    /// Arguments, options, settings and subcommands.
    pub entries: Vec<Entry>,
}

/// An entry, including its continuation lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Heading of the group that contains the entry, such as `Options`.
    pub group: String,
    /// Term, such as `-s, --scale <N>`.
    pub term: String,
    /// Explanation of the term.
    pub help: String,
}

impl Entry {
    /// Returns the key of the setting that this flag sets, such as `ramp_up` for `--ramp-up`, or an empty string.
    pub fn setting(&self) -> String {
        if !self.term.starts_with('-') || self.group == "Options" {
            return String::new();
        }
        let flag = self.term.split_once("--").map_or("", |(_, flag)| flag);
        flag.split([' ', '=']).next().unwrap_or_default().replace('-', "_")
    }

    /// Returns true if the entry is a command.
    pub fn is_command(&self) -> bool {
        COMMANDS.contains(&self.group.as_str())
    }

    /// Returns the explanation without the default value, and the default value.
    pub fn meaning(&self) -> (String, String) {
        let Some((before, after)) = self.help.split_once("[default: ") else {
            return (self.help.clone(), String::new());
        };
        let (default, after) = after.split_once(']').unwrap_or((after, ""));
        let meaning = format!("{} {}", before.trim(), after.trim());
        (meaning.trim().to_owned(), default.to_owned())
    }
}

/// Parses the output.
pub fn read(printed: &str) -> Help {
    let mut help = Help::default();
    let mut group = String::new();
    for line in printed.lines().filter(|line| !line.trim().is_empty()) {
        let text = line.trim();
        let indent = line.len() - line.trim_start().len();
        if indent == 0 {
            if help.usage.is_empty() && !text.starts_with("Usage: ") {
                // The command's description may span several lines.
                let gap = if help.about.is_empty() { "" } else { " " };
                help.about.push_str(gap);
                help.about.push_str(text);
            } else if let Some(usage) = text.strip_prefix("Usage: ") {
                usage.clone_into(&mut help.usage);
            } else {
                text.trim_end_matches(':').clone_into(&mut group);
            }
        } else if indent == 2 || (indent == 6 && text.starts_with("--")) {
            let (term, about) = text.split_once("  ").unwrap_or((text, ""));
            let (term, about) = (term.to_owned(), about.trim().to_owned());
            help.entries.push(Entry { group: group.clone(), term, help: about });
        } else if let Some(entry) = help.entries.last_mut() {
            if !entry.help.is_empty() {
                entry.help.push(' ');
            }
            entry.help.push_str(text);
        }
    }
    help
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "\
Measure, and print
the result

Usage: tacho run [OPTIONS] [WORKLOAD]

Options:
      --transactions  Part of a run

Load:
  -r, --rate <N>      Open arrival
      --ramp-up <SPAN>  Load before the measured phase, excluded
                      from all results [default:
                      2s]

Examples:
  tacho run --rate 5
";

    #[test]
    fn entries_are_read_with_their_groups() {
        let help = read(PRINTED);
        assert_eq!((help.about.as_str(), help.entries.len()), ("Measure, and print the result", 4));
        assert_eq!(help.usage, "tacho run [OPTIONS] [WORKLOAD]");
        let keys: Vec<String> = help.entries.iter().map(Entry::setting).collect();
        assert_eq!(keys, ["", "rate", "ramp_up", ""]);
        assert_eq!(help.entries[2].group, "Load");
        let (meaning, default) = help.entries[2].meaning();
        assert_eq!(meaning, "Load before the measured phase, excluded from all results");
        assert_eq!(default, "2s");
    }
}
