//! Class hierarchy analysis (Dean, Grove and Chambers, ECOOP 1995): which virtual and interface calls have
//! one possible target.
//!
//! The whole program is known. A slot that no subclass overrides has one implementation, so that a call
//! through it is direct.

use apg_mir::*;
use rustc_hash::FxHashMap;

/// The implementations of a slot in a class and its subclasses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Implementations {
    #[default]
    None,
    Unique(FunctionId),
    Several,
}

impl Implementations {
    fn add(&mut self, other: Implementations) {
        *self = match (*self, other) {
            (found, Implementations::None) | (Implementations::None, found) => found,
            (Implementations::Unique(a), Implementations::Unique(b)) if a == b => Implementations::Unique(a),
            _ => Implementations::Several,
        };
    }

    fn unique(self) -> Option<FunctionId> {
        match self {
            Implementations::Unique(function) => Some(function),
            _ => None,
        }
    }
}

/// The implementations of every slot, for each class that a receiver can have.
#[derive(Debug, Default)]
pub struct ClassHierarchy {
    classes: Vec<Vec<Implementations>>,
    interfaces: FxHashMap<(InterfaceId, u32), Implementations>,
    /// Interface slots, for receivers of each class and its subclasses.
    interfaces_by_class: Vec<FxHashMap<(InterfaceId, u32), Implementations>>,
}

impl ClassHierarchy {
    /// Analyses all classes of a program.
    pub fn new(program: &Program) -> ClassHierarchy {
        let mut hierarchy =
            ClassHierarchy { classes: vec![Vec::new(); program.classes.len()], ..ClassHierarchy::default() };
        hierarchy.interfaces_by_class = vec![FxHashMap::default(); program.classes.len()];
        // Subclasses follow their superclasses in the table: in reverse order every subclass comes first.
        for (index, class) in program.classes.iter().enumerate().rev() {
            hierarchy.add(index, class.vtable.iter().copied());
            if index > 0 {
                let below = hierarchy.classes[index].clone();
                let superclass = class.superclass.map_or(0, ClassId::index);
                hierarchy.merge_slots(superclass, &below);
            }
            for (interface, slots) in &class.interfaces {
                for (slot, function) in slots.iter().enumerate() {
                    let found = function.map_or(Implementations::None, Implementations::Unique);
                    let key = (*interface, slot as u32);
                    hierarchy.interfaces.entry(key).or_default().add(found);
                    hierarchy.interfaces_by_class[index].entry(key).or_default().add(found);
                }
            }
            if let Some(superclass) = class.superclass.filter(|it| it.index() > 0) {
                for (key, found) in hierarchy.interfaces_by_class[index].clone() {
                    hierarchy.interfaces_by_class[superclass.index()].entry(key).or_default().add(found);
                }
            }
        }
        hierarchy
    }

    fn add(&mut self, class: usize, slots: impl Iterator<Item = Option<FunctionId>>) {
        let found: Vec<Implementations> =
            slots.map(|it| it.map_or(Implementations::None, Implementations::Unique)).collect();
        self.merge_slots(class, &found);
    }

    fn merge_slots(&mut self, class: usize, found: &[Implementations]) {
        let own = &mut self.classes[class];
        if own.len() < found.len() {
            own.resize(found.len(), Implementations::None);
        }
        for (slot, found) in own.iter_mut().zip(found) {
            slot.add(*found);
        }
    }

    /// The only target of a call through a slot of `class`. The static type of `receiver` may be more
    /// precise.
    pub fn unique_in_class(&self, class: ClassId, slot: u32, receiver: &Expr) -> Option<FunctionId> {
        let class = static_class(receiver).unwrap_or(class);
        self.classes.get(class.index())?.get(slot as usize)?.unique()
    }

    /// The only target of a call through an interface.
    pub fn unique_in_interface(
        &self,
        interface: InterfaceId,
        slot: u32,
        receiver: &Expr,
    ) -> Option<FunctionId> {
        let key = (interface, slot);
        let of_class = || {
            let class = static_class(receiver).filter(|it| it.index() > 0)?;
            self.interfaces_by_class.get(class.index())?.get(&key)?.unique()
        };
        self.interfaces.get(&key)?.unique().or_else(of_class)
    }
}

/// The static class of an expression below casts that always succeed.
fn static_class(expr: &Expr) -> Option<ClassId> {
    match (expr.ty, &expr.kind) {
        (Ty::Ref(class), _) => Some(class),
        (_, ExprKind::Cast { value, checked: false, .. }) => static_class(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(superclass: Option<u32>, vtable: &[Option<u32>]) -> Class {
        Class {
            name: String::new(),
            kind: ClassKind::Object,
            superclass: superclass.map(ClassId),
            fields: Vec::new(),
            attributes: TypeAttributes::default(),
            vtable: vtable.iter().map(|it| it.map(FunctionId)).collect(),
            interfaces: Vec::new(),
        }
    }

    #[test]
    fn overrides_in_subclasses_count_and_in_siblings_do_not() {
        let classes = vec![
            class(None, &[Some(1)]),
            class(Some(0), &[Some(1), Some(2), None]),
            class(Some(1), &[Some(1), Some(2), Some(4)]),
            class(Some(0), &[Some(1), Some(5)]),
            class(Some(3), &[Some(1), Some(6)]),
        ];
        let hierarchy = ClassHierarchy::new(&Program { classes, ..Program::default() });
        let object = |class| Expr::new(Ty::Ref(ClassId(class)), ExprKind::Null);
        let found = |class, slot| hierarchy.unique_in_class(ClassId(0), slot, &object(class)).map(|it| it.0);
        assert_eq!(found(0, 0), Some(1));
        assert_eq!(found(1, 1), Some(2));
        assert_eq!(found(1, 2), Some(4));
        assert_eq!(found(3, 1), None);
        assert_eq!(found(4, 1), Some(6));
        assert_eq!(found(0, 9), None);
    }
}
