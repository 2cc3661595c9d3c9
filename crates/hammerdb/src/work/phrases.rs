//! Errors in the words of a script: commands of its console in place of command lines, and names of databases in place
//! of targets. Start reading at [`words`].

use tacho_core::Error;

use crate::dictionary::DATABASES;

/// Commands of ours in hints, and those of the console that do the same.
const COMMANDS: [(&str, &str); 4] = [
    ("tacho prepare", "buildschema"),
    ("tacho check", "checkschema"),
    ("tacho clean", "deleteschema"),
    ("tacho run ", "vurun"),
];

/// The end of a command in a hint.
const TAILS: [&str; 4] = [" removes it", " resumes it", " rebuilds it", " says what is wrong"];

/// The hint in place of the files and variables in which clients look for a password.
const PASSWORD: &str = "check the user and the password";

/// Words of hints that only a command line can follow, and the whole hint for a script.
const HINTS: [(&str, &str); 4] = [
    (
        "REQUIRE SSL",
        "a user with REQUIRE SSL needs TLS, and one with REQUIRE X509 also a certificate",
    ),
    ("sslmode=disable", "set ssl=on in the server, or connect without TLS"),
    ("ssl-mode=disabled", "set ssl_cert and ssl_key in the server, or connect without TLS"),
    ("ssl-mode=required", "connect by TLS"),
];

/// Operations that errors name: the script's command shows them already.
const OPERATIONS: [&str; 3] = ["cannot prepare: ", "cannot run a script: ", "cannot start run: "];

/// Options of a target that name the database.
const NAMES: [&str; 5] = ["dbname", "database", "alias", "service", "dsn"];

/// The words of an error with its hints.
pub fn words(error: &Error) -> String {
    let said = error.to_string();
    let begins = OPERATIONS.iter().find_map(|operation| said.strip_prefix(operation));
    let mut text = without_targets(begins.unwrap_or(&said));
    for hint in error.hints().iter().filter_map(|hint| in_script(hint)) {
        text.push_str("; hint: ");
        text.push_str(&without_targets(&hint));
    }
    text
}

/// A hint as a script can follow it; `None` for one that only a command line can.
fn in_script(hint: &str) -> Option<String> {
    let mut places = DATABASES.iter().flat_map(|database| database.passwords.split(" or "));
    if places.any(|place| !place.is_empty() && hint.contains(place)) {
        return Some(PASSWORD.to_owned());
    }
    if let Some((_, hint)) = HINTS.iter().find(|(word, _)| hint.contains(word)) {
        return Some((*hint).to_owned());
    }
    // The time limits of connections have no key.
    let hint = hint.split(", or allow more time with ").next().unwrap_or(hint);
    let parts: Vec<String> = hint.split(" && ").map(command).collect();
    let text = parts.join(", then ");
    // The command that runs the script has this option alone.
    let has_option = |word: &str| word.len() > 2 && word.starts_with("--") && word != "--dir";
    (!text.split(' ').any(has_option)).then_some(text)
}

/// A command line as the command of the console that does the same, with what the hint says of it.
fn command(text: &str) -> String {
    let Some((_, ours)) = COMMANDS.iter().find(|(theirs, _)| text.starts_with(theirs)) else {
        return text.to_owned();
    };
    let tail = TAILS.iter().find(|tail| text.ends_with(*tail)).copied().unwrap_or_default();
    format!("{ours}{tail}")
}

/// Names the database where the text has a target of ours.
fn without_targets(text: &str) -> String {
    let word = |word: &str| database(word).unwrap_or_else(|| word.to_owned());
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// The database that a target such as `postgres:?host=db1&dbname=tpcc` names, with the punctuation after it.
pub(super) fn database(word: &str) -> Option<String> {
    let target = word.trim_end_matches([',', ';', ':']);
    let (scheme, options) = target.split_once(":?")?;
    DATABASES.iter().find(|known| known.scheme == scheme)?;
    let mut pairs = options.split('&').filter_map(|pair| pair.split_once('='));
    let (_, name) = pairs.find(|(key, _)| NAMES.contains(key))?;
    Some(format!("{name}{}", &word[target.len()..]))
}

#[cfg(test)]
mod tests {
    use tacho_core::ErrorKind;

    use super::*;

    #[test]
    fn hints_are_commands_of_the_console() {
        let target = "'postgres:?host=db1&password=***&dbname=tpcc'";
        let table = [
            (format!("tacho clean tprocc {target} removes it"), Some("deleteschema removes it")),
            (
                format!("tacho clean tprocc {target} && tacho prepare tprocc {target} --scale 2"),
                Some("deleteschema, then buildschema"),
            ),
            (
                format!("tacho prepare tprocc {target} --scale 1 --seed 42 resumes it"),
                Some("buildschema resumes it"),
            ),
            (
                "check user and password; PGPASSWORD and ~/.pgpass are read too".into(),
                Some("check the user and the password"),
            ),
            ("--answer-timeout allows more time".into(), None),
            ("measure longer with --duration".into(), None),
            (
                "check host and port, or allow more time with connect_timeout".into(),
                Some("check host and port"),
            ),
            ("grant the role access".into(), Some("grant the role access")),
        ];
        for (hint, expected) in table {
            assert_eq!(in_script(&hint).as_deref(), expected, "{hint}");
        }
    }

    #[test]
    fn targets_are_named_by_their_databases() {
        let text = "postgres:?host=db1&user=tpcc&dbname=tpcc&admin_user=boss holds no data";
        let error = Error::new(ErrorKind::Missing, text).hint("tacho prepare tprocc pg --scale 1");
        assert_eq!(words(&error), "tpcc holds no data; hint: buildschema");
        assert_eq!(without_targets("at mariadb:?database=a&port=1: no"), "at a: no");
        let other = Error::new(ErrorKind::Other, "what is this:? nothing").during("prepare");
        assert_eq!(words(&other), "what is this:? nothing");
    }
}
