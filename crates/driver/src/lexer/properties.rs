//! Properties of the lexer that must hold for every text.

use proptest::prelude::*;

use super::{Lexeme, Syntax, Token, tokens, variables};

/// Returns a few syntaxes, which together cover all lexical rules.
fn syntaxes() -> [Syntax; 5] {
    let brackets = Syntax { brackets: true, backticks: true, ..Syntax::PLAIN };
    let delimited = Syntax { delimited_strings: true, ..Syntax::PLAIN };
    [Syntax::PLAIN, Syntax::STANDARD, Syntax::BACKSLASH, brackets, delimited]
}

/// Generates a token that is complete according to the standard rules, such as a string with its closing quote. The
/// second value is the token's kind.
fn part() -> impl Strategy<Value = (String, Token)> {
    let inner = "[a-z'\"\\\\:;$* /\n-]{0,12}";
    let plain = |text: String| text.replace('$', "");
    prop_oneof![
        "[a-df-mo-tvwyz_é][a-z0-9$]{0,5}".prop_map(|text| (text, Token::Word)),
        "[0-9]{1,6}".prop_map(|text| (text, Token::Number)),
        inner.prop_map(|text| (format!("'{}'", text.replace('\'', "''")), Token::Text)),
        inner.prop_map(|text| (
            format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
            Token::Text
        )),
        inner.prop_map(move |text| (format!("$t${}$t$", plain(text)), Token::Text)),
        inner.prop_map(|text| (format!("\"{}\"", text.replace('"', "\"\"")), Token::Name)),
        inner.prop_map(|text| (format!("/*{}*/", text.replace(['*', '/'], "")), Token::Comment)),
        inner.prop_map(|text| (format!("--{}\n", text.replace('\n', "")), Token::Comment)),
        Just((";".to_owned(), Token::Sign(b';'))),
    ]
}

proptest! {
    #[test]
    fn parts_cover_every_text(text in "[a-eqxnuE'\"`$\\[\\](){}:;#@*/\\\\ \n1é-]{0,80}") {
        for syntax in syntaxes() {
            let mut end = 0;
            for Lexeme { range, .. } in tokens(&text, syntax) {
                prop_assert_eq!(range.start, end);
                prop_assert!(range.end > range.start);
                prop_assert!(text.get(range.clone()).is_some(), "{:?} splits a character", range);
                end = range.end;
            }
            prop_assert_eq!(end, text.len());
            for variable in variables(&text, syntax) {
                prop_assert_eq!(text.get(variable.colon + 1..variable.end()), Some(variable.name));
            }
        }
    }

    #[test]
    fn parts_are_found_as_they_were_written(parts in prop::collection::vec(part(), 0..12)) {
        let text: String = parts.iter().flat_map(|(text, _)| [text.as_str(), " ,"]).collect();
        let found: Vec<(String, Token)> = tokens(&text, Syntax::STANDARD)
            .filter(|part| !matches!(part.token, Token::Blank | Token::Sign(b',')))
            .inspect(|part| assert!(part.is_closed, "{part:?}"))
            .map(|part| (text[part.range].to_owned(), part.token))
            .collect();
        let trimmed = |(text, token): &(String, Token)| match token {
            Token::Comment => (text.trim_end_matches('\n').to_owned(), *token),
            _ => (text.clone(), *token),
        };
        let expected: Vec<(String, Token)> = parts.iter().map(trimmed).collect();
        prop_assert_eq!(found, expected);
    }
}
