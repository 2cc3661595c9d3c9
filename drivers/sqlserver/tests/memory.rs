//! Memory-optimized tables: what a database must have for them.

use tacho_core::{Column, Result, Schema, Storage, Table, Type};
use tacho_testkit::conformance::Bench;

use crate::common::{Encryption, driver, enter, server, target};

fn schema(storage: Storage) -> Schema {
    let column = Column { name: "a", ty: Type::Int, nullable: false, declared: None };
    let table =
        Table { name: "t", columns: vec![column], key: vec!["a"], storage, ..Table::default() };
    Schema { tables: vec![table] }
}

#[test]
fn what_a_database_lacks_is_said_with_its_remedy() -> Result<()> {
    let _inside = enter();
    let server = server(Encryption::Login);
    let driver = driver();
    let bench = Bench::new(&*driver, &target(&server, ""));
    bench.reset()?;
    let mut session = bench.session()?;
    let usual = schema(Storage::default());
    bench.wait(session.inspector().accepts(&usual))?;
    let in_memory = schema(Storage { unlogged: true, ..Storage::default() });
    let error = bench.wait(session.inspector().accepts(&in_memory)).expect_err("no filegroup");
    assert!(error.hints().concat().contains("MEMORY_OPTIMIZED_DATA"), "{error}");
    let group =
        "DROP VIEW \"sys.filegroups\"; CREATE VIEW \"sys.filegroups\" AS SELECT 'FX' AS type";
    server.sqlite(|db| db.execute_batch(group)).expect("a filegroup");
    bench.wait(session.inspector().accepts(&in_memory))?;
    let native =
        schema(Storage { options: vec![("memory".into(), "native".into())], ..Storage::default() });
    bench.wait(session.inspector().accepts(&native))?;
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
    let error = bench.wait(session.inspector().accepts(&schema(by_columns))).expect_err("columns");
    assert!(error.to_string().contains("in columns"), "{error}");
    Ok(())
}
