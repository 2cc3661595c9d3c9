//! Converts the sender's summary from Markdown to HTML for the top of a page.
//!
//! The page must not load anything, and the text must not run scripts. Start reading at [`html`].

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html::push_html};

/// Returns the text as safe HTML. HTML tags are shown as text, images become descriptions, and links may lead only to
/// web pages, mail addresses and parts of the page.
pub(super) fn html(text: &str) -> String {
    let mut html = String::new();
    push_html(&mut html, Parser::new_ext(text, Options::ENABLE_TABLES).filter_map(harmless));
    html
}

fn harmless(event: Event<'_>) -> Option<Event<'_>> {
    match event {
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => None,
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let is_known = ["https://", "http://", "mailto:", "#"];
            let is_known = is_known.iter().any(|start| dest_url.starts_with(start));
            let dest_url = if is_known { dest_url } else { CowStr::from("#") };
            Some(Event::Start(Tag::Link { link_type, dest_url, title, id }))
        }
        other => Some(other),
    }
}

#[cfg(test)]
mod tests {
    use super::html;

    #[test]
    fn a_summary_loads_and_runs_nothing() {
        let text = "**Faster**, see [why](https://example.org).\n\n- one\n\n<script>alert(1)</script>\n\n\
                    ![a chart](https://example.org/x.png) [here](javascript:alert(1))";
        let page = html(text);
        assert!(
            page.contains("<strong>Faster</strong>") && page.contains("<li>one</li>"),
            "{page}"
        );
        assert!(page.contains("<a href=\"https://example.org\">") && page.contains("a chart"));
        for part in ["<script", "<img", "javascript:"] {
            assert!(!page.contains(part), "{part}: {page}");
        }
        assert_eq!(html(""), "");
    }
}
