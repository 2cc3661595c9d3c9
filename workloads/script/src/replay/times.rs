//! Statement durations in a log: their count, sum and quantiles.

/// Number of histogram buckets between one power of two and the next, which makes quantiles accurate to within 3 %.
const PARTS: usize = 16;
const POWERS: usize = 40;

/// A distribution of durations in microseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    counts: Vec<u32>,
    count: u64,
    sum: f64,
}

impl Times {
    pub fn note(&mut self, micros: f64) {
        if self.counts.is_empty() {
            self.counts = vec![0; PARTS * POWERS];
        }
        self.counts[place(micros)] += 1;
        self.count += 1;
        self.sum += micros;
    }

    pub fn merge(&mut self, other: &Self) {
        if self.counts.is_empty() {
            self.counts = vec![0; PARTS * POWERS];
        }
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.count += other.count;
        self.sum += other.sum;
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn sum(&self) -> f64 {
        self.sum
    }

    /// Returns a quantile. For example, if `share` is 0.95, this is a duration that 95 % of all durations do not
    /// exceed. Returns `None` if there are fewer than 10/(1−`share`) durations.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        if (self.count as f64) < 10.0 / (1.0 - share) {
            return None;
        }
        let wanted = (share * self.count as f64).ceil() as u64;
        let mut seen = 0;
        let found = self.counts.iter().position(|count| {
            seen += u64::from(*count);
            seen >= wanted
        })?;
        let (power, part) = (found / PARTS, found % PARTS);
        Some((1.0 + (part as f64 + 0.5) / PARTS as f64) * 2_f64.powi(power as i32) - 1.0)
    }
}

fn place(micros: f64) -> usize {
    let above = micros.max(0.0) + 1.0;
    let power = (above.log2() as usize).min(POWERS - 1);
    let part = ((above / 2_f64.powi(power as i32) - 1.0) * PARTS as f64) as usize;
    power * PARTS + part.min(PARTS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_right_within_their_error() {
        let mut times = Times::default();
        (1..=10_000).for_each(|number| times.note(f64::from(number)));
        for share in [0.5, 0.95, 0.99] {
            let found = times.quantile(share).expect("enough");
            assert!((found / (share * 10_000.0) - 1.0).abs() < 0.04, "{share}: {found}");
        }
        assert_eq!((times.count(), times.sum()), (10_000, 50_005_000.0));
        assert_eq!(Times::default().quantile(0.5), None);
    }
}
