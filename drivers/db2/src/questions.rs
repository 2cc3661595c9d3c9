//! Queries that describe the database.
//!
//! The SQL is in `sql/`.
//!
//! If the user may not query some information or the server does not support it, this information is omitted.

use tacho_calls::{Questions, columns, commits_and_rollbacks, offered, query, text};
use tacho_core::Result;
use tacho_driver::{
    Advice, Counters, DataSizes, NameCase, Object, ObjectKind, ServerFacts, Setting, Statement,
    TablePart, TableSize, Values,
};

use crate::plan;

type Connection = tacho_calls::Connection<i32>;
type Row = Vec<Option<String>>;

/// A server's catalog.
pub struct Catalogue {
    /// True if the server is Derby. It uses the same protocol as Db2 but has a different catalog, and it does not
    /// report its name.
    pub derby: bool,
    /// The schema of the table set.
    pub set: Option<String>,
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

/// Converts a row with the name, kind, creation time and text of a routine.
fn routine(row: &Row) -> Object {
    let (name, kind) = (text(row, 0).to_lowercase(), text(row, 1));
    Object {
        kind: ObjectKind::Routine,
        schema: String::new(),
        identity: text(row, 2),
        shape: text(row, 3).lines().map(str::to_owned).collect(),
        drop: format!("DROP {kind} {name}"),
        name,
    }
}

/// A rule that detects a setting that slows down measurements: its name, a condition, the reason, and a hint.
type Rule = (&'static str, fn(&str) -> bool, &'static str, &'static str);

const RULES: [Rule; 4] = [
    (
        "cur_commit",
        |value| value.eq_ignore_ascii_case("DISABLED"),
        "readers wait for writers",
        "UPDATE DB CFG FOR name USING CUR_COMMIT ON",
    ),
    (
        "locktimeout",
        |value| value == "-1",
        "sessions wait for locks indefinitely",
        "UPDATE DB CFG FOR name USING LOCKTIMEOUT 30",
    ),
    (
        "logbufsz",
        |value| value.parse().is_ok_and(|pages: u64| pages < 2_048),
        "few commits share a log write",
        "UPDATE DB CFG FOR name USING LOGBUFSZ 2048, or more",
    ),
    (
        "self_tuning_mem",
        |value| value.to_uppercase().starts_with("ON"),
        "the server may resize its memory during a run",
        "UPDATE DB CFG FOR name USING SELF_TUNING_MEM OFF, after a warm-up",
    ),
];

fn advice(settings: &[Setting]) -> Vec<Advice> {
    let found = RULES.iter().filter_map(|(name, holds, why, hint)| {
        let value = &settings.iter().find(|setting| setting.name == *name)?.value;
        let text = || format!("{name} is {value}: {why}");
        holds(value).then(|| Advice { text: text(), hint: (*hint).into() })
    });
    found.collect()
}

impl Questions<i32> for Catalogue {
    fn tables(&self, connection: &Connection) -> Result<Vec<String>> {
        Ok(self.objects(connection)?.into_iter().map(|object| object.name).collect())
    }

    fn objects(&self, connection: &Connection) -> Result<Vec<Object>> {
        let mut objects: Vec<Object> = Vec::new();
        for row in query(connection, self.columns())?.rows {
            let name = NameCase::Upper.shown(&text(&row, 0));
            if objects.last().is_none_or(|last| last.name != name) {
                objects.push(Object {
                    kind: ObjectKind::Table,
                    shape: Vec::new(),
                    schema: String::new(),
                    identity: text(&row, 3),
                    drop: format!("DROP TABLE {name}"),
                    name,
                });
            }
            if let Some(object) = objects.last_mut() {
                object.shape.push(format!("{} {}", text(&row, 1).to_lowercase(), text(&row, 2)));
            }
        }
        if !self.derby {
            let rows = offered(connection, include_str!("../sql/routines.sql"))?;
            objects.extend(rows.iter().map(routine));
        }
        Ok(objects)
    }

    /// Derby lacks the views that this query reads. On Derby, only changes to the columns of tables are therefore
    /// detected.
    fn table_parts(&self, connection: &Connection) -> Result<Vec<TablePart>> {
        let rows = offered(connection, include_str!("../sql/table_parts.sql"))?;
        let part = |row: &Row| TablePart {
            table: NameCase::Upper.shown(&text(row, 0)),
            kind: text(row, 1),
            name: text(row, 2).to_lowercase(),
            definition: text(row, 3),
            identity: text(row, 4),
        };
        let found: Vec<TablePart> = rows.iter().map(part).collect();
        Ok(if found.is_empty() { columns(&self.objects(connection)?) } else { found })
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
        let (version, settings) = (connection.product(), settings.collect::<Vec<Setting>>());
        let advice = advice(&settings);
        Ok(ServerFacts { version, settings, advice, ..ServerFacts::default() })
    }

    fn sizes(&self, connection: &Connection) -> Result<Option<DataSizes>> {
        if self.derby {
            return Ok(None);
        }
        let rows = offered(connection, include_str!("../sql/sizes.sql"))?;
        let tables = rows.iter().map(|row| {
            let number = |at| text(row, at).parse().ok();
            let name = text(row, 0).to_lowercase();
            TableSize { name, rows: number(1), bytes: number(2), index_bytes: number(3) }
        });
        let tables: Vec<TableSize> = tables.collect();
        Ok((!tables.is_empty()).then_some(DataSizes { database_bytes: None, tables }))
    }

    fn counters(&self, connection: &Connection) -> Result<Option<Counters>> {
        if self.derby {
            return Ok(None);
        }
        commits_and_rollbacks(connection, include_str!("../sql/counters.sql"))
    }

    fn plan(
        &self,
        connection: &Connection,
        statement: &Statement,
        values: &Values,
    ) -> Result<Option<String>> {
        if self.derby { Ok(None) } else { plan::of(connection, statement, values) }
    }

    fn drop_set(&self, connection: &Connection) -> Result<()> {
        let Some(schema) = &self.set else { return Ok(()) };
        if !self.objects(connection)?.is_empty() {
            return Ok(());
        }
        connection.run("SET CURRENT SCHEMA USER")?;
        connection.run(&format!("DROP SCHEMA {schema} RESTRICT"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_advised_on_by_their_values() {
        let setting = |name: &str, value: &str| Setting {
            name: name.into(),
            value: value.into(),
            ..Setting::default()
        };
        let good = [("cur_commit", "ON"), ("locktimeout", "30"), ("logbufsz", "2048")];
        assert_eq!(advice(&good.map(|(name, value)| setting(name, value))), []);
        let poor = [
            ("cur_commit", "DISABLED"),
            ("locktimeout", "-1"),
            ("logbufsz", "256"),
            ("self_tuning_mem", "ON (Active)"),
        ];
        let found = advice(&poor.map(|(name, value)| setting(name, value)));
        assert_eq!(found.len(), RULES.len(), "{found:?}");
        assert_eq!(found[1].text, "locktimeout is -1: sessions wait for locks indefinitely");
    }

    #[test]
    fn a_routine_is_dropped_by_its_kind() {
        let row = ["TPROCC_PAYMENT", "PROCEDURE", "2026", "CREATE\nEND"];
        let object = routine(&row.map(|text| Some(text.to_owned())).to_vec());
        assert_eq!(object.drop, "DROP PROCEDURE tprocc_payment");
        assert_eq!((object.kind, object.shape.len()), (ObjectKind::Routine, 2));
    }
}
