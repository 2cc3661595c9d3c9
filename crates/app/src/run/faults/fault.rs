//! A fault as written by users: `at=SPAN WORD [SERVER] [for=SPAN] [by=SPAN] [iops=N]`.
//!
//! Start reading at [`Fault::parse`].

use std::time::Duration;

use tacho_core::units::{exact_span, parse_duration};
use tacho_core::{Error, Result};

/// A requested fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::run) struct Fault {
    pub(super) at: Duration,
    pub(super) action: Action,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Kills a server. If `lasts` is present, restarts it after this time.
    Kill { server: Option<String>, lasts: Option<Duration> },
    /// Suspends a server for a given time.
    Pause { server: Option<String>, lasts: Duration },
    /// Shuts a server down and starts it again.
    Restart { server: Option<String> },
    /// Kills a server and promotes its replica to take its place.
    FailOver { server: Option<String> },
    /// Promotes a replica so that it accepts writes.
    Promote { server: String },
    /// Blocks all traffic between the sessions and the server for a given time, without losing data.
    Cut { lasts: Duration },
    /// Closes the sessions' connections. If `lasts` is present, also closes all new connections during this time.
    Reset { lasts: Option<Duration> },
    /// Delays all traffic for a given time.
    Delay { by: Duration, lasts: Duration },
    /// Fills a server's file system, so that it has no free space for a given time.
    Fill { server: Option<String>, lasts: Duration },
    /// Limits the disk of a server for a given time. `iops` is the maximum number of reads per second, and also the
    /// maximum number of writes per second.
    Slow { server: Option<String>, iops: u32, lasts: Duration },
    /// Makes the server of the run's target write a checkpoint.
    Checkpoint,
    /// Runs a user's command.
    Run(String),
}

const WORDS: [&str; 11] = [
    "kill",
    "pause",
    "restart",
    "failover",
    "promote",
    "cut",
    "reset",
    "delay",
    "fill",
    "slow",
    "checkpoint",
];
const EXAMPLE: &str = "use a fault such as 'at=30s kill', 'at=30s kill for=5s', 'at=30s pause for=2s', 'at=30s restart', \
                       'at=30s failover', 'at=30s cut for=3s', 'at=30s reset for=3s', \
                       'at=30s delay by=20ms for=5s', 'at=30s fill for=5s', 'at=30s slow iops=50 for=5s' or \
                       'at=30s checkpoint'";

/// The parts of a fault as written by the user. They have been parsed, but have not been checked for contradictions.
#[derive(Default)]
struct Parts<'a> {
    at: Option<Duration>,
    lasts: Option<Duration>,
    by: Option<Duration>,
    iops: Option<u32>,
    words: Vec<&'a str>,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Result<Self> {
        let mut parts = Self::default();
        for word in text.split_whitespace() {
            let Some((key, span)) = word.split_once('=') else {
                parts.words.push(word);
                continue;
            };
            let place = match key {
                "iops" => {
                    let number = span.parse().ok().filter(|number| *number > 0);
                    let why = "iops=N must be at least 1";
                    parts.iops = Some(number.ok_or_else(|| invalid(text, why))?);
                    continue;
                }
                "at" => &mut parts.at,
                "for" => &mut parts.lasts,
                "by" => &mut parts.by,
                _ => return Err(invalid(text, &format!("unknown key \"{key}\""))),
            };
            *place = Some(parse_duration(span)?);
        }
        Ok(parts)
    }
}

fn invalid(text: &str, why: &str) -> Error {
    Error::usage(format!("invalid fault \"{text}\": {why}")).hint(EXAMPLE)
}

impl Fault {
    /// Parses `at=SPAN WORD [SERVER] [for=SPAN] [by=SPAN] [iops=N]`.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let invalid = |why: &str| invalid(text, why);
        let Parts { at, lasts, by, iops, words } = Parts::of(text)?;
        let at = at.ok_or_else(|| invalid("at=SPAN is missing"))?;
        let (word, server) = match words[..] {
            [word] => (word, None),
            [word, server] => {
                (word, Some(server).filter(|server| *server != "server").map(str::to_owned))
            }
            _ => return Err(invalid("expected a fault and at most one server")),
        };
        let takes = |for_span: bool, by_span: bool, other_server: bool| {
            let refused = [
                (lasts.is_some() && !for_span, "for=SPAN"),
                (by.is_some() && !by_span, "by=SPAN"),
                (iops.is_some() && word != "slow", "iops=N"),
                (
                    server.is_some() && !other_server,
                    "a server, because this fault affects only the target of the run",
                ),
            ];
            match refused.into_iter().find(|(is_given, _)| *is_given) {
                Some((_, what)) => Err(invalid(&format!("{word} does not accept {what}"))),
                None => Ok(()),
            }
        };
        let for_span = || lasts.ok_or_else(|| invalid("for=SPAN is missing"));
        let action = match word {
            "kill" => takes(true, false, true).map(|()| Action::Kill { server, lasts })?,
            "pause" => {
                takes(true, false, true)?;
                Action::Pause { lasts: for_span()?, server }
            }
            "restart" => takes(false, false, true).map(|()| Action::Restart { server })?,
            "failover" => takes(false, false, true).map(|()| Action::FailOver { server })?,
            "promote" => {
                takes(false, false, true)?;
                let missing = || invalid("the name of the replica is missing");
                Action::Promote { server: server.ok_or_else(missing)? }
            }
            "cut" => takes(true, false, false).and(Ok(Action::Cut { lasts: for_span()? }))?,
            "reset" => takes(true, false, false).and(Ok(Action::Reset { lasts }))?,
            "delay" => {
                takes(true, true, false)?;
                let by = by.ok_or_else(|| invalid("by=SPAN is missing"))?;
                Action::Delay { by, lasts: for_span()? }
            }
            "fill" => {
                takes(true, false, true)?;
                Action::Fill { lasts: for_span()?, server }
            }
            "slow" => {
                takes(true, false, true)?;
                let iops = iops.ok_or_else(|| invalid("iops=N is missing"))?;
                Action::Slow { iops, lasts: for_span()?, server }
            }
            "checkpoint" => takes(false, false, false).and(Ok(Action::Checkpoint))?,
            _ => {
                let error = invalid(&format!("unknown fault \"{word}\""));
                return Err(error.did_you_mean(word, WORDS));
            }
        };
        Ok(Self { at, action })
    }

    /// Parses `at=SPAN COMMAND`.
    pub(super) fn parse_command(text: &str) -> Result<Self> {
        let invalid = || {
            Error::usage(format!("invalid fault command \"{text}\""))
                .hint("use the form 'at=30s ./fail-over.sh'")
        };
        let (at, command) = text.trim().split_once(char::is_whitespace).ok_or_else(invalid)?;
        let at = parse_duration(at.strip_prefix("at=").ok_or_else(invalid)?)?;
        let command = command.trim();
        if command.is_empty() {
            return Err(invalid());
        }
        Ok(Self { at, action: Action::Run(command.to_owned()) })
    }

    /// Describes the fault with its server's name. Omits a command's arguments, because they may contain a password.
    pub(super) fn words(&self, target: Option<&str>) -> String {
        let name = |server: &Option<String>| {
            server.as_deref().or(target).unwrap_or("the server").to_owned()
        };
        match &self.action {
            Action::Kill { server, lasts: None } => format!("kill {}", name(server)),
            Action::Kill { server, lasts: Some(lasts) } => {
                format!("kill {} for {}", name(server), exact_span(*lasts))
            }
            Action::Pause { server, lasts } => {
                format!("pause {} for {}", name(server), exact_span(*lasts))
            }
            Action::Restart { server } => format!("restart {}", name(server)),
            Action::FailOver { server } => format!("fail over {}", name(server)),
            Action::Promote { server } => format!("promote {server}"),
            Action::Cut { lasts } => {
                format!("cut network traffic to {} for {}", name(&None), exact_span(*lasts))
            }
            Action::Reset { lasts: None } => format!("reset connections to {}", name(&None)),
            Action::Reset { lasts: Some(lasts) } => {
                format!("reset connections to {} for {}", name(&None), exact_span(*lasts))
            }
            Action::Delay { by, lasts } => {
                let [by, lasts] = [by, lasts].map(|span| exact_span(*span));
                format!("delay network traffic to {} by {by} for {lasts}", name(&None))
            }
            Action::Fill { server, lasts } => {
                format!("fill {}'s disk for {}", name(server), exact_span(*lasts))
            }
            Action::Slow { server, iops, lasts } => {
                let lasts = exact_span(*lasts);
                format!(
                    "slow {}'s disk to {iops} reads and writes per second for {lasts}",
                    name(server)
                )
            }
            Action::Checkpoint => format!("checkpoint of {}", name(&None)),
            Action::Run(command) => {
                format!("run {}", command.split_whitespace().next().unwrap_or_default())
            }
        }
    }

    pub(super) fn server<'a>(&'a self, target: Option<&'a str>) -> Option<&'a str> {
        match &self.action {
            Action::Kill { server, .. }
            | Action::Pause { server, .. }
            | Action::FailOver { server }
            | Action::Fill { server, .. }
            | Action::Slow { server, .. }
            | Action::Restart { server } => server.as_deref().or(target),
            Action::Promote { server } => Some(server),
            Action::Cut { .. } | Action::Reset { .. } | Action::Delay { .. } => target,
            Action::Checkpoint | Action::Run(_) => None,
        }
    }

    /// Returns true if the fault affects the network between the sessions and the server.
    pub(super) fn is_of_network(&self) -> bool {
        matches!(self.action, Action::Cut { .. } | Action::Reset { .. } | Action::Delay { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_read_and_named() -> Result<()> {
        let table = [
            ("at=60s kill server", 60, "kill pg"),
            ("kill at=1m for=5s", 60, "kill pg for 5s"),
            ("at=2s pause other for=500ms", 2, "pause other for 500ms"),
            ("at=2s restart", 2, "restart pg"),
            ("at=2s failover", 2, "fail over pg"),
            ("at=2s promote pg-replica", 2, "promote pg-replica"),
            ("at=2s cut for=3s", 2, "cut network traffic to pg for 3s"),
            ("at=2s reset", 2, "reset connections to pg"),
            ("at=2s reset for=1s", 2, "reset connections to pg for 1s"),
            ("at=2s delay by=20ms for=4s", 2, "delay network traffic to pg by 20ms for 4s"),
            ("at=2s checkpoint", 2, "checkpoint of pg"),
            ("at=2s fill other for=4s", 2, "fill other's disk for 4s"),
            (
                "at=2s slow iops=9 for=4s",
                2,
                "slow pg's disk to 9 reads and writes per second for 4s",
            ),
        ];
        for (text, at, words) in table {
            let fault = Fault::parse(text)?;
            assert_eq!((fault.at.as_secs(), fault.words(Some("pg"))), (at, words.into()), "{text}");
        }
        let command = Fault::parse_command("at=3s ./fail.sh --password x")?;
        assert_eq!((command.at.as_secs(), command.words(None)), (3, "run ./fail.sh".into()));
        Ok(())
    }

    #[test]
    fn rejects_invalid_faults_with_an_example() {
        let bad = [
            "",
            "kill",
            "at=5s",
            "at=5 kill",
            "at=5s kil",
            "at=5s pause",
            "at=5s promote",
            "at=5s restart for=2s",
            "at=5s kill a b",
            "at=5s cut",
            "at=5s cut other for=2s",
            "at=5s kill by=2ms",
            "at=5s delay for=2s",
            "at=5s fill",
            "at=5s slow for=2s",
            "at=5s slow iops=50",
            "at=5s slow iops=0 for=2s",
            "at=5s kill iops=50",
            "at=5s checkpoint other",
            "at=5s checkpoint for=2s",
            "in=5s kill",
        ];
        for text in bad {
            let error = Fault::parse(text).expect_err(text);
            assert!(!error.hints().is_empty(), "{text}: {error}");
        }
        for text in ["", "at=5s", "5s x", "at=x y"] {
            assert!(Fault::parse_command(text).is_err(), "{text}");
        }
    }
}
