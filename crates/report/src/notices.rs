//! Reasons and warnings in full, each with its remedy.

use tacho_store::record::NoticeRecord;

use crate::document::{Remark, Tone};

/// What makes the run invalid first, then the warnings.
pub(crate) fn notices(notices: &[NoticeRecord]) -> Vec<Remark> {
    let remark = |notice: &NoticeRecord| Remark {
        tone: if notice.invalidates { Tone::Bad } else { Tone::Warn },
        text: format!("{} ({})", notice.text, notice.id),
        hint: notice.hint.clone(),
    };
    let mut all: Vec<Remark> = notices.iter().map(remark).collect();
    // Stable: those of one kind stay in their order.
    all.sort_by_key(|own| own.tone != Tone::Bad);
    all
}
