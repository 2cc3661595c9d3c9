//! Tests of changing and restoring server settings.

use tacho_core::{ErrorKind, Result};
use tacho_driver::{Holds, Target};

use crate::common::on_server;

#[test]
fn a_setting_is_changed_and_put_back() -> Result<()> {
    on_server(|server, bench| {
        let place = Target::parse(&bench.place)?;
        let mut settings = bench.wait(bench.driver.settings(&place))?.expect("settings");
        let name = "max_degree_of_parallelism";
        let hidden = bench.wait(settings.find(name)).expect_err("an advanced option");
        assert_eq!(hidden.kind(), ErrorKind::Unsupported);
        assert!(hidden.hints().concat().contains("show advanced options"), "{hidden}");
        let shown = "UPDATE \"tds.configurations\" SET value = 1 WHERE name LIKE 'show%'";
        server.sqlite(|db| db.execute_batch(shown)).expect("a setting");
        let state = bench.wait(settings.find(name))?;
        assert_eq!((&*state.name, &*state.value), ("max degree of parallelism", "1"));
        assert_eq!(state.holds, Holds::AtOnce);
        assert_eq!(bench.wait(settings.find("user connections"))?.holds, Holds::AfterRestart);
        for wrong in ["-1", "32768", "many"] {
            let error = bench.wait(settings.check(&state, wrong)).expect_err(wrong);
            assert!(error.hints().concat().contains("0 to 32767"), "{error}");
        }
        assert_eq!(bench.wait(settings.check(&state, "4"))?, "4");
        bench.wait(settings.set(name, "4"))?;
        assert!(bench.wait(settings.is_same(&state, "4"))?);
        bench.wait(settings.put_back(&state))?;
        assert!(bench.wait(settings.is_same(&state, "1"))?);
        let unknown = bench.wait(settings.find("max_degree")).expect_err("no such setting");
        assert!(unknown.hints().concat().contains("max degree of parallelism"), "{unknown}");
        bench.wait(settings.close());
        Ok(())
    })
}
