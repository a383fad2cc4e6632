//! Call graph of indirect calls: the functions that a virtual, interface or closure call can reach in the
//! whole program.

use apg_mir::*;
use rustc_hash::FxHashMap;

use crate::values::is_host_code;

/// The calling convention of a closure: machine types of parameters, without the closure itself, and of the
/// result.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Signature(Vec<Ty>, Ty);

impl Signature {
    fn new(params: impl Iterator<Item = Ty>, result: Ty) -> Signature {
        let erase = |ty| if matches!(ty, Ty::Ref(_)) { Ty::Any } else { ty };
        Signature(params.skip(1).map(erase).collect(), erase(result))
    }
}

/// The possible targets of indirect calls. Calls through the same slot, or with the same signature, form a
/// group.
#[derive(Default)]
pub(crate) struct CallTargets {
    classes: FxHashMap<(ClassId, u32), usize>,
    interfaces: FxHashMap<(InterfaceId, u32), usize>,
    closures: FxHashMap<(Signature, InterfaceId), usize>,
    /// The targets of each group.
    pub functions: Vec<Vec<FunctionId>>,
}

impl CallTargets {
    /// Analyses the host code of a program.
    pub(crate) fn new(program: &Program) -> CallTargets {
        let mut targets = CallTargets::default();
        for function in program.functions.iter().filter(|it| is_host_code(it)) {
            walk::visit_exprs(&function.body, &mut |expr, _| targets.add_call(expr));
        }
        targets.collect_implementations(program);
        for functions in &mut targets.functions {
            functions.sort_unstable();
            functions.dedup();
        }
        targets
    }

    fn add_call(&mut self, expr: &Expr) {
        let next = self.functions.len();
        let group = match &expr.kind {
            ExprKind::CallVirtual { class, slot, .. } => *self.classes.entry((*class, *slot)).or_insert(next),
            ExprKind::CallInterface { interface, slot, .. } => {
                *self.interfaces.entry((*interface, *slot)).or_insert(next)
            }
            ExprKind::CallClosure { interface, args } => {
                let signature = Signature::new(args.iter().map(|it| it.ty), expr.ty);
                *self.closures.entry((signature, *interface)).or_insert(next)
            }
            _ => return,
        };
        if group == next {
            self.functions.push(Vec::new());
        }
    }

    fn collect_implementations(&mut self, program: &Program) {
        let mut slots: FxHashMap<ClassId, Vec<(u32, usize)>> = FxHashMap::default();
        for ((class, slot), group) in &self.classes {
            slots.entry(*class).or_default().push((*slot, *group));
        }
        let mut signatures: FxHashMap<&Signature, Vec<usize>> = FxHashMap::default();
        let mut functions: FxHashMap<InterfaceId, Vec<usize>> = FxHashMap::default();
        for ((signature, interface), group) in &self.closures {
            signatures.entry(signature).or_default().push(*group);
            functions.entry(*interface).or_default().push(*group);
        }
        for (index, class) in program.classes.iter().enumerate() {
            let superclass = |it: &ClassId| match program.classes[it.index()].superclass {
                None if it.index() > 0 => Some(ClassId(0)),
                superclass => superclass,
            };
            for above in std::iter::successors(Some(ClassId(index as u32)), superclass) {
                for (slot, group) in slots.get(&above).into_iter().flatten() {
                    self.functions[*group].extend(class.vtable.get(*slot as usize).copied().flatten());
                }
            }
            let code = class.vtable.get(slot::CLOSURE_APPLY as usize).copied().flatten();
            if let Some(code) = code.filter(|_| class.kind == ClassKind::Closure) {
                let function = &program.functions[code.index()];
                let params = function.locals.iter().take(function.params as usize).map(|it| it.ty);
                let signature = Signature::new(params, function.result);
                for group in signatures.get(&signature).into_iter().flatten() {
                    self.functions[*group].push(code);
                }
            }
            for (interface, table) in &class.interfaces {
                for (slot, function) in table.iter().enumerate() {
                    if let Some(group) = self.interfaces.get(&(*interface, slot as u32)) {
                        self.functions[*group].extend(*function);
                    }
                }
                for group in functions.get(interface).into_iter().flatten() {
                    self.functions[*group].extend(table.first().copied().flatten());
                }
            }
        }
    }

    /// The group of an indirect call: an index into `functions`.
    pub(crate) fn group_of(&self, kind: &ExprKind, result: Ty) -> Option<usize> {
        match kind {
            ExprKind::CallVirtual { class, slot, .. } => self.classes.get(&(*class, *slot)).copied(),
            ExprKind::CallInterface { interface, slot, .. } => {
                self.interfaces.get(&(*interface, *slot)).copied()
            }
            ExprKind::CallClosure { interface, args } => {
                let signature = Signature::new(args.iter().map(|it| it.ty), result);
                self.closures.get(&(signature, *interface)).copied()
            }
            _ => None,
        }
    }
}
