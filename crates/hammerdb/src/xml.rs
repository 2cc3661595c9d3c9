//! Reads elements and their text from HammerDB's configuration files.

use roxmltree::Node;

/// Returns the child elements.
pub fn inside<'a, 'input>(node: Node<'a, 'input>) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children().filter(Node::is_element)
}

pub fn child<'a, 'input>(node: Node<'a, 'input>, name: &str) -> Option<Node<'a, 'input>> {
    inside(node).find(|child| child.has_tag_name(name))
}

/// Returns the trimmed text of an element, or an empty string if it has none.
pub fn text<'a>(node: Node<'a, '_>) -> &'a str {
    node.text().unwrap_or("").trim()
}

/// Returns the text of the first child element with this name, or an empty string.
pub fn text_of<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    child(node, name).map_or("", text)
}
