//! Reasons and warnings in full, each with its remedy.
//!
//! Start reading at [`notices`].

use tacho_store::record::NoticeRecord;

use crate::layout::Page;

/// What makes the run invalid first, then the warnings.
pub(crate) fn notices(page: &mut Page, notices: &[NoticeRecord]) {
    let (reasons, warnings): (Vec<&NoticeRecord>, Vec<&NoticeRecord>) =
        notices.iter().partition(|notice| notice.invalidates);
    for notice in reasons.into_iter().chain(warnings) {
        let mark = if notice.invalidates { "✗" } else { "!" };
        page.text(&format!("  {mark} {} ({})", notice.text, notice.id), 4);
        if !notice.hint.is_empty() {
            page.text(&format!("    hint: {}", notice.hint), 10);
        }
    }
}
