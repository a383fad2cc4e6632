//! Element access of the arrays and strings of the class library: which functions check whole ranges of
//! indices and access elements without checks. Loop versioning uses them.

use apg_analysis::program::body::ExprId;
use apg_analysis::program::items::qualified_name;
use apg_analysis::program::ty::Ty;
use apg_mir::{FunctionId, FunctionRole, Indexing};

use crate::builder::function::Builder;
use crate::{Callee, FunctionKey};

/// Packages of classes with the methods `covers`, `uncheckedGet` and `uncheckedSet`. All of these classes are
/// final. Methods of these names in the program's own classes are unrelated.
const ARRAY_PACKAGES: [&str; 2] = ["x10.array.", "x10.regionarray."];

impl Builder<'_, '_> {
    /// Notes the role of an operator of an array or a string that is called in a loop, with its indices.
    pub(crate) fn note_element_access(
        &mut self,
        callee: &Callee,
        function: FunctionId,
        array: ExprId,
        args: &[ExprId],
    ) {
        if self.loop_depth == 0 || self.is_device_code() {
            return;
        }
        let unchecked = match callee.method.name(self.lowerer.db).as_str() {
            "operator()" if self.type_of(array) == Ty::string(self.lowerer.db) => {
                self.lowerer.roles.insert(function, FunctionRole::CharAt);
                return;
            }
            "operator()" => "uncheckedGet",
            "operator()=" => "uncheckedSet",
            _ => return,
        };
        if let Some(indexing) = self.indexing(callee, unchecked, array, args) {
            let role = self.lowerer.roles.entry(function).or_insert(FunctionRole::Indexing(Vec::new()));
            if let FunctionRole::Indexing(forms) = role
                && !forms.contains(&indexing)
            {
                forms.push(indexing);
            }
        }
    }

    /// Whether a type is a class of the array packages, whose fields are not null.
    pub(crate) fn is_library_array(&self, ty: Ty) -> bool {
        let db = self.lowerer.db;
        let name = ty.as_class(db).map(|(class, _)| qualified_name(db, class)).unwrap_or_default();
        ARRAY_PACKAGES.iter().any(|known| name.starts_with(known))
    }

    fn indexing(
        &mut self,
        callee: &Callee,
        unchecked: &str,
        array: ExprId,
        args: &[ExprId],
    ) -> Option<Indexing> {
        let db = self.lowerer.db;
        let ty = self.type_of(array);
        if !self.is_library_array(ty) {
            return None;
        }
        let long = Ty::long(db);
        let (params, _) = self.lowerer.concrete_signature(callee);
        // The value of a store is the last parameter.
        let stored = params.len().min(usize::from(unchecked == "uncheckedSet"));
        let (indices, stored) = params.split_at(params.len() - stored);
        let rank = match indices.iter().all(|it| *it == long) {
            true => indices.len(),
            false => self.points.get(&self.index_variable(*args.first()?)?)?.len(),
        };
        let params: Vec<Ty> = std::iter::repeat_n(long, rank).chain(stored.iter().copied()).collect();
        let unchecked = self.lowerer.method_with(unchecked, ty, &params)?;
        let covers = self.lowerer.method_with("covers", ty, &vec![long; 2 * rank])?;
        let function = |it: &mut Self, callee| it.lowerer.function(FunctionKey::Method(callee));
        let (covers, unchecked) = (function(self, covers), function(self, unchecked));
        Some(Indexing { rank: rank as u32, covers, unchecked })
    }
}
