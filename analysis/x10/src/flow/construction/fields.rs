//! Definite assignment of fields: initialisers in order, then each constructor, including the methods that
//! they call on the object.

use rustc_hash::FxHashMap;

use super::Object;
use crate::body::Owner;
use crate::body::{Body, StmtKind};
use crate::db::Db;
use crate::flow::FlowContext;
use crate::flow::definite_assignment::state::AssignmentState;
use crate::flow::definite_assignment::{AssignmentWalker, Effects, TrackedFields};
use crate::ids::{FieldId, MethodId};
use crate::item_tree::items::{
    field_is_mutable, field_is_static, field_item, fields as own_fields, method_item,
};
use crate::item_tree::{MethodKind, has_annotation};
use crate::relate::Context;
use crate::rules::flow::field_not_assigned::FieldNotAssigned;
use crate::rules::{Problem, r#type as type_rules};
use crate::signature::field_type;
use crate::ty::{Constraint, ConstraintTerm, Path, Ty};

/// Effects of the methods called during construction.
pub(super) type MethodEffects = FxHashMap<MethodId, Effects>;

impl Effects {
    pub(super) fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty()
    }
}

/// The fields without an initial value: all except `var`s with a zero and no initialiser.
fn tracked(object: &Object<'_>) -> Vec<FieldId> {
    let db = object.db;
    let context = Context::class(db, object.class);
    let is_tracked = |field: &FieldId| {
        let Some(item) = field_item(db, *field) else { return false };
        let has_zero = || {
            let own_name = Path::this().field(field.name(db).clone());
            item.mutable
                && !item.has_initializer
                && context.has_zero(in_terms_of_self(db, field_type(db, *field), &own_name))
        };
        !field_is_static(db, *field) && !has_annotation(&item.annotations, "Uninitialized") && !has_zero()
    };
    own_fields(db, object.class).iter().copied().filter(is_tracked).collect()
}

/// The type `T{this.f == 0}` of `f` as `T{self == 0}`.
fn in_terms_of_self(db: &dyn Db, ty: Ty, own_name: &Path) -> Ty {
    let Some(constraint) = ty.constraint(db) else { return ty };
    let path = |path: &Path| if path == own_name { Path::self_value() } else { path.clone() };
    let terms = constraint.terms.iter().map(|term| match term {
        ConstraintTerm::Equal(a, b) => ConstraintTerm::Equal(path(a), path(b)),
        ConstraintTerm::NotEqual(a, b) => ConstraintTerm::NotEqual(path(a), path(b)),
        ConstraintTerm::Holds(a) => ConstraintTerm::Holds(path(a)),
        ConstraintTerm::Opaque(text) => ConstraintTerm::Opaque(text.clone()),
    });
    ty.base(db).constrained(db, Constraint { terms: terms.collect() })
}

/// Maximum number of fixpoint iterations over mutually recursive methods, beyond real programs.
const MAX_FIXPOINT_ITERATIONS: usize = 64;

/// Effects of methods, as a fixpoint over the call graph: greatest for assigned fields, least for read ones.
pub(super) fn effects(object: &Object<'_>, methods: &[MethodId]) -> MethodEffects {
    let tracked = tracked(object);
    let all = AssignmentState::all_assigned(tracked.len());
    // Only constructors assign `val`s.
    let is_val: Vec<usize> =
        (0..tracked.len()).filter(|slot| !field_is_mutable(object.db, tracked[*slot])).collect();
    let start = Effects {
        writes: all.possible.clone(),
        assigned: all.definite.clone(),
        after_finish: all.after_finish.clone(),
        ..Effects::default()
    };
    let mut effects: MethodEffects = methods.iter().map(|method| (*method, start.clone())).collect();
    for _ in 0..MAX_FIXPOINT_ITERATIONS {
        let mut changed = false;
        for method in methods {
            let Some((_, code)) = object.own_method(*method) else { continue };
            let of_method = |method: MethodId| effects.get(&method).cloned();
            let fields = TrackedFields { tracked: &tracked, effects: &of_method, report: false };
            let (after, reads, _) = walk(object, &code.body, &fields, AssignmentState::start());
            let mut after = if after.live { after } else { all.clone() };
            is_val.iter().for_each(|slot| after.unassign(*slot));
            let new = Effects {
                reads,
                writes: after.possible,
                assigned: after.definite,
                after_finish: after.after_finish,
            };
            if effects.get(method) != Some(&new) {
                effects.insert(*method, new);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    effects
}

/// Checks initialisers and constructors.
pub(super) fn check(object: &Object<'_>, effects: &MethodEffects, found: &mut Vec<(Owner, Problem)>) {
    let db = object.db;
    let tracked = tracked(object);
    if tracked.is_empty() {
        return;
    }
    let of_method = |method: MethodId| effects.get(&method).cloned();
    let fields = TrackedFields { tracked: &tracked, effects: &of_method, report: true };
    let slot = |field: FieldId| tracked.iter().position(|it| *it == field);
    let is_property = |field: &FieldId| field_item(db, *field).is_some_and(|item| item.is_property);
    // Initialisers run after the properties are set.
    let mut state = AssignmentState::start();
    let properties: Vec<usize> =
        tracked.iter().enumerate().filter(|(_, f)| is_property(f)).map(|(i, _)| i).collect();
    properties.iter().for_each(|&slot| state.assign(slot));
    for (field, code) in &object.initializers {
        let (after, _, problems) = walk(object, &code.body, &fields, state.clone());
        found.extend(problems.into_iter().map(|it| (Owner::Field(*field), it)));
        if after.live {
            state = after;
        }
        if let Some(slot) = slot(*field) {
            state.assign(slot);
        }
    }
    properties.iter().for_each(|&slot| state.unassign(slot));
    for (method, code) in &object.constructors {
        let (after, _, problems) = walk(object, &code.body, &fields, state.clone());
        found.extend(problems.into_iter().map(|it| (Owner::Method(*method), it)));
        // Code with syntax or name errors may have been meant to assign them.
        let is_broken = code.body.stmts.iter().any(|stmt| matches!(stmt.kind, StmtKind::Error));
        if !after.live || is_broken {
            continue;
        }
        let missing: Vec<FieldId> = (0..tracked.len())
            .filter(|slot| !after.definite.contains(*slot))
            .map(|slot| tracked[slot])
            .collect();
        // `this.x = x` in place of `property(x)` is reported separately.
        let refused = |it: &Problem| it.breaks(&type_rules::not_assignable::RULE);
        let is_set = code.body.stmts.iter().any(|stmt| matches!(stmt.kind, StmtKind::Property { .. }));
        if missing.iter().all(is_property) && !is_set && code.problems.iter().any(refused) {
            continue;
        }
        report_unassigned_fields(object, *method, &missing, found);
    }
}

fn report_unassigned_fields(
    object: &Object<'_>,
    constructor: MethodId,
    missing: &[FieldId],
    found: &mut Vec<(Owner, Problem)>,
) {
    let db = object.db;
    if missing.is_empty() {
        return;
    }
    let is_automatic =
        method_item(db, constructor).is_some_and(|item| item.kind == MethodKind::AutomaticConstructor);
    if is_automatic {
        // A field without a name is a syntax error.
        for field in missing.iter().filter(|field| !field.name(db).is_empty()) {
            let owner = Owner::Field(*field);
            let at = crate::infer::name_range(db, owner);
            found.push((owner, Problem::new(at, FieldNotAssigned::ByInitialiser(*field))));
        }
        return;
    }
    let owner = Owner::Method(constructor);
    let data = FieldNotAssigned::ByConstructor(missing.to_vec());
    found.push((owner, Problem::new(crate::infer::name_range(db, owner), data)));
}

/// Walks one body: the state after it, fields read too early, and problems.
fn walk(
    object: &Object<'_>,
    body: &Body,
    fields: &TrackedFields<'_>,
    state: AssignmentState,
) -> (AssignmentState, crate::flow::definite_assignment::state::SlotSet, Vec<Problem>) {
    let db = object.db;
    let context = FlowContext {
        db,
        needs_value: false,
        name: Default::default(),
        is_constructed: &|_| true,
        is_val: &|field| !field_is_mutable(db, field),
    };
    let mut walker = AssignmentWalker::of_fields(&context, body, fields, state);
    let after = walker.run();
    (after, std::mem::take(&mut walker.reads), std::mem::take(&mut walker.problems))
}
