//! Data environments of regions (OpenMP 5.2, sections 5.1.1 and 5.8): which objects a region refers to, and
//! how they reach the device.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{
    Clause, Construct, Directive, DirectiveId, ExprId, ExprKind, Length, Program, Type, Variable, VariableId,
};
use apg_c_syntax::TextRange;

use crate::declare_target::device_objects;
use crate::default_map::{Behavior, behavior};
use crate::reduction_clause::{Reduction, reduction};
use crate::unsupported::{Lowered, unsupported};
use crate::variable_length::length_variables;

/// How a region refers to an object that is declared outside of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reference {
    /// Each thread has a copy with the value from before: scalars, and pointers to memory of the device.
    Value,
    /// All threads have the object on the device.
    Object,
    /// Each thread has an object with the value from before, which is an array or struct, or mapped.
    Copy,
    /// Each thread has an object; the value of the last iteration is that behind the region. With the value
    /// from before, another reference by value precedes it.
    Last(First),
    /// A variable that counts iterations, whose last value is that behind the region.
    LastCounter,
    /// Each thread has an object without a value.
    Private,
    /// Each thread has an object, or elements of an array; their values are combined. With the section.
    Reduction(Reduction, Option<ExprId>),
    /// Threads combine values with elements of an array on the device by atomic operations. With the section.
    Updated(Option<ExprId>),
}

impl Reference {
    /// Whether a region gets the value of a variable of a type, or the address that it leads to, not the
    /// address of the variable.
    pub(crate) fn is_by_value(self, ty: &Type) -> bool {
        let is_followed = !matches!(ty, Type::Array(_, Length::Constant(_))) && ty.element().is_some();
        match self {
            Reference::Value => true,
            Reference::Reduction(_, Some(_)) | Reference::Updated(_) => is_followed,
            _ => false,
        }
    }

    /// Whether the host has the results behind the region, whatever clauses say.
    pub(crate) fn has_result(self) -> bool {
        use Reference::*;
        matches!(self, Reduction(..) | Updated(_) | Last(_) | LastCounter)
    }
}

/// The value that an object of `lastprivate` has in front of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum First {
    /// None.
    Unset,
    /// The one from before the region: `firstprivate` as well.
    Before,
    /// The one from before the region, and this step for each iteration: `linear`.
    Linear(i64),
}

/// A reference with the place where the object is first named.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Captured {
    pub variable: VariableId,
    pub range: TextRange,
    pub reference: Reference,
}

/// The clauses that a region obeys, or that say nothing about its device code.
const CLAUSES: &[&str] = &[
    "aligned",
    "allocate",
    "bind",
    "collapse",
    "default",
    "defaultmap",
    "depend",
    "device",
    "dist_schedule",
    "firstprivate",
    "has_device_addr",
    "if",
    "is_device_ptr",
    "lastprivate",
    "linear",
    "map",
    "nontemporal",
    "nowait",
    "num_teams",
    "num_threads",
    "order",
    "private",
    "proc_bind",
    "reduction",
    "safelen",
    "schedule",
    "shared",
    "simdlen",
    "thread_limit",
];

/// Checks that a directive has only clauses that are obeyed.
pub(crate) fn check_clauses(directive: &Directive) -> Lowered<()> {
    let of_linear = directive.clauses_named("linear").flat_map(|it| &it.items);
    if let Some(item) = of_linear.into_iter().find(|it| it.expr.is_none() || it.word.is_none()) {
        let message = "this item of `linear` is no variable";
        return unsupported(item.range, message, "write `linear(name: step)`");
    }
    match directive.clauses.iter().find(|it| !CLAUSES.contains(&it.name.as_str())) {
        None => directive.clauses_named("default").try_for_each(check_default),
        Some(clause) => {
            let message = format!("the clause `{}` of a region has no device form yet", clause.name);
            unsupported(clause.range, message, "leave it out, or write what it does in the region")
        }
    }
}

/// Refuses `default(private)` and `default(firstprivate)`, which give each thread objects of its own (OpenMP
/// 5.2, section 5.4.1).
pub(crate) fn check_default(clause: &Clause) -> Lowered<()> {
    match clause.word() {
        Some(word @ ("private" | "firstprivate")) => {
            let message = format!("`default({word})` has no device form");
            unsupported(clause.range, message, format!("name the objects in a `{word}` clause"))
        }
        _ => Ok(()),
    }
}

/// The objects outside of it that a region refers to, in the order of the source. `chain` are its directives,
/// the outermost first; `counters` count the iterations that its threads share.
pub(crate) fn captured(
    hir: &Program,
    chain: &[DirectiveId],
    counters: &[VariableId],
) -> Lowered<Vec<Captured>> {
    let mut named = hir.captured(chain[0]);
    for index in 0..named.len() {
        let (variable, range) = named[index];
        for length in length_variables(hir, &hir.variable(variable).ty) {
            if !named.iter().any(|it| it.0 == length) {
                named.push((length, range));
            }
        }
    }
    for (index, directive) in chain.iter().enumerate() {
        let (directive, is_of_target) = (hir.directive(*directive), index == 0);
        let is_evaluated = |it: &&Clause| {
            let is_number = matches!(
                &*it.name,
                "num_teams" | "thread_limit" | "num_threads" | "reduction" | "schedule" | "dist_schedule"
            );
            is_number || is_condition_of_team(directive, it)
        };
        for clause in directive.clauses.iter().filter(is_evaluated) {
            let mut add = |id: ExprId| {
                if let ExprKind::Variable(variable) = hir.expr(id).kind
                    && !named.iter().any(|it| it.0 == variable)
                {
                    named.push((variable, hir.expr(id).range));
                }
            };
            for expr in clause.items.iter().filter_map(|it| it.expr) {
                // What these lead to is the host's.
                let is_of_host = is_of_target && matches!(&*clause.name, "num_teams" | "thread_limit");
                hir.walk_expr(expr, &mut |node| {
                    let Node::Expr(it) = node else { return true };
                    if is_of_host
                        && matches!(hir.expr(it).ty.clone().decayed(), Type::Pointer(_) | Type::Record(_))
                    {
                        return false;
                    }
                    add(it);
                    true
                });
            }
        }
    }
    named.sort_by_key(|it| it.1.start());
    let on_devices = device_objects(hir);
    let mut found = Vec::new();
    for (variable, range) in named {
        if counters.contains(&variable) {
            continue;
        }
        let reference = reference(hir, chain, &on_devices, variable, range)?;
        if matches!(reference, Reference::Last(First::Before | First::Linear(_))) {
            found.push(Captured { variable, range, reference: Reference::Value });
        }
        found.push(Captured { variable, range, reference });
    }
    for (variable, range) in last_counters(hir, chain, counters) {
        found.push(Captured { variable, range, reference: Reference::LastCounter });
    }
    Ok(found)
}

/// The numbers in `num_teams` and `thread_limit` of a `target` directive that a launch cannot compute of what
/// the region captures by value. The host evaluates them in front of the region, in its own variables
/// (OpenMP 5.2, sections 10.2 and 13.8).
pub(crate) fn host_numbers(hir: &Program, directive: &Directive, captured: &[Captured]) -> Vec<ExprId> {
    let clauses = ["num_teams", "thread_limit"].into_iter().filter_map(|it| directive.clause(it));
    let numbers = clauses.filter_map(|it| it.items.first()?.expr);
    let is_value = |variable: VariableId| {
        let ty = &hir.variable(variable).ty;
        let found = captured.iter().find(|it| it.variable == variable);
        ty.is_arithmetic() && found.is_some_and(|it| it.reference == Reference::Value)
    };
    let is_computed = |number: ExprId| {
        let mut is_computed = true;
        hir.walk_expr(number, &mut |node| {
            if let Node::Expr(id) = node {
                is_computed &= match hir.expr(id).kind {
                    ExprKind::Variable(it) => is_value(it),
                    ExprKind::Integer(_) | ExprKind::Unary(..) | ExprKind::Binary(..) => true,
                    ExprKind::Cast(_) | ExprKind::Unevaluated => true,
                    _ => false,
                };
            }
            true
        });
        is_computed
    };
    numbers.filter(|it| hir.constant(*it).is_none() && !is_computed(*it)).collect()
}

/// Whether a clause says whether the threads of a team execute a region, or one alone (OpenMP 5.2, sections
/// 3.4 and 10.1).
pub(crate) fn is_condition_of_team(of: &Directive, clause: &Clause) -> bool {
    let is_for_parallel = match clause.modifier() {
        Some(name) => name == "parallel",
        None => !of.has(Construct::Target),
    };
    clause.name == "if" && of.has(Construct::Parallel) && is_for_parallel
}

/// The variables that count iterations and whose last value a clause keeps.
fn last_counters(
    hir: &Program,
    chain: &[DirectiveId],
    counters: &[VariableId],
) -> Vec<(VariableId, TextRange)> {
    let mut found: Vec<(VariableId, TextRange)> = Vec::new();
    // The iteration variables of `simd` have their last value without a clause (OpenMP 5.2, section 5.1.1).
    let is_simd = chain.iter().any(|it| hir.directive(*it).has(Construct::Simd));
    let is_private = |it: VariableId| {
        let mut clauses = chain.iter().flat_map(|it| hir.directive(*it).clauses_named("private"));
        clauses.any(|clause| clause.items.iter().any(|item| item.variable(hir) == Some(it)))
    };
    for clause in chain.iter().flat_map(|it| &hir.directive(*it).clauses) {
        let keeps = matches!(&*clause.name, "lastprivate" | "linear") || is_simd && clause.name == "map";
        if !keeps {
            continue;
        }
        for item in &clause.items {
            if let Some(variable) = item.variable(hir)
                && counters.contains(&variable)
                && !(clause.name == "map" && is_private(variable))
                && !found.iter().any(|it| it.0 == variable)
            {
                found.push((variable, item.range));
            }
        }
    }
    found
}

fn reference(
    hir: &Program,
    chain: &[DirectiveId],
    on_devices: &[VariableId],
    variable: VariableId,
    range: TextRange,
) -> Lowered<Reference> {
    let of = hir.variable(variable);
    if hir.is_threadprivate(variable) {
        let message = format!("`{}` is threadprivate: devices have none of it", of.name);
        return unsupported(range, message, "copy it into a variable in front of the region");
    }
    let is_scalar = of.ty.is_arithmetic() || matches!(of.ty, Type::Pointer(_));
    let mut found = None;
    let (mut is_mapped, mut is_object, mut is_copied) = (false, false, false);
    let mut mapped_part = None;
    // The innermost directive first, whose results are those of the objects of the one around it.
    let mut result_of = None;
    for (index, directive) in chain.iter().map(|it| hir.directive(*it)).enumerate().rev() {
        for clause in &directive.clauses {
            let Some(item) = clause.items.iter().find(|it| it.variable(hir) == Some(variable)) else {
                continue;
            };
            let next = match clause.name.as_str() {
                "private" => Reference::Private,
                "firstprivate" if matches!(of.ty, Type::Array(_, Length::Constant(_)) | Type::Record(_)) => {
                    Reference::Copy
                }
                "firstprivate" | "is_device_ptr" | "has_device_addr" => Reference::Value,
                "lastprivate" if is_scalar => {
                    check_last_value(clause)?;
                    Reference::Last(First::Unset)
                }
                "linear" if is_scalar => Reference::Last(First::Linear(linear_step(hir, clause, &of.ty)?)),
                "lastprivate" => {
                    let message = format!("the last value of `{}`, an array or struct, is not kept", of.name);
                    return unsupported(item.range, message, "assign its members in the last iteration");
                }
                "reduction" => reduction(hir, chain[0], clause, item)?,
                "map" => mapped(hir, item.expr, &of.ty)?,
                _ => continue,
            };
            is_mapped |= clause.name == "map";
            is_object |= next == Reference::Object;
            is_copied |= clause.name == "firstprivate";
            let is_own = matches!(&*clause.name, "firstprivate" | "private");
            if is_own && found.is_some_and(Reference::has_result) && result_of != Some(index) {
                let message = format!("the result in `{}` is that of an object of this directive", of.name);
                let advice =
                    format!("write `map(tofrom: {0})`, or copy `{0}` in front of the region", of.name);
                return unsupported(item.range, message, advice);
            }
            if next.has_result() {
                result_of = Some(index);
            }
            let is_part = |it| matches!(hir.expr(it).kind, ExprKind::Section(..) | ExprKind::Index(..));
            if clause.name == "map" && item.expr.is_some_and(is_part) {
                mapped_part = Some(item.range);
            }
            let is_both = clause.name == "firstprivate" && found == Some(Reference::Last(First::Unset))
                || next == Reference::Last(First::Unset) && is_copied;
            if is_both && !of.ty.is_arithmetic() {
                let message = format!("the pointer `{}` is `firstprivate` and `lastprivate`", of.name);
                return unsupported(item.range, message, "write the first value into another variable");
            }
            if is_both {
                found = Some(Reference::Last(First::Before));
            }
            // A reduction keeps its variable, which `map` may name as well.
            if !matches!(
                found,
                Some(
                    Reference::Reduction(..)
                        | Reference::Updated(_)
                        | Reference::Private
                        | Reference::Last(_)
                )
            ) {
                found = Some(next);
            }
        }
    }
    let is_aggregate = matches!(of.ty, Type::Array(..) | Type::Record(_));
    let is_of_variable_length = matches!(of.ty, Type::Array(_, Length::Variable(_) | Length::Unknown));
    match found {
        Some(Reference::Value | Reference::Copy | Reference::Object)
            if is_copied
                && is_object
                && let Some(range) = mapped_part =>
        {
            let message = format!("a part of `{}` is mapped, and threads have copies of all of it", of.name);
            unsupported(range, message, format!("write `map(to: {})`", of.name))
        }
        // Threads copy what the region maps.
        Some(Reference::Value | Reference::Copy | Reference::Object) if is_copied && is_object => {
            Ok(Reference::Copy)
        }
        // The value of a mapped array whose length is not a constant is the address of its first element.
        Some(Reference::Value) if is_aggregate && (is_copied || !(is_of_variable_length && is_mapped)) => {
            let message = format!("`{}` is an array or struct: threads have no copy of it", of.name);
            unsupported(range, message, format!("write `map(to: {})`", of.name))
        }
        Some(found) => Ok(found),
        None if on_devices.binary_search(&variable).is_ok() => Ok(Reference::Object),
        None => unnamed(behavior(hir.directive(chain[0]), &of.ty), of, range),
    }
}

/// How a region refers to an object that no clause names (OpenMP 5.2, section 5.8.1).
fn unnamed(behavior: Option<Behavior>, of: &Variable, range: TextRange) -> Lowered<Reference> {
    let is_of_variable_length = matches!(of.ty, Type::Array(_, Length::Variable(_) | Length::Unknown));
    let is_aggregate = matches!(of.ty, Type::Array(..) | Type::Record(_));
    Ok(match behavior {
        Some(Behavior::Firstprivate) if is_of_variable_length => {
            let message = format!("`{}` is an array of variable length: threads have no copy of it", of.name);
            return unsupported(range, message, format!("write `map(to: {})`", of.name));
        }
        Some(Behavior::Firstprivate) if is_aggregate => Reference::Copy,
        _ if is_of_variable_length => Reference::Value,
        Some(Behavior::Mapped(_)) => Reference::Object,
        _ if is_aggregate => Reference::Object,
        _ => Reference::Value,
    })
}

/// Refuses `lastprivate(conditional: x)`, the value of the last iteration that assigns one (OpenMP 5.2,
/// section 5.4.5).
pub(crate) fn check_last_value(clause: &Clause) -> Lowered<()> {
    match clause.modifier() {
        Some(modifier) => {
            let message = format!("`lastprivate({modifier}: ...)` has no device form");
            unsupported(clause.range, message, "reduce the number of the iteration by `max`")
        }
        None => Ok(()),
    }
}

/// The step of a `linear` clause.
fn linear_step(hir: &Program, clause: &Clause, ty: &Type) -> Lowered<i64> {
    let mut step = 1;
    for modifier in clause.modifiers.iter().filter(|it| it.text != "val") {
        let number = modifier.arguments.first().and_then(|it| it.expr).and_then(|it| hir.constant(it));
        let Some(number) = number.and_then(|it| i64::try_from(it).ok()) else {
            let message = "the step of this `linear` clause is no constant";
            return unsupported(clause.range, message, "compute the value in the loop");
        };
        step = number;
    }
    if !ty.is_integer() {
        let message = "`linear` of a region takes integers";
        return unsupported(clause.range, message, "compute the value in the loop");
    }
    Ok(step)
}

/// How an object is referred to that `map` names.
fn mapped(hir: &Program, item: Option<ExprId>, ty: &Type) -> Lowered<Reference> {
    let Some(item) = item else { return Ok(Reference::Object) };
    let mut expr = item;
    let mut is_section = false;
    loop {
        match &hir.expr(expr).kind {
            ExprKind::Section(base, ..) | ExprKind::Index(base, _) => {
                is_section = true;
                expr = *base;
            }
            ExprKind::Variable(_) => break,
            // A member leads to its struct: the object, or what the pointer points to.
            ExprKind::Member { base, .. } | ExprKind::Dereference(base) => {
                is_section = true;
                expr = *base;
            }
            _ => {
                let message = "`map` names what a computed pointer points to";
                let advice = "declare a pointer to it in front of the region, and map that";
                return unsupported(hir.expr(item).range, message, advice);
            }
        }
    }
    let is_object = matches!(ty, Type::Array(_, Length::Constant(_)) | Type::Record(_));
    Ok(if is_section && !is_object || matches!(ty, Type::Array(_, Length::Variable(_) | Length::Unknown)) {
        Reference::Value
    } else {
        Reference::Object
    })
}
