//! Documented exit codes.

use tacho_core::{Error, ErrorKind};

/// The outcome of a command. The discriminant is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The command succeeded. A run is valid and passed its thresholds and checks.
    Success = 0,
    /// An internal error, that is, a bug in Tacho.
    Internal = 1,
    /// Usage or configuration error.
    Usage = 2,
    /// The target is unreachable or not prepared, permission was denied, or a record is damaged or missing.
    Target = 3,
    /// The run ended but is INVALID.
    Invalid = 4,
    /// A consistency check failed.
    CheckFailed = 5,
    /// A threshold was not met or had no data, or a search found no rate that meets it.
    Threshold = 6,
    /// A comparison or a trend failed the test of `--fail-on`. For tests without a condition such as `p95>5%`, too
    /// little data is also a failure.
    Regression = 7,
    /// `--require steady` was given, but the result is UNSTABLE or TOO SHORT.
    NotSteady = 8,
    /// A `--fail-on` condition such as `p95>5%` could not be evaluated, because there were too few repetitions.
    Undecided = 9,
    /// The terminal was closed (`SIGHUP`).
    HungUp = 129,
    /// The user interrupted the command.
    Interrupted = 130,
    /// The user stopped the command immediately (`SIGQUIT`).
    Quit = 131,
    /// A signal terminated the command.
    Terminated = 143,
}

impl Exit {
    /// Precedence of exit codes. An interrupt has precedence over any result, so that scripts notice it.
    pub const ORDER: [Self; 13] = [
        Self::Internal,
        Self::HungUp,
        Self::Quit,
        Self::Terminated,
        Self::Interrupted,
        Self::Usage,
        Self::Target,
        Self::CheckFailed,
        Self::Invalid,
        Self::NotSteady,
        Self::Threshold,
        Self::Regression,
        Self::Undecided,
    ];

    /// Returns the exit code with the highest precedence.
    pub fn first_of(exits: &[Self]) -> Self {
        Self::ORDER.into_iter().find(|exit| exits.contains(exit)).unwrap_or(Self::Success)
    }

    /// Returns the exit code for the operating system.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Returns the outcome that has this exit code.
    pub fn from_code(code: u8) -> Option<Self> {
        let all = Self::ORDER.into_iter().chain([Self::Success]);
        all.into_iter().find(|exit| exit.code() == code)
    }

    /// Returns the outcome that corresponds to an error.
    pub fn of(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::Usage | ErrorKind::Unsupported => Self::Usage,
            ErrorKind::Cancelled => Self::Interrupted,
            ErrorKind::Constraint => Self::CheckFailed,
            _ => Self::Target,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_several_is_given() {
        let table: &[(&[Exit], Exit)] = &[
            (&[], Exit::Success),
            (&[Exit::Success, Exit::Threshold, Exit::Target], Exit::Target),
            (&[Exit::CheckFailed, Exit::Interrupted], Exit::Interrupted),
            (&[Exit::Terminated, Exit::Internal], Exit::Internal),
            (&[Exit::Interrupted, Exit::Terminated], Exit::Terminated),
            (&[Exit::Interrupted, Exit::HungUp], Exit::HungUp),
            (&[Exit::Regression, Exit::Invalid], Exit::Invalid),
            (&[Exit::Undecided, Exit::Regression], Exit::Regression),
        ];
        for (exits, first) in table {
            assert_eq!(Exit::first_of(exits), *first, "{exits:?}");
        }
    }
}
