//! `apg explain`.

use apg_analysis::diagnostics::Rule;
use apg_project::rules::{rule, rules};
use clap::Args;

use crate::failure::{Failure, Outcome};
use crate::output;

/// Print the page of a diagnostic code: the rule, why it is, a refused program and the same one fixed
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The code, e.g. `cuda/missing-clocked-async`; without it all codes are listed
    code: Option<String>,
}

impl Explain {
    pub(crate) fn run(self) -> Outcome {
        let Some(code) = &self.code else {
            for rule in rules() {
                output::line(format_args!("{:<42} {}", rule.code, rule.summary))?;
            }
            return Ok(0);
        };
        let Some(rule) = rule(code) else { return Err(unknown(code)) };
        output::line(rule.page().trim_end())?;
        Ok(0)
    }
}

fn unknown(code: &str) -> Failure {
    let failure = Failure::misuse(format!("there is no diagnostic code `{code}`"));
    let similar: Vec<&Rule> = rules().filter(|rule| rule.code.contains(code)).take(5).collect();
    if let Some(near) =
        apg_syntax::closest(code, rules().map(|rule| rule.code)).filter(|_| similar.is_empty())
    {
        return failure.hint(format!("did you mean {near}?"));
    }
    if similar.is_empty() {
        return failure.hint("`apg explain` lists all codes");
    }
    let names: Vec<&str> = similar.iter().map(|rule| rule.code).collect();
    failure.hint(format!("did you mean {}?", names.join(", ")))
}
