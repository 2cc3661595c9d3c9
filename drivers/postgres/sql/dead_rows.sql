-- Row versions that no transaction sees any more, as the statistics of this database count them.
SELECT coalesce(sum(n_dead_tup), 0)::bigint FROM pg_stat_user_tables
