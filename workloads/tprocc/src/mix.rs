//! Selects the type of the next transaction: by weights, from a deck of cards, or by drawing one of 23 numbers.
//!
//! The selection must depend only on the seed, the session and the sequence number.
//!
//! Start reading at [`Mix`] and [`Dealer`].

use tacho_core::{Error, Result, Rng, Seed};

/// Number of transaction types.
pub const KINDS: usize = 5;
/// Index of the new-order transaction.
pub const NEW_ORDER: usize = 0;
/// Index of the payment transaction.
pub const PAYMENT: usize = 1;
/// Index of the order-status transaction.
pub const ORDER_STATUS: usize = 2;
/// Index of the delivery transaction.
pub const DELIVERY: usize = 3;
/// Index of the stock-level transaction.
pub const STOCK_LEVEL: usize = 4;

/// Names of the transactions in index order.
pub const NAMES: [&str; KINDS] =
    ["new_order", "payment", "order_status", "delivery", "stock_level"];

/// Number of cards for each transaction type in a deck of 23, clause 5.2.4.2.
const CARDS: [u8; KINDS] = [10, 10, 1, 1, 1];
const DECK: usize = 23;

/// The rule for selecting transactions.
#[derive(Clone, Debug, PartialEq)]
pub enum Mix {
    /// Independent draws with the given weights, stored as cumulative sums.
    Weights([f64; KINDS]),
    /// A deck for each session, reshuffled after its last card.
    Deck,
    /// Independent draws from 1 to 23.
    Of23,
}

impl Mix {
    /// Returns mix `name`. If the mix needs weights, `weights` must be a list of five with at least one above zero.
    pub fn new(name: &str, weights: &str) -> Result<Self> {
        match name {
            "deck" => Ok(Self::Deck),
            "of23" => Ok(Self::Of23),
            _ => parse_weights(weights).map(Self::Weights).ok_or_else(|| {
                Error::usage(format!("invalid value for weights: \"{weights}\""))
                    .hint("use five numbers that are not all zero, such as 45,43,4,4,4")
            }),
        }
    }

    /// Returns the fraction of transactions that are of each type.
    pub fn shares(&self) -> [f64; KINDS] {
        match self {
            Self::Weights(sums) => {
                let mut below = 0.0;
                sums.map(|sum| {
                    let share = (sum - below) / sums[KINDS - 1];
                    below = sum;
                    share
                })
            }
            Self::Deck | Self::Of23 => CARDS.map(|cards| f64::from(cards) / DECK as f64),
        }
    }
}

/// Parses five weights and returns their cumulative sums.
fn parse_weights(text: &str) -> Option<[f64; KINDS]> {
    let mut sums = [0.0; KINDS];
    let mut sum = 0.0;
    let mut parts = text.split(',');
    for slot in &mut sums {
        let weight: f64 = parts.next()?.trim().parse().ok()?;
        if !(0.0..=1e9).contains(&weight) {
            return None;
        }
        sum += weight;
        *slot = sum;
    }
    (parts.next().is_none() && sum > 0.0).then_some(sums)
}

/// Deals transactions for one session.
#[derive(Clone, Debug)]
pub struct Dealer {
    mix: Mix,
    seed: Seed,
    /// Number of the current deck, or `None` before the first card.
    number: Option<u64>,
    deck: [u8; DECK],
}

impl Dealer {
    /// Creates a dealer for the session with the given seed.
    pub fn new(mix: Mix, session_seed: Seed) -> Self {
        Self { mix, seed: session_seed.child("deck"), number: None, deck: [0; DECK] }
    }

    /// Deals for the session with the given seed from now on.
    pub fn reseed(&mut self, session_seed: Seed) {
        (self.seed, self.number) = (session_seed.child("deck"), None);
    }

    /// Returns the type of the transaction with number `sequence`. If the mix does not use a shuffled deck, the type is
    /// drawn with `rng`.
    #[inline]
    pub fn deal(&mut self, sequence: u64, rng: &mut Rng) -> usize {
        match &self.mix {
            Mix::Weights(sums) => {
                let drawn = rng.unit() * sums[KINDS - 1];
                sums[..KINDS - 1].iter().filter(|sum| drawn >= **sum).count()
            }
            // HammerDB checks the last three types in this order: delivery, stock-level, order-status.
            Mix::Of23 => match rng.between(1, DECK as i64) {
                1..=10 => NEW_ORDER,
                11..=20 => PAYMENT,
                21 => DELIVERY,
                22 => STOCK_LEVEL,
                _ => ORDER_STATUS,
            },
            Mix::Deck => {
                let number = sequence / DECK as u64;
                if self.number != Some(number) {
                    self.shuffle(number);
                }
                usize::from(self.deck[(sequence % DECK as u64) as usize])
            }
        }
    }

    /// Creates a new deck, shuffled with the Fisher–Yates algorithm.
    fn shuffle(&mut self, number: u64) {
        self.number = Some(number);
        let mut at = 0;
        for (kind, cards) in CARDS.iter().enumerate() {
            for _ in 0..*cards {
                self.deck[at] = kind as u8;
                at += 1;
            }
        }
        let mut rng = self.seed.rng(number);
        for last in (1..DECK).rev() {
            self.deck.swap(last, rng.below(last as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_five_and_not_all_zero() -> Result<()> {
        let shares = Mix::new("weights", " 0, 1.5, 0, 0, 0.5")?.shares();
        let percents = shares.map(|share| (share * 100.0).round() as u8);
        assert_eq!(percents, [0, 75, 0, 0, 25]);
        let bad =
            ["", "1,2,3,4", "1,2,3,4,5,6", "0,0,0,0,0", "1,1,1,1,-1", "1,1,1,1,x", "NaN,1,1,1,1"];
        for bad in bad {
            assert!(Mix::new("weights", bad).is_err(), "{bad}");
        }
        Ok(())
    }

    #[test]
    fn every_deck_is_complete_and_shuffled() {
        let mut dealer = Dealer::new(Mix::Deck, Seed(5));
        let mut rng = Seed(6).rng(0);
        let mut first_cards = [0_u32; KINDS];
        for deck in 0..1_000 {
            let mut seen = [0_u8; KINDS];
            for card in 0..DECK as u64 {
                let kind = dealer.deal(deck * DECK as u64 + card, &mut rng);
                seen[kind] += 1;
                first_cards[kind] += u32::from(card == 0);
            }
            assert_eq!(seen, CARDS);
        }
        assert!(first_cards[ORDER_STATUS] > 20 && first_cards[NEW_ORDER] > 350, "{first_cards:?}");
    }

    #[test]
    fn draws_follow_the_shares() -> Result<()> {
        for (mix, tolerance) in [(Mix::Of23, 0.0015), (Mix::new("weights", "45,43,4,4,4")?, 0.0015)]
        {
            let shares = mix.shares();
            let mut dealer = Dealer::new(mix, Seed(1));
            let mut rng = Seed(2).rng(0);
            let mut seen = [0_u32; KINDS];
            for sequence in 0..1_000_000 {
                seen[dealer.deal(sequence, &mut rng)] += 1;
            }
            for kind in 0..KINDS {
                let found = f64::from(seen[kind]) / 1e6;
                assert!((found - shares[kind]).abs() < tolerance, "{kind}: {found}");
            }
        }
        Ok(())
    }
}
