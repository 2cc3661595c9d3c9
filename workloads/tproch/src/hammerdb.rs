//! HammerDB's deviations in rows and queries. Each can be turned on separately and changes the
//! generated rows or the queries.
//!
//! HammerDB draws some values without a seed. This code uses a fixed seed, so that rows are always the same.
//!
//! Start reading at [`Deviations`].

use std::borrow::Cow;

use tacho_core::{Seed, Type};
use tacho_workload::Options;
use tpchgen::distribution::Distributions;

/// Seed for the values that HammerDB's deviations put in place of generated ones.
const SEED: Seed = Seed(8);
const AFRICA: i64 = 0;
/// Number of colours in a part name.
const COLORS: usize = 5;

/// The deviations that are turned on, named after their parameters.
#[expect(clippy::struct_excessive_bools, reason = "independent switches, read by name")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deviations {
    /// The tables are HammerDB's.
    pub tables: bool,
    /// `EGYPT` is in `AFRICA`.
    pub egypt: bool,
    /// Phone numbers have no country codes.
    pub phones: bool,
    /// Comments do not mention customers.
    pub complaints: bool,
    /// A part name may contain the same colour twice.
    pub colors: bool,
    /// Inserted orders are open.
    pub open: bool,
    /// An update set consists of orders with consecutive keys.
    pub neighbours: bool,
    /// Three queries select from a different range of months.
    pub months: bool,
    /// Queries have a row limit only where HammerDB sets one.
    pub whole: bool,
    /// Q15 is written as if it used a view.
    pub view: bool,
}

impl Deviations {
    /// Reads resolved options.
    pub fn new(options: &Options) -> Self {
        Self {
            tables: options.on("hammerdb_tables"),
            egypt: options.on("egypt_in_africa"),
            phones: options.on("phones_plain"),
            complaints: options.on("complaints_plain"),
            colors: options.on("colors_repeat"),
            open: options.on("refresh_open"),
            neighbours: options.on("refresh_neighbours"),
            months: options.on("months_later"),
            whole: options.on("answers_whole"),
            view: options.on("q15_view"),
        }
    }

    /// Returns true if a deviation may change the result of any query.
    pub fn other_answers(&self) -> bool {
        self.tables || self.egypt || self.phones || self.complaints || self.colors || self.whole
    }

    /// Returns a nation's region, given the nation's name and the generator's region.
    pub fn region(&self, nation: &str, region: i64) -> i64 {
        if self.egypt && nation == "EGYPT" { AFRICA } else { region }
    }

    /// Returns the type of the phone number columns: 15 characters with a country code, or up to 15 without one.
    pub const fn phone_type(&self) -> Type {
        if self.phones { Type::Varchar(15) } else { Type::Char(15) }
    }

    /// Returns a phone number in place of the generated one, if this deviation is on.
    pub fn phone(&self, table: &str, key: i64) -> Option<String> {
        self.phones.then(|| {
            let rng = &mut SEED.child("phone").child(table).rng(key as u64);
            let [area, office] = [(); 2].map(|()| rng.between(100, 999));
            format!("{area}-{office}-{}", rng.between(1_000, 9_999))
        })
    }

    /// Returns a supplier's comment. HammerDB's deviation removes the word `Customer`, which occurs in comments about
    /// complaints or recommendations.
    pub fn comment<'a>(&self, comment: &'a str) -> Cow<'a, str> {
        if self.complaints && comment.contains("Customer") {
            return comment.replace("Customer", "").into();
        }
        comment.into()
    }

    /// Returns a part name that replaces the generated one, if the deviation is on. Its colours are
    /// drawn independently, so one may occur twice.
    pub fn part_name(&self, key: i64) -> Option<String> {
        self.colors.then(|| {
            let (rng, colors) = (
                &mut SEED.child("part").rng(key as u64),
                Distributions::static_default().part_colors(),
            );
            let drawn = [(); COLORS].map(|()| {
                let at = rng.below(colors.size() as u64);
                colors.get_value(at as usize)
            });
            drawn.join(" ")
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const ALL: Deviations = Deviations {
        tables: true,
        egypt: true,
        phones: true,
        complaints: true,
        colors: true,
        open: true,
        neighbours: true,
        months: true,
        whole: true,
        view: true,
    };

    #[test]
    fn changes_nothing_by_default() {
        let none = Deviations::default();
        assert_eq!((none.region("EGYPT", 4), ALL.region("EGYPT", 4)), (4, 0));
        assert_eq!((ALL.region("FRANCE", 3), none.phone("customer", 1)), (3, None));
        assert_eq!(none.comment("x Customer Complaints"), "x Customer Complaints");
        assert_eq!(ALL.comment("x Customer Complaints"), "x  Complaints");
        assert_eq!(none.part_name(1), None);
    }

    #[test]
    fn draws_are_reproducible_and_have_hammerdbs_form() {
        let phones: BTreeSet<_> =
            (1..=5_000).filter_map(|key| ALL.phone("customer", key)).collect();
        assert!(phones.len() > 4_990 && phones.iter().all(|phone| phone.len() == 12), "{phones:?}");
        let codes: BTreeSet<_> = phones.iter().map(|phone| &phone[..2]).collect();
        assert_eq!((codes.first(), codes.last(), codes.len()), (Some(&"10"), Some(&"99"), 90));
        assert_ne!(ALL.phone("customer", 1), ALL.phone("supplier", 1));
        let repeats = (1..=5_000).filter_map(|key| ALL.part_name(key)).filter(|name| {
            let words: Vec<_> = name.split(' ').collect();
            assert_eq!(words.len(), COLORS, "{name}");
            words.iter().collect::<BTreeSet<_>>().len() < COLORS
        });
        // Five of 92 colours are drawn independently, so one name in ten contains a colour twice.
        let count = repeats.count();
        assert!((400..680).contains(&count), "{count}");
    }
}
