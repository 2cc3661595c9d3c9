//! Spans of time in files: seconds as a number.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The span of so many seconds; zero for what is no span.
pub fn span(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

/// Writes a span.
pub fn serialize<S: Serializer>(span: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    span.as_secs_f64().serialize(serializer)
}

/// Reads a span. One that is absent or null in an older file is zero.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    Option::<f64>::deserialize(deserializer).map(|seconds| seconds.map_or(Duration::ZERO, span))
}

/// Spans that may be absent.
pub mod optional {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes a span, or null.
    ///
    /// # Errors
    ///
    /// Fails if the serializer does.
    pub fn serialize<S: Serializer>(
        span: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        span.map(|span| span.as_secs_f64()).serialize(serializer)
    }

    /// Reads a span. A number that is no span is absent.
    ///
    /// # Errors
    ///
    /// Fails if there is something other than a number or null.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        let seconds = Option::<f64>::deserialize(deserializer)?;
        Ok(seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()))
    }
}
