//! As much of XML as HammerDB's configuration files use: elements, text and comments.
//!
//! Start reading at [`parse`].

/// An element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Element {
    /// Name.
    pub name: String,
    /// Text directly inside, trimmed.
    pub text: String,
    /// Elements inside.
    pub inside: Vec<Element>,
}

impl Element {
    /// The first element of this name inside.
    pub fn child(&self, name: &str) -> Option<&Self> {
        self.inside.iter().find(|child| child.name == name)
    }

    /// The text of the first element of this name inside; empty if there is none.
    pub fn text_of(&self, name: &str) -> &str {
        self.child(name).map_or("", |child| &child.text)
    }
}

/// Reads a document: its outermost element, or what is wrong with it.
pub fn parse(text: &str) -> Result<Element, String> {
    let mut open = vec![Element::default()];
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        add_text(&mut open, &rest[..at]);
        rest = &rest[at..];
        let skipped = [("<!--", "-->"), ("<?", "?>"), ("<!", ">")];
        if let Some((_, end)) = skipped.iter().find(|(start, _)| rest.starts_with(start)) {
            let after = rest.find(end).ok_or_else(|| format!("no {end} after {}", line(rest)))?;
            rest = &rest[after + end.len()..];
            continue;
        }
        let end = rest.find('>').ok_or_else(|| format!("no > after {}", line(rest)))?;
        tag(&mut open, &rest[1..end])?;
        rest = &rest[end + 1..];
    }
    match open.as_mut_slice() {
        [root] => root.inside.pop().ok_or_else(|| "no element found".into()),
        [.., left] => Err(format!("<{}> is not closed", left.name)),
        [] => Err("unexpected closing tag".into()),
    }
}

fn tag(open: &mut Vec<Element>, inner: &str) -> Result<(), String> {
    if let Some(name) = inner.strip_prefix('/') {
        let closed = open.pop().filter(|closed| closed.name == name.trim());
        let (Some(closed), Some(outer)) = (closed, open.last_mut()) else {
            return Err(format!("</{name}> closes nothing"));
        };
        outer.inside.push(closed);
        return Ok(());
    }
    let name = inner.trim_end_matches('/').split_whitespace().next().unwrap_or("").to_owned();
    let element = Element { name, ..Element::default() };
    match open.last_mut() {
        Some(outer) if inner.ends_with('/') => outer.inside.push(element),
        _ => open.push(element),
    }
    Ok(())
}

fn add_text(open: &mut [Element], text: &str) {
    let Some(element) = open.last_mut() else { return };
    let text = text.trim();
    let entities =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    // The sign that begins all of them comes last.
    let plain = entities.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
    element.text.push_str(&plain);
}

/// The beginning of what is left, for messages.
fn line(text: &str) -> &str {
    text.lines().next().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_read() {
        let text = "<?xml version=\"1.0\"?>\n<!-- <a> -->\n<a x='1'>\n <b>it&apos;s &amp;lt; 1</b><c/>\n</a>";
        let root = parse(text).expect("a document");
        assert_eq!((root.name.as_str(), root.inside.len()), ("a", 2));
        assert_eq!((root.text_of("b"), root.text_of("c")), ("it's &lt; 1", ""));
        for bad in ["", "<a>", "<a></b>", "</a>", "<!-- ", "<a"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
