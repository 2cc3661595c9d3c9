-- The processors and the memory of the machine.
SELECT
    MAX(CASE stat_name WHEN 'NUM_CPUS' THEN value END),
    MAX(CASE stat_name WHEN 'PHYSICAL_MEMORY_BYTES' THEN value END)
FROM v$osstat
