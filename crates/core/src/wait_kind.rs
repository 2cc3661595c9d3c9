//! Database-independent classes of wait events.

crate::choice! {
    /// The kind of resource or event that a session is waiting for.
    #[derive(PartialOrd, Ord)]
    pub enum WaitKind {
        /// The session is running and does not wait.
        Running = "running",
        /// A lock that another session holds.
        Lock = "lock",
        /// A lock on a whole table or on all tables, which no transaction of a workload acquires.
        TableLock = "table-lock",
        /// A short-term lock inside the server.
        Latch = "latch",
        /// The transaction log.
        Log = "log",
        /// Data files.
        DataFiles = "data-files",
        /// Other server processes.
        Coordination = "coordination",
        /// The client. The server is not responsible for this time.
        Client = "client",
        /// Anything else.
        Other = "other",
    }
}
