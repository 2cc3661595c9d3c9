//! Detection of runs that alternate between two sides.
//!
//! Start reading at [`alternate`].

use super::Side;

/// Returns true if the runs of both sides alternated, so that the n-th runs of the two sides took place under the
/// same conditions.
pub(crate) fn alternate(baseline: &Side, run: &Side) -> bool {
    let starts =
        |side: &Side| side.runs.iter().map(|run| run.record.started_at.clone()).collect::<Vec<_>>();
    are_in_turns(starts(baseline), starts(run))
}

/// Returns true if the start times alternate between the two sides.
fn are_in_turns(baseline: Vec<String>, run: Vec<String>) -> bool {
    if baseline.len() != run.len() {
        return false;
    }
    let of = |starts: Vec<String>, is_run| starts.into_iter().map(move |start| (start, is_run));
    let mut all: Vec<(String, bool)> = of(baseline, false).chain(of(run, true)).collect();
    all.sort();
    all.chunks_exact(2).all(|pair| pair[0].1 != pair[1].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_alternate_whichever_side_is_first() {
        let starts = |all: &[&str]| all.iter().map(|start| (*start).to_owned()).collect();
        assert!(are_in_turns(starts(&["01", "04", "05"]), starts(&["02", "03", "06"])));
        assert!(!are_in_turns(starts(&["01", "02", "03"]), starts(&["04", "05", "06"])));
        assert!(!are_in_turns(starts(&["01", "03"]), starts(&["02"])));
    }
}
