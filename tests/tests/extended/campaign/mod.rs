//! Random trials that try to make Tacho do what it must never do. For example, it must not destroy data, run code
//! unasked, hide losses, miss changes, leave faults behind, or use unlimited resources.
//!
//! The seed determines everything that a trial draws, but not the timing of processes. By default, the seeds are fixed
//! and there are only a few trials. Set `TACHO_CAMPAIGN_SECONDS=3600` to run new trials for that long and print one line
//! for each. To repeat a failed trial, set `TACHO_CAMPAIGN_SEED` as its line says.
//!
//! Start reading at [`KINDS`].

#![expect(clippy::disallowed_methods, reason = "a campaign lasts for a time, in real time")]
#![expect(clippy::print_stdout, reason = "the raw output of a long run")]

mod answers;
mod changed;
mod destroyed;
mod files;
mod left;
mod lost;
mod records;
mod requests;
mod structure;
mod trial;
mod unasked;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tacho_core::Seed;
use trial::Trial;

/// A kind of fault.
struct Kind {
    name: &'static str,
    /// Number of trials unless a duration is given.
    usual: u64,
    /// Performs a trial. Panics if something happens that must never happen.
    perform: fn(&mut Trial),
}

/// All kinds of trials, in the order in which the campaign performs them.
const KINDS: [Kind; 10] = [
    Kind { name: "destroyed", usual: 3, perform: destroyed::perform },
    Kind { name: "records", usual: 2, perform: records::perform },
    Kind { name: "unasked", usual: 3, perform: unasked::perform },
    Kind { name: "requests", usual: 2, perform: requests::perform },
    Kind { name: "lost", usual: 4, perform: lost::perform },
    Kind { name: "changed", usual: 3, perform: changed::perform },
    Kind { name: "structure", usual: 2, perform: structure::perform },
    Kind { name: "left", usual: 1, perform: left::perform },
    Kind { name: "files", usual: 6, perform: files::perform },
    Kind { name: "answers", usual: 3, perform: answers::perform },
];
/// The first seed of a campaign without a duration, so that its trials are always the same.
const FIXED: u64 = 44;

/// The outcomes of a kind's trials.
#[derive(Default)]
struct Count {
    trials: u64,
    /// Number of trials that tried nothing, such as a change that came after the run.
    void: u64,
    failures: Vec<String>,
}

fn asked(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The outcome of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Held,
    Void,
    Failed,
}

/// Performs a trial and prints what it drew.
fn verdict(kind: &Kind, seed: u64) -> Verdict {
    let start = Instant::now();
    let mut trial = Trial::new(seed);
    let held = catch_unwind(AssertUnwindSafe(|| (kind.perform)(&mut trial))).is_ok();
    let (verdict, word) = match (held, trial.is_void()) {
        (false, _) => (Verdict::Failed, "FAILED"),
        (true, true) => (Verdict::Void, "void"),
        (true, false) => (Verdict::Held, "held"),
    };
    let name = kind.name;
    let seconds = start.elapsed().as_secs_f64();
    println!("{name:<9} {seed:>20}  {word:<6} {seconds:>5.1} s  {}", trial.drawn());
    if !held {
        println!("to repeat it: TACHO_CAMPAIGN_SEED={name}:{seed} cargo test … extended::campaign");
    }
    verdict
}

/// Performs one trial of each kind in turn. Skips a kind as soon as `is_over` returns true for the number of trials
/// that this kind has had.
fn campaign(first: Seed, kinds: &[&Kind], is_over: impl Fn(&Kind, u64) -> bool) -> Vec<Count> {
    let mut counts: Vec<Count> = kinds.iter().map(|_| Count::default()).collect();
    for round in 0.. {
        let mut is_idle = true;
        for (kind, count) in kinds.iter().zip(&mut counts) {
            if is_over(kind, round) {
                continue;
            }
            is_idle = false;
            let seed = first.child(kind.name).nth(round).0;
            count.trials += 1;
            match verdict(kind, seed) {
                Verdict::Held => {}
                Verdict::Void => count.void += 1,
                Verdict::Failed => count.failures.push(format!("{}:{seed}", kind.name)),
            }
        }
        if is_idle {
            break;
        }
    }
    counts
}

/// Returns the kinds of trials to choose from. The variable `TACHO_CAMPAIGN_KINDS` may list them, separated by commas.
/// Without it, returns all kinds.
fn kinds() -> Vec<&'static Kind> {
    let chosen = asked("TACHO_CAMPAIGN_KINDS");
    let is_chosen = |kind: &&Kind| {
        chosen.as_ref().is_none_or(|names| names.split(',').any(|name| name == kind.name))
    };
    let kinds: Vec<&Kind> = KINDS.iter().filter(is_chosen).collect();
    assert!(!kinds.is_empty(), "no kind is called {chosen:?}");
    kinds
}

#[test]
fn trials_of_every_kind_hold() {
    if let Some(asked) = asked("TACHO_CAMPAIGN_SEED") {
        let (name, seed) = asked.split_once(':').expect("KIND:SEED");
        let kind = KINDS.iter().find(|kind| kind.name == name).expect("a kind");
        assert_ne!(verdict(kind, seed.parse().expect("a number")), Verdict::Failed, "{asked}");
        return;
    }
    let kinds = kinds();
    let seconds = asked("TACHO_CAMPAIGN_SECONDS").and_then(|text| text.parse().ok());
    let counts = match seconds.map(Duration::from_secs) {
        None => campaign(Seed(FIXED), &kinds, |kind, trials| trials >= kind.usual),
        Some(limit) => {
            let start = Instant::now();
            let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("a date after 1970");
            campaign(Seed(since.as_secs()), &kinds, |_, _| start.elapsed() > limit)
        }
    };
    for (kind, Count { trials, void, failures }) in kinds.iter().zip(&counts) {
        println!("{:<9} {trials:>5} trials, {void:>4} void, {} failed", kind.name, failures.len());
    }
    let failures: Vec<&String> = counts.iter().flat_map(|count| &count.failures).collect();
    let trials: u64 = counts.iter().map(|count| count.trials).sum();
    let void: u64 = counts.iter().map(|count| count.void).sum();
    println!("{trials} trials, {void} void, {} failed {failures:?}", failures.len());
    assert!(failures.is_empty(), "{failures:?}");
}

#[test]
fn trials_that_try_nothing_are_counted_as_void() {
    fn kind(perform: fn(&mut Trial)) -> Kind {
        Kind { name: "kind", usual: 2, perform }
    }
    let kinds = [kind(|trial| trial.void("nothing")), kind(|_| ()), kind(|_| panic!("failed"))];
    let kinds: Vec<&Kind> = kinds.iter().collect();
    let counts = campaign(Seed(1), &kinds, |kind, trials| trials >= kind.usual);
    let counts: Vec<_> =
        counts.iter().map(|count| (count.trials, count.void, count.failures.len())).collect();
    assert_eq!(counts, [(2, 2, 0), (2, 0, 0), (2, 0, 2)]);
}
