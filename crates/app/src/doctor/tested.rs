//! Compares a server's version with the tested versions.

/// Returns true if `version`, such as `MariaDB 10.11.14`, is listed in `tested`, such as `MySQL 9.7, MariaDB 10.11 and
/// 11.4`. Returns `None` if a version is unknown.
pub(super) fn is_tested(tested: &str, version: &str) -> Option<bool> {
    let (product, number) = product(version);
    let number = number?;
    let mut name = "";
    let mut known = Vec::new();
    for item in tested.split(", ").flat_map(|items| items.split(" and ")) {
        let (title, number) = self::product(item.strip_prefix("and ").unwrap_or(item));
        if !title.is_empty() {
            name = title;
        }
        known.extend(number.map(|number| (name, number)));
    }
    if known.is_empty() {
        return tested.contains("not tested").then_some(false);
    }
    let fits = |(title, wanted): &(&str, &str)| {
        (title.is_empty() || title.eq_ignore_ascii_case(product)) && begins(number, wanted)
    };
    Some(known.iter().any(fits))
}

/// Returns the words before the first number, and that number.
fn product(text: &str) -> (&str, Option<&str>) {
    for (at, word) in
        text.split(' ').map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
    {
        let digits = word.strip_prefix('v').unwrap_or(word);
        if digits.starts_with(|c: char| c.is_ascii_digit()) {
            let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.');
            return (text[..at].trim(), Some(&digits[..end.unwrap_or(digits.len())]));
        }
    }
    (text.trim(), None)
}

/// Returns true if a version number begins with the components of another. For example, `10.11.14` begins with `10.11`,
/// but not with `10.1`.
fn begins(version: &str, with: &str) -> bool {
    let mut parts = version.split('.');
    with.split('.').all(|part| parts.next() == Some(part))
}

#[cfg(test)]
mod tests {
    use super::is_tested;

    #[test]
    fn versions_are_found_in_lists() {
        let both = "MySQL 9.7, MariaDB 10.11, 11.4 and 11.8";
        let relative =
            "a scripted peer, and Babelfish 4.3 by hand; not tested against a live SQL Server";
        let table = [
            ("15, 16, 17, 18", "PostgreSQL 15.18 (Debian 15.18-0+deb12u1)", Some(true)),
            ("15, 16, 17, 18", "PostgreSQL 14.2", Some(false)),
            ("15, 16, 17, 18", "PostgreSQL 18beta1", Some(true)),
            (both, "MariaDB 10.11.14-MariaDB-0+deb12u2", Some(true)),
            (both, "MariaDB 10.1.3", Some(false)),
            (both, "MySQL 11.4.1", Some(false)),
            (both, "MySQL 9.7.1", Some(true)),
            ("a scripted peer; not tested against a live server", "SQL 16.0.1000", Some(false)),
            (relative, "Babelfish 4.3.0 (PostgreSQL 16.4), reported as SQL 12.0.2000", Some(true)),
            (relative, "SQL 16.0.1000", Some(false)),
            ("needs no server", "SQL 16.0.1000", None),
            ("3.54, built in", "SQLite 3.54.0", Some(true)),
            ("1.5", "DuckDB v1.5.6", Some(true)),
            ("needs no server", "noop", None),
            ("1.5", "DuckDB", None),
        ];
        for (tested, version, expected) in table {
            assert_eq!(is_tested(tested, version), expected, "{version} in {tested}");
        }
    }
}
