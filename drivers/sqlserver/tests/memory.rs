//! Tests of the conditions under which tables can be memory-optimized.

use tacho_core::{Column, ErrorKind, Result, Schema, Storage, Table, Type};

use crate::common::{Options, Server, on_server, on_server_with};

fn schema(storage: Storage) -> Schema {
    let column = Column { name: "a", ty: Type::Int, nullable: false, declared: None };
    let table =
        Table { name: "t", columns: vec![column], key: vec!["a"], storage, ..Table::default() };
    Schema { tables: vec![table] }
}

fn natively_compiled() -> Schema {
    let options = vec![("memory".into(), "native".into())];
    schema(Storage { options, ..Storage::default() })
}

fn add_filegroup(server: &Server) {
    let group =
        "DROP VIEW \"sys.filegroups\"; CREATE VIEW \"sys.filegroups\" AS SELECT 'FX' AS type";
    server.sqlite(|db| db.execute_batch(group)).expect("a filegroup");
}

#[test]
fn reports_a_missing_memory_optimized_filegroup_with_a_hint() -> Result<()> {
    on_server(|server, bench| {
        let mut session = bench.session()?;
        let usual = schema(Storage::default());
        bench.wait(session.inspector().accepts(&usual))?;
        let in_memory = schema(Storage { unlogged: true, ..Storage::default() });
        let error = bench.wait(session.inspector().accepts(&in_memory)).expect_err("no filegroup");
        assert!(error.hints().concat().contains("MEMORY_OPTIMIZED_DATA"), "{error}");
        add_filegroup(server);
        bench.wait(session.inspector().accepts(&in_memory))?;
        bench.wait(session.inspector().accepts(&natively_compiled()))?;
        let plain = "DROP VIEW \"sys.databases\"; CREATE VIEW \"sys.databases\" AS SELECT db_name() AS name, \
                     0 AS is_memory_optimized_elevate_to_snapshot_on";
        server.sqlite(|db| db.execute_batch(plain)).expect("a setting");
        let error = bench.wait(session.inspector().accepts(&in_memory)).expect_err("not elevated");
        assert!(error.hints().concat().contains("ELEVATE_TO_SNAPSHOT"), "{error}");
        let by_columns = Storage {
            options: vec![("organize".into(), "column".into())],
            unlogged: true,
            ..Storage::default()
        };
        let error =
            bench.wait(session.inspector().accepts(&schema(by_columns))).expect_err("columns");
        assert!(error.to_string().contains("in columns"), "{error}");
        Ok(())
    })
}

/// Both test servers support memory-optimized tables, but not natively compiled procedures for them.
#[test]
fn procedures_are_compiled_in_one_schema_and_from_a_version_on() -> Result<()> {
    let elsewhere = Options { schema: "sales".into(), ..Options::default() };
    let older = Options { version: 13, ..Options::default() };
    for (options, why, remedy) in [
        (elsewhere, "other than dbo", "DEFAULT_SCHEMA = dbo"),
        (older, "that use CASE", "2017 or later"),
    ] {
        on_server_with(options, |server, bench| {
            add_filegroup(server);
            let mut session = bench.session()?;
            let in_memory = schema(Storage { unlogged: true, ..Storage::default() });
            bench.wait(session.inspector().accepts(&in_memory))?;
            let accepted = bench.wait(session.inspector().accepts(&natively_compiled()));
            let error = accepted.expect_err(why);
            assert_eq!(error.kind(), ErrorKind::Unsupported);
            assert!(error.to_string().contains(why), "{error}");
            assert!(error.hints().concat().contains(remedy), "{:?}", error.hints());
            Ok(())
        })?;
    }
    Ok(())
}
