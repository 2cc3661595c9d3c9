//! Rewrites error messages for scripts, by using the names of console commands and databases. Start reading at
//! [`words`].

use tacho_core::Error;

use crate::dictionary::DATABASES;

/// Tacho's commands, each with the console command that does the same. A hint that mentions any other command is left
/// out.
const COMMANDS: [(&str, &str); 3] =
    [("prepare", "buildschema"), ("check", "checkschema"), ("clean", "deleteschema")];

/// The program's name, which comes before the command in a hint.
const PROGRAM: &str = "tacho ";

/// The workloads that scripts can run. In a hint, the workload's name follows the command.
const WORKLOADS: [&str; 2] = [" tprocc", " tproch"];

/// A short hint that is used in place of a list of files and environment variables for passwords.
const PASSWORD: &str = "check the user name and the password";

/// Phrases that occur only in hints for the command line. Each phrase is followed by the hint that scripts show
/// instead.
const HINTS: [(&str, &str); 4] = [
    (
        "REQUIRE SSL",
        "users with REQUIRE SSL must connect with TLS, and users with REQUIRE X509 also need a certificate",
    ),
    ("sslmode=disable", "set ssl=on in the server, or connect without TLS"),
    ("ssl-mode=disabled", "set ssl_cert and ssl_key in the server, or connect without TLS"),
    ("ssl-mode=required", "connect with TLS"),
];

/// Names of operations that are removed from error messages, because scripts show the command anyway.
const OPERATIONS: [&str; 3] = ["cannot prepare: ", "cannot run a script: ", "cannot start run: "];

/// The options of a target's URL that can contain the database name. Error messages show only this name in place of the
/// URL.
const NAMES: [&str; 5] = ["dbname", "database", "alias", "service", "dsn"];

/// Returns an error message, including its hints.
pub fn words(error: &Error) -> String {
    let said = error.to_string();
    let begins = OPERATIONS.iter().find_map(|operation| said.strip_prefix(operation));
    let mut text = without_targets(&commands(begins.unwrap_or(&said)));
    for hint in error.hints().iter().filter_map(|hint| in_script(hint)) {
        text.push_str("; hint: ");
        text.push_str(&without_targets(&hint));
    }
    text
}

/// Rewrites a hint for scripts. Returns `None` if the hint is useful only on the command line.
fn in_script(hint: &str) -> Option<String> {
    let mut places = DATABASES.iter().flat_map(|database| database.passwords.split(" or "));
    if places.any(|place| !place.is_empty() && hint.contains(place)) {
        return Some(PASSWORD.to_owned());
    }
    if let Some((_, hint)) = HINTS.iter().find(|(word, _)| hint.contains(word)) {
        return Some((*hint).to_owned());
    }
    // Scripts have no key for the time limit of connections, so omit this part of the hint.
    let hint = hint.split(", or allow more time with ").next().unwrap_or(hint);
    let text = commands(hint).replace(" && ", ", then ");
    // Scripts cannot use command-line options, except `--dir`.
    let has_option = |word: &str| word.len() > 2 && word.starts_with("--") && word != "--dir";
    let is_for_script = !text.contains(PROGRAM) && !text.split(' ').any(has_option);
    is_for_script.then_some(text)
}

/// Replaces command lines in a text with the equivalent console commands, if there are any.
fn commands(text: &str) -> String {
    let mut parts = text.split(PROGRAM);
    let mut changed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let word = |(theirs, ours)| part.strip_prefix(theirs).map(|rest| (ours, rest));
        let found = COMMANDS.into_iter().find_map(word);
        match found.filter(|(_, rest)| !rest.starts_with(|c: char| c.is_alphanumeric())) {
            Some((ours, rest)) => changed.extend([ours, after_arguments(rest)]),
            None => changed.extend([PROGRAM, part]),
        }
    }
    changed
}

/// Returns the text that follows a command's workload, target and options.
fn after_arguments(text: &str) -> &str {
    let Some(mut rest) = WORKLOADS.iter().find_map(|workload| text.strip_prefix(workload)) else {
        return text;
    };
    rest = after_word(rest);
    while rest.starts_with(" --") {
        rest = after_word(after_word(rest));
    }
    rest
}

/// Returns the text after the next word. Single quotes keep words together, as in a shell.
fn after_word(text: &str) -> &str {
    let mut is_quoted = false;
    let is_end = |(at, c): (usize, char)| {
        is_quoted ^= c == '\'';
        (at > 0 && c == ' ' && !is_quoted).then_some(at)
    };
    let end = text.char_indices().find_map(is_end);
    end.map_or("", |end| &text[end..])
}

/// Replaces each Tacho target in the text with the name of its database.
fn without_targets(text: &str) -> String {
    let word = |word: &str| database(word).unwrap_or_else(|| word.to_owned());
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Returns the name of the database in a target such as `postgres:?host=db1&dbname=tpcc`. Punctuation that follows the
/// target is kept.
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
            (
                "to check the data, use tacho check; to rebuild it, use tacho prepare".into(),
                Some("to check the data, use checkschema; to rebuild it, use buildschema"),
            ),
            (
                "tacho clean followed by tacho prepare rebuilds the data".into(),
                Some("deleteschema followed by buildschema rebuilds the data"),
            ),
            (
                "tacho check shows the details; use tacho clean and tacho prepare to rebuild it".into(),
                Some("checkschema shows the details; use deleteschema and buildschema to rebuild it"),
            ),
            (
                format!("tacho prepare tproch {target} --scale 1 --set 'a=b c' --seed 42 rebuilds it"),
                Some("buildschema rebuilds it"),
            ),
            (format!("tacho clean tprocc {target}"), Some("deleteschema")),
            ("create them with tacho generate --to FOLDER".into(), None),
            ("run tacho down --all to stop it".into(), None),
            (format!("tacho run tprocc {target} --scale 2"), None),
            ("see tacho show --errors".into(), None),
            ("use tacho checks".into(), None),
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
        let text = "table a is not the one that tacho prepare created";
        let said = words(&Error::new(ErrorKind::Other, text));
        assert_eq!(said, "table a is not the one that buildschema created");
        let other = Error::new(ErrorKind::Other, "what is this:? nothing").during("prepare");
        assert_eq!(words(&other), "what is this:? nothing");
    }
}
