//! Files are one idea and functions fit a screen. The limits are a ratchet: they only go down.

use super::Violation;
use super::rust::{Function, Source, is_test_file};
use super::tree::Tree;

const RULE: &str = "size";

/// Lines of a file, tests in it not counted.
const FILE_MAX: usize = 700;
/// Lines of any function, tests included.
const FUNCTION_MAX: usize = 120;
/// Lines that 95 % of the functions do not exceed.
const FUNCTION_P95: usize = 45;
/// Lines that at most [`LONG_SHARE`] of the functions exceed.
const FUNCTION_LONG: usize = 70;
const LONG_SHARE: f64 = 0.01;

/// Checks each file, each function, and the functions as a whole.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (path, source) in tree.rust() {
        let lines = file_lines(path, source);
        if lines > FILE_MAX {
            let text = format!("{lines} lines; a file has at most {FILE_MAX}");
            found.push(Violation::new(path, 1, RULE, text));
        }
        for Function { name, line, lines } in &source.functions {
            if *lines > FUNCTION_MAX {
                let text = format!("{name} has {lines} lines; a function at most {FUNCTION_MAX}");
                found.push(Violation::new(path, *line, RULE, text));
            }
        }
    }
    found.extend(crowd(tree));
    found
}

/// How large files and functions are, in one line.
pub fn shape(tree: &Tree) -> String {
    let files = tree.rust().count();
    let lengths = lengths(tree);
    let long = lengths.iter().filter(|lines| **lines > FUNCTION_LONG).count();
    format!(
        "{files} Rust files, {} functions of median {} and 95th percentile {} lines, {long} over \
         {FUNCTION_LONG}, longest {}",
        lengths.len(),
        percentile(&lengths, 50),
        percentile(&lengths, 95),
        lengths.last().unwrap_or(&0),
    )
}

fn file_lines(path: &str, source: &Source) -> usize {
    if is_test_file(path) { source.code.lines().count() } else { source.product_lines() }
}

/// The limits that hold for the functions as a whole; points to the longest ones.
fn crowd(tree: &Tree) -> Vec<Violation> {
    let lengths = lengths(tree);
    let mut found = Vec::new();
    let p95 = percentile(&lengths, 95);
    if p95 > FUNCTION_P95 {
        let text = format!("95th percentile of functions is {p95} lines; limit {FUNCTION_P95}");
        found.push(Violation::new(".", 1, RULE, text));
    }
    let long = lengths.iter().filter(|lines| **lines > FUNCTION_LONG).count();
    if long as f64 > lengths.len() as f64 * LONG_SHARE {
        for (path, function) in product_functions(tree) {
            if function.lines > FUNCTION_LONG {
                let Function { name, line, lines } = function;
                let text = format!("{name} has {lines} lines; over {FUNCTION_LONG} may be 1 %");
                found.push(Violation::new(path, *line, RULE, text));
            }
        }
    }
    found
}

fn product_functions(tree: &Tree) -> impl Iterator<Item = (&str, &Function)> {
    tree.rust().filter(|(path, _)| !is_test_file(path)).flat_map(|(path, source)| {
        let product = source.functions.iter().filter(|function| !source.is_test(function.line));
        product.map(move |function| (path, function))
    })
}

fn lengths(tree: &Tree) -> Vec<usize> {
    let mut lengths: Vec<usize> = product_functions(tree).map(|(_, f)| f.lines).collect();
    lengths.sort_unstable();
    lengths
}

/// The nearest-rank percentile of a sorted list; 0 for none.
fn percentile(sorted: &[usize], percent: usize) -> usize {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(lines: usize) -> String {
        format!("fn f() {{\n{}}}\n", "x();\n".repeat(lines - 2))
    }

    fn count(path: &str, text: &str) -> usize {
        check(&Tree::of(&[(path, text)])).len()
    }

    #[test]
    fn long_files_are_found_and_tests_in_them_do_not_count() {
        let long = "// line\n".repeat(701);
        assert_eq!(count("a/src/a.rs", &long), 1);
        assert_eq!(count("a/tests/a.rs", &long), 1);
        let tests = format!("#[cfg(test)]\nmod tests {{\n{long}}}\n");
        assert_eq!(count("a/src/a.rs", &tests), 0);
    }

    #[test]
    fn long_functions_are_found_everywhere() {
        assert_eq!(count("a/tests/a.rs", &function(120)), 0);
        assert_eq!(count("a/tests/a.rs", &function(121)), 1);
    }

    #[test]
    fn the_crowd_is_judged_by_its_95th_percentile_and_its_share_of_long_ones() {
        let short = function(3).repeat(99);
        assert_eq!(count("a/src/a.rs", &(short.clone() + &function(71))), 0);
        let two = short + &function(71) + &function(72);
        assert_eq!(count("a/src/a.rs", &two), 2);
        assert_eq!(count("a/src/a.rs", &(function(46))), 1);
        assert_eq!(count("a/src/a.rs", &(function(45))), 0);
    }

    #[test]
    fn percentiles_are_nearest_ranks() {
        let sorted: Vec<usize> = (1..=100).collect();
        assert_eq!((percentile(&sorted, 95), percentile(&sorted, 50)), (95, 50));
        assert_eq!(percentile(&[], 95), 0);
    }
}
