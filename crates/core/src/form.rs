//! The forms in which a transaction can be sent to a server.

crate::choice! {
    /// The way in which transactions are sent to the server.
    #[derive(Default)]
    pub enum Form {
        /// One statement per round trip.
        #[default]
        Sql = "sql",
        /// Uses as few round trips as correctness allows.
        Pipelined = "pipelined",
        /// One statement per round trip, sent as text with inlined values. Nothing is prepared.
        Simple = "simple",
        /// One call of a stored procedure for each transaction.
        Procedures = "procedures",
    }
}
