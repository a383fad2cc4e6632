//! Recursion analysis: functions on cycles of the call graph check for stack overflow.
//!
//! The check is in front of a recursive call, so that leaf calls cost nothing and several calls in a function
//! share a check. Functions called from elsewhere, such as the runtime, check at their start.

use rustc_hash::FxHashMap;

use crate::Lowerer;
use crate::mono::scc::components;
use apg_mir::{self as mir, ClassKind, ExprKind, StmtKind, slot, walk};

impl Lowerer<'_> {
    /// Marks the functions on cycles of calls.
    pub(crate) fn mark_recursive_functions(&mut self) {
        let graph = Graph::new(&self.program);
        let components = components(&graph.edges);
        let mut sizes = vec![0_u32; components.len()];
        components.iter().for_each(|it| sizes[*it] += 1);
        let found: Vec<mir::Recursion> = (0..self.program.functions.len())
            .map(|index| {
                let own = components[index];
                if sizes[own] == 1 && !graph.edges[index].contains(&index) {
                    return mir::Recursion::default();
                }
                let checks_at_start = graph.hidden[index].iter().any(|it| components[*it] == own);
                mir::Recursion { cycle: own as u32 + 1, checks_at_start }
            })
            .collect();
        for (function, recursion) in self.program.functions.iter_mut().zip(found) {
            function.recursion = recursion;
        }
    }
}

/// The calling convention of a closure: machine types of parameters, without the closure itself, and of the
/// result.
#[derive(PartialEq, Eq, Hash)]
struct Signature(Vec<mir::Ty>, mir::Ty);

impl Signature {
    fn new(params: impl Iterator<Item = mir::Ty>, result: mir::Ty) -> Signature {
        let plain = |ty| if matches!(ty, mir::Ty::Ref(_)) { mir::Ty::Any } else { ty };
        Signature(params.skip(1).map(plain).collect(), plain(result))
    }
}

/// The call graph. Nodes are functions, then slots and signatures that indirect calls name.
struct Graph<'p> {
    program: &'p mir::Program,
    edges: Vec<Vec<usize>>,
    /// By function: callees without a call in its own code.
    hidden: Vec<Vec<usize>>,
    /// The node of each class's first slot.
    slots: Vec<usize>,
    /// The node after the slots of the last class.
    classes_end: usize,
    interfaces: FxHashMap<(mir::InterfaceId, u32), usize>,
    closures: FxHashMap<Signature, usize>,
    /// The node of closures without parameters, which activities run.
    activities: usize,
}

impl<'p> Graph<'p> {
    fn new(program: &'p mir::Program) -> Graph<'p> {
        let count = program.functions.len();
        let mut graph = Graph {
            program,
            edges: vec![Vec::new(); count + 1],
            hidden: vec![Vec::new(); count],
            slots: Vec::new(),
            classes_end: 0,
            interfaces: FxHashMap::default(),
            closures: FxHashMap::default(),
            activities: count,
        };
        graph.add_classes();
        for (index, function) in program.functions.iter().enumerate() {
            graph.add_function(index, function);
        }
        for targets in &mut graph.edges {
            targets.sort_unstable();
            targets.dedup();
        }
        graph
    }

    /// Edges from a slot of a class to the implementations in the class and its subclasses.
    fn add_classes(&mut self) {
        let classes = &self.program.classes;
        let above = |index: usize| classes[index].superclass.map_or(0, mir::ClassId::index);
        // Abstract slots may be beyond the end of a class's own table.
        let mut widths: Vec<usize> = classes.iter().map(|it| it.vtable.len()).collect();
        for index in (1..classes.len()).rev() {
            widths[above(index)] = widths[above(index)].max(widths[index]);
        }
        for width in &widths {
            self.slots.push(self.edges.len());
            self.edges.resize(self.edges.len() + width, Vec::new());
        }
        self.classes_end = self.edges.len();
        for (index, class) in classes.iter().enumerate() {
            for at in 0..widths[index] {
                let node = self.slots[index] + at;
                let own = class.vtable.get(at).copied().flatten();
                self.edges[node].extend(own.map(|it| it.index()));
                if index > 0 {
                    let above = self.slots[above(index)] + at;
                    self.edges[above].push(node);
                }
            }
            if let (ClassKind::Closure, Some(Some(function))) =
                (&class.kind, class.vtable.get(slot::CLOSURE_APPLY as usize))
            {
                self.add_closure(function.index());
            }
            for (interface, table) in &class.interfaces {
                for (slot, function) in table.iter().enumerate() {
                    let node = self.interface(*interface, slot as u32);
                    self.edges[node].extend(function.map(|it| it.index()));
                }
            }
        }
    }

    fn add_closure(&mut self, index: usize) {
        let function = &self.program.functions[index];
        if function.params == 1 {
            self.edges[self.activities].push(index);
        }
        let params = function.locals.iter().take(function.params as usize).map(|it| it.ty);
        let node = self.closure(Signature::new(params, function.result));
        self.edges[node].push(index);
    }

    fn interface(&mut self, interface: mir::InterfaceId, slot: u32) -> usize {
        let next = self.edges.len();
        let node = *self.interfaces.entry((interface, slot)).or_insert(next);
        self.edges.resize(self.edges.len().max(node + 1), Vec::new());
        node
    }

    fn closure(&mut self, signature: Signature) -> usize {
        let next = self.edges.len();
        let node = *self.closures.entry(signature).or_insert(next);
        self.edges.resize(self.edges.len().max(node + 1), Vec::new());
        node
    }

    fn add_function(&mut self, index: usize, function: &mir::Function) {
        let (mut calls, mut hidden) = (Vec::new(), Vec::new());
        walk::visit_exprs(&function.body, &mut |it, _| match &it.kind {
            ExprKind::Call { function, .. } => calls.push(function.index()),
            ExprKind::CallVirtual { class, slot, .. } => {
                let node = self.slots[class.index()] + *slot as usize;
                let end = self.slots.get(class.index() + 1).copied().unwrap_or(self.classes_end);
                // No class has code for any other.
                calls.extend((node < end).then_some(node));
            }
            ExprKind::CallInterface { interface, slot, .. } => {
                calls.push(self.interface(*interface, *slot));
            }
            ExprKind::CallClosure { interface, args } => {
                let params = args.iter().map(|it| it.ty);
                calls.push(self.closure(Signature::new(params, it.ty)));
                calls.push(self.interface(*interface, 0));
            }
            ExprKind::Static(id) => hidden.push(self.program.statics[id.index()].init.index()),
            ExprKind::At { .. } => hidden.push(self.activities),
            _ => {}
        });
        walk::visit_stmts(&function.body, &mut |it| {
            // A waiting worker may run the activities itself.
            let starts = matches!(
                it.kind,
                StmtKind::Async { .. }
                    | StmtKind::AsyncAt { .. }
                    | StmtKind::At { .. }
                    | StmtKind::Finish { .. }
                    | StmtKind::Launch { .. }
            );
            if starts {
                hidden.push(self.activities);
            }
        });
        self.edges[index].extend(calls.iter().chain(&hidden));
        self.hidden[index] = hidden;
    }
}
