-- The number of the last snapshot of the workload repository, whoever has taken it.
SELECT MAX(snap_id) FROM dba_hist_snapshot
