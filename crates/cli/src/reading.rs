//! Progress messages on standard error while a long file is read.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tacho_app::Reading;
use tacho_core::units::{percent, span};

use crate::printer::say;

/// Interval between two lines. If reading takes less time, no line is printed.
const EVERY: Duration = Duration::from_secs(3);

/// The time at which reading started, and the earliest time for the next line.
#[derive(Default)]
struct Course {
    began: Option<Duration>,
    next: Duration,
}

/// Returns a function that prints the remaining time every few seconds.
pub(crate) fn reading() -> Reading {
    let course = Mutex::new(Course::default());
    Arc::new(move |read, all| {
        let now = tacho_collect::wall_clock();
        let mut course = course.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(began) = course.began else {
            *course = Course { began: Some(now), next: now + EVERY };
            return;
        };
        if now < course.next {
            return;
        }
        course.next = now + EVERY;
        let share = read as f64 / all.max(1) as f64;
        let left = now.saturating_sub(began).mul_f64((1.0 / share.max(1e-6) - 1.0).max(0.0));
        let left = span(Duration::from_secs(left.as_secs()));
        say(&format!("Reading the log: {}, {left} left", percent(share)));
    })
}
