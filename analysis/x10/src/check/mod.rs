//! Diagnostics of a file, collected from the queries of all layers.

mod annotations;
mod classes;
pub(crate) mod constraints;
mod error_regions;
mod field_types;
mod functions;
mod inherited_conflicts;
#[cfg(test)]
mod invariants;
mod member_chunks;
mod override_types;
mod overrides;
mod placement;
mod problem;
mod structure;
mod suppress_cascades;
mod unreadable_files;

use std::panic::{AssertUnwindSafe, catch_unwind};

use apg_syntax::TextRange;

use crate::body::Owner;
use crate::db::Db;
use crate::diagnostics::{Diagnostic, Fix, Related, TextEdit};
use crate::flow::construction::construction_problems;
use crate::flow::{flow_problems, unjoined_read_problems};
use crate::ids::{ClassId, SourceFile};
use crate::infer::owner_body;
use crate::inputs::parse;
use crate::item_tree::items::{
    all_classes, class_head, field_item, fields, item_tree, methods, own_typedefs, top_level_typedefs,
};
use crate::item_tree::source::{Item, file_header_ranges, place_diagnostics};
use crate::kernel::kernel_diagnostics;
use crate::rules::{
    Problem as BodyProblem, r#async as async_rules, flow as flow_rules, internal, place as place_rules,
    render::RenderContext, syntax as syntax_rules, r#type as type_rules,
};
use crate::scope::imports::{import_problems, package_problem};
use crate::scope::problem::{Problem, placed};
use crate::signature::{class_header, field_signature, method_signature, typedef_problems};

use problem::{declaration_problems, item_problems};

pub(crate) use functions::{functions_of, missing_functions};
pub(crate) use overrides::{missing_methods, overridden, property_for, same_methods};

/// All diagnostics of a file, in source order. A panic in a query becomes a diagnostic and affects only its
/// part of the file; a cancellation propagates.
pub fn file_diagnostics(db: &dyn Db, file: SourceFile) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    guarded(&mut all, || syntax_diagnostics(db, file));
    guarded(&mut all, || header_diagnostics(db, file));
    let mut classes = Vec::new();
    guarded(&mut all, || {
        classes = all_classes(db, file).clone();
        Vec::new()
    });
    for class in classes {
        guarded(&mut all, || class_diagnostics(db, class));
    }
    suppress_cascades::suppress_cascades(db, file, &mut all);
    suppress_dependent_errors(file.text(db), &mut all);
    unreadable_files::add_unreadable_file_notes(db, file, &mut all);
    all.sort_by_key(|d| (d.range.start(), d.range.end(), d.code));
    all.dedup();
    all
}

/// Drops errors that another error at the same range implies.
fn suppress_dependent_errors(text: &str, all: &mut Vec<Diagnostic>) {
    let reassigned = flow_rules::val_reassigned::RULE.code;
    let unassigned = flow_rules::field_not_assigned::RULE.code;
    let unset = flow_rules::use_before_assignment::RULE.code;
    // Pairs of (implied error, cause).
    let consequences = [
        // `if (x = 5)` is meant as a comparison: the assignment to a `val` is no error of its own.
        (reassigned, type_rules::mismatch::RULE.code),
        // `v += x` without such an operator: a `var` would not have it either.
        (reassigned, type_rules::no_operator::RULE.code),
        // A variable that cannot be assigned at all needs no second report.
        (async_rules::captured_var::RULE.code, reassigned),
        (place_rules::captured_var::RULE.code, reassigned),
        (flow_rules::captured_var::RULE.code, reassigned),
        // With two fields of the same name, assignment is ambiguous.
        (unassigned, type_rules::duplicate_member::RULE.code),
        // A variable that cannot be captured, or must not be a `var`, needs no initialisation report.
        (unset, async_rules::captured_var::RULE.code),
        (unset, place_rules::captured_var::RULE.code),
        (unset, flow_rules::captured_var::RULE.code),
        (unassigned, type_rules::struct_var_field::RULE.code),
    ];
    // The type of a value reassigned to a `val` is irrelevant.
    let refused: Vec<TextRange> = all.iter().filter(|it| it.code == reassigned).map(|it| it.range).collect();
    let is_value = |it: &Diagnostic| refused.iter().any(|of| is_assigned(text, *of, it.range));
    all.retain(|found| found.code != type_rules::mismatch::RULE.code || !is_value(found));
    for (consequence, cause) in consequences {
        let at: Vec<TextRange> = all.iter().filter(|it| it.code == cause).map(|it| it.range).collect();
        if !at.is_empty() {
            all.retain(|found| !(found.code == consequence && at.contains(&found.range)));
        }
    }
}

/// Whether `value` is the whole right-hand side of `assignment`.
fn is_assigned(text: &str, assignment: TextRange, value: TextRange) -> bool {
    let is_last = assignment.start() < value.start() && assignment.end() == value.end();
    let before = TextRange::new(assignment.start(), value.start().max(assignment.start()));
    let target = text.get(before.start().into()..before.end().into()).map(str::trim_end);
    is_last && target.and_then(|it| it.strip_suffix('=')).is_some_and(|target| !target.contains('='))
}

/// The members of a file that have code. Their analysis dominates [`file_diagnostics`], and [`prepare`] can
/// run it on several threads.
pub fn code_of(db: &dyn Db, file: SourceFile) -> Vec<Owner> {
    let mut all = Vec::new();
    for class in all_classes(db, file) {
        let fields = fields(db, *class).iter().copied().map(Owner::Field);
        all.extend(methods(db, *class).iter().copied().map(Owner::Method));
        all.extend(fields.filter(|owner| has_code(db, *owner)));
    }
    all
}

/// Computes the diagnostics of members ahead of use. A panic is caught here, and reported by
/// [`file_diagnostics`].
pub fn prepare(db: &dyn Db, code: &[Owner]) {
    for owner in code {
        guarded(&mut Vec::new(), || code_diagnostics(db, *owner));
    }
}

/// Adds the diagnostics of `find`. A cancellation propagates; any other panic becomes a diagnostic.
pub(crate) fn guarded(all: &mut Vec<Diagnostic>, find: impl FnOnce() -> Vec<Diagnostic>) {
    match catch_unwind(AssertUnwindSafe(find)) {
        Ok(found) => all.extend(found),
        Err(payload) if payload.is::<salsa::Cancelled>() => std::panic::resume_unwind(payload),
        Err(payload) => {
            let text = payload
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| payload.downcast_ref::<&str>().copied())
                .unwrap_or("no message");
            let message = format!("the analysis of this file failed: {text}");
            all.push(internal::panic::RULE.at(TextRange::default(), message));
        }
    }
}

fn syntax_diagnostics(db: &dyn Db, file: SourceFile) -> Vec<Diagnostic> {
    let errors = parse(db, file).errors().iter();
    errors
        .map(|error| {
            let diagnostic = syntax_rules::error::RULE.at(error.range, error.message.clone());
            let diagnostic = match &error.hint {
                Some(hint) => diagnostic.note(hint.clone()),
                None => diagnostic,
            };
            let related = |(range, _): &(TextRange, String)| Related {
                file,
                range: *range,
                message: "here, too".into(),
            };
            let diagnostic = error.also.iter().map(related).fold(diagnostic, Diagnostic::related);
            match &error.replacement {
                Some(text) => {
                    let title = match (error.range.is_empty(), text.is_empty()) {
                        (true, _) => format!("Insert `{text}`"),
                        (_, true) => "Remove it".to_owned(),
                        // Text with backquotes is shown as it is.
                        _ if text.starts_with('`') => format!("Write {text}"),
                        _ => format!("Write `{text}`"),
                    };
                    let title = match error.also.len() {
                        0 => title,
                        1 => format!("{title}, and likewise at 1 other place"),
                        n => format!("{title}, and likewise at {n} other places"),
                    };
                    let all = error.also.iter().map(|(range, text)| (*range, text));
                    let all = std::iter::once((error.range, text)).chain(all);
                    let edit =
                        |(range, text): (_, &String)| TextEdit { file: None, range, text: text.clone() };
                    diagnostic.fix(Fix { title, edits: all.map(edit).collect() })
                }
                None => diagnostic,
            }
        })
        .collect()
}

fn header_diagnostics(db: &dyn Db, file: SourceFile) -> Vec<Diagnostic> {
    let mut all = placed(import_problems(db, file), &file_header_ranges(db, file));
    all.extend(package_problem(db, file));
    let names = item_tree(db, file).typedefs.iter().filter(|t| t.nth == 0);
    for typedef in names.flat_map(|t| top_level_typedefs(db, file, &t.name)) {
        all.extend(item_problems(db, Item::Typedef(typedef), typedef_problems(db, typedef)));
    }
    all.extend(classes::duplicate_types(db, file));
    for (item, problems) in placement::shadowed_typedefs(db, file) {
        all.extend(declaration_problems(db, item, &problems));
    }
    all
}

fn class_diagnostics(db: &dyn Db, class: ClassId) -> Vec<Diagnostic> {
    let mut all = item_problems(db, Item::Class(class), &class_header(db, class).problems);
    let typedefs = class_head(db, class).as_ref().map_or(&[][..], |c| &c.typedefs);
    for typedef in typedefs.iter().filter(|t| t.nth == 0).flat_map(|t| own_typedefs(db, class, &t.name)) {
        all.extend(item_problems(db, Item::Typedef(typedef), typedef_problems(db, typedef)));
    }
    for (item, problems) in classes::class_problems(db, class)
        .iter()
        .chain(overrides::override_problems(db, class))
        .chain(constraints::constraint_problems(db, class))
    {
        all.extend(declaration_problems(db, *item, problems));
    }
    for chunk in 0..member_chunks::count(db, class) {
        for owner in member_chunks::members_with_problems(db, class, chunk) {
            guarded(&mut all, || item_problems(db, (*owner).into(), signature_problems(db, *owner)));
            if has_code(db, *owner) {
                guarded(&mut all, || code_diagnostics(db, *owner));
            }
        }
    }
    guarded(&mut all, || {
        let problems = construction_problems(db, class).iter();
        problems
            .flat_map(|(owner, problem)| problems_in_words(db, *owner, std::slice::from_ref(problem)))
            .collect()
    });
    all
}

/// Problems of the declaration of a method or field.
fn signature_problems(db: &dyn Db, owner: Owner) -> &[Problem] {
    match owner {
        Owner::Method(method) => &method_signature(db, method).problems,
        Owner::Field(field) => &field_signature(db, field).problems,
    }
}

fn has_code(db: &dyn Db, owner: Owner) -> bool {
    match owner {
        Owner::Method(_) => true,
        Owner::Field(field) => field_item(db, field).is_some_and(|item| item.has_initializer),
    }
}

/// The problems of a body as diagnostics of its file.
fn problems_in_words(db: &dyn Db, owner: Owner, problems: &[BodyProblem]) -> Vec<Diagnostic> {
    if problems.is_empty() {
        return Vec::new();
    }
    let context = RenderContext::of_body(db, owner.into(), &owner_body(db, owner).body);
    let diagnostics: Vec<Diagnostic> = problems.iter().map(|problem| problem.render(&context)).collect();
    place_diagnostics(db, owner.into(), &diagnostics)
}

/// Problems of the code of a method or field initialiser: typing, control flow, places and kernels.
fn code_diagnostics(db: &dyn Db, owner: Owner) -> Vec<Diagnostic> {
    let mut all = problems_in_words(db, owner, &owner_body(db, owner).problems);
    all.extend(problems_in_words(db, owner, flow_problems(db, owner)));
    if let Owner::Method(method) = owner
        && let Some(problem) = overrides::inferred_result_problem(db, method)
    {
        all.extend(declaration_problems(db, Item::Method(method), &[problem]));
    }
    all.extend(problems_in_words(db, owner, unjoined_read_problems(db, owner)));
    all.extend(kernel_diagnostics(db, owner));
    all
}
