//! The lexical rules that differ between databases.

/// The lexical rules of a database. All databases have `'text'` with doubled quotes, `--` comments and `/* */`
/// comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent rules")]
pub struct Syntax {
    /// A backslash escapes the next character in every string.
    pub backslash_escapes: bool,
    /// `E'…'` is a string with backslash escapes.
    pub escape_strings: bool,
    /// `$tag$ … $tag$` is a string, and `$1` a parameter.
    pub dollar_quotes: bool,
    /// `"…"` is a string rather than a name.
    pub double_quoted_strings: bool,
    /// `` `…` `` is a name.
    pub backticks: bool,
    /// `[…]` is a name.
    pub brackets: bool,
    /// `q'[…]'` is a string.
    pub delimited_strings: bool,
    /// Block comments may be nested.
    pub nested_comments: bool,
    /// `#` starts a comment.
    pub hash_comments: bool,
    /// `--` starts a comment only if it is followed by white space.
    pub dashes_need_blank: bool,
    /// The text within `/*! … */` is code.
    pub executed_comments: bool,
}

impl Syntax {
    /// The lexical rules that are common to all databases.
    pub const PLAIN: Self = Self {
        backslash_escapes: false,
        escape_strings: false,
        dollar_quotes: false,
        double_quoted_strings: false,
        backticks: false,
        brackets: false,
        delimited_strings: false,
        nested_comments: false,
        hash_comments: false,
        dashes_need_blank: false,
        executed_comments: false,
    };

    /// Standard SQL as read by psql and pgbench, with dollar quotes, `E'…'` strings and nested comments.
    pub const STANDARD: Self =
        Self { escape_strings: true, dollar_quotes: true, nested_comments: true, ..Self::PLAIN };

    /// Backslash escapes, strings in double quotes, names in backticks, and comments after `#`.
    pub const BACKSLASH: Self = Self {
        backslash_escapes: true,
        double_quoted_strings: true,
        backticks: true,
        hash_comments: true,
        dashes_need_blank: true,
        executed_comments: true,
        ..Self::PLAIN
    };
}
