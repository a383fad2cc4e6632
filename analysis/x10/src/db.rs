//! The database and its trait.
//!
//! [`Db`] lists the only questions that lower layers ask type inference: see [`crate::signature::inferred`].
#![allow(missing_docs, reason = "salsa generates undocumented items; everything written here is documented")]

use std::sync::Arc;

use crate::body::local_class_env::LocalClassEnv;
use crate::ids::{ClassId, FieldId, MethodId};
use crate::ty::{Constraint, Ty};

/// The database trait that every query takes.
#[salsa::db]
pub trait Db: salsa::Database {
    /// The result type of a method that declares none, as callers see it.
    fn inferred_result(&self, method: MethodId) -> Ty;
    /// The type of a field that declares none: that of its initialiser.
    fn inferred_field_type(&self, field: FieldId) -> Ty;
    /// The guard that the body of a method requires, over its parameters.
    fn inferred_guard(&self, method: MethodId) -> Constraint;
    /// The environment of a local or anonymous class; empty for other classes.
    fn local_class_env(&self, class: ClassId) -> Arc<LocalClassEnv>;
}

/// The one implementation of [`Db`].
#[salsa::db]
#[derive(Clone)]
pub struct RootDatabase {
    storage: salsa::Storage<Self>,
}

/// Called on each salsa event; tests count executed queries with it.
pub type EventCallback = Box<dyn Fn(salsa::Event) + Send + Sync + 'static>;

impl RootDatabase {
    /// A database without any inputs: [`Project`] and [`Library`] are still to be made.
    pub(crate) fn bare(on_event: Option<EventCallback>) -> RootDatabase {
        RootDatabase { storage: salsa::Storage::new(on_event) }
    }
}

impl Default for RootDatabase {
    fn default() -> RootDatabase {
        RootDatabase::new(None)
    }
}

#[salsa::db]
impl salsa::Database for RootDatabase {}
