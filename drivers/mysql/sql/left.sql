-- The session's database, and how much is in it.
SELECT DATABASE(),
    (SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE())
    + (SELECT COUNT(*) FROM information_schema.routines WHERE routine_schema = DATABASE())
    + (SELECT COUNT(*) FROM information_schema.events WHERE event_schema = DATABASE())
