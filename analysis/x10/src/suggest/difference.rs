//! Values of the wrong type: how the value differs from the type, and the fixes that convert it.

use apg_syntax::{TextRange, TextSize};

use super::cast::cast_fix;
use super::conversion::{replaced, with_conversion};
use super::literal::{literal_fits, literal_fix, literal_text};
use crate::body::{ExprId, ExprKind, Literal};
use crate::diagnostics::{Diagnostic, Fix, article};
use crate::rules::render::RenderContext;
use crate::ty::Ty;
use crate::ty::known::Known;

/// A value and the type that it should have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The value.
    pub value: ExprId,
    /// The type that it has.
    pub found: Ty,
    /// The type that it should have.
    pub needed: Ty,
    /// `found` is a supertype of `needed`.
    pub is_supertype: bool,
    /// It is a call of a method, and a variable of that name could be applied.
    pub hides_variable: bool,
}

impl Difference {
    /// Adds to an error what the value has to do with the type that it should have, and how it becomes one.
    pub(crate) fn explain(&self, diagnostic: Diagnostic, cx: &RenderContext<'_>) -> Diagnostic {
        let (id, from, to, db) = (self.value, self.found, self.needed, cx.db);
        let is_number = |ty: Ty| ty.primitive(db).is_some_and(Known::is_number);
        if let Some(diagnostic) = self.apply_variable(&diagnostic, cx) {
            return diagnostic;
        }
        if from.base(db) == to.base(db) {
            let needed = article(&cx.show(to));
            return diagnostic.note(match literal_text(cx, id) {
                Some(text) => format!("the value is `{text}`, which is not {needed}"),
                None => format!("the value is known not to be {needed}"),
            });
        }
        if let Some(note) = self.too_large(cx) {
            return diagnostic.note(note);
        }
        if is_number(from) && is_number(to) {
            let base = to.base(db);
            let diagnostic = diagnostic.note(format!(
                "the conversion may lose information, so it has to be written: `... as {}`",
                cx.show(base)
            ));
            let fix = literal_fix(cx, id, to).or_else(|| operand_fix(cx, id, to));
            return with_fix(diagnostic, fix.or_else(|| cast_fix(cx, id, base)));
        }
        if let Some(note) = self.of_another_place(cx) {
            return diagnostic.note(note);
        }
        if from.is_null(db) {
            return diagnostic.note(
                "only objects of classes may be `null`: values of structs, numbers among them, always are there",
            );
        }
        if let Some((items, fix)) = items_fix(cx, id, to) {
            return diagnostic.note(format!("the elements are `{items}`s")).fix(fix);
        }
        if let Some(fix) = quotes_fix(cx, id, to) {
            return diagnostic.note("characters stand in single quotes, strings in double quotes").fix(fix);
        }
        let range = cx.expr(id).map(|it| it.range).unwrap_or_default();
        if let Some(converted) = with_conversion(cx, &diagnostic, id, to, range) {
            return converted;
        }
        if to.is_known(db, Known::String) && !self.is_supertype {
            return diagnostic
                .note("text is made of a value by `x.toString()`, or by joining: `\"...\" + x`");
        }
        if self.is_supertype {
            let note = format!("if the value is known to be one, write `... as {}`", cx.show(to));
            return diagnostic.note(note);
        }
        diagnostic
    }

    /// `name(x)` is a call of a method where there is one of that name, even if a variable of that name
    /// could be applied.
    fn apply_variable(&self, diagnostic: &Diagnostic, cx: &RenderContext<'_>) -> Option<Diagnostic> {
        let call = cx.expr(self.value).filter(|_| self.hides_variable)?;
        let ExprKind::Call { method, .. } = call.kind else { return None };
        let name = method.name(cx.db);
        let called = TextRange::at(call.range.start(), TextSize::of(name.as_str()));
        let text = cx.source(call.range)?;
        if !text.strip_prefix(name.as_str())?.trim_start().starts_with('(') {
            return None;
        }
        let note = format!(
            "`{name}(...)` calls the method of that name; the variable is applied by `({name})(...)`"
        );
        Some(replaced(diagnostic.clone().note(note), called, format!("({name})")))
    }

    /// That an integer literal is none of the needed integer type, which a cast would not change.
    fn too_large(&self, cx: &RenderContext<'_>) -> Option<String> {
        let known = self.needed.primitive(cx.db).filter(|known| known.is_integer())?;
        let ExprKind::Literal(Literal::Int(value)) = cx.expr(self.value)?.kind else { return None };
        let is_signed = self.found.primitive(cx.db).is_some_and(|it| it.is_integer() && !it.is_unsigned());
        let wider =
            if value < 0 && known.is_unsigned() { "a signed type" } else { "a wider one, such as `Long`" };
        (is_signed && !literal_fits(value, known)).then(|| {
            let needed = article(&cx.show(self.needed.base(cx.db)));
            format!("`{value}` is out of the range of {needed}: use {wider}")
        })
    }

    /// Where a rail is needed and given, but one of them may be another place's.
    fn of_another_place(&self, cx: &RenderContext<'_>) -> Option<&'static str> {
        let is_local = |ty: Ty| ty.rail_element(cx.db).is_some();
        let is_global = |ty: Ty| ty.global_rail_element(cx.db).is_some();
        if is_global(self.found) && is_local(self.needed) {
            return Some(
                "its elements may be at another place: `finish Rail.asyncCopy(r, 0, rail, 0, r.size)` copies them to a rail of this one",
            );
        }
        (is_local(self.found) && is_global(self.needed))
            .then_some("`GlobalRail(rail)` names a rail of this place everywhere")
    }
}

fn with_fix(diagnostic: Diagnostic, fix: Option<Fix>) -> Diagnostic {
    fix.into_iter().fold(diagnostic, Diagnostic::fix)
}

/// Other suffixes for the elements of `[1, 2]`, and what they are now.
fn items_fix(cx: &RenderContext<'_>, id: ExprId, to: Ty) -> Option<(String, Fix)> {
    let ExprKind::RailLiteral { element, items } = &cx.expr(id)?.kind else { return None };
    let needed = to.rail_element(cx.db)?;
    let fixes = items.iter().map(|&item| literal_fix(cx, item, needed)).collect::<Option<Vec<_>>>()?;
    let title = format!("Write them as `{}`s", cx.show(needed.base(cx.db)));
    let edits = fixes.into_iter().flat_map(|it| it.edits).collect();
    Some((cx.show(element.base(cx.db)), Fix { title, edits }))
}

/// Another suffix, for the literal that made an operator compute in another number type.
fn operand_fix(cx: &RenderContext<'_>, id: ExprId, to: Ty) -> Option<Fix> {
    let ExprKind::Call { method, receiver, args, .. } = &cx.expr(id)?.kind else { return None };
    let operands: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
    let (&[left, right], true) = (&operands[..], method.name(cx.db).starts_with("operator")) else {
        return None;
    };
    [(left, right), (right, left)].into_iter().find_map(|(literal, other)| {
        let fits = cx.expr(unconverted(cx, other))?.ty.base(cx.db) == to.base(cx.db);
        literal_fix(cx, literal, to).filter(|_| fits)
    })
}

/// A value before it was converted.
fn unconverted(cx: &RenderContext<'_>, id: ExprId) -> ExprId {
    match cx.expr(id).map(|it| &it.kind) {
        Some(ExprKind::Coerce { value }) => unconverted(cx, *value),
        Some(ExprKind::Call { method, receiver: None, args, .. })
            if args.len() == 1 && method.name(cx.db) == "operator implicit as" =>
        {
            unconverted(cx, args[0])
        }
        _ => id,
    }
}

/// Other quotes, for a character where a string is needed or the other way round.
fn quotes_fix(cx: &RenderContext<'_>, id: ExprId, to: Ty) -> Option<Fix> {
    let literal = cx.expr(id)?;
    let text = match &literal.kind {
        ExprKind::Literal(Literal::Char(c)) if to.is_known(cx.db, Known::String) => {
            format!("\"{}\"", c.escape_default())
        }
        ExprKind::Literal(Literal::String(text))
            if to.is_known(cx.db, Known::Char) && text.chars().count() == 1 =>
        {
            format!("'{}'", text.escape_default())
        }
        _ => return None,
    };
    Some(Fix::replace(format!("Write `{text}`"), literal.range, text))
}
