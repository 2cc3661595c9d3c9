//! Query plans as text, reduced to their structure so that they can be compared.
//!
//! Estimates and values are removed, because they often change even if the plan itself does not.
//!
//! Start reading at [`push_line`].

/// Appends a line of a plan, with each string and number replaced by `?`. A number that is part of a name such as
/// `lineitem_2` is kept.
pub fn push_line(line: &str, plan: &mut String) {
    let mut rest = line.trim_end().chars().peekable();
    let mut before = ' ';
    while let Some(char) = rest.next() {
        match char {
            '\'' => {
                // A doubled quote does not end the string, so that the whole string becomes a single `?`.
                while rest.next().is_some_and(|inner| inner != '\'')
                    || rest.next_if_eq(&'\'').is_some()
                {}
                plan.push('?');
            }
            '0'..='9' if !is_of_name(before) => {
                while rest.next_if(|next| next.is_ascii_digit() || *next == '.').is_some() {}
                plan.push('?');
            }
            _ => plan.push(char),
        }
        before = char;
    }
    plan.push('\n');
}

fn is_of_name(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '$' | '#')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_left_out_and_names_are_not() {
        let table = [
            ("Filter: (l_discount >= 0.05)", "Filter: (l_discount >= ?)"),
            ("  Cond: (d < '1998-09-02'::date)  ", "  Cond: (d < ?::date)"),
            ("a = 'it''s' AND b = ''", "a = ? AND b = ?"),
            ("Seq Scan on lineitem_2 l1", "Seq Scan on lineitem_2 l1"),
            ("InitPlan 1 (returns $0)", "InitPlan ? (returns $0)"),
            ("x = 'unfinished", "x = ?"),
            ("", ""),
        ];
        for (line, expected) in table {
            let mut plan = String::new();
            push_line(line, &mut plan);
            assert_eq!(plan, format!("{expected}\n"));
        }
    }
}
