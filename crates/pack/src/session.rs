//! A session of a pack's database. It uses the base driver's connection, but has its own error
//! kinds and queries.
//!
//! Start reading at [`Around`].

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tacho_core::{Error, ErrorKind, QueryStats, Result, Schema, Table};
use tacho_driver::{
    BoxFuture, Catalog, Counters, DataSizes, Headroom, Inspector, Object, Privileges, Reply,
    RowSource, ServerFacts, ServerMachine, Session, Setting, Statement, Steps, TablePart, TextRows,
    Values, forwards, no_answer,
};

use crate::Pack;
use crate::answers::Answer;

/// A session, and the pack that modifies its behavior.
pub struct Around {
    pub session: Box<dyn Session>,
    pub pack: Arc<Pack>,
}

impl Pack {
    /// Returns the error for a failed query of the pack, with a hint that names the file to
    /// correct.
    #[cold]
    pub(crate) fn refused(&self, error: Error, verb: &str, key: &str, table: &str) -> Error {
        let file = self.folder.join(crate::FILE);
        let title = self.manifest.title;
        error.during(format!("{verb} {key} of {title}")).hint(format!(
            "correct {key} in the [{table}] table of {}, or set it to false",
            file.display()
        ))
    }
}

impl Around {
    /// Returns the rows of one of the pack's queries.
    async fn rows(&mut self, key: &str, query: &str) -> Result<Vec<Vec<Option<String>>>> {
        let found = self.session.text_rows(query).await;
        found
            .map(|found| found.rows)
            .map_err(|error| self.pack.refused(error, "ask for", key, "ask"))
    }

    fn is_left_out(&self, question: &str) -> bool {
        self.pack.answers.to(question) == Answer::None
    }

    async fn own_facts(&mut self) -> Result<ServerFacts> {
        let [version, settings] = ["version", "settings"].map(|key| self.pack.answers.to(key));
        let mut facts = match (version, settings) {
            (Answer::Query(_), Answer::Query(_) | Answer::None) => ServerFacts::default(),
            _ => self.session.inspector().facts().await?,
        };
        match version {
            Answer::Query(query) => {
                let rows = self.rows("version", query).await?;
                let first = rows.into_iter().flatten().flatten().next();
                facts.version = first.ok_or_else(|| self.empty("version"))?;
            }
            Answer::None => self.pack.manifest.title.clone_into(&mut facts.version),
            Answer::Base => {}
        }
        if settings == Answer::Base {
            return Ok(facts);
        }
        (facts.settings, facts.advice) = (Vec::new(), Vec::new());
        facts.unset.clear();
        if let Answer::Query(query) = settings {
            for row in self.rows("settings", query).await? {
                if let [Some(name), Some(value), ..] = &row[..]
                    && !value.is_empty()
                {
                    let (name, value) = (name.clone(), value.clone());
                    facts.settings.push(Setting { name, value, ..Setting::default() });
                }
            }
        }
        Ok(facts)
    }

    async fn own_counters(&mut self, query: &str) -> Result<Option<Counters>> {
        let rows = self.rows("counters", query).await?;
        let number = |at: usize| rows.first()?.get(at)?.as_deref()?.trim().parse().ok();
        let (commits, rollbacks) =
            number(0).zip(number(1)).ok_or_else(|| self.empty("counters"))?;
        Ok(Some(Counters { commits, rollbacks, rollbacks_here: None, rollbacks_pending: 0 }))
    }

    #[cold]
    fn empty(&self, key: &str) -> Error {
        let text = format!("the {key} query does not return a row of the expected form");
        self.pack.refused(Error::new(ErrorKind::Protocol, text), "ask for", key, "ask")
    }
}

impl Session for Around {
    fn prepare(&mut self, catalog: Arc<Catalog>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let prepared = self.session.prepare(catalog).await;
            prepared.map_err(|error| {
                let error = self.pack.error(error);
                let files =
                    self.pack.overlays.iter().map(|(_, path, _)| path.display().to_string());
                let files = files.collect::<Vec<_>>().join(", ");
                match files.as_str() {
                    "" => error,
                    files => error.hint(format!("the pack's statements are in {files}")),
                }
            })
        })
    }

    #[inline]
    fn poll_exchange(
        &mut self,
        steps: Steps<'_>,
        reply: &mut Reply,
        context: &mut Context<'_>,
    ) -> Poll<Result<()>> {
        let polled = self.session.poll_exchange(steps, reply, context);
        polled.map_err(|error| self.pack.error(error))
    }

    fn script<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(
            async move { self.session.script(sql).await.map_err(|error| self.pack.error(error)) },
        )
    }

    fn text_rows<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, Result<TextRows>> {
        Box::pin(async move {
            self.session.text_rows(sql).await.map_err(|error| self.pack.error(error))
        })
    }

    fn load<'a>(
        &'a mut self,
        table: &'a Table,
        rows: &'a mut dyn RowSource,
    ) -> BoxFuture<'a, Result<u64>> {
        Box::pin(async move {
            self.session.load(table, rows).await.map_err(|error| self.pack.error(error))
        })
    }

    fn inspector(&mut self) -> &mut dyn Inspector {
        self
    }

    forwards!(session: simple, slow_load, drop_set, close);
}

/// Implements inspector methods by calling the base driver, except for queries that the pack has
/// turned off.
macro_rules! switched {
    ($($question:literal: fn $method:ident $(<$life:lifetime>)?(
        & $($of:lifetime)? mut self $(, $argument:ident: $type:ty)* $(,)?
    ) -> $answer:ty;)+) => {
        $(fn $method $(<$life>)?(& $($of)? mut self $(, $argument: $type)*) -> $answer {
            if self.is_left_out($question) {
                return no_answer();
            }
            self.session.inspector().$method($($argument),*)
        })+
    };
}

impl Inspector for Around {
    fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>> {
        match self.pack.answers.to("tables") {
            Answer::Query(query) => Box::pin(async move {
                let rows = self.rows("tables", query).await?.into_iter();
                let names = rows.filter_map(|row| row.into_iter().next().flatten());
                Ok(names.map(|name| name.to_lowercase()).collect())
            }),
            _ => self.session.inspector().tables(),
        }
    }

    fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>> {
        self.session.inspector().objects()
    }

    fn accepts<'a>(&'a mut self, schema: &'a Schema) -> BoxFuture<'a, Result<()>> {
        self.session.inspector().accepts(schema)
    }

    fn facts(&mut self) -> BoxFuture<'_, Result<ServerFacts>> {
        Box::pin(self.own_facts())
    }

    fn counters(&mut self) -> BoxFuture<'_, Result<Option<Counters>>> {
        match self.pack.answers.to("counters") {
            Answer::None => no_answer(),
            Answer::Query(query) => Box::pin(self.own_counters(query)),
            Answer::Base => self.session.inspector().counters(),
        }
    }

    switched! {
        "table_parts": fn table_parts<'a>(
            &'a mut self,
            tables: &'a [&'a str],
        ) -> BoxFuture<'a, Result<Vec<TablePart>>>;
        "obstacles": fn obstacles<'a>(
            &'a mut self,
            tables: &'a [&'a Object],
        ) -> BoxFuture<'a, Result<Vec<String>>>;
        "machine": fn machine(&mut self) -> BoxFuture<'_, Result<Option<ServerMachine>>>;
        "sizes": fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>>;
        "headroom": fn headroom(&mut self) -> BoxFuture<'_, Result<Option<Headroom>>>;
        "privileges": fn privileges(&mut self) -> BoxFuture<'_, Result<Option<Privileges>>>;
        "server_time": fn server_time(&mut self) -> BoxFuture<'_, Result<Option<Duration>>>;
        "plans": fn plan<'a>(
            &'a mut self,
            statement: &'a Statement,
            values: &'a Values,
        ) -> BoxFuture<'a, Result<Option<String>>>;
        "query_stats": fn query_stats(
            &mut self,
            exclusive: bool,
        ) -> BoxFuture<'_, Result<Option<QueryStats>>>;
    }
}
