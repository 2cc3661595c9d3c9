//! Converts the substitution parameters of clause 2.4 to parameters of SQL statements, in the order
//! in which `sql/default.sql` expects them.
//!
//! This file must not draw anything. Start reading at [`Arguments`].

use tacho_driver::Values;

use super::days::{day, later};

/// Number of cloud queries.
pub const CLOUD: usize = 13;

/// Converts a query's substitution parameters and appends them as parameters of its statement.
pub struct Arguments<'a> {
    values: &'a mut Values,
    /// Scale of the data in hundredths of a gigabyte.
    steps: u64,
}

impl<'a> Arguments<'a> {
    /// Creates a converter for data with `steps` steps.
    pub fn new(steps: u64, values: &'a mut Values) -> Self {
        Self { values, steps }
    }

    fn text(&mut self, text: impl AsRef<str>) {
        self.values.text(text.as_ref().as_bytes());
    }

    /// Appends the start and the end of a period of several months.
    fn months(&mut self, year: i64, month: i64, months: i64) {
        self.values.time(day(year, month, 1));
        self.values.time(day(year, month + months, 1));
    }

    /// Appends the first and the last day of 1995 and 1996, the two years that some queries cover.
    fn both_years(&mut self) {
        self.values.time(day(1995, 1, 1));
        self.values.time(day(1996, 12, 31));
    }

    /// Appends a cloud query's fixed parameter values.
    pub fn cloud(&mut self, query: u8) {
        match query {
            1 => self.months(1997, 1, 12),
            4 | 12 => self.months(1995, 1, 12),
            5 => {
                self.values.time(day(1995, 1, 1));
                self.values.time(day(1995, 1, 7));
            }
            8 => self.values.time(day(1996, 4, 30)),
            9 => self.months(1996, 4, 1),
            _ => {}
        }
    }

    /// Appends the values for Q1: lines shipped up to `delta` days before 1998-12-01.
    pub fn q1(&mut self, delta: i64) {
        self.values.time(later(day(1998, 12, 1), -delta));
    }

    /// Appends the values for Q2: a part's size, the last word of its type, and the region of its suppliers.
    pub fn q2(&mut self, size: i64, syllable: &str, region: &str) {
        self.values.int(size);
        self.text(format!("%{syllable}"));
        self.text(region);
    }

    /// Appends the values for Q3: the customers' market segment, and a day in March 1995.
    pub fn q3(&mut self, segment: &str, of_march: i64) {
        self.text(segment);
        self.values.time(day(1995, 3, of_march));
    }

    /// Appends the values for Q4: the quarter that starts with a given month.
    pub fn q4(&mut self, year: i64, month: i64) {
        self.months(year, month, 3);
    }

    /// Appends the values for Q5: a region and a year.
    pub fn q5(&mut self, region: &str, year: i64) {
        self.text(region);
        self.months(year, 1, 12);
    }

    /// Appends the values for Q6: a year, a discount in hundredths, and a quantity.
    pub fn q6(&mut self, year: i64, discount: i64, quantity: i64) {
        self.months(year, 1, 12);
        self.values.decimal(discount - 1);
        self.values.decimal(discount + 1);
        self.values.decimal(quantity * 100);
    }

    /// Appends the values for Q7: two nations.
    pub fn q7(&mut self, nation1: &str, nation2: &str) {
        self.text(nation1);
        self.text(nation2);
        self.both_years();
    }

    /// Appends the values for Q8: a nation, its region, and a part type.
    pub fn q8(&mut self, nation: &str, region: &str, kind: &str) {
        self.text(nation);
        self.text(region);
        self.text(kind);
        self.both_years();
    }

    /// Appends the values for Q9: a colour that occurs in part names.
    pub fn q9(&mut self, color: &str) {
        self.text(format!("%{color}%"));
    }

    /// Appends the values for Q10: the quarter that starts with a given month.
    pub fn q10(&mut self, year: i64, month: i64) {
        self.months(year, month, 3);
    }

    /// Appends the values for Q11: a nation, and 0.0001 divided by the scale factor, with 18 digits.
    pub fn q11(&mut self, nation: &str) {
        self.text(nation);
        self.values.decimal(10_i64.pow(16) / self.steps as i64);
    }

    /// Appends the values for Q12: two ship modes and a year.
    pub fn q12(&mut self, mode1: &str, mode2: &str, year: i64) {
        self.text(mode1);
        self.text(mode2);
        self.months(year, 1, 12);
    }

    /// Appends the values for Q13: two words. Orders whose comments contain both words, in this order, are excluded.
    pub fn q13(&mut self, word1: &str, word2: &str) {
        self.text(format!("%{word1}%{word2}%"));
    }

    /// Appends the values for Q14: a month.
    pub fn q14(&mut self, year: i64, month: i64) {
        self.months(year, month, 1);
    }

    /// Appends the values for Q15: the quarter that starts with a given month.
    pub fn q15(&mut self, year: i64, month: i64) {
        self.months(year, month, 3);
    }

    /// Appends the values for Q16: the brand to exclude, the start of the types to exclude, and eight sizes.
    pub fn q16(&mut self, brand: &str, syllables: &str, sizes: &[i64; 8]) {
        self.text(brand);
        self.text(format!("{syllables}%"));
        for size in sizes {
            self.values.int(*size);
        }
    }

    /// Appends the values for Q17: a brand and a container.
    pub fn q17(&mut self, brand: &str, container: &str) {
        self.text(brand);
        self.text(container);
    }

    /// Appends the value for Q18: the quantity above which an order counts as large.
    pub fn q18(&mut self, quantity: i64) {
        self.values.decimal(quantity * 100);
    }

    /// Appends the values for Q19: three brands, and a range of quantities for each brand. Each range starts at one of
    /// the given quantities.
    pub fn q19(&mut self, brands: [&str; 3], quantities: [i64; 3]) {
        for brand in brands {
            self.text(brand);
        }
        for least in quantities {
            self.values.decimal(least * 100);
            self.values.decimal((least + 10) * 100);
        }
    }

    /// Appends the values for Q20: a colour that part names start with, a year, and a nation.
    pub fn q20(&mut self, color: &str, year: i64, nation: &str) {
        self.text(format!("{color}%"));
        self.months(year, 1, 12);
        self.text(nation);
    }

    /// Appends the values for Q21: a nation.
    pub fn q21(&mut self, nation: &str) {
        self.text(nation);
    }

    /// Appends the values for Q22: seven country codes.
    pub fn q22(&mut self, codes: &[i64; 7]) {
        for code in codes {
            self.text(code.to_string());
        }
    }

    /// Appends the parameter values for which the correct result is published, clause 2.4, "Query validation".
    pub fn validation(&mut self, query: u8) {
        match query {
            1 => self.q1(90),
            2 => self.q2(15, "BRASS", "EUROPE"),
            3 => self.q3("BUILDING", 15),
            4 => self.q4(1993, 7),
            5 => self.q5("ASIA", 1994),
            6 => self.q6(1994, 6, 24),
            7 => self.q7("FRANCE", "GERMANY"),
            8 => self.q8("BRAZIL", "AMERICA", "ECONOMY ANODIZED STEEL"),
            9 => self.q9("green"),
            10 => self.q10(1993, 10),
            11 => self.q11("GERMANY"),
            12 => self.q12("MAIL", "SHIP", 1994),
            13 => self.q13("special", "requests"),
            14 => self.q14(1995, 9),
            15 => self.q15(1996, 1),
            16 => self.q16("Brand#45", "MEDIUM POLISHED", &[49, 14, 23, 45, 19, 3, 36, 9]),
            17 => self.q17("Brand#23", "MED BOX"),
            18 => self.q18(300),
            19 => self.q19(["Brand#12", "Brand#23", "Brand#34"], [1, 10, 20]),
            20 => self.q20("forest", 1994, "CANADA"),
            21 => self.q21("SAUDI ARABIA"),
            22 => self.q22(&[13, 31, 23, 29, 30, 18, 17]),
            other => unreachable!("there is no query {other}"),
        }
    }
}
