//! How transactions reach a server.

crate::choice! {
    /// How transactions reach the server.
    #[derive(Default)]
    pub enum Form {
        /// One statement per round trip.
        #[default]
        Sql = "sql",
        /// As few round trips as correctness allows.
        Pipelined = "pipelined",
        /// One statement per round trip, as text with its values in it; nothing is prepared.
        Simple = "simple",
        /// A call of a stored routine per transaction.
        Procedures = "procedures",
    }
}
