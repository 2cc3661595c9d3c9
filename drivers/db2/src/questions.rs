//! What the database is asked about itself.
//!
//! The queries are in `sql/`. Those of the monitor need a privilege that not every user has, and a server that
//! speaks the same protocol may not have them: what cannot be had is left out.

use tacho_calls::{Questions, query};
use tacho_core::{ErrorKind, Result};
use tacho_driver::{Counters, DataSizes, Object, ObjectKind, ServerFacts, Setting};

type Connection = tacho_calls::Connection<i32>;
type Row = Vec<Option<String>>;

/// The catalogue of a server.
pub struct Catalogue {
    /// Derby speaks the protocol of Db2, has a catalogue of its own, and does not say what it is.
    pub derby: bool,
}

impl Catalogue {
    fn columns(&self) -> &'static str {
        if self.derby {
            include_str!("../sql/derby_columns.sql")
        } else {
            include_str!("../sql/columns.sql")
        }
    }
}

fn text(row: &Row, at: usize) -> String {
    row.get(at).cloned().flatten().unwrap_or_default().trim().to_owned()
}

/// The rows of a query; none if there is no such view, or not for this user.
fn offered(connection: &Connection, sql: &str) -> Result<Vec<Row>> {
    match query(connection, sql) {
        Ok(found) => Ok(found.rows),
        Err(error) => match error.kind() {
            ErrorKind::Missing | ErrorKind::Auth | ErrorKind::Syntax => Ok(Vec::new()),
            _ => Err(error),
        },
    }
}

impl Questions<i32> for Catalogue {
    fn tables(&self, connection: &Connection) -> Result<Vec<String>> {
        Ok(self.objects(connection)?.into_iter().map(|object| object.name).collect())
    }

    fn objects(&self, connection: &Connection) -> Result<Vec<Object>> {
        let mut objects: Vec<Object> = Vec::new();
        for row in query(connection, self.columns())?.rows {
            let name = text(&row, 0).to_lowercase();
            if objects.last().is_none_or(|last| last.name != name) {
                objects.push(Object {
                    kind: ObjectKind::Table,
                    shape: Vec::new(),
                    identity: text(&row, 3),
                    drop: format!("DROP TABLE {name}"),
                    name,
                });
            }
            if let Some(object) = objects.last_mut() {
                object.shape.push(format!("{} {}", text(&row, 1).to_lowercase(), text(&row, 2)));
            }
        }
        Ok(objects)
    }

    fn facts(&self, connection: &Connection) -> Result<ServerFacts> {
        let rows = if self.derby {
            Vec::new()
        } else {
            offered(connection, include_str!("../sql/settings.sql"))?
        };
        let settings = rows.iter().map(|row| Setting {
            name: text(row, 0),
            value: text(row, 1),
            ..Setting::default()
        });
        let version = connection.product();
        Ok(ServerFacts { version, settings: settings.collect(), ..ServerFacts::default() })
    }

    fn sizes(&self, _: &Connection) -> Result<Option<DataSizes>> {
        Ok(None)
    }

    fn counters(&self, connection: &Connection) -> Result<Option<Counters>> {
        if self.derby {
            return Ok(None);
        }
        let rows = offered(connection, include_str!("../sql/counters.sql"))?;
        let Some(row) = rows.first() else { return Ok(None) };
        let number = |at| text(row, at).parse::<u64>().ok();
        Ok(number(0).zip(number(1)).map(|(commits, rollbacks)| Counters {
            commits,
            rollbacks,
            rollbacks_here: None,
            rollbacks_pending: 0,
        }))
    }
}
