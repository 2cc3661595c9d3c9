//! Access control with two 256-bit tokens. One token gives full control, and the other one gives
//! read-only access.
//!
//! A token must never appear in a log, a record or a page. Start reading at [`Access::role`].

use ring::rand::{SecureRandom, SystemRandom};
use subtle::ConstantTimeEq;
use tacho_core::{Error, ErrorKind, Result};

const TOKEN_BYTES: usize = 32;

/// The permissions of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The client can see everything but change nothing.
    Look,
    /// Can also start and stop measurements.
    Control,
}

/// An access token. It does not implement `Debug`, so that it cannot be logged by accident.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Creates a token of 256 bits from the operating system's random numbers, written as hexadecimal digits.
    pub fn random() -> Result<Self> {
        let mut bytes = [0; TOKEN_BYTES];
        SystemRandom::new().fill(&mut bytes).map_err(|_| {
            Error::new(
                ErrorKind::Other,
                "the operating system provided no random numbers for a \
                                          token",
            )
        })?;
        let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        Ok(Self(digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()))
    }

    /// Accepts a token chosen by the user. The token must have at least 16 characters, all valid in a URL.
    pub fn given(text: &str) -> Result<Self> {
        let fits = |c: char| c.is_ascii_alphanumeric() || "-._~".contains(c);
        if text.len() < 16 || !text.chars().all(fits) {
            let what = "the token in TACHO_WEB_TOKEN is shorter than 16 characters or contains characters \
                        other than letters, digits and -._~";
            return Err(Error::usage(what).hint("to create a token, use openssl rand -hex 32"));
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the token's text. Must be called only where the token is printed.
    pub fn word(&self) -> &str {
        &self.0
    }

    /// Compares the token with a string in constant time.
    fn is(&self, word: &str) -> bool {
        self.0.as_bytes().ct_eq(word.as_bytes()).into()
    }
}

/// The tokens that grant access.
#[derive(Clone)]
pub struct Access {
    /// The token for full control.
    pub control: Token,
    /// The token for read-only access, which can be shared.
    pub look: Token,
    /// True if no client can start or change anything.
    pub read_only: bool,
}

impl Access {
    /// Returns the permissions of a client with this token, or `None` if the token is not valid.
    pub(crate) fn role(&self, word: &str) -> Option<Role> {
        // Always compare with both tokens, so that the response time does not reveal which token was nearly matched.
        let (control, look) = (self.control.is(word), self.look.is(word));
        match (control, look) {
            (true, _) if !self.read_only => Some(Role::Control),
            (true, _) | (_, true) => Some(Role::Look),
            (false, false) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_open_what_they_are_for() -> Result<()> {
        let (control, look) = (Token::random()?, Token::random()?);
        assert_eq!(control.word().len(), 64);
        let mut access = Access { control: control.clone(), look: look.clone(), read_only: false };
        assert_eq!(access.role(control.word()), Some(Role::Control));
        assert_eq!(access.role(look.word()), Some(Role::Look));
        for stranger in ["", "x", &control.word()[..63], &control.word().to_uppercase()[..64]] {
            let same = stranger == control.word();
            assert!(same || access.role(stranger).is_none(), "{stranger}");
        }
        access.read_only = true;
        assert_eq!(access.role(control.word()), Some(Role::Look));
        Ok(())
    }

    #[test]
    fn rejects_short_and_odd_tokens() {
        assert!(Token::given("0123456789abcdef").is_ok());
        for bad in ["", "0123456789abcde", "0123456789 abcdef", "0123456789äabcdef"] {
            assert!(Token::given(bad).is_err(), "{bad}");
        }
    }
}
