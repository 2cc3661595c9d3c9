//! Advice about the server's settings, as a MySQL or MariaDB administrator would give it before a measurement.
//!
//! Settings that can cause commits to be lost are not part of this advice, because they are reported elsewhere.

use tacho_core::Result;
use tacho_core::units::bytes;
use tacho_driver::{Advice, Setting};

use crate::admin::{number, rows};
use crate::link::Link;

const SIZE: &str = include_str!("../sql/size.sql");

/// Returns the advice that applies, given these settings and the size of the data.
pub async fn advice(link: &mut Link, settings: &[Setting]) -> Result<Vec<Advice>> {
    let value = |name: &str| {
        settings.iter().find(|setting| setting.name == name).map(|setting| setting.value.as_str())
    };
    // MySQL caches table statistics for a day. This needs no advice, because Tacho refreshes them after preparing the
    // data.
    let size = rows(link, SIZE).await?.first().map_or(Ok(0), |row| number(row, 0))?;
    let pool = value("innodb_buffer_pool_size").and_then(|pool| pool.parse().ok());
    let small = pool.and_then(|pool| too_small(pool, size));
    Ok([small, hash_index(&value), snapshots(&value)].into_iter().flatten().collect())
}

/// See <https://dev.mysql.com/doc/refman/en/innodb-buffer-pool.html>.
fn too_small(pool: u64, data: u64) -> Option<Advice> {
    (data > pool).then(|| Advice {
        text: format!(
            "innodb_buffer_pool_size is {}, but the data is {}",
            bytes(pool),
            bytes(data)
        ),
        hint: "the results include disk I/O: raise innodb_buffer_pool_size unless this is intended"
            .into(),
    })
}

/// See <https://dev.mysql.com/doc/refman/en/innodb-adaptive-hash.html>.
fn hash_index<'a>(value: &impl Fn(&str) -> Option<&'a str>) -> Option<Advice> {
    value("innodb_adaptive_hash_index").is_some_and(is_on).then(|| Advice {
        text: "innodb_adaptive_hash_index is ON: concurrent writes contend for its latches".into(),
        hint:
            "compare the results with innodb_adaptive_hash_index=OFF, the default in newer versions"
                .into(),
    })
}

/// See <https://mariadb.com/docs/server/server-usage/storage-engines/innodb/innodb-system-variables>.
fn snapshots<'a>(value: &impl Fn(&str) -> Option<&'a str>) -> Option<Advice> {
    let level = value("transaction_isolation").or_else(|| value("tx_isolation"));
    let fails =
        value("innodb_snapshot_isolation").is_some_and(is_on) && level == Some("REPEATABLE-READ");
    fails.then(|| Advice {
        text:
            "innodb_snapshot_isolation is ON: writing a row that changed after the snapshot fails \
               (1020)"
                .into(),
        hint:
            "use --retry same to try again, or snapshot-isolation=off in the target for the older behavior"
                .into(),
    })
}

/// Returns true if the server reports this setting as on.
pub fn is_on(value: &str) -> bool {
    matches!(value, "1" | "ON")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advised(settings: &[(&str, &str)]) -> Vec<String> {
        let found = |name: &str| settings.iter().find(|(known, _)| *known == name);
        let value = |name: &str| found(name).map(|(_, value)| *value);
        let advice = [hash_index(&value), snapshots(&value)].into_iter().flatten();
        advice.map(|advice| advice.text.split(' ').next().unwrap_or_default().into()).collect()
    }

    #[test]
    fn advice_follows_from_settings() {
        let (hash, snapshot) = ("innodb_adaptive_hash_index", "innodb_snapshot_isolation");
        let level = ("transaction_isolation", "REPEATABLE-READ");
        assert_eq!(advised(&[(hash, "ON"), (snapshot, "ON"), level]), [hash, snapshot]);
        assert_eq!(advised(&[(snapshot, "1"), ("tx_isolation", level.1)]), [snapshot]);
        let committed = ("transaction_isolation", "READ-COMMITTED");
        assert!(advised(&[(hash, "OFF"), (snapshot, "ON"), committed]).is_empty());
        assert!(advised(&[(snapshot, "OFF"), level]).is_empty());
        assert!(too_small(100, 100).is_none() && too_small(100, 101).is_some());
    }
}
