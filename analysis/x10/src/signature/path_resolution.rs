//! Member lookup along a path in a constraint: in `self.a.b`, `a` is a member of the class of `self`, and `b`
//! a member of the class of `self.a`.

use apg_syntax::closest;
use smol_str::SmolStr;

use crate::ids::ClassId;
use crate::item_tree::PathRefRoot;
use crate::item_tree::items::{fields, method_item, methods};
use crate::item_tree::{MethodKind, PathRef};
use crate::rules::name as name_rules;
use crate::scope::ancestors::{ancestors, knows_parents};
use crate::scope::problem::Problem;
use crate::scope::type_scope::TypeScope;
use crate::ty::{Path, PathRoot, Ty};

impl TypeScope<'_> {
    /// The problem of a path that names a member its class does not have; `None` where a class is unknown.
    pub(crate) fn unknown_step(&self, path: &Path, base: Option<Ty>, written: &PathRef) -> Option<Problem> {
        if self.header_of.is_some() {
            // The ancestors of the class are not known yet.
            return None;
        }
        let mut class = match (&path.root, &written.root) {
            (PathRoot::SelfValue, _) => base?.as_class(self.db)?.0,
            (PathRoot::This, _) => self.class?,
            (PathRoot::Local { .. }, PathRefRoot::Name(name)) => {
                self.value_classes.and_then(|classes| classes(self, name))??
            }
            _ => return None,
        };
        for name in &path.fields {
            if self.declares(class, name).is_none() {
                let ancestors = ancestors(self.db, class);
                let all_known =
                    std::iter::once(&class).chain(ancestors).all(|it| knows_parents(self.db, *it));
                return all_known.then(|| self.no_such_property(class, name, written.at));
            }
            class = self.class_of_member(class, name)?;
        }
        None
    }

    fn no_such_property(&self, class: ClassId, name: &SmolStr, at: u32) -> Problem {
        let db = self.db;
        let mut candidates: Vec<SmolStr> = Vec::new();
        for class in std::iter::once(&class).chain(ancestors(db, class)) {
            candidates.extend(fields(db, *class).iter().map(|field| field.name(db).clone()));
            let methods = methods(db, *class).iter().filter_map(|method| method_item(db, *method));
            let properties = methods.filter(|item| item.kind == MethodKind::Property);
            candidates.extend(properties.map(|item| item.name.clone()));
        }
        let message = format!("`{}` has no property `{name}`", class.name(db));
        let problem = Problem::new(&name_rules::unresolved_member::RULE, at, message);
        match closest(name, candidates.iter().map(SmolStr::as_str)) {
            Some(near) => problem.note(format!("did you mean `{near}`?")),
            None => {
                problem.note("a constraint speaks of the properties of a class, which stand in its header")
            }
        }
    }
}
