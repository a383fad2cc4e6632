//! Assist: implement the missing methods of a class.

use super::stub_insertion::StubInsertion;
use super::{Assist, AssistContext, AssistKind};
use crate::check;
use crate::ide::spans::enclosing_class;
use crate::ide::stubs::stub;
use crate::item_tree::source::{Item, name_range};
use crate::ty::Ty;

pub(super) fn missing_methods(ctx: &AssistContext<'_>) -> Option<Assist> {
    let (db, file) = (ctx.db, ctx.file);
    let class = enclosing_class(db, file, ctx.range)?;
    // Offered at the head of the class, the range of the diagnostic.
    if !name_range(db, Item::Class(class)).contains_inclusive(ctx.range.start()) {
        return None;
    }
    let missing = check::missing_methods(db, class);
    let insertion = StubInsertion::of(ctx, class)?;
    let with_body =
        |declaration: String| insertion.method(&declaration, "throw new UnsupportedOperationException();");
    let stubs = missing.iter().filter_map(|(method, owner)| {
        let declaration = stub(db, *method, *owner)?.declaration();
        Some(match check::property_for(db, class, (*method, *owner)) {
            Some(property) => insertion.value_method(&declaration, property.name(db)),
            None => with_body(declaration),
        })
    });
    let operators = check::missing_functions(db, class).into_iter().filter_map(|ty| operator(ctx, ty));
    let methods: Vec<String> = stubs.chain(operators.map(with_body)).collect();
    if methods.is_empty() {
        return None;
    }
    let (range, text) = insertion.insert(&methods.join("\n"));
    let title = match methods.len() {
        1 => "Implement the missing method".to_owned(),
        n => format!("Implement the {n} missing methods"),
    };
    Some(Assist { title, kind: AssistKind::QuickFix, edits: vec![ctx.edit(range, text)] })
}

/// A stub of `public operator this(x1:T):R`, by which a class implements a function type.
fn operator(ctx: &AssistContext<'_>, ty: Ty) -> Option<String> {
    let (params, result) = ty.as_function(ctx.db)?;
    let formal = |(n, ty): (usize, &Ty)| Some(format!("x{}:{}", n + 1, ctx.spelled(*ty)?));
    let formals: Vec<String> = params.iter().enumerate().map(formal).collect::<Option<_>>()?;
    Some(format!("public operator this({}):{}", formals.join(", "), ctx.spelled(result)?))
}
