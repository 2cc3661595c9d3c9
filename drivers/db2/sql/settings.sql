SELECT name, value
FROM sysibmadm.dbcfg
WHERE name IN ('logfilsiz', 'logprimary', 'logsecond', 'logbufsz', 'locklist', 'maxlocks', 'locktimeout',
    'cur_commit', 'softmax', 'page_age_trgt_mcr', 'num_iocleaners', 'num_ioservers', 'chngpgs_thresh',
    'self_tuning_mem', 'database_memory', 'sortheap', 'dft_degree', 'dft_queryopt', 'auto_runstats',
    'logarchmeth1', 'hadr_syncmode', 'blocknonlogged', 'pagesize', 'codeset')
ORDER BY name
