//! The 5 regions and 62 nations. A nation's key is the character code of the first letter or digit
//! of a customer's state, so the state determines the nation.
//!
//! The queries filter by Germany and Cambodia. Their keys are upper-case letters, because TPC-C's
//! states consist of upper-case letters.

/// Region names; a region's key is its index.
pub const REGIONS: [&str; 5] = ["Africa", "America", "Asia", "Europe", "Middle East"];

const AFRICA: usize = 0;
const AMERICA: usize = 1;
const ASIA: usize = 2;
const EUROPE: usize = 3;
const MIDDLE_EAST: usize = 4;

/// A nation: the character that is its key, its name, and its region's key.
pub type Nation = (u8, &'static str, usize);

/// All nations in key order.
pub const NATIONS: [Nation; 62] = [
    (b'0', "Angola", AFRICA),
    (b'1', "Bolivia", AMERICA),
    (b'2', "Chile", AMERICA),
    (b'3', "Denmark", EUROPE),
    (b'4', "Ecuador", AMERICA),
    (b'5', "Saudi Arabia", MIDDLE_EAST),
    (b'6', "Ghana", AFRICA),
    (b'7', "Ireland", EUROPE),
    (b'8', "Indonesia", ASIA),
    (b'9', "Korea", ASIA),
    (b'A', "Argentina", AMERICA),
    (b'B', "Brazil", AMERICA),
    (b'C', "Cambodia", ASIA),
    (b'D', "Dominica", AMERICA),
    (b'E', "Egypt", MIDDLE_EAST),
    (b'F', "France", EUROPE),
    (b'G', "Germany", EUROPE),
    (b'H', "Honduras", AMERICA),
    (b'I', "India", ASIA),
    (b'J', "Japan", ASIA),
    (b'K', "Kenya", AFRICA),
    (b'L', "Lithuania", EUROPE),
    (b'M', "Morocco", AFRICA),
    (b'N', "Netherlands", EUROPE),
    (b'O', "Oman", MIDDLE_EAST),
    (b'P', "Portugal", EUROPE),
    (b'Q', "Qatar", MIDDLE_EAST),
    (b'R', "Rwanda", AFRICA),
    (b'S', "Spain", EUROPE),
    (b'T', "Thailand", ASIA),
    (b'U', "Uruguay", AMERICA),
    (b'V', "Vietnam", ASIA),
    (b'W', "Botswana", AFRICA),
    (b'X', "Mexico", AMERICA),
    (b'Y', "Yemen", MIDDLE_EAST),
    (b'Z', "Zimbabwe", AFRICA),
    (b'a', "Austria", EUROPE),
    (b'b', "Belgium", EUROPE),
    (b'c', "China", ASIA),
    (b'd', "Djibouti", AFRICA),
    (b'e', "Estonia", EUROPE),
    (b'f', "Finland", EUROPE),
    (b'g', "Greece", EUROPE),
    (b'h', "Hungary", EUROPE),
    (b'i', "Iraq", MIDDLE_EAST),
    (b'j', "Jordan", MIDDLE_EAST),
    (b'k', "Kuwait", MIDDLE_EAST),
    (b'l', "Lebanon", MIDDLE_EAST),
    (b'm', "Malaysia", ASIA),
    (b'n', "Nigeria", AFRICA),
    (b'o', "Colombia", AMERICA),
    (b'p', "Peru", AMERICA),
    (b'q', "Mozambique", AFRICA),
    (b'r', "Romania", EUROPE),
    (b's', "Sweden", EUROPE),
    (b't', "Turkey", MIDDLE_EAST),
    (b'u', "Uganda", AFRICA),
    (b'v', "Venezuela", AMERICA),
    (b'w', "Malawi", AFRICA),
    (b'x', "Luxembourg", EUROPE),
    (b'y', "Cyprus", MIDDLE_EAST),
    (b'z', "Switzerland", EUROPE),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_nation_for_each_digit_and_letter() {
        let keys: Vec<u8> = NATIONS.iter().map(|(key, ..)| *key).collect();
        let alphanumeric: Vec<u8> = (0..=127_u8).filter(u8::is_ascii_alphanumeric).collect();
        assert_eq!(keys, alphanumeric);
        let names: std::collections::BTreeSet<&str> =
            NATIONS.iter().map(|nation| nation.1).collect();
        assert_eq!(names.len(), NATIONS.len(), "a name is there twice");
        assert!(NATIONS.iter().all(|(.., region)| *region < REGIONS.len()));
    }
}
