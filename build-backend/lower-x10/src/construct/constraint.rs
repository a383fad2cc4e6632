//! Run-time checks of constraints: `x as T{c}` and `x instanceof T{c}`.

use apg_analysis::program::body::Dispatch;
use apg_analysis::program::items::{own_field, qualified_name};
use apg_analysis::program::ty::{Constraint, ConstraintTerm, Named, Path, PathRoot, Ty, characters};
use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::builder::function::Builder;
use crate::builder::operands::{bool, expr, int, operation};
use crate::mono::types::{Shape, is_reference};
use apg_mir::{self as mir, ExprKind, Operation, StmtKind as Out};

/// The value that a constraint applies to, in a temporary.
struct Subject {
    value: mir::Expr,
    ty: Ty,
    range: TextRange,
}

impl Builder<'_, '_> {
    /// `value`, of concrete type `ty`, if the constraint of `wanted` holds; else a
    /// FailedDynamicCheckException.
    pub(crate) fn checked(&mut self, value: mir::Expr, ty: Ty, wanted: Ty, range: TextRange) -> mir::Expr {
        let Some(constraint) = wanted.constraint(self.lowerer.db).cloned() else { return value };
        let value = self.save(value);
        let subject = Subject { value: value.clone(), ty, range };
        if let Some(holds) = self.holds(&subject, &constraint) {
            let failed = operation(Operation::Not, mir::Ty::Bool, vec![holds]);
            let db = self.lowerer.db;
            let text = format!("the value is not of type {}", wanted.display(db));
            let (then, ()) = self.nested(|it| {
                let string = Ty::string(it.lowerer.db);
                let machine = it.lowerer.machine(string);
                let message = expr(machine, ExprKind::String(SmolStr::new(text)));
                it.throw_new("x10.lang.FailedDynamicCheckException", Some(message));
            });
            self.push(Out::If { condition: failed, then, otherwise: Vec::new() });
        }
        value
    }

    /// `value instanceof wanted`, constraint included.
    pub(crate) fn instance_of_constrained(
        &mut self,
        value: mir::Expr,
        from: Ty,
        wanted: Ty,
        range: TextRange,
    ) -> mir::Expr {
        let ty = self.concrete(wanted);
        let Some(constraint) = wanted.constraint(self.lowerer.db).cloned() else {
            return self.instance_of(value, from, ty);
        };
        let value = self.save(value);
        let base = self.instance_of(value.clone(), from, ty);
        let result = self.new_local("$", mir::Ty::Bool, true);
        self.set(result, base);
        let condition = self.local(result);
        let (then, ()) = self.nested(|it| {
            let value = it.convert(value, from, ty);
            let value = it.save(value);
            let subject = Subject { value, ty, range };
            if let Some(holds) = it.holds(&subject, &constraint) {
                it.set(result, holds);
            }
        });
        self.push(Out::If { condition, then, otherwise: Vec::new() });
        self.local(result)
    }

    /// The condition that all terms hold. Terms without a run-time meaning are ignored.
    fn holds(&mut self, subject: &Subject, constraint: &Constraint) -> Option<mir::Expr> {
        let mut all: Option<mir::Expr> = None;
        for term in &constraint.terms {
            let Some(holds) = self.term(subject, term) else { continue };
            if matches!(holds.kind, ExprKind::Int(1)) {
                continue;
            }
            all = Some(match all {
                None => holds,
                Some(before) => expr(mir::Ty::Bool, ExprKind::And(Box::new(before), Box::new(holds))),
            });
        }
        all
    }

    fn term(&mut self, subject: &Subject, term: &ConstraintTerm) -> Option<mir::Expr> {
        match term {
            ConstraintTerm::Equal(a, b) => self.compared(subject, a, b, false),
            ConstraintTerm::NotEqual(a, b) => self.compared(subject, a, b, true),
            ConstraintTerm::Holds(path) => {
                let (value, ty) = self.path(subject, path)?;
                (ty == Ty::boolean(self.lowerer.db)).then_some(value)
            }
            ConstraintTerm::Opaque(_) => None,
        }
    }

    fn compared(&mut self, subject: &Subject, a: &Path, b: &Path, negated: bool) -> Option<mir::Expr> {
        let is_literal = |it: &Path| matches!(it.root, PathRoot::Literal(_));
        let (a, b) = if is_literal(a) { (b, a) } else { (a, b) };
        let (mut setup, equal) = self.nested(|it| {
            let (left, left_ty) = it.path(subject, a)?;
            let (right, right_ty) = match &b.root {
                PathRoot::Literal(text) => (it.written(text, left_ty)?, left_ty),
                _ => it.path(subject, b)?,
            };
            let is_null = matches!(right.kind, ExprKind::Null);
            let equal = match (&left.kind, &right.kind) {
                (ExprKind::Int(left), ExprKind::Int(right)) => bool(left == right),
                _ => it.equal_values(left, left_ty, right, right_ty),
            };
            let equal = if negated { operation(Operation::Not, mir::Ty::Bool, vec![equal]) } else { equal };
            // Only nullness of null is tested.
            let about_fields = |path: &Path| path.root == PathRoot::SelfValue && !path.fields.is_empty();
            let is_point = it.rank_of_known_point(&subject.value).is_some();
            if is_reference(subject.value.ty) && !is_null && !is_point && (about_fields(a) || about_fields(b))
            {
                let null = expr(subject.value.ty, ExprKind::Null);
                let is_null = operation(Operation::Eq, mir::Ty::Bool, vec![subject.value.clone(), null]);
                return Some(expr(mir::Ty::Bool, ExprKind::Or(Box::new(is_null), Box::new(equal))));
            }
            Some(equal)
        });
        let equal = equal?;
        self.block().append(&mut setup);
        Some(equal)
    }

    /// The value of a path, if it exists at run time.
    fn path(&mut self, subject: &Subject, path: &Path) -> Option<(mir::Expr, Ty)> {
        let (mut value, mut ty) = self.root(subject, &path.root)?;
        for name in &path.fields {
            (value, ty) = self.member(value, ty, name, subject.range)?;
        }
        Some((value, ty))
    }

    fn root(&mut self, subject: &Subject, root: &PathRoot) -> Option<(mir::Expr, Ty)> {
        let db = self.lowerer.db;
        match root {
            PathRoot::SelfValue => Some((subject.value.clone(), subject.ty)),
            PathRoot::This => Some((self.local(self.this?), self.source.this?)),
            PathRoot::Here => Some(self.here_value()),
            PathRoot::Local { name, offset } => {
                let locals = &self.source.body.locals;
                let found =
                    locals.iter().position(|it| it.name == *name && u32::from(it.range.start()) == *offset);
                match found {
                    Some(index) => {
                        let local = apg_analysis::program::body::LocalId(index as u32);
                        let ty = self.variable_type(local);
                        Some((self.read_variable(local)?, ty))
                    }
                    // The place of an enclosing `at`.
                    None if name == "here" => Some(self.here_value()),
                    None => None,
                }
            }
            PathRoot::Literal(text) => Some((self.written(text, Ty::long(db))?, Ty::long(db))),
            PathRoot::Static { what, .. } => self.named(*what),
        }
    }

    fn named(&mut self, what: Named) -> Option<(mir::Expr, Ty)> {
        match what {
            Named::Field(field) => {
                let ty = self.lowerer.static_type(field);
                Some((self.static_field(field, ty), ty))
            }
            Named::Around(class) => self.around(class),
            Named::Captured(field) => {
                let (object, ty) = self.around(field.class(self.lowerer.db))?;
                self.lowerer.locate_field(ty, field)?;
                let declared = self.lowerer.field_of(field, ty);
                Some((self.field_value(object, ty, field, declared, false), declared))
            }
            Named::Nothing => None,
        }
    }

    fn here_value(&mut self) -> (mir::Expr, Ty) {
        let place = Ty::place(self.lowerer.db);
        (self.here(place), place)
    }

    /// A field, property or property method.
    fn member(
        &mut self,
        value: mir::Expr,
        ty: Ty,
        name: &SmolStr,
        range: TextRange,
    ) -> Option<(mir::Expr, Ty)> {
        if name == "rank"
            && let Some(rank) = self.rank_of_known_point(&value)
        {
            return Some((int(mir::Ty::I64, rank as i64), Ty::long(self.lowerer.db)));
        }
        if let Some(class) = name.strip_suffix(".this") {
            let db = self.lowerer.db;
            return self.out_to(value, ty, &|around| qualified_name(db, around) == class);
        }
        for supertype in self.lowerer.all_supertypes(ty).iter().copied() {
            let Some((class, _)) = supertype.as_class(self.lowerer.db) else { continue };
            if let Some(field) = own_field(self.lowerer.db, class, name) {
                let declared = self.lowerer.field_of(field, supertype);
                return Some((self.field_value(value, ty, field, declared, true), declared));
            }
        }
        let callee = self.lowerer.method_with(name, ty, &[])?;
        let (_, result) = self.lowerer.concrete_signature(&callee);
        let value = self.call_instance(&callee, Dispatch::Virtual, ty, false, vec![value], result, range);
        // Constraints name property methods only. Those of the program may raise exceptions.
        if let ExprKind::Call { function, .. } = value.kind
            && self.is_library_array(ty)
        {
            self.lowerer.roles.entry(function).or_insert(mir::FunctionRole::Property);
        }
        Some((self.save(value), result))
    }

    /// A literal as it is written in a constraint.
    fn written(&mut self, text: &str, ty: Ty) -> Option<mir::Expr> {
        let machine = self.lowerer.machine(ty);
        let kind = match text {
            "null" if is_reference(machine) => ExprKind::Null,
            "true" => ExprKind::Int(1),
            "false" => ExprKind::Int(0),
            _ if text.starts_with('"') => ExprKind::String(SmolStr::new(characters(text)?)),
            _ if text.starts_with('\'') => {
                ExprKind::Int(i64::from(u32::from(characters(text)?.chars().next()?)))
            }
            _ => {
                let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
                match machine {
                    mir::Ty::F32 | mir::Ty::F64 => ExprKind::Float(digits.parse().ok()?),
                    mir::Ty::U64 => ExprKind::Int(digits.parse::<u64>().ok()? as i64),
                    _ => ExprKind::Int(digits.parse().ok()?),
                }
            }
        };
        let fits = match &kind {
            ExprKind::String(_) => ty == Ty::string(self.lowerer.db),
            ExprKind::Null => true,
            _ => self.lowerer.shape(ty) == Shape::Value && !matches!(machine, mir::Ty::Struct(_)),
        };
        if fits { Some(expr(machine, kind)) } else { self.boxed_literal(kind, ty) }
    }

    /// A literal compared with a value of type `Any`.
    fn boxed_literal(&mut self, kind: ExprKind, ty: Ty) -> Option<mir::Expr> {
        let db = self.lowerer.db;
        let own = match kind {
            ExprKind::String(_) => Ty::string(db),
            ExprKind::Int(_) => Ty::long(db),
            ExprKind::Float(_) => Ty::known(db, apg_analysis::program::ty::Known::Double),
            _ => return None,
        };
        if !self.lowerer.is_any(ty) {
            return None;
        }
        let machine = self.lowerer.machine(own);
        let value = expr(machine, kind);
        Some(self.convert(value, own, ty))
    }
}
