//! Reads options as `getopt_long` does: letters that can be joined, and long names with or without `=`.
//!
//! Start reading at [`read`].

use tacho_core::{Error, Result};

use super::options::{Options, shown};

/// A command-line option of another tool. Consists of its letter, which may be empty, its long name with `_` instead
/// of `-`, and true if it takes a value.
pub(super) type Flag = (&'static str, &'static str, bool);

/// The options of a command line in their original order, and all other words.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub(super) options: Vec<(&'static str, String)>,
    pub(super) others: Vec<String>,
}

impl Given {
    /// Removes all options with this name and returns their values.
    pub(super) fn all(&mut self, name: &str) -> Vec<String> {
        let taken = self.options.extract_if(.., |(known, _)| *known == name);
        taken.map(|(_, value)| value).collect()
    }

    /// Returns the options by name. If an option is repeated, the last value applies.
    pub(super) fn by_name(&self) -> Options {
        let mut options = Options::default();
        self.options.iter().for_each(|(name, value)| options.insert(name, value));
        options
    }
}

/// Separates a tool's options from the other words. An option that takes no value gets the value `on`.
pub(super) fn read(words: &[String], flags: &[Flag]) -> Result<Given> {
    let mut given = Given::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--" {
            given.others.extend(words.by_ref().cloned());
        } else if let Some(long) = word.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (long, None),
            };
            let (_, name, takes) = by_name(name, flags)?;
            let value = match value {
                None if *takes => next(name, &mut words)?,
                value => value.unwrap_or_else(|| "on".into()),
            };
            given.options.push((name, value));
        } else if let Some(letters) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) {
            let mut rest = letters;
            while let Some(letter) = rest.chars().next() {
                rest = &rest[letter.len_utf8()..];
                let flag = flags.iter().find(|(known, ..)| *known == letter.to_string());
                let (_, name, takes) = flag.ok_or_else(|| unknown(&format!("-{letter}"), flags))?;
                let value = match rest.strip_prefix('=').unwrap_or(rest) {
                    "" if *takes => next(name, &mut words)?,
                    value if *takes => value.to_owned(),
                    _ => "on".into(),
                };
                given.options.push((name, value));
                if *takes {
                    break;
                }
            }
        } else {
            given.others.push(word.clone());
        }
    }
    Ok(given)
}

/// Returns the option with this long name, which may be abbreviated.
fn by_name<'a>(given: &str, flags: &'a [Flag]) -> Result<&'a Flag> {
    let name = given.replace('-', "_");
    let exact = flags.iter().find(|(_, known, _)| *known == name);
    let mut longer = flags.iter().filter(|(_, known, _)| known.starts_with(&name));
    match (exact, longer.next(), longer.next()) {
        (Some(flag), ..) | (None, Some(flag), None) => Ok(flag),
        _ => Err(unknown(&format!("--{given}"), flags)),
    }
}

fn next<'a>(name: &str, words: &mut impl Iterator<Item = &'a String>) -> Result<String> {
    words.next().cloned().ok_or_else(|| Error::usage(format!("no value for --{}", shown(name))))
}

fn unknown(word: &str, flags: &[Flag]) -> Error {
    let known: Vec<String> =
        flags.iter().map(|(_, name, _)| format!("--{}", shown(name))).collect();
    Error::usage(format!("unknown option: {word}"))
        .did_you_mean(word, known.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: [Flag; 4] = [
        ("c", "client", true),
        ("n", "no_vacuum", false),
        ("C", "connect", false),
        ("", "log", false),
    ];

    fn shown(line: &str) -> Result<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let given = read(&words, &FLAGS)?;
        let options = given.options.iter().map(|(name, value)| format!("{name}={value}"));
        Ok(options.chain(given.others.iter().cloned()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn options_have_the_forms_of_getopt() {
        for (line, expected) in [
            ("-c 5 db", "client=5 db"),
            ("-c5 -nC", "client=5 no_vacuum=on connect=on"),
            ("-nc=5 --no-vac", "no_vacuum=on client=5 no_vacuum=on"),
            ("db --client 5 --client=6 -", "client=5 client=6 db -"),
            ("-- -c", "-c"),
        ] {
            assert_eq!(shown(line).expect(line), expected);
        }
        for line in ["-x", "--c", "--nope", "-c", "--client"] {
            assert!(shown(line).is_err(), "{line}");
        }
    }
}
