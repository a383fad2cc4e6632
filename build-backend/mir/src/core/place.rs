//! Places: expressions that designate memory (lvalues; C17, 6.3.2.1).

use super::types::{AddressSpace, Ty, TypeTable};
use crate::{Expr, GlobalId, VariableId};

/// A place in memory, and the type of what is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The type.
    pub ty: Ty,
    /// The place.
    pub kind: PlaceKind,
    /// An access is a side effect: it is neither removed nor repeated nor reordered (C17, 6.7.3). Only of the
    /// place that is loaded or stored.
    pub is_volatile: bool,
}

/// Places.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum PlaceKind {
    /// A variable in the memory of the function.
    Variable(VariableId),
    /// A global.
    Global(GlobalId),
    /// What a pointer points to.
    Deref(Box<Expr>),
    /// A field of a struct or union.
    Field { base: Box<Place>, field: u32 },
    /// An element of an array. An index outside of it is undefined.
    Index { base: Box<Place>, index: Box<Expr> },
}

impl Place {
    /// A place whose accesses are not volatile.
    pub fn new(ty: Ty, kind: PlaceKind) -> Place {
        Place { ty, kind, is_volatile: false }
    }

    /// The variable, global or pointer that the place is a part of.
    pub fn root(&self) -> &PlaceKind {
        match &self.kind {
            PlaceKind::Field { base, .. } | PlaceKind::Index { base, .. } => base.root(),
            root => root,
        }
    }

    /// The memory that the place is in.
    pub fn space(&self, types: &TypeTable) -> AddressSpace {
        match self.root() {
            PlaceKind::Deref(pointer) => {
                types.pointer(pointer.ty).map_or(AddressSpace::Generic, |it| it.space)
            }
            _ => AddressSpace::Generic,
        }
    }

    /// The expressions in it, in the order of evaluation.
    pub fn operands(&self) -> Vec<&Expr> {
        match &self.kind {
            PlaceKind::Variable(_) | PlaceKind::Global(_) => Vec::new(),
            PlaceKind::Deref(pointer) => vec![pointer],
            PlaceKind::Field { base, .. } => base.operands(),
            PlaceKind::Index { base, index } => {
                let mut all = base.operands();
                all.push(index);
                all
            }
        }
    }

    /// As [`Place::operands`], mutable.
    pub fn operands_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            PlaceKind::Variable(_) | PlaceKind::Global(_) => Vec::new(),
            PlaceKind::Deref(pointer) => vec![pointer],
            PlaceKind::Field { base, .. } => base.operands_mut(),
            PlaceKind::Index { base, index } => {
                let mut all = base.operands_mut();
                all.push(index);
                all
            }
        }
    }
}
