//! Conditions on the data, as declared in a workload folder.
//!
//! Start reading at [`checks`].

use tacho_core::Result;
use tacho_driver::StatementId;

use super::Script;
use super::definition::CheckDef;
use crate::vm::source::keep;

/// Returns the definition's conditions with their statements.
pub fn checks(script: &Script) -> Result<Vec<(&'static str, &'static str, StatementId)>> {
    let sections = &script.statements.common;
    let check = |def: &CheckDef| {
        let place = sections.iter().position(|section| section.name == def.statement);
        let place = place.ok_or_else(|| {
            let text = format!("unknown statement \"{}\"", def.statement);
            let known = sections.iter().map(|section| section.name.as_str());
            script.definition.error(def.at, &text).did_you_mean(&def.statement, known)
        })?;
        if !sections[place].params.is_empty() || sections[place].results.is_empty() {
            let text =
                format!("statement {} must take no parameters and return rows", def.statement);
            return Err(script
                .definition
                .error(def.at, &text)
                .hint("each returned row counts as a violation"));
        }
        Ok((keep(def.id.clone()), keep(def.rule.clone()), StatementId(place as u16)))
    };
    script.definition.checks.iter().map(check).collect()
}
