//! Sweep options whose values are words.

use tacho_core::choice;

choice! {
    /// The order of repeated runs.
    #[derive(Default)]
    pub enum Order {
        /// Alternating order: A B, B A, A B. A steady drift affects all values equally.
        #[default]
        Turns = "turns",
        /// All repetitions of one value, followed by those of the next value.
        Grouped = "grouped",
        /// Random order within each repetition.
        Random = "random",
    }
}

choice! {
    /// The action that a sweep takes after a run fails or is INVALID.
    pub enum OnFailure {
        /// Continue with the next run.
        Continue = "go-on",
        /// Stop the sweep.
        Stop = "stop",
    }
}
