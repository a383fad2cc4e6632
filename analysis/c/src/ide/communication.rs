//! The communication plan of a file with XcalableMP: what each directive moves between nodes.

use apg_c_syntax::TextRange;

use crate::Parsed;
use crate::xmp::{Model, communication, directives};

/// What a directive moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommunicationPlan {
    /// The name of the directive.
    pub directive: String,
    /// Where the directive's name is in the file.
    pub range: TextRange,
    /// What moves, between whom, how much and which way; at least one line.
    pub lines: Vec<String>,
}

/// The plans of all directives that move something or let nodes wait, in the order of the source.
pub fn communication_plans(parsed: &Parsed) -> Vec<CommunicationPlan> {
    let program = &parsed.program;
    let model = Model::of(program);
    let plan = |directive: &crate::hir::Directive| {
        let lines = communication(program, &model, directive);
        let range = parsed.spelled(directive.name_range).filter(|_| !lines.is_empty())?;
        Some(CommunicationPlan { directive: directive.name.to_string(), range, lines })
    };
    directives(program).filter_map(plan).collect()
}
