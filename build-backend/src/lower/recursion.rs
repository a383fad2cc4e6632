//! Which functions may call themselves, directly or through others: they check that there is room on the stack.

use super::Lowerer;
use crate::mir::{self, ExprKind, StmtKind, walk};

impl Lowerer<'_> {
    /// Marks the functions on cycles of calls. What is called through a table, and what activities run, may be any code
    /// that is in a table.
    pub(super) fn mark_recursive_functions(&mut self) {
        let count = self.program.functions.len();
        let any = count;
        let mut calls: Vec<Vec<usize>> =
            self.program.functions.iter().map(|it| called_by(&self.program, it, any)).collect();
        calls.push(in_tables(&self.program));
        let components = components(&calls);
        let mut sizes = vec![0_u32; components.len()];
        components.iter().for_each(|it| sizes[*it] += 1);
        for (index, function) in self.program.functions.iter_mut().enumerate() {
            function.recursive = sizes[components[index]] > 1 || calls[index].contains(&index);
        }
    }
}

/// The functions that a function calls; `any` stands for those in tables.
fn called_by(program: &mir::Program, function: &mir::Function, any: usize) -> Vec<usize> {
    let mut calls = Vec::new();
    walk::visit_exprs(&function.body, &mut |it, _| match &it.kind {
        ExprKind::Call { function, .. } => calls.push(function.index()),
        ExprKind::Static(id) => calls.push(program.statics[id.index()].init.index()),
        ExprKind::CallVirtual { .. }
        | ExprKind::CallInterface { .. }
        | ExprKind::CallClosure { .. }
        | ExprKind::At { .. } => calls.push(any),
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
            calls.push(any);
        }
    });
    calls.sort_unstable();
    calls.dedup();
    calls
}

fn in_tables(program: &mir::Program) -> Vec<usize> {
    let of_class = |class: &mir::Class| -> Vec<usize> {
        let tables = class.interfaces.iter().flat_map(|(_, table)| table);
        class.vtable.iter().chain(tables).flatten().map(|it| it.index()).collect()
    };
    let mut all: Vec<usize> = program.classes.iter().flat_map(of_class).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The strongly connected component of each node, by Tarjan's algorithm without recursion.
fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let count = edges.len();
    let (mut order, mut low, mut component) = (vec![NONE; count], vec![0; count], vec![NONE; count]);
    let (mut next, mut components) = (0, 0);
    let mut open = Vec::new();
    for root in 0..count {
        if order[root] != NONE {
            continue;
        }
        // A node and how many of its edges have been followed.
        let mut path = vec![(root, 0)];
        while let Some((node, followed)) = path.last_mut() {
            let node = *node;
            if order[node] == NONE {
                (order[node], low[node]) = (next, next);
                next += 1;
                open.push(node);
            }
            if let Some(&target) = edges[node].get(*followed) {
                *followed += 1;
                if order[target] == NONE {
                    path.push((target, 0));
                } else if component[target] == NONE {
                    low[node] = low[node].min(order[target]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == order[node] {
                while let Some(member) = open.pop() {
                    component[member] = components;
                    if member == node {
                        break;
                    }
                }
                components += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn cycles_are_components() {
        let found = components(&[vec![1], vec![2], vec![0, 3], vec![4], vec![], vec![5, 0]]);
        assert_eq!((found[0], found[1]), (found[2], found[2]));
        assert!(found[3] != found[0] && found[3] != found[4] && found[5] != found[0]);
    }
}
