//! Converts the user's scale, which may be fractional, to a whole number of steps and back.

use tacho_core::units::Amount;
use tacho_core::{Error, Result};

use crate::Manifest;

/// Tolerance, in steps, for rounding errors of a scale given as a floating-point number.
const SLACK: f64 = 1e-6;

impl Manifest {
    /// Returns the number of steps for a scale in units, such as 5000 or 0.01.
    pub fn steps_of(&self, scale: Amount) -> Result<u64> {
        let steps = scale.0 * self.scale_steps as f64;
        let whole = steps.round();
        if (steps - whole).abs() > SLACK || whole < 1.0 || whole > self.scale_max as f64 {
            return Err(self.no_scale(&scale.to_string()));
        }
        Ok(whole as u64)
    }

    /// Returns an error if the workload does not have a scale with this number of steps.
    pub fn require_scale(&self, steps: u64) -> Result<()> {
        if (1..=self.scale_max).contains(&steps) {
            return Ok(());
        }
        Err(self.no_scale(&self.scale_text(steps)))
    }

    fn no_scale(&self, text: &str) -> Error {
        Error::usage(format!("invalid value for scale: {text}")).hint(format!(
            "{} allows {}",
            self.id,
            self.scale_range()
        ))
    }

    /// Returns the available scales as a string, such as `1 to 100000 warehouses`.
    pub fn scale_range(&self) -> String {
        let (low, high) = (self.scale_text(1), self.scale_text(self.scale_max));
        let steps = match self.scale_steps {
            1 => String::new(),
            _ => format!(" in steps of {low}"),
        };
        format!("{low} to {high} {}s{steps}", self.scale_unit)
    }

    /// Returns a scale in units.
    pub fn scale_amount(&self, steps: u64) -> Amount {
        Amount(steps as f64 / self.scale_steps as f64)
    }

    /// Formats a scale in the form that the command-line flag accepts.
    pub fn scale_text(&self, steps: u64) -> String {
        self.scale_amount(steps).to_string()
    }

    /// Formats a scale with its unit, such as `5 warehouses`.
    pub fn size(&self, steps: u64) -> String {
        self.scale_amount(steps).of(self.scale_unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacho_core::units::parse_amount;

    fn manifest(scale_steps: u64, scale_max: u64) -> Manifest {
        let (id, title, docs, notice) = ("w", "W", "d", "n");
        Manifest { id, title, scale_unit: "unit", scale_steps, scale_max, version: 1, notice, docs }
    }

    #[test]
    fn scales_are_read_and_printed() {
        let table = [
            (1, "5k", Some(5_000), "5000 units"),
            (1, "1", Some(1), "1 unit"),
            (1, "1.5", None, ""),
            (1, "100001", None, ""),
            (100, "0.01", Some(1), "0.01 units"),
            (100, "0.29", Some(29), "0.29 units"),
            (100, "1", Some(100), "1 unit"),
            (100, "0.005", None, ""),
            (100, "1000.01", None, ""),
        ];
        for (steps, text, expected, size) in table {
            let manifest = manifest(steps, 100_000);
            let read = parse_amount(text).and_then(|scale| manifest.steps_of(Amount(scale)));
            assert_eq!(read.as_ref().ok().copied(), expected, "{text}");
            match read {
                Ok(read) => {
                    assert_eq!(manifest.size(read).replace('\u{202F}', ""), size);
                    assert_eq!(manifest.steps_of(manifest.scale_amount(read)).ok(), Some(read));
                }
                Err(error) => assert!(!error.hints().is_empty(), "{text}"),
            }
        }
    }

    #[test]
    fn scale_steps_convert_both_ways() {
        let manifest = manifest(100, 3_000_000);
        for steps in (1..=1_000).chain([2_999_999, 3_000_000]) {
            assert_eq!(manifest.steps_of(manifest.scale_amount(steps)).ok(), Some(steps));
        }
        assert!(manifest.require_scale(0).is_err() && manifest.require_scale(3_000_001).is_err());
    }
}
