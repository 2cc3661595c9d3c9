//! Changes server settings with `SET GLOBAL` and restores them. Restarting the server also restores them.
//!
//! If a setting requires a restart, this module only checks its value. It does not restart the server.
//!
//! Start reading at [`open`].

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{
    BoxFuture, Holds, ServerSettings, SettingState, Target, bytes_of, same_number, same_word,
    switch_of,
};
use tacho_net::{not_taken, unexpected};

use crate::admin::{TextRow, quit, rows, run};
use crate::connect;
use crate::connect::Opened;
use crate::errors::is;
use crate::link::Link;
use crate::product::Product;

const READ_MARIADB: &str = include_str!("../sql/setting_mariadb.sql");
const READ_MYSQL: &str = include_str!("../sql/setting_mysql.sql");
const NAMES: &str = "SHOW GLOBAL VARIABLES";
/// Error number for a variable that can be set only at server startup.
const READ_ONLY: &str = "1238";
/// The only setting that the server changes in the background. `RESIZING` reads the progress of the change, and is sent
/// at most `LOOKS` times.
///
/// Queries are 50 ms apart.
const RESIZED: &str = "innodb_buffer_pool_size";
const RESIZING: &str = "SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_resize_status'";
const LOOKS: usize = 1_200;

/// Settings that contain SQL, start stored events, name files or folders, or configure plug-ins. The server writes some
/// of these files, such as its logs, and a file in another program's folder can be code.
pub const CODE: &[&str] = &[
    "*_basename",
    "*_cmd",
    "*_file",
    "*_filename",
    "*_path",
    "*_url",
    "*dir",
    "*directory",
    "*log_index",
    "*plugin*",
    "*udf*",
    "clone_*",
    "connect_java*",
    "debug*",
    "event_scheduler",
    "feedback_*",
    "file_key*",
    "group_replication_*",
    "init_*",
    "keyring_*",
    "log_bin",
    "log_error",
    "mroonga_*",
    "relay_log",
    "rocksdb_create_checkpoint",
    "secure_file_priv",
    "server_audit_*",
    "socket",
    "spider_*",
    "wsrep_cluster_address",
    "wsrep_notify*",
    "wsrep_provider*",
    "wsrep_sst*",
];

/// Access to the settings over a separate connection.
struct Access {
    link: Link,
    product: Product,
}

/// A setting, as described by the server.
struct Row {
    name: String,
    value: String,
    /// `YES`, `NO`, or `UNKNOWN`.
    read_only: String,
    /// True if the setting can be set at server startup.
    at_start: bool,
    /// The range of a numeric setting; empty for any other setting.
    least: String,
    most: String,
    /// The allowed words, separated by commas.
    words: String,
}

/// Opens a separate connection for the settings. Does not select a database, because the target's database may not
/// exist yet.
pub async fn open(target: &Target) -> Result<Box<dyn ServerSettings>> {
    let Opened { link, product, .. } = connect::open_nowhere(target).await?;
    Ok(Box::new(Access { link, product }))
}

impl Access {
    async fn row(&mut self, name: &str) -> Result<Option<Row>> {
        let read = match self.product {
            Product::MariaDb => READ_MARIADB,
            Product::MySql => READ_MYSQL,
        };
        let sql = read.replace("NAME_OF_SETTING", &quoted(&name.replace('-', "_")));
        rows(&mut self.link, &sql).await?.into_iter().next().map(Row::of).transpose()
    }

    /// Reads a known setting again. Fails if it no longer exists.
    async fn known(&mut self, name: &str) -> Result<Row> {
        self.row(name).await?.ok_or_else(|| unexpected("the setting no longer exists"))
    }

    async fn state(&mut self, name: &str) -> Result<Option<SettingState>> {
        let Some(row) = self.row(name).await? else { return Ok(None) };
        let holds = match row.read_only.as_str() {
            "YES" => Holds::AfterRestart,
            "NO" => Holds::AtOnce,
            _ => self.tried(&row.name).await?,
        };
        if holds == Holds::AfterRestart && !row.at_start {
            return Err(Error::usage(format!("{name} cannot be changed")).hint("leave it out"));
        }
        Ok(Some(SettingState { name: row.name, value: row.value, stored: None, holds }))
    }

    /// Checks whether the user can change a setting, by setting it to its current value.
    async fn tried(&mut self, name: &str) -> Result<Holds> {
        match run(&mut self.link, &format!("SET GLOBAL {name} = @@GLOBAL.{name}")).await {
            Ok(_) => Ok(Holds::AtOnce),
            Err(error) if is(&error, &[READ_ONLY]) => Ok(Holds::AfterRestart),
            Err(error) => Err(refused(error, format!("change {name}"))),
        }
    }

    async fn write(&mut self, name: &str, value: &str) -> Result<()> {
        let row = self.known(name).await?;
        let sql = format!("SET GLOBAL {name} = {}", row.literal(value));
        let set = run(&mut self.link, &sql).await;
        set.map_err(|error| refused(error, format!("set {name} to {value}")))?;
        if name == RESIZED { self.resized().await } else { Ok(()) }
    }

    /// Waits until the server has finished resizing the buffer pool.
    async fn resized(&mut self) -> Result<()> {
        for _ in 0..LOOKS {
            let found = rows(&mut self.link, RESIZING).await?;
            let status = found.first().and_then(|row| row.get(1)).cloned().flatten();
            let status = status.unwrap_or_default().to_lowercase();
            // If the server rounds the requested size to the current one, nothing changes and the resize status stays
            // empty.
            if status.is_empty() || status.contains("complete") || status.contains("not change") {
                return Ok(());
            }
            run(&mut self.link, "DO SLEEP(0.05)").await?;
        }
        Err(Error::new(
            ErrorKind::Timeout,
            "the buffer pool did not reach its new size within a minute",
        )
        .hint("resizing is faster when the server is idle; the server's log shows its progress"))
    }
}

impl Row {
    fn of(row: TextRow) -> Result<Self> {
        let mut row = row.into_iter().flatten();
        let mut next = || row.next().ok_or_else(|| unexpected("a setting without a value"));
        Ok(Self {
            name: next()?,
            value: next()?,
            read_only: next()?,
            at_start: next()? == "YES",
            least: next()?,
            most: next()?,
            words: next()?,
        })
    }

    /// Converts the value of a numeric setting to a number. The server accepts units such as `8M` on its command line,
    /// but not in statements.
    fn number(&self, asked: &str) -> Option<f64> {
        let is_number = !self.most.is_empty() || self.value.parse::<f64>().is_ok();
        bytes_of(asked).filter(|_| is_number)
    }

    /// Returns the value in a form that `SET` statements accept.
    fn plain(&self, asked: &str) -> String {
        self.number(asked).map_or_else(|| asked.to_owned(), |number| number.to_string())
    }

    fn literal(&self, asked: &str) -> String {
        match (self.number(asked), switch_of(&self.value).and(switch_of(asked))) {
            (Some(number), _) => number.to_string(),
            (_, Some(on)) => if on { "ON" } else { "OFF" }.into(),
            _ => quoted(asked),
        }
    }

    /// Returns an error if the value is outside the range that the server reports for the setting.
    fn allow(&self, asked: &str) -> Result<()> {
        let Self { name, least, most, words, .. } = self;
        let refuse = |allowed: String| {
            Error::usage(format!("{name} is {asked}")).hint(format!("the server allows {allowed}"))
        };
        if let (Ok(low), Ok(high)) = (least.parse::<f64>(), most.parse::<f64>()) {
            let range = format!("{least} to {most}");
            return match self.number(asked) {
                Some(number) if (low..=high).contains(&number) => Ok(()),
                _ => Err(refuse(range)),
            };
        }
        let known =
            |part: &str| words.split(',').any(|word| word.eq_ignore_ascii_case(part.trim()));
        let is_list = asked.contains('=');
        // A setting with named values may also accept the index of a name, or a list of names.
        let fits = asked.split(',').all(known) || asked.parse::<u32>().is_ok();
        if words.is_empty() || is_list || fits || switch_of(asked).is_some() {
            return Ok(());
        }
        Err(refuse(words.replace(',', ", ")))
    }

    /// Returns true if the requested value is equivalent to the current value.
    fn is(&self, asked: &str) -> bool {
        let value = &self.value;
        if let (Some(asked), Ok(value)) = (self.number(asked), value.parse::<f64>()) {
            return same_number(asked, value);
        }
        // One of several switches within a setting, such as `mrr=on`.
        let one_of = asked.contains('=') && value.split(',').any(|part| part == asked);
        let numbered = asked.parse::<usize>().ok();
        let by_number = numbered
            .and_then(|number| self.words.split(',').nth(number))
            .is_some_and(|word| word.eq_ignore_ascii_case(value));
        one_of || by_number || same_word(asked, value) || self.is_same_list(asked)
    }

    /// Returns true if the requested value contains the same words as the current value, in any order. Lists such as
    /// `sql_mode` are compared in this way.
    fn is_same_list(&self, asked: &str) -> bool {
        let sorted = |text: &str| {
            let mut words: Vec<String> =
                text.split(',').map(|word| word.trim().to_ascii_uppercase()).collect();
            words.sort();
            words
        };
        let is_list = !self.words.is_empty() && asked.contains(',') && !asked.contains('=');
        is_list && sorted(asked) == sorted(&self.value)
    }
}

/// Returns a string literal in which each backslash is doubled. If the server keeps the doubled backslashes, Tacho
/// notices when it reads the value back.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

fn refused(error: Error, operation: String) -> Error {
    not_taken(error, operation, "see the server's manual for the allowed values")
}

impl ServerSettings for Access {
    fn names(&mut self) -> BoxFuture<'_, Result<Vec<String>>> {
        Box::pin(async {
            let found = rows(&mut self.link, NAMES).await?;
            Ok(found.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect())
        })
    }

    fn read<'a>(&'a mut self, name: &'a str) -> BoxFuture<'a, Result<Option<SettingState>>> {
        Box::pin(self.state(name))
    }

    /// Checks whether the server would accept the value. Also sets the current value again, which fails if the user
    /// lacks the privilege.
    fn check<'a>(
        &'a mut self,
        state: &'a SettingState,
        value: &'a str,
    ) -> BoxFuture<'a, Result<String>> {
        Box::pin(async move {
            let row = self.known(&state.name).await?;
            row.allow(value)?;
            if state.holds == Holds::AtOnce {
                self.tried(&state.name).await?;
            }
            Ok(row.plain(value))
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
        Box::pin(async move { Ok(self.row(&state.name).await?.is_some_and(|row| row.is(value))) })
    }

    fn close(mut self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move { quit(&mut self.link).await })
    }
}

#[cfg(test)]
mod tests {
    use tacho_driver::is_named;

    use super::*;

    fn row(value: &str, range: [&str; 2], words: &str) -> Row {
        let [least, most] = range.map(String::from);
        let (name, value, words) = ("x".into(), value.into(), words.into());
        Row { name, value, read_only: "NO".into(), at_start: true, least, most, words }
    }

    #[test]
    fn values_are_quoted_compared_and_checked_against_the_range() {
        let size = row("134217728", ["5242880", "9223372036854775807"], "");
        let flush = row("1", ["0", "3"], "");
        let switch = row("ON", ["", ""], "OFF,ON");
        let word = row("fsync", ["", ""], "fsync,O_DSYNC,nosync");
        let list = row("mrr=off,icp=on", ["", ""], "mrr,icp");
        let modes = row("STRICT,NO_ZERO", ["", ""], "ANSI,STRICT,NO_ZERO");
        for (row, asked, literal, same, allowed) in [
            (&size, "128M", "134217728", true, true),
            (&size, "1GB", "1073741824", false, true),
            (&size, "1k", "1024", false, false),
            (&size, "much", "'much'", false, false),
            (&flush, "1", "1", true, true),
            (&flush, "9", "9", false, false),
            (&switch, "1", "ON", true, true),
            (&switch, "off", "OFF", false, true),
            (&switch, "maybe", "'maybe'", false, false),
            (&word, "FSYNC", "'FSYNC'", true, true),
            (&word, "0", "'0'", true, true),
            (&word, "it's", "'it''s'", false, false),
            (&list, "icp=on", "'icp=on'", true, true),
            (&modes, "no_zero, strict", "'no_zero, strict'", true, true),
            (&modes, "STRICT,other", "'STRICT,other'", false, false),
        ] {
            assert_eq!(row.literal(asked), literal, "{asked}");
            assert_eq!(row.is(asked), same, "{asked} against {}", row.value);
            assert_eq!(row.allow(asked).is_ok(), allowed, "{asked}");
        }
        assert_eq!(quoted("a\\'b"), "'a\\\\''b'");
    }

    #[test]
    fn settings_that_run_code_are_known() {
        for name in [
            "character_sets_dir",
            "general_log_file",
            "init_connect",
            "init_file",
            "init_slave",
            "plugin_dir",
            "plugin_load_add",
            "tmpdir",
            "wsrep_notify_cmd",
        ] {
            assert!(is_named(name, CODE), "{name}");
        }
        for name in [
            "general_log",
            "innodb_buffer_pool_size",
            "innodb_flush_log_at_trx_commit",
            "innodb_io_capacity",
            "max_connections",
            "sync_binlog",
        ] {
            assert!(!is_named(name, CODE), "{name}");
        }
    }
}
