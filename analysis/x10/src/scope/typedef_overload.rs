//! Overload resolution of type definitions: chooses among the definitions of a name in `C(a, b)` by the
//! classes of the values. The classes are read from the declarations as written, without resolving
//! constraints.

use smol_str::SmolStr;

use crate::db::Db;
use crate::ids::{ClassId, TypedefId};
use crate::item_tree::items::{field_item, method_item, own_field, own_methods, properties, typedef_item};
use crate::item_tree::{PathRef, PathRefRoot, TypeRef, TypeRefKind};
use crate::scope::ancestors::ancestors;
use crate::scope::lookup::Found;
use crate::scope::type_scope::TypeScope;
use crate::ty::known::{Known, known_class};

/// The class of a local or formal by its name: `None` if the name is not that of a local or formal,
/// `Some(None)` if its class is unknown.
pub(crate) type ValueClasses<'a> = &'a dyn Fn(&TypeScope<'_>, &str) -> Option<Option<ClassId>>;

/// Maximum length of a chain of type definitions.
const MAX_DEPTH: u32 = 8;

impl TypeScope<'_> {
    /// The type definition whose formals match the values best ([`TypeScope::score`]); the first of equals.
    pub(crate) fn best_typedef(
        &self,
        typedefs: &[TypedefId],
        types: usize,
        args: &[PathRef],
    ) -> Option<TypedefId> {
        let mut fitting = typedefs.iter().copied().filter(|t| self.takes(*t, types, args.len()));
        let first = fitting.next()?;
        let others: Vec<TypedefId> = fitting.collect();
        if others.is_empty() {
            return Some(first);
        }
        let classes = self.classes_of(args);
        let mut best = (self.typedef_score(first, &classes), first);
        for typedef in others {
            let score = self.typedef_score(typedef, &classes);
            if score > best.0 {
                best = (score, typedef);
            }
        }
        Some(best.1)
    }

    /// The best type definition, if its formals match the values better than the properties of `class` do.
    pub(crate) fn better_typedef(
        &self,
        class: ClassId,
        typedefs: &[TypedefId],
        types: usize,
        args: &[PathRef],
    ) -> Option<TypedefId> {
        let typedef = self.best_typedef(typedefs, types, args)?;
        let classes = self.classes_of(args);
        let declared = properties(self.db, class)
            .into_iter()
            .map(|property| {
                let written = field_item(self.db, property)?.ty.as_ref()?;
                self.inside(class).class_of(written, 0)
            })
            .collect::<Vec<_>>();
        (self.typedef_score(typedef, &classes) > self.score(&declared, &classes)).then_some(typedef)
    }

    fn typedef_score(&self, typedef: TypedefId, args: &[Option<ClassId>]) -> i32 {
        let Some(item) = typedef_item(self.db, typedef) else { return i32::MIN };
        let scope = self.around(typedef);
        let params: Vec<Option<ClassId>> =
            item.params.iter().map(|p| scope.class_of(p.ty.as_ref()?, 0)).collect();
        self.score(&params, args)
    }

    /// How well arguments of these classes match formals of those classes; a higher score is a better match.
    fn score(&self, params: &[Option<ClassId>], args: &[Option<ClassId>]) -> i32 {
        let pairs = params.iter().zip(args);
        pairs
            .map(|(param, arg)| match (param, arg) {
                (Some(param), Some(arg)) if param == arg => 3,
                (Some(param), Some(arg)) if is_integer(self.db, *param) && is_integer(self.db, *arg) => 2,
                (Some(param), Some(arg)) if self.inherits(*arg, *param) => 1,
                (Some(_), Some(_)) => -100,
                _ => 0,
            })
            .sum()
    }

    fn inherits(&self, class: ClassId, from: ClassId) -> bool {
        self.header_of.is_none() && ancestors(self.db, class).contains(&from)
    }

    fn classes_of(&self, args: &[PathRef]) -> Vec<Option<ClassId>> {
        args.iter().map(|path| self.class_of_path(path)).collect()
    }

    pub(crate) fn class_of_path(&self, path: &PathRef) -> Option<ClassId> {
        let db = self.db;
        let mut class = match &path.root {
            PathRefRoot::This => self.class?,
            PathRefRoot::Here => known_class(db, Known::Place)?,
            PathRefRoot::Literal(text) => known_class(db, literal_class(text)?)?,
            PathRefRoot::Name(name) => match self.value_classes.and_then(|classes| classes(self, name)) {
                Some(found) => found?,
                None => self.class_of_own_member(name)?,
            },
            PathRefRoot::SelfValue
            | PathRefRoot::Call(_)
            | PathRefRoot::Operator(_)
            | PathRefRoot::Other(_) => {
                return None;
            }
        };
        for field in &path.fields {
            class = self.class_of_member(class, field)?;
        }
        Some(class)
    }

    fn class_of_own_member(&self, name: &SmolStr) -> Option<ClassId> {
        std::iter::successors(self.class, |class| class.outer(self.db))
            .find_map(|class| self.class_of_member(class, name))
    }

    /// The declared class of a field or nullary method `name`, own or inherited.
    pub(crate) fn class_of_member(&self, class: ClassId, name: &str) -> Option<ClassId> {
        let db = self.db;
        let own = |class: ClassId| {
            let field = own_field(db, class, name).and_then(|field| field_item(db, field)?.ty.as_ref());
            let method = || {
                let methods = own_methods(db, class, name).iter().filter_map(|m| method_item(db, *m));
                methods.into_iter().find(|m| m.params.is_empty())?.result.as_ref()
            };
            self.inside(class).class_of(field.or_else(method)?, 0)
        };
        own(class).or_else(|| {
            if self.header_of.is_some() {
                return None;
            }
            ancestors(db, class).iter().copied().find_map(own)
        })
    }

    /// The scope inside a class. While a header is resolved, this class's supertypes count as unknown too.
    fn inside(&self, class: ClassId) -> TypeScope<'_> {
        let header_of = self.header_of.and(Some(class));
        TypeScope { header_of, ..TypeScope::class(self.db, class) }
    }

    fn around(&self, typedef: TypedefId) -> TypeScope<'_> {
        let scope = TypeScope::typedef(self.db, typedef);
        let header_of = self.header_of.and(scope.class);
        TypeScope { header_of, ..scope }
    }

    /// The class that a single type definition abbreviates, for looking up its member types.
    pub(crate) fn class_behind(&self, typedefs: &[TypedefId]) -> Option<ClassId> {
        let [typedef] = typedefs else { return None };
        let item = typedef_item(self.db, *typedef).as_ref()?;
        if self.expanding.contains(typedef) {
            return None;
        }
        let mut scope = self.around(*typedef);
        scope.expanding = self.expanding.iter().copied().chain([*typedef]).collect();
        scope.class_of(&item.target, 0)
    }

    /// The class of a written type, ignoring type arguments and constraints.
    pub(crate) fn class_of(&self, ty: &TypeRef, depth: u32) -> Option<ClassId> {
        if depth > MAX_DEPTH {
            return None;
        }
        match &ty.kind {
            TypeRefKind::Constrained { base, .. } => self.class_of(base, depth),
            TypeRefKind::Named { segments, args } => {
                match self.find(segments, args.len(), &mut Vec::new())?.0 {
                    Found::Class(class) => Some(class),
                    Found::Param(ty) => ty.as_class(self.db).map(|(class, _)| class),
                    Found::Typedefs(typedefs) => {
                        let types = segments.last().map_or(0, |segment| segment.args.len());
                        let fits = |t: &&TypedefId| self.takes(**t, types, args.len());
                        let typedef = *typedefs.iter().find(fits).or(typedefs.first())?;
                        let item = typedef_item(self.db, typedef).as_ref()?;
                        self.around(typedef).class_of(&item.target, depth + 1)
                    }
                }
            }
            _ => None,
        }
    }
}

fn literal_class(text: &str) -> Option<Known> {
    Some(match text {
        "true" | "false" => Known::Boolean,
        "null" => return None,
        _ if text.starts_with('"') => Known::String,
        _ if text.starts_with('\'') => Known::Char,
        _ if text.contains('.') => Known::Double,
        _ => Known::Long,
    })
}

fn is_integer(db: &dyn Db, class: ClassId) -> bool {
    [Known::Int, Known::Long, Known::Short, Known::Byte].iter().any(|it| known_class(db, *it) == Some(class))
}
