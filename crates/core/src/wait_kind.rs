//! What sessions of a server wait for, whatever its own words for it are.

crate::choice! {
    /// What a session waits for.
    #[derive(PartialOrd, Ord)]
    pub enum WaitKind {
        /// Nothing: it runs.
        Running = "running",
        /// A lock that another session holds.
        Lock = "lock",
        /// A lock of a whole table, or of all tables, which no transaction of a workload takes.
        TableLock = "table-lock",
        /// A short lock within the server.
        Latch = "latch",
        /// The log of the transactions.
        Log = "log",
        /// Files of data.
        DataFiles = "data-files",
        /// Other processes of the server.
        Coordination = "coordination",
        /// Its client, which is no time of the server.
        Client = "client",
        /// Anything else.
        Other = "other",
    }
}
