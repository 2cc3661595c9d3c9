//! Tests of the facts and counters that the server reports.

use tacho_core::Result;
use tacho_driver::{Catalog, Target, Value, Values, parse_sections};

use crate::common::{Options, on_server, on_server_with};

#[test]
fn counters_grow_and_waits_are_reported() -> Result<()> {
    on_server(|_, bench| {
        let place = Target::parse(&bench.place)?;
        let observer = bench.wait(bench.driver.collector(&place, bench.environment()))?;
        let mut observer = observer.expect("an observer");
        let before = bench.wait(observer.read())?;
        bench.reset()?;
        let after = bench.wait(observer.read())?;
        let batches = |reading: &tacho_driver::Reading| {
            reading.counters.iter().find(|(name, _)| *name == "batches").map(|(_, count)| *count)
        };
        assert!(batches(&before).is_some() && batches(&after) > batches(&before));
        bench.wait(observer.waits())?;
        assert!(observer.missing().is_empty(), "{:?}", observer.missing());
        Ok(())
    })
}

/// Even if the system views are missing, Tacho must be able to measure the server.
#[test]
fn missing_system_views_are_no_error() -> Result<()> {
    on_server(|server, bench| {
        let views =
            ["dm_os_performance_counters", "dm_exec_requests", "dm_os_sys_info", "dm_os_host_info"];
        let more = [
            "dm_db_partition_stats",
            "dm_exec_sessions",
            "configurations",
            "databases",
            "database_files",
        ];
        for view in views.into_iter().chain(more) {
            let drop = format!("DROP VIEW \"sys.{view}\"");
            server.sqlite(|db| db.execute_batch(&drop)).expect("a view");
        }
        bench.reset()?;
        let mut session = bench.session()?;
        let inspector = session.inspector();
        assert_eq!(bench.wait(inspector.counters())?, None);
        assert_eq!(bench.wait(inspector.machine())?, None);
        assert_eq!(bench.wait(inspector.sizes())?, None);
        assert_eq!(bench.wait(inspector.headroom())?, None);
        assert_eq!(bench.wait(inspector.facts())?.settings.len(), 1, "the transport");
        let collector = bench
            .wait(bench.driver.collector(&Target::parse(&bench.place)?, bench.environment()))?;
        assert!(collector.is_none());
        Ok(())
    })
}

/// Babelfish identifies itself as SQL Server. PostgreSQL's counters must be ignored, because they count each commit
/// several times.
#[test]
fn a_compatible_server_is_named_and_its_commits_are_not_counted() -> Result<()> {
    on_server_with(Options { babelfish: true, ..Options::default() }, |server, bench| {
        let below = "DROP VIEW \"sys.dm_os_performance_counters\";
            CREATE VIEW \"pg_catalog.pg_stat_database\" AS SELECT 7 AS xact_commit, 2 AS xact_rollback";
        server.sqlite(|db| db.execute_batch(below)).expect("views of Babelfish");
        let mut session = bench.session()?;
        let facts = bench.wait(session.inspector().facts())?;
        let expected =
            "Babelfish 4.3.0 (PostgreSQL 16.4), reported as Microsoft SQL Server 16.0.1000";
        assert_eq!(facts.version, expected);
        assert_eq!(bench.wait(session.inspector().counters())?, None);
        Ok(())
    })
}

#[test]
fn facts_name_what_decides_about_a_measurement() -> Result<()> {
    on_server(|_, bench| {
        let mut session = bench.session()?;
        let facts = bench.wait(session.inspector().facts())?;
        assert!(facts.version.contains("16.0.1000"), "{}", facts.version);
        let has = |name: &str| facts.settings.iter().any(|setting| setting.name == name);
        for name in
            ["is_read_committed_snapshot_on", "max degree of parallelism", "recovery_model_desc"]
        {
            assert!(has(name), "{name} in {:?}", facts.settings);
        }
        let objects = bench.wait(session.inspector().objects())?;
        let pair =
            objects.iter().find(|object| object.name == "conformance_pair").expect("the table");
        assert_eq!(pair.columns().collect::<Vec<_>>(), ["a", "b", "label"]);
        assert_eq!(pair.drop, "DROP TABLE [conformance_pair]");
        let machine = bench.wait(session.inspector().machine())?.expect("a machine");
        assert!(machine.cores.is_some() && machine.memory_bytes.is_some(), "{machine:?}");
        Ok(())
    })
}

/// The plan must not contain values. After it has been read, the session must run statements again.
#[test]
fn a_query_is_explained() -> Result<()> {
    on_server(|_, bench| {
        let mut session = bench.session()?;
        let sections = parse_sections(
            "-- name: q(a int) -> (b int)\nSELECT b FROM conformance_pair WHERE a = :a",
        )?;
        let catalog = Catalog::build(bench.driver.dialect(), &["q"], &[sections])?;
        let mut values = Values::default();
        values.push(Value::Int(4711));
        let statement = &catalog.statements()[0];
        let plan = bench.wait(session.inspector().plan(statement, &values))?.expect("a plan");
        assert!(plan.contains("conformance_pair") && !plan.contains("4711"), "{plan}");
        assert!(!plan.contains("SELECT"), "{plan}");
        let one = bench.wait(session.text_rows("SELECT 1"))?;
        assert_eq!(one.rows, [[Some("1".to_owned())]]);
        Ok(())
    })
}
