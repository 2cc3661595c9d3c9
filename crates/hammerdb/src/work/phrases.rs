//! Rewrites errors for scripts: command lines are replaced with console commands, and targets with database names.
//! Start reading at [`words`].

use tacho_core::Error;

use crate::dictionary::DATABASES;

/// Tacho commands that occur in hints, with the equivalent console commands.
const COMMANDS: [(&str, &str); 4] = [
    ("tacho prepare", "buildschema"),
    ("tacho check", "checkschema"),
    ("tacho clean", "deleteschema"),
    ("tacho run ", "vurun"),
];

/// Text that follows a command in a hint.
const TAILS: [&str; 4] = [" removes it", " resumes it", " rebuilds it", " says what is wrong"];

/// The hint that replaces the list of files and environment variables from which clients read a password.
const PASSWORD: &str = "check the user name and the password";

/// Phrases in hints that only a command line user can follow, with the complete hint to show in a script instead.
const HINTS: [(&str, &str); 4] = [
    (
        "REQUIRE SSL",
        "users with REQUIRE SSL must connect with TLS, and users with REQUIRE X509 also need a certificate",
    ),
    ("sslmode=disable", "set ssl=on in the server, or connect without TLS"),
    ("ssl-mode=disabled", "set ssl_cert and ssl_key in the server, or connect without TLS"),
    ("ssl-mode=required", "connect with TLS"),
];

/// Operations named in errors. They are left out because the script's command already shows them.
const OPERATIONS: [&str; 3] = ["cannot prepare: ", "cannot run a script: ", "cannot start run: "];

/// Target options that contain the database name.
const NAMES: [&str; 5] = ["dbname", "database", "alias", "service", "dsn"];

/// Returns an error message, including its hints.
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

/// Rewrites a hint so that it applies to a script. Returns `None` for a hint that applies only to the command line.
fn in_script(hint: &str) -> Option<String> {
    let mut places = DATABASES.iter().flat_map(|database| database.passwords.split(" or "));
    if places.any(|place| !place.is_empty() && hint.contains(place)) {
        return Some(PASSWORD.to_owned());
    }
    if let Some((_, hint)) = HINTS.iter().find(|(word, _)| hint.contains(word)) {
        return Some((*hint).to_owned());
    }
    // There are no keys for connection time limits.
    let hint = hint.split(", or allow more time with ").next().unwrap_or(hint);
    let parts: Vec<String> = hint.split(" && ").map(command).collect();
    let text = parts.join(", then ");
    // Only the command that runs the script has this option.
    let has_option = |word: &str| word.len() > 2 && word.starts_with("--") && word != "--dir";
    (!text.split(' ').any(has_option)).then_some(text)
}

/// Converts a command line to the equivalent console command, followed by the rest of the hint.
fn command(text: &str) -> String {
    let Some((_, ours)) = COMMANDS.iter().find(|(theirs, _)| text.starts_with(theirs)) else {
        return text.to_owned();
    };
    let tail = TAILS.iter().find(|tail| text.ends_with(*tail)).copied().unwrap_or_default();
    format!("{ours}{tail}")
}

/// Replaces each Tacho target in the text with the name of its database.
fn without_targets(text: &str) -> String {
    let word = |word: &str| database(word).unwrap_or_else(|| word.to_owned());
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Returns the database named by a target such as `postgres:?host=db1&dbname=tpcc`, together with any punctuation after
/// the target.
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
                "check the user and password; the password can also be set in PGPASSWORD or ~/.pgpass".into(),
                Some("check the user name and the password"),
            ),
            ("or allow more time with --answer-timeout".into(), None),
            ("measure longer with --duration".into(), None),
            (
                "check the host and port, or allow more time with connect_timeout".into(),
                Some("check the host and port"),
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
