//! Options and commands of pgbench, sysbench, go-tpc, HammerDB and k6, with their equivalents in Tacho.

/// Other tools' options and commands, with Tacho's equivalents.
const WORDS: &[(&[&str], &str)] = &[
    (&["-T", "--time", "--max-time", "--run-time", "--runtime"], "--duration"),
    (
        &[
            "--users",
            "--vu",
            "--vus",
            "--virtual-users",
            "--threads",
            "--clients",
            "--client",
            "--concurrency",
            "--connections",
        ],
        "--sessions",
    ),
    (&["-j", "--jobs"], "--workers"),
    (&["--warmup", "--warmup-time", "--warm-up", "--rampup", "--ramp", "--ramp-time"], "--ramp-up"),
    (&["--warehouses", "-w", "-W", "--scalefactor", "--scale-factor", "--sf"], "--scale"),
    (&["-P", "--report-interval", "--progress-interval"], "--interval"),
    (&["-R", "--qps", "--tps", "--rps"], "--rate"),
    (&["--limit"], "--threshold"),
    (&["-L"], "--latency-limit"),
    (&["-C", "--connect"], "--reconnect"),
    (&["-M", "--protocol"], "--form"),
    (&["-l", "--log-prefix"], "--log"),
    (&["--aggregate-interval"], "--log-interval"),
    (&["--sampling-rate"], "--log-sample"),
    (&["--report-per-command", "--report-latencies"], "--statement-times"),
    (&["--events", "--iterations", "--count"], "--transactions"),
    (&["--random-seed", "--rand-seed"], "--seed"),
    (&["--thinktime", "--think-time", "--keyandthink", "--wait"], "--pacing"),
    (&["--max-tries", "--retries"], "--attempts"),
    (&["-i", "--initialize"], "tacho prepare"),
    (
        &[
            "-H",
            "--host",
            "-p",
            "--port",
            "-U",
            "-u",
            "--user",
            "--username",
            "--db",
            "--dbname",
            "--database",
            "--url",
            "--dsn",
            "--password",
            "--socket",
        ],
        "TARGET, such as postgres://user@host:5432/database or mysql://user@host/database",
    ),
    (&["cleanup", "destroy", "deleteschema", "drop"], "tacho clean"),
    (&["load", "build", "buildschema"], "tacho prepare"),
    (&["checkschema", "verify", "validate"], "tacho check"),
    (&["bench", "benchmark", "exec", "execute", "start", "vurun"], "tacho run"),
    (&["autopilot", "profile"], "tacho sweep"),
    (&["jobs", "history", "ls"], "tacho runs"),
    (&["diff"], "tacho compare"),
];

/// Returns Tacho's equivalent of another tool's option or command. It can be an option, a command, or a part of the
/// target.
pub(crate) fn ours_for(word: &str) -> Option<&'static str> {
    let word = word.split('=').next().unwrap_or(word);
    WORDS.iter().find(|(theirs, _)| theirs.contains(&word)).map(|(_, ours)| *ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_foreign_word_has_an_equivalent() {
        let tree = crate::args::command();
        let run = tree.find_subcommand("run").expect("the command");
        for (theirs, ours) in WORDS {
            let found = match (ours.strip_prefix("--"), ours.strip_prefix("tacho ")) {
                (Some(flag), _) => run.get_arguments().any(|arg| arg.get_long() == Some(flag)),
                (_, Some(command)) => tree.find_subcommand(command).is_some(),
                _ => ours.starts_with("TARGET"),
            };
            assert!(found, "{ours}");
            for word in *theirs {
                let is_flag = run.get_arguments().any(|arg| {
                    Some(*word) == arg.get_long().map(|long| format!("--{long}")).as_deref()
                        || Some(*word)
                            == arg.get_short().map(|short| format!("-{short}")).as_deref()
                });
                assert!(
                    !is_flag && tree.find_subcommand(word).is_none(),
                    "{word} is a word of ours"
                );
                assert_eq!(ours_for(word), Some(*ours), "{word} stands twice");
            }
        }
        assert_eq!(ours_for("--time=5"), Some("--duration"));
        assert_eq!(ours_for("--nonsense"), None);
    }
}
