//! Conversions made explicit: a value of one type where another is needed.

use crate::body::local_class_env::{captured_path, captured_variable, outer_path};
use crate::body::{Dispatch, ExprId, ExprKind, Literal};
use crate::constraint::Entailment;
use crate::diagnostics::{Diagnostic, article};
use crate::infer::call::overload::Picked;
use crate::infer::constraint::residual::Need;
use crate::infer::context::Infer;
use crate::relate::Context;
use crate::relate::entailment::Question;
use crate::relate::subtype::{ImplicitCall, Representation};
use crate::rules::r#type as type_rules;
use crate::ty::known::Known;
use crate::ty::subst::Substitution;
use crate::ty::{Constraint, ConstraintTerm, Path, Ty};

/// What a value is needed for; decides the message when it does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    Initialiser,
    Assignment,
    Argument,
    Return,
    Condition,
    Place,
    Receiver,
    Element,
    /// `as`: what is not known is to be checked when the program runs.
    Cast,
}

impl<'db> Infer<'db> {
    /// Where questions about types are asked from, and what is known there.
    pub(crate) fn context(&self) -> Context<'db> {
        let mut context = match self.owner {
            crate::body::Owner::Method(method) => Context::method(self.db, method),
            crate::body::Owner::Field(_) => Context::class(self.db, self.class),
        };
        context.facts = self.known.clone();
        context.typed = self.typed.clone();
        context.here = Some(self.here_path());
        context
    }

    pub(crate) fn is_subtype(&self, a: Ty, b: Ty) -> bool {
        a.is_error(self.db) || b.is_error(self.db) || self.context().is_subtype(a, b)
    }

    /// Whether a value of type `from` can stand where `to` is needed, converted if need be.
    pub(crate) fn is_assignable(&self, from: Ty, to: Ty) -> bool {
        self.context().convert(from, to, None).is_some()
    }

    /// Whether the value `id`, about which more may be known than its type says, can stand where `to` is needed.
    pub(crate) fn fits(&self, id: ExprId, to: Ty) -> bool {
        let path = self.path_of(id);
        self.context().convert(self.ty(id), to, path.as_ref()).is_some()
    }

    pub(crate) fn as_super(&self, ty: Ty, class: crate::ids::ClassId) -> Option<Ty> {
        self.context().as_super(ty, class)
    }

    /// `id` as a value of type `to`.
    pub(crate) fn convert(&mut self, id: ExprId, to: Ty, why: Why) -> ExprId {
        let db = self.db;
        let from = self.ty(id);
        let range = self.range(id);
        if from == to || from.is_error(db) || to.is_error(db) {
            return id;
        }
        if from.is_void(db) {
            return self.void_used(range);
        }
        let path = self.path_of(id);
        let known = if to.constraint(db).is_some() && self.is_not_null(id) {
            from.constrained(db, Constraint::not_null())
        } else {
            from
        };
        let Some(conversion) = self.context().convert(known, to, path.as_ref()) else {
            self.explain_mismatch(id, to, why);
            return self.alloc(ExprKind::Coerce { value: id }, to, range);
        };
        let mut value = id;
        let mut plain = to;
        if conversion.checked {
            plain = to.base(db);
            let seen = conversion.implicit.as_ref().map_or(known, |call| call.result);
            if why != Why::Cast {
                let open = self.undecided_terms(id, seen, to);
                self.undecided(&open, range, Need::Value(id, to));
            }
        }
        if let Some(call) = &conversion.implicit {
            value = self.implicit_call(call, id);
        }
        value = match conversion.representation {
            Representation::Same if self.ty(value) == to => value,
            Representation::Same | Representation::Coerce => {
                self.alloc(ExprKind::Coerce { value }, plain, range)
            }
            Representation::Box => self.alloc(ExprKind::Box { value }, plain, range),
        };
        if conversion.checked {
            value = self.alloc(ExprKind::Cast { value, checked: true }, to, range);
        }
        value
    }

    fn implicit_call(&mut self, call: &ImplicitCall, mut argument: ExprId) -> ExprId {
        let db = self.db;
        let class_params = crate::item_tree::nesting::all_type_params(db, call.method.class(db));
        let own = crate::item_tree::items::method_type_param_ids(db, call.method);
        let substitution =
            Substitution::types(class_params, &call.class_args).with_types(own, &call.type_args);
        let formal = crate::signature::method_signature(db, call.method).params.first().map(|p| p.ty);
        let asked = self.asked_of(call, &substitution, argument);
        let mut stmts = Vec::new();
        self.bind_nameless(&asked, std::slice::from_mut(&mut argument), &mut stmts);
        let argument = match formal {
            Some(formal) => {
                let formal = substitution.apply(db, formal).base(db);
                self.convert(argument, formal, Why::Argument)
            }
            None => argument,
        };
        let range = self.range(argument);
        let kind = ExprKind::Call {
            method: call.method,
            dispatch: Dispatch::Static,
            receiver: None,
            class_args: call.class_args.clone(),
            type_args: call.type_args.clone(),
            args: vec![argument],
        };
        let id = self.alloc(kind, call.result, range);
        self.guarded(id, &asked, stmts)
    }

    /// What the condition of a conversion operator asks of a value, beyond what is known of it.
    fn asked_of(&mut self, call: &ImplicitCall, types: &Substitution, value: ExprId) -> Picked {
        let guard = crate::signature::inferred::full_guard(self.db, call.method);
        let mut unproved = Constraint::default();
        if !guard.terms.is_empty() {
            let path = self.named(value);
            let substitution = types.clone().with_paths(None, vec![path]);
            let terms = substitution.constraint(&guard).terms.into_iter();
            let open = |term: &ConstraintTerm| {
                let known = self.context().decide(Question::default(), std::slice::from_ref(term));
                known != Entailment::Proved
            };
            unproved.terms = terms.filter(open).collect();
        }
        Picked {
            method: call.method,
            owner: call.result,
            class_args: call.class_args.clone(),
            type_args: call.type_args.clone(),
            params: Vec::new(),
            conversions: Vec::new(),
            result: call.result,
            unproved,
            is_refuted: false,
        }
    }

    fn explain_mismatch(&mut self, id: ExprId, to: Ty, why: Why) {
        let (from, range) = (self.ty(id), self.range(id));
        if from.mentions_error(self.db) || to.mentions_error(self.db) {
            return;
        }
        if let Some((item, wanted)) = self.odd_item(id, to) {
            return self.explain_mismatch(item, wanted, Why::Element);
        }
        let gives_nothing =
            |ty: Ty| ty.base(self.db).as_function(self.db).is_some_and(|(_, result)| result.is_void(self.db));
        if gives_nothing(from) && !gives_nothing(to) && self.refuse_unused_values(range) {
            return;
        }
        let needed = self.show(to);
        let found = self.show(from);
        let message = match why {
            Why::Condition => format!("a condition is a `Boolean`, found `{found}`"),
            Why::Place => format!("`at` needs a place, found `{found}`"),
            Why::Return => format!("the result type is `{needed}`, found `{found}`"),
            _ => format!("expected `{needed}`, found `{found}`"),
        };
        let mut diagnostic = type_rules::mismatch::RULE.at(range, message);
        if why == Why::Condition {
            let diagnostic = self.explain_condition(id, diagnostic);
            return self.report(diagnostic);
        }
        diagnostic = self.with_difference(diagnostic, id, to);
        self.report(diagnostic);
    }

    /// Where a rail is wanted and given, but one of them may be another place's.
    fn of_another_place(&self, from: Ty, to: Ty) -> Option<&'static str> {
        let (local, global) = (|ty: Ty| ty.rail_element(self.db), |ty: Ty| ty.global_rail_element(self.db));
        match (global(from).is_some() && local(to).is_some(), local(from).is_some() && global(to).is_some()) {
            (true, _) => Some(
                "its elements may be at another place: `finish Rail.asyncCopy(r, 0, rail, 0, r.size)` copies them to a rail of this one",
            ),
            (_, true) => Some("`GlobalRail(rail)` names a rail of this place everywhere"),
            _ => None,
        }
    }

    /// Adds to an error what the value `id` has to do with the type that it should have, and how it becomes one.
    pub(crate) fn with_difference(&self, mut diagnostic: Diagnostic, id: ExprId, to: Ty) -> Diagnostic {
        let from = self.ty(id);
        let (needed, numbers) = (
            self.show(to),
            from.primitive(self.db).is_some_and(Known::is_number)
                && to.primitive(self.db).is_some_and(Known::is_number),
        );
        if let Some(diagnostic) = self.method_over_variable(&diagnostic, id) {
            return diagnostic;
        }
        if from.base(self.db) == to.base(self.db) {
            diagnostic = diagnostic.note(match self.literal_text(id) {
                Some(text) => format!("the value is `{text}`, which is not {}", article(&needed)),
                None => format!("the value is known not to be {}", article(&needed)),
            });
        } else if let Some(note) = self.too_large(id, to) {
            diagnostic = diagnostic.note(note);
        } else if numbers {
            let base = self.show(to.base(self.db));
            diagnostic = diagnostic.note(format!(
                "the conversion may lose information, so it has to be written: `... as {base}`"
            ));
            let fix = self.literal_fix(id, to).or_else(|| self.operand_fix(id, to));
            if let Some(fix) = fix.or_else(|| self.cast_fix(id, to.base(self.db))) {
                diagnostic = diagnostic.fix(fix);
            }
        } else if let Some(note) = self.of_another_place(from, to) {
            diagnostic = diagnostic.note(note);
        } else if from.is_null(self.db) {
            diagnostic = diagnostic.note("only objects of classes may be `null`: values of structs, numbers among them, always are there");
        } else if let Some((items, fix)) = self.items_fix(id, to) {
            diagnostic = diagnostic.note(format!("the elements are `{items}`s")).fix(fix);
        } else if let Some(fix) = self.quotes_fix(id, to) {
            diagnostic =
                diagnostic.note("characters stand in single quotes, strings in double quotes").fix(fix);
        } else if let Some(made) = self.with_making(&diagnostic, id, to, self.range(id)) {
            diagnostic = made;
        } else if self.is_string(to) && !self.is_subtype(to, from) {
            diagnostic =
                diagnostic.note("text is made of a value by `x.toString()`, or by joining: `\"...\" + x`");
        } else if self.is_subtype(to, from) {
            diagnostic =
                diagnostic.note(format!("if the value is known to be one, write `... as {}`", self.show(to)));
        }
        diagnostic
    }

    /// That an integer literal is none of the integer type `to`, which a cast would not mend.
    fn too_large(&self, id: ExprId, to: Ty) -> Option<String> {
        let known = to.primitive(self.db).filter(|known| known.is_integer())?;
        let ExprKind::Literal(Literal::Int(value)) = self.body.expr(id).kind else { return None };
        let is_signed = self.ty(id).primitive(self.db).is_some_and(|it| it.is_integer() && !it.is_unsigned());
        let wider =
            if value < 0 && known.is_unsigned() { "a signed type" } else { "a wider one, such as `Long`" };
        (is_signed && !literal_fits(value, known)).then(|| {
            format!("`{value}` is out of the range of {}: use {wider}", article(&self.show(to.base(self.db))))
        })
    }

    /// The value of a literal, as it is written.
    fn literal_text(&self, id: ExprId) -> Option<String> {
        let ExprKind::Literal(literal) = &self.body.expr(id).kind else { return None };
        let known = self.ty(id).primitive(self.db)?;
        literal_of(literal, known)
    }

    /// Another suffix, for a literal of the wrong number type.
    pub(crate) fn literal_fix(&self, id: ExprId, to: Ty) -> Option<crate::diagnostics::Fix> {
        let known = to.primitive(self.db)?;
        let ExprKind::Literal(literal) = &self.body.expr(id).kind else { return None };
        let text = literal_of(literal, known)?;
        // What is wrong with a literal of that type already is its value, not how it is written.
        if self.ty(id).primitive(self.db) == Some(known) {
            return None;
        }
        Some(crate::diagnostics::Fix {
            title: format!("Write `{text}`"),
            edits: vec![crate::diagnostics::TextEdit { file: None, range: self.range(id), text }],
        })
    }

    /// The first element of `[1, 2.0]` that does not fit where others do, and the type that it should have.
    fn odd_item(&self, id: ExprId, to: Ty) -> Option<(ExprId, Ty)> {
        let ExprKind::RailLiteral { items, .. } = &self.body.expr(id).kind else { return None };
        let wanted = to.rail_element(self.db)?;
        let plain = |item: &ExprId| match self.body.expr(*item).kind {
            ExprKind::Box { value } | ExprKind::Coerce { value } => value,
            _ => *item,
        };
        let fits = |item: &ExprId| self.is_subtype(self.ty(plain(item)), wanted);
        let odd = items.iter().find(|item| !fits(item))?;
        items.iter().any(fits).then(|| (plain(odd), wanted))
    }

    /// Other suffixes for the elements of `[1, 2]`, and what they are now.
    fn items_fix(&self, id: ExprId, to: Ty) -> Option<(String, crate::diagnostics::Fix)> {
        let ExprKind::RailLiteral { element, items } = &self.body.expr(id).kind else { return None };
        let wanted = to.rail_element(self.db)?;
        let fixes = items.iter().map(|&item| self.literal_fix(item, wanted)).collect::<Option<Vec<_>>>()?;
        let title = format!("Write them as `{}`s", self.show(wanted.base(self.db)));
        let edits = fixes.into_iter().flat_map(|it| it.edits).collect();
        Some((self.show(element.base(self.db)), crate::diagnostics::Fix { title, edits }))
    }

    /// Another suffix, for the literal that made an operator compute in another number type.
    fn operand_fix(&self, id: ExprId, to: Ty) -> Option<crate::diagnostics::Fix> {
        let ExprKind::Call { method, receiver, args, .. } = &self.body.expr(id).kind else { return None };
        let operands: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
        let (&[left, right], true) = (&operands[..], method.name(self.db).starts_with("operator")) else {
            return None;
        };
        [(left, right), (right, left)].into_iter().find_map(|(literal, other)| {
            let fits = self.ty(self.unconverted(other)).base(self.db) == to.base(self.db);
            self.literal_fix(literal, to).filter(|_| fits)
        })
    }

    /// A value before it was converted.
    fn unconverted(&self, id: ExprId) -> ExprId {
        match &self.body.expr(id).kind {
            ExprKind::Coerce { value } => self.unconverted(*value),
            ExprKind::Call { method, receiver: None, args, .. }
                if args.len() == 1 && method.name(self.db) == "operator implicit as" =>
            {
                self.unconverted(args[0])
            }
            _ => id,
        }
    }

    /// Other quotes, for a character where a string is needed or the other way round.
    fn quotes_fix(&self, id: ExprId, to: Ty) -> Option<crate::diagnostics::Fix> {
        let text = match &self.body.expr(id).kind {
            ExprKind::Literal(Literal::Char(c)) if self.is_string(to) => {
                format!("\"{}\"", c.escape_default())
            }
            ExprKind::Literal(Literal::String(text))
                if to.is_known(self.db, Known::Char) && text.chars().count() == 1 =>
            {
                format!("'{}'", text.escape_default())
            }
            _ => return None,
        };
        Some(crate::diagnostics::Fix {
            title: format!("Write `{text}`"),
            edits: vec![crate::diagnostics::TextEdit { file: None, range: self.range(id), text }],
        })
    }

    /// A call without a result where a value is needed.
    pub(crate) fn void_used(&mut self, range: apg_syntax::TextRange) -> ExprId {
        self.report(
            type_rules::void_value::RULE
                .at(range, "this call has no result, so it cannot be used as a value")
                .note("its method returns `void`: call it as a statement of its own"),
        );
        self.error(range)
    }

    /// What the expression is in constraints: a `val`, a literal, or a property of one.
    pub(crate) fn path_of(&self, id: ExprId) -> Option<Path> {
        match &self.body.expr(id).kind {
            ExprKind::Local(local) => {
                let local = self.body.local(*local);
                let stable = !local.mutable;
                stable.then(|| Path::local(local.name.clone(), local.range.start().into()))
            }
            ExprKind::This => Some(Path::this()),
            ExprKind::Outer(class) => Some(outer_path(self.db, *class)),
            ExprKind::Field { field, .. } if captured_variable(self.db, *field).is_some() => {
                let name = captured_variable(self.db, *field)?;
                Some(captured_path(self.db, field.class(self.db), name))
            }
            ExprKind::Here => Some(self.here_path()),
            ExprKind::Literal(Literal::Int(value)) if self.ty(id).is_known(self.db, Known::ULong) => {
                Some(Path::literal((*value as u64).to_string()))
            }
            ExprKind::Literal(literal) => literal_path(literal),
            ExprKind::Coerce { value } | ExprKind::Box { value } => self.path_of(*value),
            ExprKind::Let { result, .. } => self.path_of(*result),
            ExprKind::Assign { value, .. } => self.path_of(*value),
            // Checked, it is still the same value.
            ExprKind::Cast { value, checked: true } => self.path_of(*value),
            ExprKind::Field { object, field } => {
                let stable = !crate::item_tree::items::field_is_mutable(self.db, *field);
                let object = self.path_of(*object).filter(|_| stable)?;
                Some(object.field(field.name(self.db).clone()))
            }
            ExprKind::StaticField(field) => {
                let stable = !crate::item_tree::items::field_is_mutable(self.db, *field);
                stable.then(|| Path::static_field(self.db, *field))
            }
            // A reference to an object elsewhere as a place: its home.
            ExprKind::Call { method, receiver: None, args, .. }
                if method.name(self.db) == "operator implicit as" && self.is_global_ref(args) =>
            {
                Some(self.path_of(args[0])?.field("home"))
            }
            ExprKind::Call { method, receiver: Some(receiver), args, .. } if args.is_empty() => {
                let property = crate::item_tree::items::method_item(self.db, *method)
                    .is_some_and(|item| item.kind == crate::item_tree::MethodKind::Property);
                let receiver = self.path_of(*receiver).filter(|_| property)?;
                Some(receiver.field(method.name(self.db).clone()))
            }
            _ => None,
        }
        .or_else(|| self.nameless_local(id).map(|local| self.local_path(local)))
    }

    pub(crate) fn local_path(&self, local: crate::body::LocalId) -> Path {
        let local = self.body.local(local);
        Path::local(local.name.clone(), local.range.start().into())
    }
}

impl Infer<'_> {
    /// Whether the one argument is a `GlobalRef`.
    fn is_global_ref(&self, args: &[ExprId]) -> bool {
        matches!(args, [arg] if self.ty(*arg).is_known(self.db, Known::GlobalRef))
    }
}

/// A literal as constraints name it.
pub(crate) fn literal_path(literal: &Literal) -> Option<Path> {
    let text = match literal {
        Literal::Int(value) => value.to_string(),
        Literal::Float(bits) => format!("{:?}", f64::from_bits(*bits)),
        Literal::Bool(value) => value.to_string(),
        Literal::Char(value) => format!("{value:?}"),
        Literal::String(value) => format!("{value:?}"),
        Literal::Null => "null".to_owned(),
    };
    Some(Path::literal(text))
}

/// The literal of the type `known` that means the same.
pub(crate) fn literal_of(literal: &Literal, known: Known) -> Option<String> {
    let suffix = match known {
        Known::Byte => "y",
        Known::Short => "s",
        Known::Int => "n",
        Known::Long => "",
        Known::UByte => "uy",
        Known::UShort => "us",
        Known::UInt => "un",
        Known::ULong => "u",
        Known::Float => ".0f",
        Known::Double => ".0",
        _ => return None,
    };
    match literal {
        Literal::Int(value) => literal_fits(*value, known).then(|| format!("{value}{suffix}")),
        Literal::Float(bits) if known == Known::Float => {
            let value = f64::from_bits(*bits);
            (value as f32).is_finite().then(|| format!("{value:?}f"))
        }
        _ => None,
    }
}

/// Whether the number of a literal is one of the type `known`.
fn literal_fits(value: i64, known: Known) -> bool {
    match known.size().filter(|_| known.is_integer()) {
        None => true,
        Some(8..) => !known.is_unsigned() || value >= 0,
        Some(bytes) if known.is_unsigned() => (0..1i64 << (8 * bytes)).contains(&value),
        Some(bytes) => (-(1i64 << (8 * bytes - 1))..1i64 << (8 * bytes - 1)).contains(&value),
    }
}
