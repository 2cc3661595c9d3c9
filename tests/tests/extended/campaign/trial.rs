//! A trial: its random numbers, its folder, and notes on what it has chosen at random.

#![expect(clippy::disallowed_methods, reason = "commands are interrupted at any moment")]

use std::time::Duration;

use tacho_core::{Rng, Seed};
use tacho_tests::{Done, Folder};

/// A trial.
pub struct Trial {
    rng: Rng,
    drawn: Vec<String>,
    is_void: bool,
    /// The folder in which the commands run.
    pub folder: Folder,
}

impl Trial {
    /// Creates a trial whose draws are determined by the seed.
    pub fn new(seed: u64) -> Self {
        Self { rng: Seed(seed).rng(0), drawn: Vec::new(), is_void: false, folder: Folder::open() }
    }

    /// Draws a number in `0..bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.rng.below(bound)
    }

    /// Returns true in this share of cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.rng.chance(percent, 100)
    }

    /// Draws an element of a list.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len() as u64) as usize]
    }

    /// Adds to the trial's description.
    pub fn note(&mut self, text: impl Into<String>) {
        self.drawn.push(text.into());
    }

    /// Marks the trial as void, because it has tried nothing, and adds the reason to the trial's description.
    pub fn void(&mut self, why: &str) {
        self.is_void = true;
        self.note(why);
    }

    /// Returns true if the trial has tried nothing.
    pub fn is_void(&self) -> bool {
        self.is_void
    }

    /// Returns the trial's description.
    pub fn drawn(&self) -> String {
        self.drawn.join(", ")
    }

    /// Waits for a moment up to this number of milliseconds.
    pub fn wait(&mut self, most: u64) {
        let millis = self.below(most);
        self.note(format!("after {millis} ms"));
        std::thread::sleep(Duration::from_millis(millis));
    }

    /// Runs a command until it exits. The exit code must be a documented one.
    #[track_caller]
    pub fn tacho(&self, line: &str) -> Done {
        let done = self.folder.tacho(line).done();
        expect_documented(&done);
        done
    }

    /// Draws random bytes.
    pub fn bytes(&mut self, count: u64) -> Vec<u8> {
        (0..count).map(|_| self.below(256) as u8).collect()
    }
}

/// Fails unless a command ended with a documented exit code and, if it could not do its work, with a clear error.
#[track_caller]
pub fn expect_documented(done: &Done) {
    let code = done.code();
    assert!(matches!(code, 0 | 2..=6 | 143), "{code}: {done:?}");
    if matches!(code, 2 | 3) && done.out.is_empty() {
        done.complains(&["error: ", "hint: "]);
    }
}
