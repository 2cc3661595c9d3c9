//! Exit codes, as documented.

use tacho_core::{Error, ErrorKind};

/// How a command ended. The discriminant is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done; run valid; thresholds and checks passed.
    Success = 0,
    /// Internal error: a bug in Tacho.
    Internal = 1,
    /// Usage or configuration error.
    Usage = 2,
    /// Target not reachable, not prepared or not permitted; a record that is damaged or missing.
    Target = 3,
    /// The run ended but is INVALID.
    Invalid = 4,
    /// A consistency check failed.
    CheckFailed = 5,
    /// A threshold was crossed or had no data, or a search found no rate at which it holds.
    Threshold = 6,
    /// The condition of `--fail-on` was met, or there was too little data to judge it.
    Regression = 7,
    /// `--require steady`: the figure is UNSTABLE or TOO SHORT.
    NotSteady = 8,
    /// The terminal was closed (`SIGHUP`).
    HungUp = 129,
    /// Stopped by the user.
    Interrupted = 130,
    /// Stopped at once by the user (`SIGQUIT`).
    Quit = 131,
    /// Stopped by a signal.
    Terminated = 143,
}

impl Exit {
    /// The order in which they are given when several apply. A stop outranks what was found until then:
    /// a script that stops a command must see that it did. A run says only that it was interrupted, and its
    /// command knows by which signal.
    pub const ORDER: [Self; 12] = [
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
    ];

    /// The one to give of several.
    pub fn first_of(exits: &[Self]) -> Self {
        Self::ORDER.into_iter().find(|exit| exits.contains(exit)).unwrap_or(Self::Success)
    }

    /// The code for the operating system.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The one with this code.
    pub fn from_code(code: u8) -> Option<Self> {
        let all = Self::ORDER.into_iter().chain([Self::Success]);
        all.into_iter().find(|exit| exit.code() == code)
    }

    /// The code that an error means.
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
        ];
        for (exits, first) in table {
            assert_eq!(Exit::first_of(exits), *first, "{exits:?}");
        }
    }
}
