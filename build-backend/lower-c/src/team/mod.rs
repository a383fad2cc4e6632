//! Parallel regions as kernels (OpenMP 2.5, section 2.3): the threads of one team are all threads of a
//! launch, with barriers over the whole grid. Data are shared with the host by address, on the CPUs as a
//! device and on GPUs.

mod clauses;
mod cohort;
mod exclusion;
mod foreign;
mod host_call;
mod independent;
mod lent;
mod ordered;
mod region;
mod routines;
mod sections;
mod single;
mod synchronization;
mod taken;
mod worksharing;

use apg_c_analysis::hir::{Construct, Directive, DirectiveId};
use apg_c_syntax::Family;
use apg_mir::{self as mir, Expr, Operation, Place, PlaceKind, Ty};

pub use foreign::functions_with_openmp;
pub(crate) use independent::countable_loops;
pub use region::{ParallelRegions, lower_parallel};
pub use taken::Taken;

use crate::body::{Body, int, local_value, operation};
use crate::unsupported::{Lowered, unsupported};

impl Body<'_, '_> {
    /// The address of the state of the thread.
    pub(crate) fn state(&self) -> Option<Expr> {
        self.team.map(|it| local_value(it.state, Ty::I64))
    }

    /// A call of an entry of teams; `args` follow the state if the entry takes it.
    fn entry(&self, name: &str, args: Vec<Expr>) -> Expr {
        let Some((params, result)) = mir::team::entry(name) else { return int(Ty::I32, 0) };
        let is_short = args.len() < params.len();
        let args = self.state().filter(|_| is_short).into_iter().chain(args).collect();
        Expr::new(result, mir::ExprKind::Runtime { entry: name.into(), args })
    }

    /// Calls an entry for its effect.
    pub(crate) fn call_entry(&mut self, name: &str, args: Vec<Expr>) {
        let call = self.entry(name, args);
        self.push(mir::StmtKind::Expr(call));
    }

    /// The result of an entry in a local.
    pub(crate) fn entry_value(&mut self, name: &str, args: Vec<Expr>) -> Expr {
        let call = self.entry(name, args);
        self.temporary(call)
    }

    /// An address as a pointer to a type.
    fn pointer(&mut self, address: Expr, ty: Ty) -> Expr {
        let to = self.unit.program.types.pointer_to(ty, mir::AddressSpace::Generic);
        operation(to, Operation::Convert, vec![address])
    }

    /// What is at an address.
    pub(crate) fn at_address(&mut self, address: Expr, ty: Ty) -> Place {
        let pointer = self.pointer(address, ty);
        let pointer = self.temporary(pointer);
        Place::new(ty, PlaceKind::Deref(Box::new(pointer)))
    }

    /// A directive in code of a team.
    pub(crate) fn team_directive(&mut self, id: DirectiveId) -> Lowered<()> {
        let directive = self.unit.hir.directive(id);
        if directive.family != Family::OpenMp {
            directive.body.iter().for_each(|it| self.stmt(*it));
            return Ok(());
        }
        self.constructs(directive, &directive.constructs)
    }

    /// The constructs of a directive, the outermost first, and its statement.
    fn constructs(&mut self, directive: &Directive, constructs: &[Construct]) -> Lowered<()> {
        use Construct::*;
        match constructs {
            [Parallel, inner @ ..] => self.nested_region(directive, inner),
            [For | Loop] | [For, Simd] => self.worksharing_loop(directive),
            [Sections] => self.sections(directive),
            [Single] => self.single(directive),
            [Master | Masked] => self.master(directive),
            [Critical] => self.critical(directive),
            [Atomic] => self.team_atomic(directive),
            [Barrier] => {
                self.call_entry("team_synchronize", Vec::new());
                Ok(())
            }
            [Flush] => {
                self.call_entry("team_flush", Vec::new());
                Ok(())
            }
            [Ordered] => self.ordered(directive),
            [Simd] if directive.clauses.iter().all(|it| is_sequential(&it.name)) => {
                directive.body.iter().for_each(|it| self.stmt(*it));
                Ok(())
            }
            [Threadprivate] | [] => {
                directive.body.iter().for_each(|it| self.stmt(*it));
                Ok(())
            }
            _ => {
                let message = format!("`{}` inside of a parallel region has no device form", directive.name);
                unsupported(directive.range, message, "do it in front of the region or behind it")
            }
        }
    }
}

/// Clauses of `simd` that a loop of one thread obeys as it is.
fn is_sequential(clause: &str) -> bool {
    matches!(clause, "simdlen" | "safelen" | "aligned" | "nontemporal" | "reduction" | "collapse")
}
