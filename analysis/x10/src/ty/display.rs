//! Printing of types as in source code, for messages and hovers.

use std::fmt;

use super::{Constraint, ConstraintTerm, Path, PathRoot, Ty, TyKind};
use crate::db::Db;
use crate::item_tree::ClassPlace;
use crate::item_tree::items::type_param_ids;

/// A type with the database to print it.
#[derive(Clone, Copy)]
pub struct DisplayTy<'a> {
    db: &'a dyn Db,
    ty: Ty,
}

impl Ty {
    /// As written in a program.
    pub fn display(self, db: &dyn Db) -> DisplayTy<'_> {
        DisplayTy { db, ty: self }
    }
}

impl fmt::Display for DisplayTy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let db = self.db;
        match self.ty.kind(db) {
            TyKind::Class { class, args } => {
                let name = class.name(db);
                // An anonymous class has no name that a reader could look up.
                if name.starts_with('$') {
                    let base = crate::signature::supertypes::direct_supertypes(db, *class).first().copied();
                    return match base {
                        Some(base) => write!(f, "(a subclass of {})", base.display(db)),
                        None => f.write_str("(an anonymous class)"),
                    };
                }
                let own = type_param_ids(db, *class).len().min(args.len());
                let (args, around) = args.split_at(own);
                let place = crate::item_tree::items::class_place(db, *class);
                if let (false, ClassPlace::Member, Some(outer)) = (around.is_empty(), place, class.outer(db))
                {
                    write!(f, "{}.", Ty::class(db, outer, around.to_vec()).display(db))?;
                }
                f.write_str(name)?;
                write_list(f, db, args, "[", "]")
            }
            TyKind::Function { params, result, guard } => {
                self.write_formals(f, params)?;
                if !guard.terms.is_empty() {
                    write!(f, "{{{guard}}}")?;
                }
                write!(f, "=>{}", result.display(db))
            }
            TyKind::Param(param) => f.write_str(param.name(db)),
            TyKind::Constrained { base, constraint } => {
                if base.as_function(db).is_some() {
                    write!(f, "({}){{{constraint}}}", base.display(db))
                } else {
                    write!(f, "{}{{{constraint}}}", base.display(db))
                }
            }
            TyKind::Null => f.write_str("null"),
            TyKind::Void => f.write_str("void"),
            TyKind::Error => f.write_str("(unknown)"),
        }
    }
}

impl DisplayTy<'_> {
    /// `(A,x:B)`: a formal is named if a constraint of the function type mentions it.
    fn write_formals(&self, f: &mut fmt::Formatter<'_>, params: &[Ty]) -> fmt::Result {
        let names = super::function::formal_names(self.db, self.ty);
        f.write_str("(")?;
        for (index, param) in params.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            if let Some(name) = names.get(&index) {
                write!(f, "{name}:")?;
            }
            write!(f, "{}", param.display(self.db))?;
        }
        f.write_str(")")
    }
}

fn write_list(f: &mut fmt::Formatter<'_>, db: &dyn Db, list: &[Ty], open: &str, close: &str) -> fmt::Result {
    for (i, ty) in list.iter().enumerate() {
        f.write_str(if i == 0 { open } else { "," })?;
        write!(f, "{}", ty.display(db))?;
    }
    if list.is_empty() { Ok(()) } else { f.write_str(close) }
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, term) in self.terms.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{term}")?;
        }
        Ok(())
    }
}

impl fmt::Display for ConstraintTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConstraintTerm::Equal(a, b) => write!(f, "{a}=={b}"),
            ConstraintTerm::NotEqual(a, b) => write!(f, "{a}!={b}"),
            ConstraintTerm::Holds(a) => write!(f, "{a}"),
            ConstraintTerm::Opaque(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.root {
            PathRoot::SelfValue => f.write_str("self")?,
            PathRoot::This => f.write_str("this")?,
            PathRoot::Here => f.write_str("here")?,
            PathRoot::Local { name, .. } | PathRoot::Static { name, .. } | PathRoot::Literal(name) => {
                f.write_str(name)?
            }
        }
        self.fields.iter().try_for_each(|field| write!(f, ".{field}"))
    }
}
