//! Hover on directives and on variables of regions.

use apg_c_syntax::{Family, TextRange, TextSize};

use super::transfers::{Transfer, reason, transfers};
use super::{regions_around, variable_at};
use crate::Parsed;
use crate::hir::{Construct, Directive, DirectiveId, VariableId};
use crate::sharing::Sharing;
use crate::xmp::{Model, communication, describe_array, describe_loop};

/// What is shown at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// What it is about.
    pub range: TextRange,
    /// Markdown.
    pub markdown: String,
}

/// The description of the directive, or of the variable in its region, at a position.
pub fn hover(parsed: &Parsed, offset: TextSize) -> Option<Hover> {
    if let Some((variable, range, in_tree)) = variable_at(parsed, offset) {
        let regions = regions_around(parsed, in_tree);
        let shared = regions.iter().find_map(|id| Some((*id, parsed.program.sharing(*id, variable)?)));
        if let Some((region, sharing)) = shared {
            return Some(Hover { range, markdown: of_variable(parsed, variable, region, sharing) });
        }
    }
    let program = &parsed.program;
    if let Some(hover) = global_array(parsed, offset) {
        return Some(hover);
    }
    program.directive_ids().find_map(|id| {
        let directive = program.directive(id);
        let range = parsed.spelled(directive.name_range)?;
        range
            .contains_inclusive(offset)
            .then(|| Hover { range, markdown: of_directive(parsed, id, directive) })
    })
}

/// The distribution of the global array that is named at a position: in code, in a directive, in its
/// declaration.
fn global_array(parsed: &Parsed, offset: TextSize) -> Option<Hover> {
    let program = &parsed.program;
    let model = Model::of(program);
    let is_at = |range: &TextRange| parsed.spelled(*range).is_some_and(|it| it.contains_inclusive(offset));
    let named = variable_at(parsed, offset).map(|it| (it.0, it.1)).or_else(|| {
        model.arrays.iter().find_map(|it| {
            let declared = program.variable(it.variable).range;
            let range = [Some(it.range), declared].into_iter().flatten().find(is_at)?;
            Some((it.variable, parsed.spelled(range)?))
        })
    });
    let (variable, range) = named?;
    let markdown = describe_array(program, &model, variable)?;
    Some(Hover { range, markdown })
}

fn of_variable(parsed: &Parsed, variable: VariableId, region: DirectiveId, sharing: Sharing) -> String {
    let name = &parsed.program.variable(variable).name;
    let directive = &parsed.program.directive(region).name;
    let bytes = bytes(parsed, variable).map_or_else(String::new, |it| format!(", {it}"));
    format!(
        "`{name}` is **{}** in the region of `{directive}`{bytes}\n\n{}",
        sharing.attribute.text(),
        reason(parsed, sharing)
    )
}

/// The size of a variable in words.
fn bytes(parsed: &Parsed, variable: VariableId) -> Option<String> {
    match parsed.program.size_of(&parsed.program.variable(variable).ty)? {
        1 => Some("1 byte".to_owned()),
        bytes => Some(format!("{bytes} bytes")),
    }
}

fn of_directive(parsed: &Parsed, id: DirectiveId, directive: &Directive) -> String {
    let sentinel = match directive.family {
        Family::OpenMp => "omp",
        Family::OpenAcc => "acc",
        Family::XcalableMp => "xmp",
    };
    let mut text = format!("`#pragma {sentinel} {}`\n", directive.name);
    if directive.family == Family::XcalableMp {
        return text + &of_distribution(parsed, directive);
    }
    if directive.family != Family::OpenMp {
        return text;
    }
    for construct in &directive.constructs {
        text.push_str(&format!("\n{}\n", description(*construct)));
    }
    let rows: Vec<String> = parsed
        .program
        .captured(id)
        .into_iter()
        .filter_map(|(variable, _)| {
            let sharing = parsed.program.sharing(id, variable)?;
            let name = &parsed.program.variable(variable).name;
            let size = bytes(parsed, variable).unwrap_or_default();
            Some(format!(
                "| `{name}` | {} | {size} | {} |",
                sharing.attribute.text(),
                reason(parsed, sharing)
            ))
        })
        .collect();
    if !rows.is_empty() {
        text.push_str("\n| variable | sharing | size | why |\n|---|---|---|---|\n");
        text.push_str(&rows.join("\n"));
        text.push('\n');
    }
    text + &of_transfers(parsed, id)
}

/// Who executes a loop, and what a directive moves between nodes.
fn of_distribution(parsed: &Parsed, directive: &Directive) -> String {
    let program = &parsed.program;
    let model = Model::of(program);
    let mut text = String::new();
    if directive.name == "loop"
        && let Some(iterations) = describe_loop(program, &model, directive)
    {
        text.push_str(&format!("\n{iterations}\n"));
    }
    for line in communication(program, &model, directive) {
        text.push_str(&format!("\n- {line}"));
    }
    text
}

/// The table of what a device construct moves.
fn of_transfers(parsed: &Parsed, id: DirectiveId) -> String {
    let row =
        |it: &Transfer| format!("\n| `{}` | {} | {} | {} |", it.name, it.direction(), it.size.text(), it.why);
    let rows: String = transfers(parsed, id).iter().map(row).collect();
    match rows.is_empty() {
        true => rows,
        false => format!("\n| data | moves | size | why |\n|---|---|---|---|{rows}\n"),
    }
}

/// What a construct does, in a sentence.
pub(super) fn description(construct: Construct) -> &'static str {
    use Construct::*;
    match construct {
        Parallel => "A team of threads executes the statement, each thread all of it; at its end all wait.",
        For => "The iterations of the loop are divided among the threads of the team.",
        Sections => "Each `section` is executed by one thread.",
        Section => "A part of `sections` that one thread executes.",
        Single => "One thread, whichever comes first, executes the statement; the others wait at its end.",
        Master => "Only the first thread executes the statement; nothing waits for it.",
        Masked => "Only one thread, by default the first, executes the statement; nothing waits for it.",
        Critical => "One thread at a time executes the statement, of all with the same name.",
        Atomic => "The update of one scalar is indivisible.",
        Barrier => "All threads of the team wait here for each other.",
        Flush => "What this thread has stored becomes visible to others, and the reverse.",
        Ordered => "Iterations execute the statement in the order of the serial loop.",
        Threadprivate => "Each thread has its own copy of the variables, which lives as long as the program.",
        Accessible => "The device reaches the memory directly.",
        Taskgroup => "At the end all tasks that were made in it, and their children, are waited for.",
        Taskloop => "The iterations of the loop are divided into tasks.",
        Taskwait => "Waits for the tasks that this task has made.",
        Taskyield => "The thread may work on another task here.",
        Task => "Some thread executes the statement, now or later.",
        Simd => "Several iterations of the loop are executed at once by vector instructions.",
        Target => "The statement is executed on a device.",
        TargetData => "Data stays on the device while the statement is executed.",
        TargetEnterData => "Data is copied to the device and stays there.",
        TargetExitData => "Data leaves the device.",
        TargetUpdate => "Values on the host and the device are made equal.",
        Teams => "A league of teams executes the statement, the first thread of each.",
        Distribute => "The iterations of the loop are divided among the teams.",
        Loop => "The iterations of the loop may be executed in any order and at once.",
        Scope => "All threads execute the statement, with private and combined variables.",
        Scan => "Separates the two halves of a prefix sum.",
        Cancel => "Asks for the end of a region.",
        CancellationPoint => "A thread leaves the region here if its end was requested.",
        DeclareTarget | BeginDeclareTarget | EndDeclareTarget => "The declarations exist on devices too.",
        DeclareSimd => "The function has a version for vectors.",
        DeclareReduction => "Declares how values of a type are combined.",
    }
}
