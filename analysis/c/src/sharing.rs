//! Data sharing of variables in regions (OpenMP 5.2, sections 5.1 and 5.4; 2.5, section 2.8): predetermined,
//! explicit in a clause, or implicit.

use apg_c_syntax::{Family, TextRange};

use crate::hir::visit::Node;
use crate::hir::{Clause, Construct, Directive, DirectiveId, ExprKind, Program, Storage, Type, VariableId};
use crate::loops;

/// The data-sharing attribute of a variable in a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// All threads have one object.
    Shared,
    /// Each thread has an object of its own, without a value at first.
    Private,
    /// Private, with the value from before.
    Firstprivate,
    /// Private; the value of the last iteration or section is kept.
    Lastprivate,
    /// Private, with both the value from before and that of the last iteration.
    FirstAndLastprivate,
    /// Private; the values of all threads are combined.
    Reduction,
    /// Private; its value is linear in the iteration.
    Linear,
    /// Each thread has an object that lives as long as the program.
    Threadprivate,
    /// In the memory of the device, copied as `map` says.
    Mapped,
}

impl Attribute {
    /// The word of the specification.
    pub fn text(self) -> &'static str {
        match self {
            Attribute::Shared => "shared",
            Attribute::Private => "private",
            Attribute::Firstprivate => "firstprivate",
            Attribute::Lastprivate => "lastprivate",
            Attribute::FirstAndLastprivate => "firstprivate and lastprivate",
            Attribute::Reduction => "reduction",
            Attribute::Linear => "linear",
            Attribute::Threadprivate => "threadprivate",
            Attribute::Mapped => "mapped",
        }
    }

    /// All threads of a team refer to one object.
    pub fn is_shared(self) -> bool {
        matches!(self, Attribute::Shared | Attribute::Mapped)
    }
}

/// Why a variable has its attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A clause names it.
    Clause(TextRange),
    /// The specification says so of such variables, with the reason in words.
    Predetermined(&'static str),
    /// No clause names it, with the rule in words.
    Implicit(&'static str),
}

/// The sharing of a variable in a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharing {
    /// The attribute.
    pub attribute: Attribute,
    /// Why it has it.
    pub reason: Reason,
}

impl Sharing {
    fn implicit(attribute: Attribute, why: &'static str) -> Sharing {
        Sharing { attribute, reason: Reason::Implicit(why) }
    }

    fn predetermined(attribute: Attribute, why: &'static str) -> Sharing {
        Sharing { attribute, reason: Reason::Predetermined(why) }
    }
}

/// Constructs that have a data environment in which each variable has an attribute.
fn makes_environment(construct: Construct) -> bool {
    use Construct::*;
    matches!(construct, Parallel | Task | Taskloop | Teams | Target)
}

impl Program {
    /// Whether a directive at any place makes a variable threadprivate.
    pub fn is_threadprivate(&self, variable: VariableId) -> bool {
        self.variable(variable).storage == Storage::ThreadLocal || self.threadprivate.contains(&variable)
    }

    /// Whether a variable is declared in the statement of a directive.
    pub fn is_declared_in(&self, variable: VariableId, directive: &Directive) -> bool {
        let body = directive.body.map(|it| self.stmt(it).range);
        let declared = self.variable(variable).range;
        declared.zip(body).is_some_and(|(declared, body)| body.contains_range(declared))
    }

    /// The sharing of a variable in the region of a directive; `None` where the directive leaves it as it is
    /// around.
    pub fn sharing(&self, directive: DirectiveId, variable: VariableId) -> Option<Sharing> {
        let of = self.directive(directive);
        if of.family != Family::OpenMp {
            return None;
        }
        if self.is_threadprivate(variable) {
            return Some(Sharing::predetermined(
                Attribute::Threadprivate,
                "it is the argument of a `threadprivate` directive",
            ));
        }
        if self.is_declared_in(variable, of) {
            return Some(match self.variable(variable).storage {
                Storage::StaticLocal => {
                    Sharing::predetermined(Attribute::Shared, "it is `static`: all threads have one object")
                }
                _ => Sharing::predetermined(Attribute::Private, "it is declared in the region"),
            });
        }
        if let Some(found) = self.explicit(of, variable) {
            return Some(found);
        }
        let is_counter =
            of.is_loop() && loops::associated(self, of).0.iter().any(|it| it.variable == variable);
        if is_counter {
            let why = "it counts the iterations of the loop that the directive is about";
            return Some(Sharing::predetermined(Attribute::Private, why));
        }
        if !of.constructs.iter().any(|it| makes_environment(*it)) {
            return None;
        }
        self.by_default(of, variable).or_else(|| self.implicit(directive, variable))
    }

    /// The attribute that clauses give.
    fn explicit(&self, directive: &Directive, variable: VariableId) -> Option<Sharing> {
        let names = |clause: &Clause| clause.items.iter().any(|it| it.variable(self) == Some(variable));
        let mut found: Option<Sharing> = None;
        for clause in directive.clauses.iter().filter(|it| names(it)) {
            let attribute = match clause.name.as_str() {
                "shared" => Attribute::Shared,
                "private" => Attribute::Private,
                "firstprivate" => Attribute::Firstprivate,
                "lastprivate" => Attribute::Lastprivate,
                "reduction" | "in_reduction" => Attribute::Reduction,
                "linear" | "induction" => Attribute::Linear,
                "map" if directive.has(Construct::Target) => Attribute::Mapped,
                "is_device_ptr" | "has_device_addr" => Attribute::Firstprivate,
                _ => continue,
            };
            let attribute = match (found.map(|it| it.attribute), attribute) {
                (None | Some(Attribute::Mapped), it) => it,
                (Some(Attribute::Firstprivate), Attribute::Lastprivate)
                | (Some(Attribute::Lastprivate), Attribute::Firstprivate) => Attribute::FirstAndLastprivate,
                (Some(before), _) => before,
            };
            found = Some(Sharing { attribute, reason: Reason::Clause(clause.range) });
        }
        found
    }

    fn by_default(&self, directive: &Directive, variable: VariableId) -> Option<Sharing> {
        let clause = directive.clause("default")?;
        let attribute = match clause.word()? {
            "shared" => Attribute::Shared,
            "private" => Attribute::Private,
            "firstprivate" => Attribute::Firstprivate,
            _ => return None,
        };
        let _ = variable;
        Some(Sharing { attribute, reason: Reason::Clause(clause.range) })
    }

    fn implicit(&self, id: DirectiveId, variable: VariableId) -> Option<Sharing> {
        let directive = self.directive(id);
        if directive.has(Construct::Task) || directive.has(Construct::Taskloop) {
            return Some(self.implicit_in_task(id, variable));
        }
        if directive.has(Construct::Target)
            && !directive.has(Construct::Parallel)
            && !directive.has(Construct::Teams)
        {
            return Some(self.implicit_in_target(variable));
        }
        let is_teams = !directive.has(Construct::Parallel);
        let why = match is_teams {
            true => "no clause names it, and `teams` shares what is declared outside",
            false => "no clause names it, and `parallel` shares what is declared outside",
        };
        Some(Sharing::implicit(Attribute::Shared, why))
    }

    fn implicit_in_target(&self, variable: VariableId) -> Sharing {
        match self.variable(variable).ty {
            Type::Array(..) | Type::Record(_) | Type::Unknown => {
                Sharing::implicit(Attribute::Mapped, "arrays and structs are copied to the device and back")
            }
            Type::Pointer(_) => Sharing::implicit(
                Attribute::Firstprivate,
                "a pointer that no `map` names is copied, with the address on the device of what it points to",
            ),
            _ => Sharing::implicit(Attribute::Firstprivate, "a scalar that no clause names is copied in"),
        }
    }

    /// The attribute in a task: shared if it is shared in all regions up to the innermost parallel one.
    fn implicit_in_task(&self, id: DirectiveId, variable: VariableId) -> Sharing {
        let mut parent = self.directive(id).parent;
        while let Some(around) = parent {
            let directive = self.directive(around);
            match self.sharing(around, variable) {
                Some(it) if !it.attribute.is_shared() => {
                    let why = "it is private around the task, whose copy has the value of that moment";
                    return Sharing::implicit(Attribute::Firstprivate, why);
                }
                Some(_) if directive.has(Construct::Parallel) => {
                    return Sharing::implicit(
                        Attribute::Shared,
                        "it is shared in the parallel region around the task",
                    );
                }
                _ => parent = directive.parent,
            }
        }
        match self.variable(variable).has_static_storage() {
            true => Sharing::implicit(Attribute::Shared, "it is not on the stack of a function"),
            false => Sharing::implicit(
                Attribute::Firstprivate,
                "it belongs to a function that does not show the parallel region: the task has a copy",
            ),
        }
    }

    /// The variables that are named in the statement of a directive and declared outside of it, without those
    /// that a directive inside makes private, each with the place where it is first named.
    pub fn captured(&self, directive: DirectiveId) -> Vec<(VariableId, TextRange)> {
        let of = self.directive(directive);
        let mut found: Vec<(VariableId, TextRange)> = Vec::new();
        let Some(body) = of.body else { return found };
        self.collect_captured(body, &mut Vec::new(), &mut |variable, range| {
            if !self.is_declared_in(variable, of) && !found.iter().any(|it| it.0 == variable) {
                found.push((variable, range));
            }
        });
        found
    }

    /// Whether one of some directives has an object of its own for a variable, without the value from before.
    fn is_private_in(&self, directives: &[DirectiveId], variable: VariableId) -> bool {
        directives.iter().any(|it| {
            let attribute = self.sharing(*it, variable).map(|it| it.attribute);
            matches!(attribute, Some(Attribute::Private | Attribute::Threadprivate))
        })
    }

    fn collect_captured(
        &self,
        body: crate::hir::StmtId,
        inner: &mut Vec<DirectiveId>,
        add: &mut dyn FnMut(VariableId, TextRange),
    ) {
        let mut nested = Vec::new();
        self.walk_stmt(body, &mut |node| {
            match node {
                Node::Expr(expr) => {
                    let expr = self.expr(expr);
                    if let ExprKind::Variable(variable) = expr.kind
                        && !self.is_private_in(inner, variable)
                    {
                        add(variable, expr.range);
                    }
                }
                Node::Directive(it) => {
                    nested.push(it);
                    return false;
                }
                Node::Stmt(_) => {}
            }
            true
        });
        for directive in nested {
            // The number of the thread is computed inside.
            let filters = self.directive(directive).clauses_named("filter").flat_map(|it| &it.items);
            for expr in filters.filter_map(|it| it.expr) {
                self.walk_expr(expr, &mut |node| {
                    if let Node::Expr(id) = node
                        && let ExprKind::Variable(variable) = self.expr(id).kind
                        && !self.is_private_in(inner, variable)
                    {
                        add(variable, self.expr(id).range);
                    }
                    true
                });
            }
            if let Some(body) = self.directive(directive).body {
                inner.push(directive);
                self.collect_captured(body, inner, add);
                inner.pop();
            }
        }
    }
}
