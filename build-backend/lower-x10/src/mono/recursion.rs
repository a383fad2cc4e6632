//! Which functions may call themselves, directly or through others: they check that there is room on the stack. A call checks it
//! in front of the call, so that what ends a recursion pays nothing and several calls in one function pay once; where other code
//! does the calling, its caller checks at its start.

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

/// What tells closures apart that one call may mean: how the machine sees its parameters, without the closure, and result.
#[derive(PartialEq, Eq, Hash)]
struct Signature(Vec<mir::Ty>, mir::Ty);

impl Signature {
    fn new(params: impl Iterator<Item = mir::Ty>, result: mir::Ty) -> Signature {
        let plain = |ty| if matches!(ty, mir::Ty::Ref(_)) { mir::Ty::Any } else { ty };
        Signature(params.skip(1).map(plain).collect(), plain(result))
    }
}

/// Functions, after them what calls name that do not name a function.
struct Graph<'p> {
    program: &'p mir::Program,
    edges: Vec<Vec<usize>>,
    /// Of those, by function, what is called without a call in its code.
    hidden: Vec<Vec<usize>>,
    /// The first slot of each class.
    slots: Vec<usize>,
    /// Behind the slots of the last class.
    classes_end: usize,
    interfaces: FxHashMap<(mir::InterfaceId, u32), usize>,
    closures: FxHashMap<Signature, usize>,
    /// What activities run: closures without parameters.
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

    /// A slot of a class may mean what the class has there, or a subclass.
    fn add_classes(&mut self) {
        let classes = &self.program.classes;
        let above = |index: usize| classes[index].superclass.map_or(0, mir::ClassId::index);
        // What a class leaves to its subclasses may lie behind the end of its own table.
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
            // Who waits for activities may run them himself.
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
