//! Construction and traversal of constraint terms.

use super::{Constraint, ConstraintTerm, Named, Path, PathRoot, Ty, TyKind};
use crate::db::Db;

impl ConstraintTerm {
    /// The paths in the term.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let (a, b) = match self {
            ConstraintTerm::Equal(a, b) | ConstraintTerm::NotEqual(a, b) => (Some(a), Some(b)),
            ConstraintTerm::Holds(a) => (Some(a), None),
            ConstraintTerm::Opaque(_) => (None, None),
        };
        a.into_iter().chain(b)
    }

    /// Replaces each path; `None` if one of them has no replacement.
    pub fn map(&self, mut replace: impl FnMut(&Path) -> Option<Path>) -> Option<ConstraintTerm> {
        Some(match self {
            ConstraintTerm::Equal(a, b) => ConstraintTerm::Equal(replace(a)?, replace(b)?),
            ConstraintTerm::NotEqual(a, b) => ConstraintTerm::NotEqual(replace(a)?, replace(b)?),
            ConstraintTerm::Holds(a) => ConstraintTerm::Holds(replace(a)?),
            ConstraintTerm::Opaque(_) => self.clone(),
        })
    }

    /// Replaces the root `root` of all paths by `value`.
    pub fn at_root(&self, root: &PathRoot, value: &Path) -> ConstraintTerm {
        self.map(|path| Some(path.at_root(root, value))).unwrap_or_else(|| self.clone())
    }

    /// Whether a path starts with a value that has no name in the program.
    pub fn mentions_nameless(&self) -> bool {
        self.paths().any(Path::is_nameless)
    }
}

impl Constraint {
    /// `self != null`
    pub fn not_null() -> Constraint {
        let term = ConstraintTerm::NotEqual(Path::self_value(), Path::literal("null"));
        Constraint { terms: vec![term] }
    }
}

impl Path {
    /// Replaces the root by `value`, if it is `root`.
    pub fn at_root(&self, root: &PathRoot, value: &Path) -> Path {
        if self.root != *root { self.clone() } else { value.clone().with_fields(&self.fields) }
    }

    /// Appends fields.
    pub fn with_fields(mut self, fields: &[smol_str::SmolStr]) -> Path {
        self.fields.extend(fields.iter().cloned());
        self
    }

    /// Whether it has no fields.
    pub fn is_root(&self) -> bool {
        self.fields.is_empty()
    }

    /// Whether it is `this` or an enclosing object.
    pub fn is_this_or_around(&self) -> bool {
        let this = matches!(&self.root, PathRoot::This | PathRoot::Static { what: Named::Around(_), .. });
        this && self.is_root()
    }

    /// Whether it is a literal.
    pub fn is_literal(&self) -> bool {
        matches!(self.root, PathRoot::Literal(_))
    }

    /// Whether it has a name in the program.
    pub fn has_name(&self) -> bool {
        !self.is_nameless()
    }

    /// Whether it starts with the value of an expression that has no name in the program (X10's existentially
    /// quantified variables): locals whose names start with `$`.
    pub fn is_nameless(&self) -> bool {
        matches!(&self.root, PathRoot::Local { name, .. } if name.starts_with('$'))
    }
}

/// The characters of the literal of a `Char` or `String` in a path.
pub fn characters(literal: &str) -> Option<String> {
    let quote = literal.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let mut rest = literal.strip_prefix(quote)?.strip_suffix(quote)?.chars();
    let mut text = String::new();
    while let Some(c) = rest.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        text.push(match rest.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '0' => '\0',
            'u' => {
                let digits: String = rest.by_ref().skip(1).take_while(|c| *c != '}').collect();
                char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
            }
            other => other,
        });
    }
    Some(text)
}

impl Ty {
    /// Calls `visit` with every path in the constraints of the type, nested ones included.
    pub fn visit_paths(self, db: &dyn Db, visit: &mut dyn FnMut(&Path)) {
        match self.kind(db) {
            TyKind::Class { args, .. } => args.iter().for_each(|arg| arg.visit_paths(db, visit)),
            TyKind::Function { params, result, guard } => {
                params.iter().for_each(|param| param.visit_paths(db, visit));
                result.visit_paths(db, visit);
                guard.terms.iter().flat_map(ConstraintTerm::paths).for_each(visit);
            }
            TyKind::Constrained { base, constraint } => {
                base.visit_paths(db, visit);
                constraint.terms.iter().flat_map(ConstraintTerm::paths).for_each(visit);
            }
            TyKind::Param(_) | TyKind::Null | TyKind::Void | TyKind::Error => {}
        }
    }

    /// Replaces or removes each term in the constraints of the type, nested ones included.
    pub fn map_terms(
        self,
        db: &dyn Db,
        replace: &mut dyn FnMut(&ConstraintTerm) -> Option<ConstraintTerm>,
    ) -> Ty {
        match self.kind(db) {
            TyKind::Constrained { base, constraint } => {
                let terms = constraint.terms.iter().filter_map(&mut *replace).collect();
                base.map_terms(db, replace).constrained(db, Constraint { terms })
            }
            TyKind::Class { class, args } if !args.is_empty() => {
                Ty::class(db, *class, args.iter().map(|arg| arg.map_terms(db, replace)).collect())
            }
            TyKind::Function { params, result, guard } => {
                let terms = guard.terms.iter().filter_map(&mut *replace).collect();
                let params = params.iter().map(|param| param.map_terms(db, replace)).collect();
                Ty::guarded_function(db, params, result.map_terms(db, replace), Constraint { terms })
            }
            _ => self,
        }
    }
}
