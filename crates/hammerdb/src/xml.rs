//! What is read of HammerDB's configuration files: elements of a name, and the text inside them.

use roxmltree::Node;

/// The elements inside.
pub fn inside<'a, 'input>(node: Node<'a, 'input>) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children().filter(Node::is_element)
}

/// The first element of this name inside.
pub fn child<'a, 'input>(node: Node<'a, 'input>, name: &str) -> Option<Node<'a, 'input>> {
    inside(node).find(|child| child.has_tag_name(name))
}

/// Its text, trimmed; empty if there is none.
pub fn text<'a>(node: Node<'a, '_>) -> &'a str {
    node.text().unwrap_or("").trim()
}

/// The text of the first element of this name inside; empty if there is none.
pub fn text_of<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    child(node, name).map_or("", text)
}
