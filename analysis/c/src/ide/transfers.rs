//! The transfer plan of device constructs: what moves between host and device, how much, and why (OpenMP 5.2,
//! sections 5.8 and 5.9).

use apg_c_syntax::TextRange;

use crate::Parsed;
use crate::hir::{
    Clause, Construct, Directive, DirectiveId, ExprId, ExprKind, Item, Length, Type, VariableId,
};
use crate::sharing::{Attribute, Reason, Sharing};

/// Data that a device construct is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The object or its part, as it is written.
    pub name: String,
    /// It is copied to the device before.
    pub to_device: bool,
    /// It is copied to the host afterwards.
    pub to_host: bool,
    /// How much it is.
    pub size: Size,
    /// Why.
    pub why: String,
}

/// An amount of data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Size {
    /// Bytes.
    Bytes(u64),
    /// Bytes as an expression of the program.
    Formula(String),
    /// Not known before the program runs.
    Unknown,
}

/// The transfers of a device construct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferPlan {
    /// The name of the directive.
    pub directive: String,
    /// Where the directive's name is in the file.
    pub range: TextRange,
    /// What moves, and what has memory on the device.
    pub transfers: Vec<Transfer>,
}

impl Transfer {
    /// The direction in words.
    pub fn direction(&self) -> &'static str {
        match (self.to_device, self.to_host) {
            (true, true) => "to the device and back",
            (true, false) => "to the device",
            (false, true) => "back to the host",
            (false, false) => "nothing moves",
        }
    }
}

impl Size {
    /// The amount in words.
    pub fn text(&self) -> String {
        match self {
            Size::Bytes(1) => "1 byte".to_owned(),
            Size::Bytes(count) => format!("{count} bytes"),
            Size::Formula(text) => format!("{text} bytes"),
            Size::Unknown => "as much as the program maps".to_owned(),
        }
    }
}

/// The transfers of all device constructs of a file, in the order of the source.
pub fn transfer_plans(parsed: &Parsed) -> Vec<TransferPlan> {
    let program = &parsed.program;
    let plan = |id: DirectiveId| {
        let directive = program.directive(id);
        let transfers = transfers(parsed, id);
        let range = parsed.spelled(directive.name_range).filter(|_| !transfers.is_empty())?;
        Some(TransferPlan { directive: directive.name.to_string(), range, transfers })
    };
    program.directive_ids().filter_map(plan).collect()
}

/// The transfers of a directive; none if it is not about devices.
pub fn transfers(parsed: &Parsed, id: DirectiveId) -> Vec<Transfer> {
    use Construct::*;
    let directive = parsed.program.directive(id);
    let is_about_data =
        |it: &Construct| matches!(it, Target | TargetData | TargetEnterData | TargetExitData | TargetUpdate);
    let Some(construct) = directive.constructs.iter().copied().find(is_about_data) else { return Vec::new() };
    let mut found = Vec::new();
    for clause in &directive.clauses {
        let Some(motion) = motion(construct, clause) else { continue };
        found.extend(clause.items.iter().map(|it| of_item(parsed, directive, clause, it, motion)));
    }
    if construct == Target {
        implicit(parsed, id, &mut found);
    }
    found
}

/// Whether the items of a clause move to the device and to the host; `None` of clauses without data.
fn motion(construct: Construct, clause: &Clause) -> Option<(bool, bool)> {
    let is_update = construct == Construct::TargetUpdate;
    match clause.name.as_str() {
        "map" => Some(match clause.modifier() {
            Some("to") => (true, false),
            Some("from") => (false, true),
            Some("alloc" | "release" | "delete" | "storage") => (false, false),
            _ if construct == Construct::TargetEnterData => (true, false),
            _ if construct == Construct::TargetExitData => (false, true),
            _ => (true, true),
        }),
        "to" if is_update => Some((true, false)),
        "from" if is_update => Some((false, true)),
        "firstprivate" | "is_device_ptr" | "has_device_addr" if construct == Construct::Target => {
            Some((true, false))
        }
        "reduction" | "lastprivate" if construct == Construct::Target => Some((true, true)),
        _ => None,
    }
}

fn of_item(
    parsed: &Parsed,
    directive: &Directive,
    clause: &Clause,
    item: &Item,
    (to_device, to_host): (bool, bool),
) -> Transfer {
    let why = format!("by the clause `{}`", shortened(source(parsed, clause.range)));
    let size = item.expr.map_or(Size::Unknown, |it| size(parsed, it));
    let name = source(parsed, item.range);
    // A copy is made from the host's value, and `always` moves what is there.
    let is_always = clause.modifiers.iter().any(|it| it.text == "always");
    let by_presence = clause.name == "map" && !is_always && directive.constructs.contains(&Construct::Target);
    let around = item.variable(&parsed.program).filter(|_| by_presence);
    match around.and_then(|it| mapped_around(parsed, directive, it)) {
        Some(why) => Transfer { name, to_device: false, to_host: false, size, why },
        None => Transfer { name, to_device, to_host, size, why },
    }
}

/// The text of a clause up to this number of characters: each of its items names it, so that all of the
/// text would take memory that grows with the square of their number.
fn shortened(text: String) -> String {
    const MAX_CHARACTERS: usize = 200;
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// Adds what a region uses and no clause names.
fn implicit(parsed: &Parsed, id: DirectiveId, found: &mut Vec<Transfer>) {
    let program = &parsed.program;
    let directive = program.directive(id);
    for (variable, _) in program.captured(id) {
        let items = directive.clauses.iter().flat_map(|it| &it.items);
        let is_named = items.into_iter().any(|it| it.variable(program) == Some(variable));
        let Some(sharing) = program.sharing(id, variable).filter(|_| !is_named) else { continue };
        let declared = program.variable(variable);
        let bytes = program.size_of(&declared.ty).map_or(Size::Unknown, Size::Bytes);
        let name = declared.name.to_string();
        let why = reason(parsed, sharing);
        let (size, (to_device, to_host)) = match (&declared.ty, sharing.attribute) {
            (Type::Pointer(_), Attribute::Mapped | Attribute::Firstprivate) => (bytes, (true, false)),
            (_, Attribute::Mapped | Attribute::Reduction | Attribute::Lastprivate) => (bytes, (true, true)),
            (_, Attribute::Firstprivate | Attribute::FirstAndLastprivate) => (bytes, (true, false)),
            _ => continue,
        };
        // A copy is made from the host's value; a pointer has the address of what is mapped.
        let is_copied = matches!(sharing.attribute, Attribute::Firstprivate | Attribute::FirstAndLastprivate)
            && !matches!(declared.ty, Type::Pointer(_));
        let around = if is_copied { None } else { mapped_around(parsed, directive, variable) };
        found.push(match around {
            Some(why) => Transfer { name, to_device: false, to_host: false, size, why },
            None => Transfer { name, to_device, to_host, size, why },
        });
    }
}

/// Why an object is on the device already, if a `target data` around maps it.
fn mapped_around(parsed: &Parsed, directive: &Directive, variable: VariableId) -> Option<String> {
    let program = &parsed.program;
    let mut next = directive.parent;
    while let Some(id) = next {
        let around = program.directive(id);
        next = around.parent;
        let mut maps = around.clauses_named("map");
        let names_it = |it: &Clause| it.items.iter().any(|it| it.variable(program) == Some(variable));
        if around.has(Construct::TargetData)
            && let Some(clause) = maps.find(|it| names_it(it))
        {
            let clause = source(parsed, clause.range);
            return Some(format!("it is on the device already: `target data` around has `{clause}`"));
        }
    }
    None
}

/// How many bytes an object or a section of it has.
fn size(parsed: &Parsed, expr: ExprId) -> Size {
    let program = &parsed.program;
    let ExprKind::Section(base, low, length) = program.expr(expr).kind else {
        return program.size_of(&program.expr(expr).ty).map_or(Size::Unknown, Size::Bytes);
    };
    let element = program.expr(base).ty.element().and_then(|it| program.size_of(it));
    let Some(element) = element else { return Size::Unknown };
    let constant = |it: ExprId| program.constant(it).and_then(|it| u64::try_from(it).ok());
    let count = match (length, &program.expr(base).ty) {
        (Some(length), _) => constant(length),
        (None, Type::Array(_, Length::Constant(all))) => {
            low.map_or(Some(0), constant).and_then(|low| all.checked_sub(low))
        }
        _ => None,
    };
    match (count.and_then(|it| it.checked_mul(element)), length) {
        (Some(bytes), _) => Size::Bytes(bytes),
        (None, Some(length)) => {
            let text = source(parsed, program.expr(length).range);
            let is_one = text.chars().all(|it| it.is_alphanumeric() || it == '_');
            let text = if is_one { text } else { format!("({text})") };
            Size::Formula(format!("{text} * {element}"))
        }
        (None, None) => Size::Unknown,
    }
}

/// The text of a range of the tree as it is spelled.
fn source(parsed: &Parsed, range: TextRange) -> String {
    let spelled = parsed.spelled(range).map(std::ops::Range::<usize>::from);
    spelled.and_then(|it| parsed.text().get(it)).unwrap_or("...").to_owned()
}

/// Why a variable has its attribute, in words.
pub(super) fn reason(parsed: &Parsed, sharing: Sharing) -> String {
    match sharing.reason {
        Reason::Clause(range) => {
            let spelled = parsed.spelled(range).map(std::ops::Range::<usize>::from);
            let text = spelled.and_then(|it| parsed.text().get(it)).unwrap_or("a clause");
            format!("by the clause `{text}`")
        }
        Reason::Predetermined(why) => format!("predetermined: {why}"),
        Reason::Implicit(why) => format!("implicit: {why}"),
    }
}
