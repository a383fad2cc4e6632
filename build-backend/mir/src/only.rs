//! Virtual calls that can only mean one function: the whole program is known, so what no class overrides is called directly,
//! and can be put into its caller.

use super::*;
use rustc_hash::FxHashMap;

/// What the classes at and below one have in a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Found {
    #[default]
    None,
    One(FunctionId),
    Many,
}

impl Found {
    fn add(&mut self, other: Found) {
        *self = match (*self, other) {
            (found, Found::None) | (Found::None, found) => found,
            (Found::One(a), Found::One(b)) if a == b => Found::One(a),
            _ => Found::Many,
        };
    }

    fn function(self) -> Option<FunctionId> {
        match self {
            Found::One(function) => Some(function),
            _ => None,
        }
    }
}

/// The slots that hold one function in all classes that a receiver can have.
#[derive(Debug, Default)]
pub struct Only {
    classes: Vec<Vec<Found>>,
    interfaces: FxHashMap<(InterfaceId, u32), Found>,
    /// The same for receivers of each class.
    of_classes: Vec<FxHashMap<(InterfaceId, u32), Found>>,
}

impl Only {
    /// Looks through all classes of a program.
    pub fn new(program: &Program) -> Only {
        let mut only = Only { classes: vec![Vec::new(); program.classes.len()], ..Only::default() };
        only.of_classes = vec![FxHashMap::default(); program.classes.len()];
        // Subclasses come after their superclasses, so here before them.
        for (index, class) in program.classes.iter().enumerate().rev() {
            only.add(index, class.vtable.iter().copied());
            if index > 0 {
                let below = only.classes[index].clone();
                let superclass = class.superclass.map_or(0, ClassId::index);
                only.add_found(superclass, &below);
            }
            for (interface, slots) in &class.interfaces {
                for (slot, function) in slots.iter().enumerate() {
                    let found = function.map_or(Found::None, Found::One);
                    let key = (*interface, slot as u32);
                    only.interfaces.entry(key).or_default().add(found);
                    only.of_classes[index].entry(key).or_default().add(found);
                }
            }
            if let Some(superclass) = class.superclass.filter(|it| it.index() > 0) {
                for (key, found) in only.of_classes[index].clone() {
                    only.of_classes[superclass.index()].entry(key).or_default().add(found);
                }
            }
        }
        only
    }

    fn add(&mut self, class: usize, slots: impl Iterator<Item = Option<FunctionId>>) {
        let found: Vec<Found> = slots.map(|it| it.map_or(Found::None, Found::One)).collect();
        self.add_found(class, &found);
    }

    fn add_found(&mut self, class: usize, found: &[Found]) {
        let own = &mut self.classes[class];
        if own.len() < found.len() {
            own.resize(found.len(), Found::None);
        }
        for (slot, found) in own.iter_mut().zip(found) {
            slot.add(*found);
        }
    }

    /// The function that a call through a slot of `class` means, if there is but one. `receiver` may know more.
    pub fn in_class(&self, class: ClassId, slot: u32, receiver: &Expr) -> Option<FunctionId> {
        let class = static_class(receiver).unwrap_or(class);
        self.classes.get(class.index())?.get(slot as usize)?.function()
    }

    /// The function that a call through an interface means, if there is but one.
    pub fn in_interface(&self, interface: InterfaceId, slot: u32, receiver: &Expr) -> Option<FunctionId> {
        let key = (interface, slot);
        let of_class = || {
            let class = static_class(receiver).filter(|it| it.index() > 0)?;
            self.of_classes.get(class.index())?.get(&key)?.function()
        };
        self.interfaces.get(&key)?.function().or_else(of_class)
    }
}

/// The class of an expression, seen through casts that are known to succeed.
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
            serialization: Serialization::default(),
            vtable: vtable.iter().map(|it| it.map(FunctionId)).collect(),
            interfaces: Vec::new(),
        }
    }

    #[test]
    fn an_override_below_counts_and_one_beside_does_not() {
        let classes = vec![
            class(None, &[Some(1)]),
            class(Some(0), &[Some(1), Some(2), None]),
            class(Some(1), &[Some(1), Some(2), Some(4)]),
            class(Some(0), &[Some(1), Some(5)]),
            class(Some(3), &[Some(1), Some(6)]),
        ];
        let only = Only::new(&Program { classes, ..Program::default() });
        let object = |class| Expr { ty: Ty::Ref(ClassId(class)), kind: ExprKind::Null, position: None };
        let found = |class, slot| only.in_class(ClassId(0), slot, &object(class)).map(|it| it.0);
        assert_eq!(found(0, 0), Some(1));
        assert_eq!(found(1, 1), Some(2));
        assert_eq!(found(1, 2), Some(4));
        assert_eq!(found(3, 1), None);
        assert_eq!(found(4, 1), Some(6));
        assert_eq!(found(0, 9), None);
    }
}
