//! Draws each query's substitution parameters by the rules in clause 2.4.
//!
//! All parameters must come from the given random number generator. Start reading at [`draw`].

use tacho_core::Rng;
use tpchgen::distribution::{Distribution, Distributions};

use super::Arguments;
use crate::hammerdb::Deviations;

/// Region key of each nation, in the order of the nations' keys, clause 4.2.3.
const REGION_OF_NATION: [i64; 25] =
    [0, 1, 1, 1, 4, 0, 3, 3, 2, 2, 4, 4, 2, 4, 0, 0, 0, 1, 2, 3, 4, 2, 3, 3, 1];
/// Pairs of words are formed from these two lists, clause 2.4.13.3.
const WORDS: [[&str; 4]; 2] = [
    ["special", "pending", "unusual", "express"],
    ["packages", "requests", "accounts", "deposits"],
];
/// Country code of the first nation, clause 4.2.2.9. The codes of the other nations follow in order.
const FIRST_CODE: i64 = 10;

/// Draws the parameters of a query and gives them to `arguments`.
pub fn draw(query: u8, rng: &mut Rng, deviations: &Deviations, arguments: &mut Arguments<'_>) {
    let later = i64::from(deviations.months);
    let lists = Distributions::static_default();
    let nations = lists.nations();
    match query {
        1 => arguments.q1(rng.between(60, 120)),
        2 => {
            let size = rng.between(1, 50);
            let syllable = one(lists.part_types(), rng).rsplit(' ').next().unwrap_or_default();
            arguments.q2(size, syllable, one(lists.regions(), rng));
        }
        3 => arguments.q3(one(lists.market_segments(), rng), rng.between(1, 31)),
        4 => arguments.q4(1993, rng.between(1, 58) + later),
        5 => arguments.q5(one(lists.regions(), rng), year(rng)),
        6 => arguments.q6(year(rng), rng.between(2, 9), rng.between(24, 25)),
        7 => {
            let [first, second] = distinct(rng, 0, 24).map(|at| name(nations, at));
            arguments.q7(first, second);
        }
        8 => {
            let at = rng.below(25) as usize;
            let nation = nations.get_value(at);
            let region = deviations.region(nation, REGION_OF_NATION[at]);
            arguments.q8(nation, name(lists.regions(), region), one(lists.part_types(), rng));
        }
        9 => arguments.q9(one(lists.part_colors(), rng)),
        10 => arguments.q10(1993, rng.between(2, 25)),
        11 => arguments.q11(one(nations, rng)),
        12 => {
            let [first, second] = distinct(rng, 0, 6).map(|at| name(lists.ship_modes(), at));
            arguments.q12(first, second, year(rng));
        }
        13 => {
            let [first, second] = WORDS.map(|words| words[rng.below(4) as usize]);
            arguments.q13(first, second);
        }
        14 => arguments.q14(1993, rng.between(1, 60) + later),
        15 => arguments.q15(1993, rng.between(1, 58) + later),
        16 => {
            let brand = brand(rng);
            let kind = one(lists.part_types(), rng);
            let syllables = kind.rsplit_once(' ').map_or(kind, |(syllables, _)| syllables);
            arguments.q16(&brand, syllables, &distinct(rng, 1, 50));
        }
        17 => arguments.q17(&brand(rng), one(lists.part_containers(), rng)),
        18 => arguments.q18(rng.between(312, 315)),
        19 => {
            let quantities = [rng.between(1, 10), rng.between(10, 20), rng.between(20, 30)];
            let brands = [brand(rng), brand(rng), brand(rng)];
            arguments.q19(std::array::from_fn(|at| brands[at].as_str()), quantities);
        }
        20 => arguments.q20(one(lists.part_colors(), rng), year(rng), one(nations, rng)),
        21 => arguments.q21(one(nations, rng)),
        22 => arguments.q22(&distinct(rng, FIRST_CODE, FIRST_CODE + 24)),
        other => unreachable!("there is no query {other}"),
    }
}

/// Draws one of the values with equal probability.
fn one<'a>(list: &'a Distribution, rng: &mut Rng) -> &'a str {
    list.get_value(rng.below(list.size() as u64) as usize)
}

fn name(list: &Distribution, at: i64) -> &str {
    list.get_value(at as usize)
}

fn year(rng: &mut Rng) -> i64 {
    rng.between(1993, 1997)
}

fn brand(rng: &mut Rng) -> String {
    format!("Brand#{}{}", rng.between(1, 5), rng.between(1, 5))
}

/// Draws distinct numbers from a range.
fn distinct<const N: usize>(rng: &mut Rng, low: i64, high: i64) -> [i64; N] {
    let mut drawn = [i64::MIN; N];
    for at in 0..N {
        drawn[at] = loop {
            let number = rng.between(low, high);
            if !drawn[..at].contains(&number) {
                break number;
            }
        };
    }
    drawn
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tacho_core::Seed;
    use tacho_driver::{Value, Values};
    use tpchgen::generators::NationGenerator;

    use super::*;
    use crate::queries::day_text;

    /// Returns the distinct values found in 4,000 draws of a query parameter.
    fn drawn(query: u8, parameter: usize, deviations: &Deviations) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for number in 0..4_000 {
            let mut values = Values::default();
            let arguments = &mut Arguments::new(100, &mut values);
            draw(query, &mut Seed(1).rng(number), deviations, arguments);
            found.insert(match values.get(parameter) {
                Value::Text(text) => String::from_utf8_lossy(text).into_owned(),
                Value::Time(midnight) => day_text(midnight),
                Value::Int(number) | Value::Decimal(number) => number.to_string(),
                Value::Null => panic!("query {query}"),
            });
        }
        found
    }

    #[test]
    fn every_parameter_takes_every_value_it_may() {
        let table: [(u8, usize, usize, &str, &str); 24] = [
            (1, 0, 61, "1998-08-03", "1998-10-02"),
            (2, 0, 50, "1", "9"),
            (2, 1, 5, "%BRASS", "%TIN"),
            (3, 0, 5, "AUTOMOBILE", "MACHINERY"),
            (3, 1, 31, "1995-03-01", "1995-03-31"),
            (4, 0, 58, "1993-01-01", "1997-10-01"),
            (5, 1, 5, "1993-01-01", "1997-01-01"),
            (6, 2, 8, "1", "8"),
            (6, 4, 2, "2400", "2500"),
            (7, 0, 25, "ALGERIA", "VIETNAM"),
            (8, 2, 150, "ECONOMY ANODIZED BRASS", "STANDARD POLISHED TIN"),
            (9, 0, 92, "%almond%", "%yellow%"),
            (10, 0, 24, "1993-02-01", "1995-01-01"),
            (12, 0, 7, "AIR", "TRUCK"),
            (13, 0, 16, "%express%accounts%", "%unusual%requests%"),
            (14, 0, 60, "1993-01-01", "1997-12-01"),
            (15, 0, 58, "1993-01-01", "1997-10-01"),
            (16, 0, 25, "Brand#11", "Brand#55"),
            (16, 1, 30, "ECONOMY ANODIZED%", "STANDARD POLISHED%"),
            (17, 1, 40, "JUMBO BAG", "WRAP PKG"),
            (18, 0, 4, "31200", "31500"),
            (19, 3, 10, "100", "900"),
            (19, 7, 11, "2000", "3000"),
            (22, 0, 25, "10", "34"),
        ];
        for (query, parameter, count, first, last) in table {
            let found = drawn(query, parameter, &Deviations::default());
            let ends = (found.first().map(String::as_str), found.last().map(String::as_str));
            assert_eq!((found.len(), ends), (count, (Some(first), Some(last))), "q{query}");
        }
    }

    #[test]
    fn months_and_regions_are_hammerdbs_if_asked_for() {
        let theirs = Deviations { months: true, egypt: true, ..Deviations::default() };
        for (query, first, last) in [
            (4, "1993-02-01", "1997-11-01"),
            (14, "1993-02-01", "1998-01-01"),
            (15, "1993-02-01", "1997-11-01"),
        ] {
            let found = drawn(query, 0, &theirs);
            let ends = (found.first().map(String::as_str), found.last().map(String::as_str));
            assert_eq!(ends, (Some(first), Some(last)), "q{query}");
        }
        let regions_of_egypt: BTreeSet<String> = (0..4_000)
            .filter_map(|number| {
                let mut values = Values::default();
                let arguments = &mut Arguments::new(100, &mut values);
                draw(8, &mut Seed(1).rng(number), &theirs, arguments);
                let text = |at| match values.get(at) {
                    Value::Text(text) => String::from_utf8_lossy(text).into_owned(),
                    other => panic!("{other:?}"),
                };
                (text(0) == "EGYPT").then(|| text(1))
            })
            .collect();
        assert_eq!(regions_of_egypt.into_iter().collect::<Vec<_>>(), ["AFRICA"]);
    }

    #[test]
    fn nations_are_in_the_regions_of_the_data() {
        for (nation, region) in NationGenerator::default().iter().zip(REGION_OF_NATION) {
            assert_eq!(nation.n_regionkey, region, "{}", nation.n_name);
        }
    }

    #[test]
    fn draws_distinct_values() {
        for number in 0..1_000 {
            let codes: [i64; 7] = distinct(&mut Seed(2).rng(number), 10, 34);
            assert_eq!(codes.into_iter().collect::<BTreeSet<_>>().len(), 7);
        }
    }
}
