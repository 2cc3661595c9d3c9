//! Serializes durations in files as a number of seconds.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Returns a duration of this many seconds, or zero if the number is not a valid duration.
pub fn span(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

/// Serializes a duration.
pub fn serialize<S: Serializer>(span: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    span.as_secs_f64().serialize(serializer)
}

/// Deserializes a duration. A missing or null value, as in older files, means zero.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    Option::<f64>::deserialize(deserializer).map(|seconds| seconds.map_or(Duration::ZERO, span))
}

/// Durations that may be absent.
pub mod optional {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Serializes a duration or null.
    ///
    /// # Errors
    ///
    /// Returns any error from the serializer.
    pub fn serialize<S: Serializer>(
        span: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        span.map(|span| span.as_secs_f64()).serialize(serializer)
    }

    /// Deserializes a duration. If the number is not a valid duration, the result is `None`.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is neither a number nor null.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        let seconds = Option::<f64>::deserialize(deserializer)?;
        Ok(seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()))
    }
}
