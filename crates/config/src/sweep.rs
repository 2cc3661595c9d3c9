//! Options of a sweep that are words.

use tacho_core::choice;

choice! {
    /// The order of repeated runs.
    #[derive(Default)]
    pub enum Order {
        /// There and back: A B, B A, A B. A steady drift affects all values alike.
        #[default]
        Turns = "turns",
        /// All repetitions of a value, then those of the next.
        Grouped = "grouped",
        /// By chance, within each repetition.
        Random = "random",
    }
}

choice! {
    /// What a sweep does after a run that fails or is INVALID.
    pub enum OnFailure {
        /// Continues with the next run.
        Continue = "go-on",
        /// Stops.
        Stop = "stop",
    }
}
