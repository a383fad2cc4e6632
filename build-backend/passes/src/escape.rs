//! Which references a function keeps beyond its end, or gives away: all that it does more with than read and write fields,
//! compare, and pass on to functions that do no more.

use super::targets::Targets;
use super::{is_first, is_host_code};
use apg_mir::*;

/// What is known of all functions.
pub(super) struct Escapes {
    /// For each function, which of its parameters escape.
    params: Vec<Vec<bool>>,
    /// For each class of closures, what escapes of what it captures when it runs.
    captures: Vec<Vec<bool>>,
    /// The classes whose closures' code a function is.
    closures: Vec<Vec<ClassId>>,
    /// What calls through tables may mean, and which arguments escape if they mean the worst of it.
    targets: Targets,
    worst: Vec<Vec<bool>>,
}

impl Escapes {
    /// Which arguments of a call escape; nothing if it is no call. What is not listed does.
    pub fn of_call(&self, call: &Expr) -> Option<&[bool]> {
        match &call.kind {
            ExprKind::Call { function, .. } => Some(&self.params[function.index()]),
            ExprKind::CallVirtual { .. } | ExprKind::CallInterface { .. } | ExprKind::CallClosure { .. } => {
                let group = self.targets.group(&call.kind, call.ty);
                Some(group.map_or(&[], |it| &self.worst[it]))
            }
            _ => None,
        }
    }

    /// Brings what is known of calls through tables up to date.
    fn follow_tables(&mut self) {
        for (worst, functions) in self.worst.iter_mut().zip(&self.targets.functions) {
            let all = functions.iter().map(|it| &self.params[it.index()]);
            // An argument that one of them does not take is one that nothing is known of.
            let count = all.clone().map(Vec::len).min().unwrap_or(0);
            *worst = (0..count).map(|index| all.clone().any(|it| it[index])).collect();
        }
    }
}

/// Looks through all functions.
pub(super) fn escapes(program: &Program) -> Escapes {
    // Nothing does until it is seen to: what only functions on a cycle pass to each other does not.
    let unseen = |function: &Function| !is_host_code(function) || function.body.is_empty();
    let params = program.functions.iter().map(|it| vec![unseen(it); it.params as usize]).collect();
    let mut captures = Vec::new();
    let mut closures = vec![Vec::new(); program.functions.len()];
    for (index, class) in program.classes.iter().enumerate() {
        let code = class.vtable.get(slot::CLOSURE_APPLY as usize).copied().flatten();
        let code = code.filter(|_| class.kind == ClassKind::Closure);
        captures.push(vec![code.is_none_or(|it| unseen(&program.functions[it.index()])); class.fields.len()]);
        if let Some(code) = code {
            let function = &program.functions[code.index()];
            debug_assert!(
                is_code_of_closure(function),
                "{} has the closure as its first parameter",
                function.name
            );
            closures[code.index()].push(ClassId(index as u32));
        }
    }
    let targets = Targets::of(program);
    let worst = vec![Vec::new(); targets.functions.len()];
    let mut all = Escapes { params, captures, closures, targets, worst };
    loop {
        let mut changed = false;
        all.follow_tables();
        for (index, function) in program.functions.iter().enumerate() {
            let known = |flags: &[bool]| flags.iter().all(|it| *it);
            if known(&all.params[index])
                && all.closures[index].iter().all(|class| known(&all.captures[class.index()]))
            {
                continue;
            }
            let uses = Uses::of(function, &function.body, &all);
            let (escaped, leaks) = (uses.escaped, uses.leaks);
            for (param, escapes) in escaped.iter().take(function.params as usize).enumerate() {
                changed |= *escapes && !std::mem::replace(&mut all.params[index][param], true);
            }
            for class in all.closures[index].clone() {
                for (field, flag) in all.captures[class.index()].iter_mut().enumerate() {
                    changed |= leaks.field(field) && !std::mem::replace(flag, true);
                }
            }
        }
        if !changed {
            return all;
        }
    }
}

/// Whether a function can be the code of a closure: its first local is its first parameter, the closure. What is said below of fields of that
/// local ([`Leaks`]) is used for such functions alone; in others the first local may be anything.
fn is_code_of_closure(function: &Function) -> bool {
    function.params > 0 && function.locals.first().is_some_and(|it| matches!(it.ty, Ty::Ref(_)))
}

/// What escapes of what the first parameter, a closure, captures.
#[derive(Default)]
struct Leaks {
    all: bool,
    fields: Vec<u32>,
}

impl Leaks {
    fn field(&self, index: usize) -> bool {
        self.all || self.fields.contains(&(index as u32))
    }
}

/// A statement around another.
#[derive(Clone, Copy, PartialEq)]
enum Around {
    /// A finish, by its number.
    Finish(u32),
    Loop,
}

/// What happens to the locals of a function.
pub(super) struct Uses<'a> {
    escapes: &'a Escapes,
    /// Escapes, by local.
    pub escaped: Vec<bool>,
    /// Is the value of another local, too.
    pub aliased: Vec<bool>,
    /// How often it is set.
    pub sets: Vec<u32>,
    /// Pairs of a local and another one that is set to it.
    copies: Vec<(LocalId, LocalId)>,
    /// Fields of the first parameter, and locals that are set to them.
    loads: Vec<(u32, LocalId)>,
    leaks: Leaks,
    /// Around the statement that is looked at.
    around: Vec<Around>,
    finishes: u32,
    /// By local that is set inside a finish: what was around that.
    set_in: Vec<Vec<Around>>,
    /// Locals that activities of a finish have, which do not keep them when they end.
    lent: Vec<(LocalId, u32)>,
}

impl<'a> Uses<'a> {
    /// Looks through a function's body.
    pub fn of(function: &Function, body: &[Stmt], escapes: &'a Escapes) -> Uses<'a> {
        let count = function.locals.len();
        let (escaped, aliased, sets) = (vec![false; count], vec![false; count], vec![0; count]);
        let mut uses = Uses {
            escapes,
            escaped,
            aliased,
            sets,
            copies: Vec::new(),
            loads: Vec::new(),
            leaks: Leaks::default(),
            around: Vec::new(),
            finishes: 0,
            set_in: vec![Vec::new(); count],
            lent: Vec::new(),
        };
        uses.stmts(body);
        // What is made anew while the finish goes on may still be an activity's that began before.
        for (local, finish) in std::mem::take(&mut uses.lent) {
            let around = &uses.set_in[local.index()];
            let inside = around.iter().skip_while(|it| **it != Around::Finish(finish));
            uses.escaped[local.index()] |= inside.into_iter().any(|it| *it == Around::Loop);
        }
        uses.follow_copies();
        uses.leaks.all |= count > 0 && (uses.escaped[0] || uses.aliased[0] || uses.sets[0] > 0);
        for (field, local) in &uses.loads {
            if uses.escaped[local.index()] {
                uses.leaks.fields.push(*field);
            }
        }
        uses
    }

    fn follow_copies(&mut self) {
        // A local escapes if a copy does.
        loop {
            let mut changed = false;
            for (from, to) in &self.copies {
                let escapes = self.escaped[to.index()];
                changed |= escapes && !std::mem::replace(&mut self.escaped[from.index()], true);
            }
            if !changed {
                return;
            }
        }
    }

    fn stmts(&mut self, body: &[Stmt]) {
        for stmt in body {
            self.stmt(&stmt.kind);
            let around = match stmt.kind {
                StmtKind::Finish { .. } => {
                    self.finishes += 1;
                    Some(Around::Finish(self.finishes))
                }
                StmtKind::Loop { .. } => Some(Around::Loop),
                _ => None,
            };
            self.around.extend(around);
            walk::bodies(&stmt.kind).into_iter().for_each(|it| self.stmts(it));
            self.around.truncate(self.around.len() - usize::from(around.is_some()));
        }
    }

    fn stmt(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Set { local, value } => {
                self.sets[local.index()] += 1;
                if self.finishes > 0 {
                    self.set_in[local.index()].clone_from(&self.around);
                }
                match &super::bare(value).kind {
                    ExprKind::Local(from) => {
                        self.aliased[from.index()] = true;
                        self.copies.push((*from, *local));
                    }
                    ExprKind::Field { object, field, .. } if is_first(object) => {
                        self.loads.push((*field, *local));
                    }
                    _ => self.expr(value, false),
                }
            }
            StmtKind::Async { closure, clocks: Clocks::None } => self.activity(closure),
            StmtKind::SetField { object, value, .. } => {
                self.expr(object, true);
                self.expr(value, false);
            }
            StmtKind::SetElement { rail, index, value, .. } => {
                self.expr(rail, true);
                self.expr(index, false);
                self.expr(value, false);
            }
            StmtKind::Expr(value) => self.expr(value, true),
            StmtKind::Try { catches, .. } => {
                catches.iter().for_each(|it| self.sets[it.local.index()] += 1);
            }
            other => walk::operands(other).into_iter().for_each(|it| self.expr(it, false)),
        }
    }

    /// A new activity: if it belongs to a finish of this function, it has ended when that does.
    fn activity(&mut self, closure: &Expr) {
        let finish = self.around.iter().rev().find_map(|it| match it {
            Around::Finish(number) => Some(*number),
            Around::Loop => None,
        });
        let (Some(finish), ExprKind::MakeObject { class, fields }) = (finish, &super::bare(closure).kind)
        else {
            return self.expr(closure, false);
        };
        for (index, value) in fields.iter().enumerate() {
            let keeps = self.escapes.captures[class.index()].get(index) != Some(&false);
            match super::bare(value).kind {
                ExprKind::Local(local) if !keeps => self.lent.push((local, finish)),
                _ => self.expr(value, false),
            }
        }
    }

    /// `harmless`: nothing keeps the value of the expression.
    fn expr(&mut self, expr: &Expr, harmless: bool) {
        match &expr.kind {
            ExprKind::Local(local) => self.escaped[local.index()] |= !harmless,
            ExprKind::NonNull(value) | ExprKind::Cast { value, .. } => self.expr(value, harmless),
            ExprKind::Field { object, field, .. } if !harmless && is_first(object) => {
                self.leaks.fields.push(*field);
            }
            ExprKind::InstanceOf { value, .. }
            | ExprKind::Field { object: value, .. }
            | ExprKind::Length { rail: value, .. } => self.expr(value, true),
            ExprKind::Element { rail, index, .. } => {
                self.expr(rail, true);
                self.expr(index, true);
            }
            ExprKind::Operation { args, .. } => args.iter().for_each(|it| self.expr(it, true)),
            ExprKind::Call { args, .. }
            | ExprKind::CallVirtual { args, .. }
            | ExprKind::CallInterface { args, .. }
            | ExprKind::CallClosure { args, .. } => {
                let escapes = self.escapes.of_call(expr).unwrap_or(&[]);
                for (index, arg) in args.iter().enumerate() {
                    self.expr(arg, escapes.get(index) == Some(&false));
                }
            }
            other => walk::children(other).into_iter().for_each(|it| self.expr(it, false)),
        }
    }
}
