//! Database-independent classes of wait events.

crate::choice! {
    /// The kind of resource or event that a session is waiting for.
    #[derive(PartialOrd, Ord)]
    pub enum WaitKind {
        /// The session is running and not waiting.
        Running = "running",
        /// A lock held by another session.
        Lock = "lock",
        /// A lock on one table or on all tables. The transactions of a workload never acquire such locks.
        TableLock = "table-lock",
        /// A short-term lock inside the server.
        Latch = "latch",
        /// The transaction log.
        Log = "log",
        /// Data files.
        DataFiles = "data-files",
        /// Other server processes.
        Coordination = "coordination",
        /// The client, so the server is not responsible for this wait.
        Client = "client",
        /// Anything else.
        Other = "other",
    }
}
