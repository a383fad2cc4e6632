//! The methods that a class has promised and not written.

use apg_syntax::SyntaxKind;

use super::lines::{STEP, before_brace, indentation};
use super::{Assist, AssistKind, Place};
use crate::check;
use crate::ide::spans::enclosing_class;
use crate::ide::stubs::stub;
use crate::item_tree::source::{Item, item_node, name_range};
use crate::ty::Ty;

pub(super) fn missing_methods(place: &Place<'_>) -> Option<Assist> {
    let (db, file) = (place.db, place.file);
    let class = enclosing_class(db, file, place.range)?;
    // At the head of the class, where the error stands.
    if !name_range(db, Item::Class(class)).contains_inclusive(place.range.start()) {
        return None;
    }
    let missing = check::missing_methods(db, class);
    let node = item_node(db, Item::Class(class))?;
    let body = node.children().find(|n| n.kind() == SyntaxKind::CLASS_BODY)?;
    let close = body.last_token().filter(|t| t.text() == "}")?;
    let indent = indentation(place.text(), node.text_range().start()).to_owned();
    let with_body = |declaration: String| {
        let todo = "throw new UnsupportedOperationException();";
        format!("{indent}{STEP}{declaration} {{\n{indent}{STEP}{STEP}{todo}\n{indent}{STEP}}}\n")
    };
    let stubs = missing.iter().filter_map(|(method, owner)| {
        let declaration = stub(db, *method, *owner)?.declaration();
        Some(match check::property_for(db, class, (*method, *owner)) {
            Some(property) => format!("{indent}{STEP}{declaration} = {};\n", property.name(db)),
            None => with_body(declaration),
        })
    });
    let operators = check::missing_functions(db, class).into_iter().filter_map(|ty| operator(place, ty));
    let methods: Vec<String> = stubs.chain(operators.map(with_body)).collect();
    if methods.is_empty() {
        return None;
    }
    let (range, gap, end) = before_brace(place.text(), close.text_range().start(), &indent);
    let text = format!("{gap}{}{end}", methods.join("\n"));
    let title = match methods.len() {
        1 => "Implement the missing method".to_owned(),
        n => format!("Implement the {n} missing methods"),
    };
    Some(Assist { title, kind: AssistKind::QuickFix, edits: vec![place.edit(range, text)] })
}

/// `public operator this(x1:T):R`, which makes objects functions.
fn operator(place: &Place<'_>, ty: Ty) -> Option<String> {
    let (params, result) = ty.as_function(place.db)?;
    let formal = |(n, ty): (usize, &Ty)| Some(format!("x{}:{}", n + 1, place.spelled(*ty)?));
    let formals: Vec<String> = params.iter().enumerate().map(formal).collect::<Option<_>>()?;
    Some(format!("public operator this({}):{}", formals.join(", "), place.spelled(result)?))
}
