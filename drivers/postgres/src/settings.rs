//! Changes server settings with `ALTER SYSTEM` and restores them. After a reload, the changes apply to new sessions.
//!
//! If a setting requires a restart, this module only checks its value. It does not restart the server.
//!
//! Start reading at [`open`]. See <https://www.postgresql.org/docs/current/config-setting.html>.

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{
    BoxFuture, Holds, ServerSettings, SettingState, Target, bytes_of, same_number, same_word,
    switch_of,
};
use tacho_net::{not_taken, unexpected};

use crate::admin::{TextRow, rows, run, terminate};
use crate::open;
use crate::roles::text;
use crate::wire::Wire;

const READ: &str = include_str!("../sql/setting.sql");
const STORED: &str = include_str!("../sql/setting_stored.sql");
const NAMES: &str = "SELECT name FROM pg_catalog.pg_settings";
const LOADED: &str = "SELECT pg_conf_load_time()";
/// Maximum number of times that Tacho checks whether the new settings apply to the session. The checks are 10 ms apart.
const LOOKS: usize = 1_000;
/// Configuration sources that override `ALTER SYSTEM`, each with its name in messages.
const BEFORE_OURS: [(&str, &str); 7] = [
    ("command line", "the server's command line"),
    ("environment variable", "the server's environment"),
    ("database", "ALTER DATABASE"),
    ("user", "ALTER ROLE"),
    ("database user", "ALTER ROLE IN DATABASE"),
    ("client", "the target's own options"),
    ("session", "the target's own options"),
];

/// Outdated names of setting values, each with its setting and the current name. Tacho cannot find out the current name
/// by setting the value, because no session can change these settings.
const SYNONYMS: [(&str, &str, &str); 2] =
    [("wal_level", "archive", "replica"), ("wal_level", "hot_standby", "replica")];

/// Access to the settings over a separate connection.
struct Access {
    wire: Wire,
}

/// A setting, as described by the server.
struct Row {
    name: String,
    value: String,
    context: String,
    source: String,
    /// The value of a numeric setting in its unit, without the unit's name.
    plain: String,
    kind: String,
    unit: String,
}

/// Opens access to the settings on a new connection.
pub async fn open(target: &Target) -> Result<Box<dyn ServerSettings>> {
    let wire = open::open(target, false, 0).await?.wire;
    Ok(Box::new(Access { wire }))
}

impl Access {
    async fn row(&mut self, name: &str) -> Result<Option<Row>> {
        let sql = READ.replace("NAME_OF_SETTING", &text(name));
        rows(&mut self.wire, &sql).await?.into_iter().next().map(Row::of).transpose()
    }

    async fn state(&mut self, name: &str) -> Result<Option<SettingState>> {
        let Some(row) = self.row(name).await? else { return Ok(None) };
        let stored = self.stored(name).await?;
        row.changeable(stored.as_deref())?;
        let holds = if row.context == "postmaster" { Holds::AfterRestart } else { Holds::AtOnce };
        Ok(Some(SettingState { name: row.name, value: row.value, stored, holds }))
    }

    async fn stored(&mut self, name: &str) -> Result<Option<String>> {
        let sql = STORED.replace("NAME_OF_SETTING", &text(name));
        let found = rows(&mut self.wire, &sql).await.map_err(|error| match error.kind() {
            ErrorKind::Auth => error.during(format!("read where {name} is set")).hint(
                "use a superuser in the target: restoring the setting later requires reading \
                 postgresql.auto.conf",
            ),
            _ => error,
        })?;
        Ok(found.into_iter().flatten().flatten().next())
    }

    /// Makes the server reload its configuration files, and waits until the new settings apply to this session.
    async fn reload(&mut self) -> Result<()> {
        let before = rows(&mut self.wire, LOADED).await?;
        run(&mut self.wire, "SELECT pg_reload_conf()").await?;
        for _ in 0..LOOKS {
            // The server reloads its settings before it tells its sessions to do so. Once this session has reloaded
            // them, the server has too.
            if rows(&mut self.wire, LOADED).await? != before {
                return Ok(());
            }
            run(&mut self.wire, "SELECT pg_sleep(0.01)").await?;
        }
        Err(Error::new(ErrorKind::Timeout, "the server has not reloaded its settings")
            .hint("see its log, or try again with SELECT pg_reload_conf()"))
    }

    /// Returns true if the requested value means the same as the current one, such as `on` and `pglz`. Sets the
    /// requested value for one statement, and compares the value that the server then reports.
    async fn is_synonym(&mut self, row: &Row, asked: &str) -> bool {
        if row.kind != "enum" {
            return false;
        }
        let is_old = |(name, old, new): &(&str, &str, &str)| {
            row.name == *name && asked.eq_ignore_ascii_case(old) && row.value == *new
        };
        if SYNONYMS.iter().any(is_old) {
            return true;
        }
        let (name, asked) = (text(&row.name), text(asked));
        let sql = format!("SELECT pg_catalog.set_config({name}, {asked}, true)");
        // The query fails if the server does not know the word, or if a session cannot change the setting. The value
        // then does not count as a synonym.
        let found = rows(&mut self.wire, &sql).await.unwrap_or_default();
        found.into_iter().flatten().flatten().next().is_some_and(|value| value == row.value)
    }

    async fn write(&mut self, name: &str, value: Option<&str>) -> Result<()> {
        let sql = match value {
            Some(value) => format!("ALTER SYSTEM SET {name} = {}", text(value)),
            None => format!("ALTER SYSTEM RESET {name}"),
        };
        run(&mut self.wire, &sql).await.map_err(|error| refused(error, name, value))
    }
}

impl Row {
    fn of(row: TextRow) -> Result<Self> {
        let mut row = row.into_iter().flatten();
        let mut next = || row.next().ok_or_else(|| unexpected("a setting without a value"));
        Ok(Self {
            name: next()?,
            value: next()?,
            context: next()?,
            source: next()?,
            plain: next()?,
            kind: next()?,
            unit: next()?,
        })
    }

    /// Returns an error if the setting cannot be changed, or if Tacho could not restore it afterwards.
    fn changeable(&self, stored: Option<&str>) -> Result<()> {
        let Self { name, .. } = self;
        if self.context == "internal" {
            return Err(Error::usage(format!(
                "{name} cannot be changed: its value was fixed when the server was built"
            ))
            .hint("leave it out"));
        }
        if let Some((_, who)) = BEFORE_OURS.iter().find(|(source, _)| *source == self.source) {
            return Err(Error::usage(format!("{name} is set by {who}, which takes precedence"))
                .hint("remove that higher-priority setting, or omit this one"));
        }
        let alter_system =
            "run ALTER SYSTEM RESET so that the value in postgresql.conf applies again";
        match stored {
            // Tacho writes settings that require a restart to `postgresql.conf`. This would have no effect here,
            // because a value stored by `ALTER SYSTEM` overrides that file.
            Some(_) if self.context == "postmaster" => {
                Err(Error::usage(format!("{name} is set by ALTER SYSTEM")).hint(alter_system))
            }
            // A list is not changed, because Tacho cannot restore it: the server would store the whole list as a single
            // name.
            Some(list) if self.kind == "string" && list.contains([',', '"']) => {
                Err(Error::usage(format!("{name} is a list that was set with ALTER SYSTEM"))
                    .hint(alter_system))
            }
            _ => Ok(()),
        }
    }

    /// Returns true if the requested value `asked` means the same as the current value.
    fn is(&self, asked: &str) -> bool {
        match self.kind.as_str() {
            "bool" => switch_of(asked).is_some() && same_word(asked, &self.plain),
            "integer" | "real" => {
                let (Ok(plain), Some(asked)) = (self.plain.parse::<f64>(), self.number(asked))
                else {
                    return false;
                };
                // The server rounds to whole units.
                let asked = if self.kind == "integer" { asked.round() } else { asked };
                same_number(asked, plain)
            }
            _ => same_word(asked, &self.value),
        }
    }

    /// Returns a number in the setting's unit.
    fn number(&self, text: &str) -> Option<f64> {
        let text = text.trim();
        if let Ok(number) = text.parse() {
            return Some(number);
        }
        match (micros_of(text), micros_of(&format!("1{}", self.unit.trim_start_matches('1')))) {
            (Some(asked), Some(unit)) => Some(asked / unit),
            _ => Some(bytes_of(text)? / bytes_of(&unit_text(&self.unit))?),
        }
    }
}

/// Returns a unit with a number in front: `kB` becomes `1kB`, and `8kB` stays the same.
fn unit_text(unit: &str) -> String {
    if unit.starts_with(|c: char| c.is_ascii_digit()) { unit.into() } else { format!("1{unit}") }
}

/// Returns a time in microseconds, or `None` if the text is not a time.
fn micros_of(text: &str) -> Option<f64> {
    let split = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(split);
    let factor = match unit {
        "us" => 1.0,
        "ms" => 1e3,
        "s" => 1e6,
        "min" => 60e6,
        "h" => 3_600e6,
        "d" => 86_400e6,
        _ => return None,
    };
    Some(number.trim().parse::<f64>().ok()? * factor)
}

fn refused(error: Error, name: &str, value: Option<&str>) -> Error {
    let operation = match value {
        Some(value) => format!("set {name} to {value}"),
        None => format!("restore {name}"),
    };
    let hint = "see pg_settings for the unit, range and values that the server allows";
    not_taken(error, operation, hint)
}

impl ServerSettings for Access {
    fn names(&mut self) -> BoxFuture<'_, Result<Vec<String>>> {
        Box::pin(async {
            Ok(rows(&mut self.wire, NAMES).await?.into_iter().flatten().flatten().collect())
        })
    }

    fn read<'a>(&'a mut self, name: &'a str) -> BoxFuture<'a, Result<Option<SettingState>>> {
        Box::pin(self.state(name))
    }

    /// Sets and resets the value with `ALTER SYSTEM`, because no other statement checks a value completely. The server
    /// does not use the value until it reloads its configuration.
    fn check<'a>(
        &'a mut self,
        state: &'a SettingState,
        value: &'a str,
    ) -> BoxFuture<'a, Result<String>> {
        Box::pin(async move {
            self.write(&state.name, Some(value)).await?;
            self.write(&state.name, state.stored.as_deref()).await?;
            Ok(value.to_owned())
        })
    }

    fn set<'a>(&'a mut self, name: &'a str, value: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.write(name, Some(value)).await?;
            self.reload().await
        })
    }

    fn put_back<'a>(&'a mut self, state: &'a SettingState) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.write(&state.name, state.stored.as_deref()).await?;
            self.reload().await
        })
    }

    fn is_same<'a>(
        &'a mut self,
        state: &'a SettingState,
        value: &'a str,
    ) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move {
            let Some(row) = self.row(&state.name).await? else { return Ok(false) };
            Ok(row.is(value) || self.is_synonym(&row, value).await)
        })
    }

    fn close(mut self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move { terminate(&mut self.wire).await })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kind: &str, unit: &str, plain: &str, value: &str) -> Row {
        let [name, context, source] = ["x", "user", "default"].map(String::from);
        let [kind, unit, plain, value] = [kind, unit, plain, value].map(String::from);
        Row { name, value, context, source, plain, kind, unit }
    }

    #[test]
    fn equal_values_are_equal_in_any_unit() {
        let buffers = row("integer", "8kB", "131072", "1GB");
        let wait = row("integer", "ms", "1500", "1500ms");
        let cost = row("real", "", "1.1", "1.1");
        let switch = row("bool", "", "off", "off");
        let word = row("enum", "", "on", "on");
        for (row, asked, same) in [
            (&buffers, "1GB", true),
            (&buffers, "1024MB", true),
            (&buffers, "131072", true),
            (&buffers, "1025MB", false),
            (&buffers, "1s", false),
            (&wait, "1.5s", true),
            (&wait, "1500", true),
            (&wait, "2s", false),
            (&cost, "1.10", true),
            (&cost, "1.2", false),
            (&switch, "false", true),
            (&switch, "on", false),
            (&switch, "x", false),
            (&word, "ON", true),
            (&word, "true", true),
            (&word, "local", false),
        ] {
            assert_eq!(row.is(asked), same, "{asked} against {}", row.value);
        }
    }

    #[test]
    fn rejects_settings_that_cannot_be_restored() {
        let good = row("integer", "kB", "4096", "4MB");
        assert!(good.changeable(None).is_ok() && good.changeable(Some("1MB")).is_ok());
        let internal = Row { context: "internal".into(), ..row("integer", "", "8192", "8192") };
        assert!(internal.changeable(None).is_err());
        let fixed = Row { source: "command line".into(), ..row("integer", "kB", "4096", "4MB") };
        assert!(fixed.changeable(None).is_err());
        let started = Row { context: "postmaster".into(), ..row("integer", "8kB", "1", "8kB") };
        assert!(started.changeable(None).is_ok() && started.changeable(Some("1")).is_err());
        let list = row("string", "", "a, b", "a, b");
        assert!(list.changeable(Some("a, b")).is_err() && list.changeable(None).is_ok());
    }
}
