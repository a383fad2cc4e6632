//! Methods of a value that cannot be iterated over, whose results can be.

use smol_str::SmolStr;

use crate::body::ExprId;
use crate::infer::context::Infer;
use crate::item_tree::items::{method_item, methods};
use crate::item_tree::{MethodKind, Modifiers};
use crate::signature::method_signature;
use crate::ty::Ty;
use crate::ty::known::{Known, known_class};

/// The most methods that are suggested.
const MAX_SUGGESTED_METHODS: usize = 3;

impl Infer<'_> {
    /// The methods without arguments of a value that give what can be iterated over: `entries` of a map,
    /// `chars` of a string.
    pub(crate) fn iterable_methods(&self, value: ExprId) -> Vec<SmolStr> {
        let (db, ty) = (self.db, self.ty(value));
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
        let mut names: Vec<SmolStr> = Vec::new();
        for name in found {
            if !names.contains(name) && names.len() < MAX_SUGGESTED_METHODS {
                names.push(name.clone());
            }
        }
        names
    }
}
