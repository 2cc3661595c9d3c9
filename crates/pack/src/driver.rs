//! A pack's driver, which adds the pack's dialect, sessions and queries to its base driver.
//!
//! Start reading at [`over`].

use std::sync::Arc;

use tacho_core::{Error, ErrorKind, Result, WaitKind};
use tacho_driver::{
    BoxFuture, Capabilities, Collector, CollectorFuture, DeferredWorkFuture, Dialect, Driver,
    Environment, Manifest, Reading, RemovalFuture, Scheduling, Session, SettingsFuture, Target,
    Wait,
};

use crate::Pack;
use crate::answers::Answer;
use crate::dialect::PackDialect;
use crate::session::Around;

struct Over(PackDialect);

/// Returns the driver for `pack`, which uses the protocol of `base`.
pub fn over(pack: Arc<Pack>, base: Arc<dyn Driver>) -> Arc<dyn Driver> {
    Arc::new(Over(PackDialect { pack, base }))
}

impl Over {
    fn pack(&self) -> &Arc<Pack> {
        &self.0.pack
    }

    fn base(&self) -> &dyn Driver {
        &*self.0.base
    }

    /// Returns the target in the form that the base driver expects.
    fn target(&self, target: &Target) -> Target {
        Target { scheme: self.pack().base.to_owned(), ..target.clone() }
    }

    async fn open(&self, target: &Target, environment: Environment) -> Result<Box<dyn Session>> {
        let target = self.target(target);
        let opened = self.base().connect(&target, environment).await;
        let session = opened.map_err(|error| self.pack().error(error))?;
        let mut session = Around { session, pack: self.pack().clone() };
        if let Some(script) = self.pack().sql.get("session") {
            let run = session.script(script).await;
            run.map_err(|error| self.pack().refused(error, "run", "session", "sql"))?;
        }
        Ok(Box::new(session))
    }
}

impl Driver for Over {
    fn manifest(&self) -> &'static Manifest {
        self.0.pack.manifest
    }

    fn capabilities(&self) -> Capabilities {
        self.pack().capabilities(self.base().capabilities())
    }

    fn dialect(&self) -> &dyn Dialect {
        &self.0
    }

    fn scheduling(&self) -> Scheduling {
        self.base().scheduling()
    }

    fn check(&self, target: &Target) -> Result<()> {
        self.base().check(&self.target(target))
    }

    fn code(&self, target: &Target) -> Option<String> {
        self.base().code(&self.target(target))
    }

    fn runs_code(&self, setting: &str) -> bool {
        self.base().runs_code(setting)
    }

    fn library(&self, target: Option<&Target>) -> Result<Option<String>> {
        self.base().library(target.map(|target| self.target(target)).as_ref())
    }

    fn connect<'a>(
        &'a self,
        target: &'a Target,
        environment: Environment,
    ) -> BoxFuture<'a, Result<Box<dyn Session>>> {
        Box::pin(self.open(target, environment))
    }

    fn remove<'a>(&'a self, target: &'a Target) -> RemovalFuture<'a> {
        let target = self.target(target);
        Box::pin(async move { self.base().remove(&target).await })
    }

    fn collector<'a>(
        &'a self,
        target: &'a Target,
        environment: Environment,
    ) -> CollectorFuture<'a> {
        Box::pin(async move {
            match self.pack().answers.to("waits") {
                Answer::None => Ok(None),
                Answer::Base => {
                    let target = self.target(target);
                    self.base().collector(&target, environment).await
                }
                Answer::Query(query) => {
                    let session = self.open(target, environment).await?;
                    let pack = self.pack().clone();
                    let collector: Box<dyn Collector> = Box::new(Waits { session, pack, query });
                    Ok(Some(collector))
                }
            }
        })
    }

    fn settings<'a>(&'a self, target: &'a Target) -> SettingsFuture<'a> {
        let target = self.target(target);
        Box::pin(async move {
            if !self.capabilities().settings {
                return Ok(None);
            }
            self.base().settings(&target).await
        })
    }

    fn deferred_work<'a>(
        &'a self,
        target: &'a Target,
        environment: Environment,
    ) -> DeferredWorkFuture<'a> {
        let target = self.target(target);
        Box::pin(async move {
            if self.pack().answers.to("deferred_work") == Answer::None {
                return Ok(None);
            }
            self.base().deferred_work(&target, environment).await
        })
    }
}

/// Reads the wait events of the server's sessions. For each event, the pack's query returns the class, the event, the
/// number of sessions and, optionally, the kind.
struct Waits {
    session: Box<dyn Session>,
    pack: Arc<Pack>,
    query: &'static str,
}

impl Collector for Waits {
    /// Returns no values, because this collector reads only wait events.
    fn read(&mut self) -> BoxFuture<'_, Result<Reading>> {
        Box::pin(async { Ok(Reading::default()) })
    }

    fn waits(&mut self) -> BoxFuture<'_, Result<Vec<Wait>>> {
        Box::pin(async move {
            let found = self.session.text_rows(self.query).await;
            let found =
                found.map_err(|error| self.pack.refused(error, "ask for", "waits", "ask"))?;
            found.rows.iter().map(|row| wait(row, &self.pack)).collect()
        })
    }

    fn missing(&self) -> &[String] {
        &[]
    }
}

fn wait(row: &[Option<String>], pack: &Pack) -> Result<Wait> {
    let text = |at: usize| row.get(at).cloned().flatten().unwrap_or_default();
    let sessions = text(2).parse().map_err(|_| {
        let what = "the waits query does not return a class, an event and a number of sessions";
        pack.refused(Error::new(ErrorKind::Protocol, what), "ask for", "waits", "ask")
    })?;
    let kind = WaitKind::from_word(&text(3)).unwrap_or(WaitKind::Other);
    Ok(Wait { class: text(0), event: text(1), kind, sessions })
}
