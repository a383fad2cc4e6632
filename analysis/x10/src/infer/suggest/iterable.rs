//! What was probably meant to be iterated over, where a value cannot be.

use smol_str::SmolStr;

use crate::body::{ExprId, ExprKind};
use crate::diagnostics::{Fix, TextEdit};
use crate::infer::context::Infer;
use crate::item_tree::items::{method_item, methods};
use crate::item_tree::{MethodKind, Modifiers};
use crate::signature::method_signature;
use crate::ty::Ty;
use crate::ty::known::{Known, known_class};

impl Infer<'_> {
    /// The methods of a value that give what can be iterated over, as fixes: `map.entries()`, `text.chars()`; of a number the range
    /// below it.
    pub(crate) fn iterable_parts(&self, value: ExprId) -> Vec<Fix> {
        let (db, ty, range) = (self.db, self.ty(value), self.range(value));
        let Some(written) = self.source(range) else { return Vec::new() };
        let fix = |text: String| Fix {
            title: format!("Iterate over `{text}`"),
            edits: vec![TextEdit { file: None, range, text }],
        };
        let simple = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '(' | ')');
        if ty.primitive(db).is_some_and(Known::is_number) {
            let bound = if written.chars().all(simple) { written.clone() } else { format!("({written})") };
            let zero = if ty.primitive(db) == Some(Known::Int) { "0n" } else { "0" };
            let one = if zero == "0" { "1" } else { "1n" };
            let fits = matches!(ty.primitive(db), Some(Known::Int | Known::Long));
            let literal = matches!(self.body.expr(value).kind, ExprKind::Literal(_));
            return match fits && !literal {
                true => vec![fix(format!("{zero}..({bound}-{one})"))],
                false => Vec::new(),
            };
        }
        if !written.chars().all(simple) {
            return Vec::new();
        }
        let is_iterable = |ty: Ty| {
            let base = ty.base(db);
            base.rail_element(db).is_some()
                || known_class(db, Known::Iterable).is_some_and(|class| self.as_super(base, class).is_some())
        };
        let context = self.context();
        let classes = context.supertypes(ty);
        let all = classes.iter().filter_map(|it| it.as_class(db)).flat_map(|(class, _)| methods(db, class));
        let found = all
            .filter(|method| {
                method_item(db, **method).is_some_and(|item| {
                    let hidden = item.modifiers.has(Modifiers::STATIC)
                        || !context.can_access(method.class(db), item.modifiers);
                    item.kind == MethodKind::Method
                        && item.params.is_empty()
                        && item.type_params.is_empty()
                        && !hidden
                }) && method_signature(db, **method).result.is_some_and(is_iterable)
            })
            .map(|method| method.name(db))
            // Copies of the value itself are not what was meant.
            .filter(|name| !matches!(name.as_str(), "clone" | "bytes"));
        let mut names: Vec<&SmolStr> = Vec::new();
        for name in found {
            if !names.contains(&name) && names.len() < 3 {
                names.push(name);
            }
        }
        names.into_iter().map(|name| fix(format!("{written}.{name}()"))).collect()
    }
}
