-- The tables of HammerDB's job database, with its names.

CREATE TABLE JOBMAIN (
    jobid TEXT PRIMARY KEY,
    db TEXT,
    bm TEXT,
    jobdict TEXT,
    timestamp DATETIME NOT NULL DEFAULT (datetime('now', 'localtime')),
    profile_id INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE JOBOUTPUT (jobid TEXT, vu INTEGER, output TEXT);

CREATE TABLE JOBTIMING (
    jobid TEXT,
    vu INTEGER,
    procname TEXT,
    calls INTEGER,
    min_ms REAL,
    avg_ms REAL,
    max_ms REAL,
    total_ms REAL,
    p99_ms REAL,
    p95_ms REAL,
    p75_ms REAL,
    p50_ms REAL,
    p25_ms REAL,
    sd REAL,
    ratio_pct REAL,
    summary INTEGER,
    elapsed_ms REAL
);

CREATE TABLE JOBTCOUNT (
    jobid TEXT,
    counter INTEGER,
    metric TEXT,
    timestamp DATETIME NOT NULL DEFAULT (datetime('now', 'localtime'))
);

CREATE TABLE JOBMETRIC (
    jobid TEXT,
    usr REAL,
    sys REAL,
    irq REAL,
    idle REAL,
    iops REAL,
    mbps REAL,
    timestamp DATETIME NOT NULL DEFAULT (datetime('now', 'localtime'))
);

CREATE TABLE JOBSYSTEM (
    jobid TEXT PRIMARY KEY,
    hostname TEXT,
    cpumodel TEXT,
    cpucount INTEGER,
    system_vendor TEXT,
    system_type TEXT,
    os_name TEXT,
    memory TEXT,
    nic TEXT,
    storage TEXT,
    cloud_instance TEXT,
    other_software TEXT,
    extra TEXT
);

CREATE TABLE JOBCHART (jobid TEXT, chart TEXT, html TEXT);

CREATE TABLE JOBCI (
    ci_id INTEGER PRIMARY KEY AUTOINCREMENT,
    refname TEXT,
    dbprefix TEXT,
    pipeline TEXT,
    io_intensive TEXT,
    profile_id INTEGER,
    cidict TEXT,
    clone_cmd TEXT,
    clone_output TEXT,
    build_cmd TEXT,
    build_output TEXT,
    install_cmd TEXT,
    install_output TEXT,
    package_cmd TEXT,
    commit_msg TEXT,
    config_file TEXT,
    start_cmd TEXT,
    status TEXT,
    timestamp DATETIME NOT NULL DEFAULT (datetime('now', 'localtime')),
    end_timestamp DATETIME
);
