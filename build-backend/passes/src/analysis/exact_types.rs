//! Exact type propagation: which locals and results always hold objects of one class, not of a subclass.

use apg_mir::*;

use crate::values::{allocated_class, is_closure_parameter, is_host_code, strip_checks};

/// Iterations that follow chains of functions that return each other's results.
const MAX_RESULT_ROUNDS: usize = 4;
/// Iterations that follow copies between locals.
const MAX_COPY_ROUNDS: usize = 3;

/// Classes of a function's inputs, known from its specialisation.
#[derive(Clone, Default)]
pub(crate) struct KnownClasses {
    /// Of the parameters.
    pub params: Vec<Option<ClassId>>,
    /// Of the captures of the closure whose code it is.
    pub captures: Vec<Option<ClassId>>,
}

/// The exact types inside a function.
#[derive(Clone, Copy)]
pub(crate) struct ExactTypes<'a> {
    /// Of its locals.
    pub locals: &'a [Option<ClassId>],
    /// Of the results of all functions.
    pub results: &'a [Option<ClassId>],
    /// Of the captures of the closure whose code it is.
    pub captures: &'a [Option<ClassId>],
    /// The subtype relation.
    pub supertypes: &'a Supertypes,
}

/// The supertypes of each class of a program.
pub(crate) struct Supertypes {
    superclasses: Vec<Option<ClassId>>,
    interfaces: Vec<Vec<InterfaceId>>,
    /// Whether the class is a box of a value.
    boxes: Vec<bool>,
}

impl Supertypes {
    /// Of all classes.
    pub(crate) fn new(program: &Program) -> Supertypes {
        let interfaces = |class: &Class| class.interfaces.iter().map(|it| it.0).collect();
        Supertypes {
            superclasses: program.classes.iter().map(|it| it.superclass).collect(),
            interfaces: program.classes.iter().map(interfaces).collect(),
            boxes: program.classes.iter().map(|it| matches!(it.kind, ClassKind::Boxed { .. })).collect(),
        }
    }

    /// Adds classes that a pass has created.
    pub(crate) fn add_new_classes(&mut self, program: &Program) {
        if program.classes.len() > self.boxes.len() {
            *self = Supertypes::new(program);
        }
    }

    /// Whether objects of a class pass a checked cast.
    fn is_subtype(&self, class: ClassId, target: CastTarget) -> bool {
        match target {
            CastTarget::Interface(interface) => {
                self.interfaces.get(class.index()).is_some_and(|it| it.contains(&interface))
            }
            // The first class is the root of the hierarchy.
            CastTarget::Class(target) => {
                target.index() == 0
                    || std::iter::successors(Some(class), |it| {
                        self.superclasses.get(it.index()).copied().flatten()
                    })
                    .any(|it| it == target)
            }
        }
    }
}

impl ExactTypes<'_> {
    /// The class of a value, unless the value is null.
    pub(crate) fn class_of(self, expr: &Expr) -> Option<ClassId> {
        match &expr.kind {
            ExprKind::NonNull(value) | ExprKind::Cast { value, checked: false, .. } => self.class_of(value),
            // An object that passes a cast is of the target class. A cast to an unrelated class is dead code.
            ExprKind::Cast { value, target, .. } => {
                self.class_of(value).filter(|it| self.supertypes.is_subtype(*it, *target))
            }
            ExprKind::Local(local) => self.locals.get(local.index()).copied().flatten(),
            ExprKind::Call { function, .. } => self.results.get(function.index()).copied().flatten(),
            ExprKind::Field { object, field, .. } if is_closure_parameter(object) => {
                self.captures.get(*field as usize).copied().flatten()
            }
            ExprKind::Select { then, otherwise, .. } => {
                self.class_of(then).filter(|it| self.class_of(otherwise) == Some(*it))
            }
            _ => allocated_class(expr),
        }
    }

    /// Whether this is a checked cast that always succeeds. Casts of boxes fail for null and are not
    /// redundant.
    pub(crate) fn is_redundant_cast(self, expr: &Expr) -> bool {
        let ExprKind::Cast { value, target, checked: true } = &expr.kind else { return false };
        self.class_of(value).is_some_and(|it| {
            !self.supertypes.boxes.get(it.index()).is_none_or(|it| *it)
                && self.supertypes.is_subtype(it, *target)
        })
    }
}

/// Infers the classes of the results of all functions.
pub(crate) fn infer_results(
    program: &Program,
    supertypes: &Supertypes,
    known: &[KnownClasses],
) -> Vec<Option<ClassId>> {
    let mut results = vec![None; program.functions.len()];
    for _ in 0..MAX_RESULT_ROUNDS {
        let before = results.clone();
        for (index, function) in program.functions.iter().enumerate() {
            if results[index].is_none()
                && is_host_code(function)
                && matches!(function.result, Ty::Ref(_) | Ty::Any)
            {
                results[index] = infer_result(function, supertypes, &known[index], &before);
            }
        }
        if results == before {
            break;
        }
    }
    results
}

fn infer_result(
    function: &Function,
    supertypes: &Supertypes,
    known: &KnownClasses,
    results: &[Option<ClassId>],
) -> Option<ClassId> {
    let locals = infer_locals(function, supertypes, &function.body, known, results);
    let exact = ExactTypes { locals: &locals, results, captures: &known.captures, supertypes };
    let mut class = ClassLattice::default();
    walk::visit_stmts(&function.body, &mut |stmt| {
        if let StmtKind::Return(Some(value)) = &stmt.kind {
            class.join(value, exact);
        }
    });
    class.class()
}

/// Infers the classes of the locals of a function: the join over all assigned values.
pub(crate) fn infer_locals(
    function: &Function,
    supertypes: &Supertypes,
    body: &[Stmt],
    known: &KnownClasses,
    results: &[Option<ClassId>],
) -> Vec<Option<ClassId>> {
    let params = function.params as usize;
    let mut classes = vec![None; function.locals.len()];
    for (class, known) in classes.iter_mut().zip(&known.params) {
        *class = *known;
    }
    for _ in 0..MAX_COPY_ROUNDS {
        let mut found = vec![ClassLattice::default(); classes.len()];
        let exact = ExactTypes { locals: &classes, results, captures: &known.captures, supertypes };
        walk::visit_stmts(body, &mut |stmt| match &stmt.kind {
            StmtKind::Set { local, value } => found[local.index()].join(value, exact),
            StmtKind::Try { catches, .. } => {
                catches.iter().for_each(|it| found[it.local.index()] = ClassLattice::Top);
            }
            _ => {}
        });
        let before = classes.clone();
        for (index, found) in found.into_iter().enumerate() {
            match found {
                // An assigned parameter also holds the caller's value.
                _ if index < params => {
                    if !matches!(found, ClassLattice::Bottom) {
                        classes[index] = None;
                    }
                }
                found => classes[index] = found.class(),
            }
        }
        if classes == before {
            break;
        }
    }
    classes
}

/// The lattice of exact classes.
#[derive(Clone, Copy, Default)]
enum ClassLattice {
    #[default]
    Bottom,
    Class(ClassId),
    Top,
}

impl ClassLattice {
    fn join(&mut self, value: &Expr, exact: ExactTypes<'_>) {
        if matches!(strip_checks(value).kind, ExprKind::Null) {
            return;
        }
        *self = match (*self, exact.class_of(value)) {
            (ClassLattice::Bottom, Some(class)) => ClassLattice::Class(class),
            (ClassLattice::Class(known), Some(class)) if known == class => ClassLattice::Class(class),
            _ => ClassLattice::Top,
        };
    }

    fn class(self) -> Option<ClassId> {
        match self {
            ClassLattice::Class(class) => Some(class),
            _ => None,
        }
    }
}
