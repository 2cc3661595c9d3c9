//! Lists the notices of a run: its warnings, and the reasons for the verdict INVALID. Each notice
//! has a hint.

use tacho_store::record::NoticeRecord;

use crate::document::{Remark, Tone};

/// Returns the reasons why the run is INVALID, if there are any, followed by the warnings.
pub(crate) fn notices(notices: &[NoticeRecord]) -> Vec<Remark> {
    let remark = |notice: &NoticeRecord| Remark {
        tone: if notice.invalidates { Tone::Bad } else { Tone::Warn },
        text: format!("{} ({})", notice.text, notice.id),
        hint: notice.hint.clone(),
    };
    let mut all: Vec<Remark> = notices.iter().map(remark).collect();
    // The sort is stable, so notices of the same kind remain in order.
    all.sort_by_key(|notice| notice.tone != Tone::Bad);
    all
}
