//! The order of repeated runs.
//!
//! Start reading at [`points`].

use tacho_config::Order;
use tacho_core::Seed;
use tacho_store::sweep::Point;

use super::pending_point;

/// Returns all points in the order in which they will be measured.
pub(super) fn points(grid: &[Vec<String>], repeat: u32, order: Order) -> Vec<Point> {
    if order == Order::Grouped {
        let repeated = |values: &Vec<String>| {
            let values = values.clone();
            (1..=repeat).map(move |repetition| pending_point(values.clone(), repetition))
        };
        return grid.iter().flat_map(repeated).collect();
    }
    let mut points = Vec::new();
    for repetition in 1..=repeat {
        let mut round: Vec<Point> =
            grid.iter().map(|values| pending_point(values.clone(), repetition)).collect();
        match order {
            Order::Turns if repetition % 2 == 0 => round.reverse(),
            Order::Random => shuffle(&mut round, repetition),
            _ => {}
        }
        points.extend(round);
    }
    points
}

/// The minimum number of pairs of identical runs. Two pairs say almost nothing about how much the runs vary.
const EQUAL_MIN: u32 = 3;

/// Returns pairs of identical runs in alternating order: 1 2, 2 1, 1 2.
pub(super) fn equal(values: &[String], repeat: u32) -> Vec<Point> {
    let pair = |repetition: u32| {
        let sides = if repetition.is_multiple_of(2) { [2, 1] } else { [1, 2] };
        sides.map(|side| Point {
            equal_side: Some(side),
            ..pending_point(values.to_vec(), repetition)
        })
    };
    (1..=repeat.max(EQUAL_MIN)).flat_map(pair).collect()
}

/// Shuffles the points (Fisher–Yates) with a fixed seed, so that a repeated sweep has the same order.
fn shuffle(points: &mut [Point], repetition: u32) {
    let mut rng = Seed(0).rng(u64::from(repetition));
    for last in (1..points.len()).rev() {
        points.swap(last, rng.below(last as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(order: Order) -> String {
        let grid = [vec!["A".to_owned()], vec!["B".to_owned()]];
        points(&grid, 3, order).iter().map(|point| point.values[0].as_str()).collect()
    }

    #[test]
    fn equal_runs_go_there_and_back() {
        let points = equal(&["A".to_owned()], 2);
        let sides: Vec<u32> = points.iter().filter_map(|point| point.equal_side).collect();
        assert_eq!(sides, [1, 2, 2, 1, 1, 2]);
    }

    #[test]
    fn orders() {
        assert_eq!(words(Order::Turns), "ABBAAB");
        assert_eq!(words(Order::Grouped), "AAABBB");
        let mut random: Vec<char> = words(Order::Random).chars().collect();
        random.sort_unstable();
        assert_eq!(random.into_iter().collect::<String>(), "AAABBB");
    }
}
