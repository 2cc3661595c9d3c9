//! The marker tables: they say what was loaded, so that `run` refuses wrong data, a killed build is
//! resumed, and `clean` removes only what we made.

use std::collections::BTreeMap;
use std::sync::Arc;

use tacho_core::{Column, Error, ErrorKind, Result, Seed, Storage, Table, Type};
use tacho_driver::{
    Catalog, Dialect, Exchange, Form, MARKER_TABLE, Session, StatementId, parse_sections,
};

/// Names of the marker tables.
const TABLES: [&str; 2] = [MARKER_TABLE, "tacho_units"];
const STATEMENTS: [&str; 5] =
    ["marker_read", "marker_write", "marker_update", "unit_done", "units_read"];
const READ: StatementId = StatementId(0);
const WRITE: StatementId = StatementId(1);
const UPDATE: StatementId = StatementId(2);
const UNIT_DONE: StatementId = StatementId(3);
const UNITS: StatementId = StatementId(4);

/// How far a build has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkerState {
    /// Rows are missing.
    Building,
    /// All rows, indexes and statistics are there.
    Ready,
}

/// What a database holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// Workload id.
    pub workload: String,
    /// Version of the workload's data format.
    pub version: u32,
    /// Scale, in the workload's own steps.
    pub scale: u64,
    /// Profile.
    pub profile: String,
    /// Parameters that differ from the profile.
    pub set: BTreeMap<String, String>,
    /// Seed of the data.
    pub seed: Seed,
    /// Date of the load in microseconds since 1970.
    pub loaded_at: i64,
    /// How far the build has come.
    pub state: MarkerState,
    /// Measurements since the load.
    pub runs: u64,
}

impl Marker {
    fn entries(&self) -> BTreeMap<String, String> {
        let mut entries: BTreeMap<String, String> =
            self.set.iter().map(|(key, value)| (format!("set.{key}"), value.clone())).collect();
        let state = if self.state == MarkerState::Ready { "ready" } else { "building" };
        for (key, value) in [
            ("workload", self.workload.clone()),
            ("version", self.version.to_string()),
            ("scale", self.scale.to_string()),
            ("profile", self.profile.clone()),
            ("seed", self.seed.0.to_string()),
            ("loaded_at", self.loaded_at.to_string()),
            ("state", state.into()),
            ("runs", self.runs.to_string()),
        ] {
            entries.insert(key.into(), value);
        }
        entries
    }

    fn from_entries(entries: &BTreeMap<String, String>) -> Option<Self> {
        let text = |key: &str| entries.get(key).map(String::as_str);
        Some(Self {
            workload: text("workload")?.into(),
            version: text("version")?.parse().ok()?,
            scale: text("scale")?.parse().ok()?,
            profile: text("profile")?.into(),
            set: entries
                .iter()
                .filter_map(|(key, value)| Some((key.strip_prefix("set.")?.into(), value.clone())))
                .collect(),
            seed: Seed(text("seed")?.parse().ok()?),
            loaded_at: text("loaded_at")?.parse().ok()?,
            state: match text("state")? {
                "ready" => MarkerState::Ready,
                "building" => MarkerState::Building,
                _ => return None,
            },
            runs: text("runs")?.parse().ok()?,
        })
    }
}

/// The marker tables of one database, on a session of its own.
pub struct MarkerStore {
    exchange: Exchange,
}

impl MarkerStore {
    /// Opens the marker tables; `None` if the database has none.
    pub async fn open(
        mut session: Box<dyn Session>,
        dialect: &dyn Dialect,
    ) -> Result<Result<Self, Box<dyn Session>>> {
        let tables = session.tables().await?;
        if !TABLES.iter().all(|name| tables.iter().any(|table| table == name)) {
            return Ok(Err(session));
        }
        let files = [parse_sections(include_str!("../sql/marker.sql"))?];
        let catalog = Arc::new(Catalog::build(dialect, &STATEMENTS, &files)?);
        Ok(Ok(Self { exchange: Exchange::new(session, catalog, Form::Sql).await? }))
    }

    /// Creates the marker tables and writes the marker, as one transaction. With `unlogged`, as the data
    /// has it, a server that crashes loses the notes of units with their rows, and the marker remains.
    pub async fn create(
        mut session: Box<dyn Session>,
        dialect: &dyn Dialect,
        marker: &Marker,
        unlogged: bool,
    ) -> Result<Self> {
        let tables = tables(unlogged);
        let ddl: Vec<String> = tables.iter().map(|table| dialect.create_table(table)).collect();
        session.script(&ddl.join(";\n")).await?;
        let Ok(mut store) = Self::open(session, dialect).await? else {
            return Err(Error::new(ErrorKind::Missing, "the marker tables were not created"));
        };
        store.exchange.begin(tacho_driver::Access::Write);
        for (key, value) in marker.entries() {
            store.exchange.execute(WRITE).text(key.as_bytes()).text(value.as_bytes());
        }
        store.exchange.commit();
        store.exchange.send().await?;
        Ok(store)
    }

    /// Reads the marker; an error if it makes no sense.
    pub async fn read(&mut self) -> Result<Marker> {
        self.exchange.execute(READ);
        let reply = self.exchange.send().await?;
        let mut entries = BTreeMap::new();
        for row in (0..reply.rows(0)).filter_map(|row| reply.get(0, row)) {
            let text = |column| Ok::<_, Error>(String::from_utf8_lossy(row.text(column)?).into());
            entries.insert(text(0)?, text(1)?);
        }
        Marker::from_entries(&entries).ok_or_else(|| {
            Error::new(ErrorKind::Protocol, "the marker table is damaged or of another version")
                .hint("tacho clean removes the data; tacho prepare makes it anew")
        })
    }

    /// Writes the parts of the marker that change: state and number of runs.
    pub async fn update(&mut self, marker: &Marker) -> Result<()> {
        self.begin_update(marker);
        self.exchange.commit();
        self.exchange.send().await.map(|_| ())
    }

    /// As [`MarkerStore::update`], and takes it back: it fails where data cannot be changed. Of no use after
    /// a failure.
    pub async fn try_update(&mut self, marker: &Marker) -> Result<()> {
        self.begin_update(marker);
        self.exchange.rollback();
        self.exchange.send().await.map(|_| ())
    }

    fn begin_update(&mut self, marker: &Marker) {
        self.exchange.begin(tacho_driver::Access::Write);
        for (key, value) in marker.entries() {
            if matches!(key.as_str(), "state" | "runs") {
                self.exchange.execute(UPDATE).text(key.as_bytes()).text(value.as_bytes());
            }
        }
    }

    /// The units of the build that are there, with the rows loaded for each.
    pub async fn units(&mut self) -> Result<Vec<(u64, u64)>> {
        self.exchange.execute(UNITS);
        let reply = self.exchange.send().await?;
        (0..reply.rows(0))
            .filter_map(|row| reply.get(0, row))
            .map(|row| Ok((row.number(0)? as u64, row.number(1)? as u64)))
            .collect()
    }

    /// Whether nothing is noted: no unit was loaded yet, or a server has lost what it kept out of its log.
    pub async fn is_empty(&mut self) -> Result<bool> {
        Ok(self.units().await?.is_empty())
    }

    /// The exchange, for loading rows in the transaction that [`MarkerStore::unit_done`] is part of.
    pub fn exchange(&mut self) -> &mut Exchange {
        &mut self.exchange
    }

    /// Queues the note that a unit is complete; the caller commits it together with the rows.
    pub fn unit_done(&mut self, unit: u64, rows: u64) {
        self.exchange.execute(UNIT_DONE).int(unit as i64).int(rows as i64);
    }

    /// Gives the session back.
    pub fn into_session(self) -> Box<dyn Session> {
        self.exchange.into_session()
    }

    /// The statements that remove the marker tables.
    pub fn drop_script(dialect: &dyn Dialect) -> String {
        TABLES.map(|table| dialect.drop_table(table)).join(";\n")
    }
}

fn tables(unlogged: bool) -> [Table; 2] {
    let column = |name, ty| Column { name, ty, nullable: false, declared: None };
    [
        Table {
            name: TABLES[0],
            columns: vec![column("k", Type::Varchar(64)), column("v", Type::Varchar(256))],
            key: vec!["k"],
            ..Table::default()
        },
        Table {
            name: TABLES[1],
            columns: vec![column("unit", Type::Int), column("loaded", Type::BigInt)],
            key: vec!["unit"],
            storage: Storage { unlogged, ..Storage::default() },
            ..Table::default()
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_comes_back_from_its_entries() {
        let marker = Marker {
            workload: "w".into(),
            version: 3,
            scale: 10,
            profile: "p".into(),
            set: [("a".to_owned(), "b".to_owned())].into(),
            seed: Seed(u64::MAX),
            loaded_at: 5,
            state: MarkerState::Building,
            runs: 2,
        };
        let mut entries = marker.entries();
        assert_eq!(Marker::from_entries(&entries), Some(marker));
        entries.insert("state".into(), "odd".into());
        assert_eq!(Marker::from_entries(&entries), None);
    }
}
