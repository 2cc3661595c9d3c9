//! Sweep options whose values are words.

use tacho_core::choice;

choice! {
    /// The order of repeated runs.
    #[derive(Default)]
    pub enum Order {
        /// Alternating order of the values, such as A B, B A, A B. If conditions drift steadily, the drift affects all
        /// values equally.
        #[default]
        Turns = "turns",
        /// All repetitions of one value, followed by all repetitions of the next.
        Grouped = "grouped",
        /// Random order within each repetition.
        Random = "random",
    }
}

choice! {
    /// The combinations of values that a sweep of several settings measures.
    #[derive(Default)]
    pub enum Design {
        /// All combinations.
        #[default]
        Grid = "grid",
        /// The first combination, and all combinations that differ from it in a single setting.
        OneAtATime = "one-at-a-time",
        /// Half of all combinations, in which all pairs of values occur equally often. Requires at least three settings
        /// with two values each.
        Half = "half",
    }
}

choice! {
    /// The action that a sweep takes if a run fails or is INVALID.
    pub enum OnFailure {
        /// Continue with the next run.
        Continue = "go-on",
        /// Stop the sweep.
        Stop = "stop",
    }
}
