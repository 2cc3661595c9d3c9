//! Changes server settings with `sp_configure` and restores them.
//!
//! All settings are whole numbers. Spaces in their names may be written as underscores.
//!
//! Start reading at [`open`].

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{BoxFuture, Holds, ServerSettings, SettingState, Target};
use tacho_net::{not_taken, unexpected};

use crate::admin::{TextRow, rows, run};
use crate::connect;
use crate::link::Link;

const READ: &str = include_str!("../sql/setting.sql");
const NAMES: &str = "SELECT name FROM sys.configurations ORDER BY name";
const HINT: &str = "grant the login ALTER SETTINGS";

/// Settings that allow statements and procedures to start programs, load code or read other servers.
pub const CODE: &[&str] = &[
    "*_xps",
    "*external*",
    "*polybase*",
    "*startup_procs",
    "ad_hoc_distributed_queries",
    "allow_*",
    "clr_*",
    "contained_database_authentication",
    "cross_db_ownership_chaining",
    "ekm_*",
    "filestream_*",
    "hadoop_*",
    "ole_automation_procedures",
    "remote_access",
    "remote_proc_trans",
    "xp_cmdshell",
];

/// Access to the settings over a separate connection.
struct Access {
    link: Link,
}

/// A setting, as described by the server.
struct Row {
    name: String,
    value: i64,
    least: i64,
    most: i64,
    is_dynamic: bool,
    /// True if `sp_configure` shows the setting only when advanced options are enabled.
    is_hidden: bool,
}

/// Opens a separate connection for the settings. Does not select the target's database.
pub async fn open(target: &Target) -> Result<Box<dyn ServerSettings>> {
    Ok(Box::new(Access { link: connect::open_server(target).await? }))
}

impl Row {
    fn of(row: &TextRow) -> Result<Self> {
        let number = |at: usize| {
            let text = row.get(at).and_then(Option::as_deref);
            text.and_then(|text| text.parse::<i64>().ok())
                .ok_or_else(|| unexpected("a setting that is not a number"))
        };
        let name = row.first().cloned().flatten().unwrap_or_default();
        Ok(Self {
            name,
            value: number(1)?,
            least: number(2)?,
            most: number(3)?,
            is_dynamic: number(4)? == 1,
            is_hidden: number(5)? == 1 && number(6)? == 0,
        })
    }

    /// Returns an error if the value is outside the range that the server reports.
    fn allow(&self, asked: &str) -> Result<()> {
        let Self { name, least, most, .. } = self;
        match asked.trim().parse::<i64>() {
            Ok(number) if (*least..=*most).contains(&number) => Ok(()),
            _ => Err(Error::usage(format!("{name} is {asked}"))
                .hint(format!("the server allows values from {least} to {most}"))),
        }
    }
}

impl Access {
    async fn row(&mut self, name: &str) -> Result<Option<Row>> {
        let name = format!("N'{}'", name.replace(' ', "_").replace('\'', "''"));
        let sql = READ.replace("NAME_OF_SETTING", &name);
        rows(&mut self.link, &sql).await?.first().map(Row::of).transpose()
    }

    async fn state(&mut self, name: &str) -> Result<Option<SettingState>> {
        let Some(row) = self.row(name).await? else { return Ok(None) };
        if row.is_hidden {
            let text = format!(
                "{name} is an advanced option, and the server does not show advanced options"
            );
            return Err(Error::new(ErrorKind::Unsupported, text)
                .hint("run EXEC sp_configure 'show advanced options', 1; RECONFIGURE"));
        }
        let holds = if row.is_dynamic { Holds::AtOnce } else { Holds::AfterRestart };
        let value = row.value.to_string();
        Ok(Some(SettingState { name: row.name, stored: Some(value.clone()), value, holds }))
    }

    async fn write(&mut self, name: &str, value: &str) -> Result<()> {
        let known = self.row(name).await?;
        let row = known.ok_or_else(|| unexpected("the setting no longer exists"))?;
        row.allow(value)?;
        let name = row.name.replace('\'', "''");
        let sql = format!("EXEC sp_configure N'{name}', {}; RECONFIGURE", value.trim());
        let set = run(&mut self.link, &sql).await;
        set.map_err(|error| not_taken(error, format!("set {name} to {value}"), HINT))
    }
}

impl ServerSettings for Access {
    fn names(&mut self) -> BoxFuture<'_, Result<Vec<String>>> {
        Box::pin(async {
            Ok(rows(&mut self.link, NAMES).await?.into_iter().flatten().flatten().collect())
        })
    }

    fn read<'a>(&'a mut self, name: &'a str) -> BoxFuture<'a, Result<Option<SettingState>>> {
        Box::pin(self.state(name))
    }

    /// Checks only the range of the value. Whether the login is allowed to change the setting is not known until it
    /// tries.
    fn check<'a>(
        &'a mut self,
        state: &'a SettingState,
        value: &'a str,
    ) -> BoxFuture<'a, Result<String>> {
        Box::pin(async move {
            let known = self.row(&state.name).await?;
            known.ok_or_else(|| unexpected("the setting no longer exists"))?.allow(value)?;
            Ok(value.trim().to_owned())
        })
    }

    fn set<'a>(&'a mut self, name: &'a str, value: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.write(name, value))
    }

    fn put_back<'a>(&'a mut self, state: &'a SettingState) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.write(&state.name, &state.value))
    }

    fn is_same<'a>(
        &'a mut self,
        state: &'a SettingState,
        value: &'a str,
    ) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move {
            let now = self.row(&state.name).await?.map(|row| row.value);
            Ok(now.is_some() && now == value.trim().parse().ok())
        })
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move { drop(self) })
    }
}
