//! Data-sharing clauses of code of teams (OpenMP 2.5, section 2.8.3): objects of each thread in place of
//! those that clauses name, and what happens to their values at the end.

use apg_c_analysis::hir::{Clause, Directive, Program, Type, VariableId};
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, Expr, Operation, PlaceKind, Ty};
use rustc_hash::FxHashMap;

use crate::body::{Body, Storage, binary, int, operation};
use crate::conversion::{not_zero, zero};
use crate::data::check_default;
use crate::lvalue::Lvalue;
use crate::reduction::identity;
use crate::reduction_clause::{Reduction, reduction_operator};
use crate::unsupported::{Lowered, unsupported};

/// An object outside of a construct, and that of the thread inside of it.
#[derive(Clone, Debug)]
pub(super) struct Replaced {
    pub variable: VariableId,
    outer: Lvalue,
    own: Lvalue,
    range: TextRange,
}

/// An object that clauses of a construct name.
struct Named<'c> {
    variable: VariableId,
    range: TextRange,
    outer: Lvalue,
    clauses: Vec<&'c str>,
    operator: Option<Reduction>,
}

/// The objects that a construct replaces.
pub(super) struct Environment {
    around: FxHashMap<VariableId, Storage>,
    reductions: Vec<(Reduction, Replaced)>,
    /// Objects whose last value is kept.
    pub last: Vec<Replaced>,
}

impl Body<'_, '_> {
    /// Lowers the inside of a construct in the data environment of its clauses.
    pub(super) fn in_environment(
        &mut self,
        directive: &Directive,
        inside: impl FnOnce(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let environment = self.enter_environment(directive)?;
        let result = inside(self);
        let left = self.leave_environment(environment);
        result.and(left)
    }

    /// Declares the objects of the thread.
    pub(super) fn enter_environment(&mut self, directive: &Directive) -> Lowered<Environment> {
        let hir = self.unit.hir;
        let around = self.objects.clone();
        let mut replaced: Vec<Named<'_>> = Vec::new();
        for clause in &directive.clauses {
            let name = clause.name.as_str();
            if !matches!(name, "private" | "firstprivate" | "lastprivate" | "reduction") {
                check_team_clause(clause)?;
                continue;
            }
            for item in &clause.items {
                let Some(variable) = item.variable(hir) else { continue };
                let operator = match name {
                    "reduction" => Some(reduction_operator(clause)?),
                    _ => None,
                };
                match replaced.iter_mut().find(|it| it.variable == variable) {
                    Some(known) => known.clauses.push(name),
                    None => {
                        let outer = self.object(variable, item.range)?;
                        let outer = self.stable(outer);
                        let (range, clauses) = (item.range, vec![name]);
                        replaced.push(Named { variable, range, outer, clauses, operator });
                    }
                }
            }
        }
        let mut environment = Environment { around, reductions: Vec::new(), last: Vec::new() };
        for Named { variable, range, outer, clauses, operator } in replaced {
            if matches!(hir.variable(variable).ty, Type::Array(..)) {
                self.addressed.insert(variable);
            }
            let storage = self.declare(variable, range)?;
            let own = self.object(variable, range)?;
            let pair = Replaced { variable, outer, own, range };
            if let Some(operator) = operator {
                let ty = pair.own.ty();
                let Some(value) =
                    identity(operator, ty).filter(|_| self.unit.program.types.array(ty).is_none())
                else {
                    let message =
                        format!("`{}` is no number that this operator takes", hir.variable(variable).name);
                    return unsupported(range, message, "write a number");
                };
                self.initialize(storage, value);
                environment.reductions.push((operator, pair));
                continue;
            }
            if clauses.contains(&"firstprivate") {
                self.copy_object(&pair.own, &pair.outer, range)?;
            } else if let Storage::Local(local) = storage {
                let ty = self.locals[local.index()].ty;
                self.set(local, zero(ty));
            }
            if clauses.contains(&"lastprivate") {
                environment.last.push(pair);
            }
        }
        if is_read_and_kept(hir, directive) {
            // All threads read the first value before one of them stores the last (section 2.8.3.5).
            self.call_entry("team_synchronize", Vec::new());
        }
        Ok(environment)
    }

    /// Combines the values of reductions with those outside, which are in use again.
    pub(super) fn leave_environment(&mut self, environment: Environment) -> Lowered<()> {
        for (operator, pair) in &environment.reductions {
            self.combine_with_outer(*operator, pair)?;
        }
        self.objects = environment.around;
        Ok(())
    }

    /// Keeps the values of the last iteration or section.
    pub(super) fn keep_last(&mut self, environment: &Environment) -> Lowered<()> {
        for pair in environment.last.clone() {
            self.copy_object(&pair.outer, &pair.own, pair.range)?;
        }
        Ok(())
    }

    /// Copies the value of an object.
    pub(super) fn copy_object(&mut self, to: &Lvalue, from: &Lvalue, range: TextRange) -> Lowered<()> {
        let ty = to.ty();
        if self.unit.program.types.array(ty).is_none() {
            let value = self.load(from.clone());
            self.store_into(to, value);
            return Ok(());
        }
        let bytes = self.bytes_of(ty, range)?;
        let (to, from) = (self.lvalue_address(to), self.lvalue_address(from));
        self.call_entry("team_copy", vec![to, from, bytes]);
        Ok(())
    }

    /// The address of an object in memory, as a number.
    pub(super) fn lvalue_address(&mut self, lvalue: &Lvalue) -> Expr {
        match lvalue {
            Lvalue::Local(..) | Lvalue::Bits(_) => int(Ty::I64, 0),
            Lvalue::Place(place) => {
                let pointer = self.address_of(place.clone());
                operation(Ty::I64, Operation::Convert, vec![pointer])
            }
        }
    }

    /// Combines the partial result of a thread with the total: those of all threads become one, which one of
    /// them combines with the object. Types that the runtime does not reduce take a lock.
    fn combine_with_outer(&mut self, operator: Reduction, pair: &Replaced) -> Lowered<()> {
        let ty = pair.own.ty();
        let own = self.load(pair.own.clone());
        let own = self.temporary(own);
        let Some(entry) = reduction_entry(ty) else {
            let lock = self.lock_address("apg_reduction_");
            return self.in_cohort(lock, |it| it.add_to_outer(operator, pair, own));
        };
        let Some(state) = self.state() else { return Ok(()) };
        let all = self.entry_value(entry, vec![state, int(Ty::I32, operation_number(operator)), own]);
        let is_owner = self.entry_value("team_is_owner", Vec::new());
        let (then, ()) = self.nested(|it| it.add_to_outer(operator, pair, all))?;
        let condition = binary(Ty::Bool, Operation::Ne, is_owner, int(Ty::I32, 0));
        self.push(mir::StmtKind::If { condition, then, otherwise: Vec::new() });
        Ok(())
    }

    /// Combines a value with the object outside of the construct.
    fn add_to_outer(&mut self, operator: Reduction, pair: &Replaced, value: Expr) -> Lowered<()> {
        let total = self.load(pair.outer.clone());
        let combined = self.combined(operator, total, value, pair.own.ty(), pair.range)?;
        self.store_into(&pair.outer, combined);
        Ok(())
    }

    /// Two partial results as one.
    fn combined(&mut self, operator: Reduction, a: Expr, b: Expr, ty: Ty, range: TextRange) -> Lowered<Expr> {
        let of = |op| Ok(binary(ty, op, a.clone(), b.clone()));
        match operator {
            Reduction::Add => of(Operation::Add),
            Reduction::Multiply => of(Operation::Mul),
            Reduction::Min => of(Operation::Min),
            Reduction::Max => of(Operation::Max),
            Reduction::BitAnd => of(Operation::And),
            Reduction::BitOr => of(Operation::Or),
            Reduction::BitXor => of(Operation::Xor),
            Reduction::And | Reduction::Or => {
                let (a, b) = (Box::new(not_zero(a)), Box::new(not_zero(b)));
                let kind = match operator {
                    Reduction::And => mir::ExprKind::And(a, b),
                    _ => mir::ExprKind::Or(a, b),
                };
                self.convert_to(Expr::new(Ty::Bool, kind), ty, range)
            }
        }
    }

    /// The address of a lock of the program, by its name.
    pub(super) fn lock_address(&mut self, name: &str) -> Expr {
        let index = self.unit.tables.as_mut().map_or(0, |it| it.lock(name));
        let address = self.table_object(index);
        self.temporary(address)
    }

    /// Stores a value of an object at an offset of an address, or loads it from there.
    pub(super) fn exchange(
        &mut self,
        lvalue: &Lvalue,
        address: Expr,
        is_store: bool,
        range: TextRange,
    ) -> Lowered<()> {
        let ty = lvalue.ty();
        let place = self.at_address(address, ty);
        let at = Lvalue::Place(place);
        debug_assert!(matches!(&at, Lvalue::Place(it) if matches!(it.kind, PlaceKind::Deref(_))));
        match is_store {
            true => self.copy_object(&at, lvalue, range),
            false => self.copy_object(lvalue, &at, range),
        }
    }
}

/// Whether threads read the first value of an object whose last value one of them stores: they wait for each
/// other in between.
pub(super) fn is_read_and_kept(hir: &Program, directive: &Directive) -> bool {
    let variables = |name: &'static str| {
        directive.clauses_named(name).flat_map(|it| &it.items).filter_map(|it| it.variable(hir))
    };
    variables("firstprivate").any(|it| variables("lastprivate").any(|last| last == it))
}

/// The entry that reduces values of a type.
fn reduction_entry(ty: Ty) -> Option<&'static str> {
    Some(match ty {
        Ty::I32 => "team_reduce_i32",
        Ty::U32 => "team_reduce_u32",
        Ty::I64 => "team_reduce_i64",
        Ty::U64 => "team_reduce_u64",
        Ty::F32 => "team_reduce_f32",
        Ty::F64 => "team_reduce_f64",
        _ => return None,
    })
}

/// The number of an operation (`APG_REDUCE_ADD` and those that follow in apg_team.h).
fn operation_number(operator: Reduction) -> i64 {
    match operator {
        Reduction::Add => 0,
        Reduction::Multiply => 1,
        Reduction::Min => 2,
        Reduction::Max => 3,
        Reduction::BitAnd => 4,
        Reduction::BitOr => 5,
        Reduction::BitXor => 6,
        Reduction::And => 7,
        Reduction::Or => 8,
    }
}

/// Refuses clauses that code of teams does not obey.
fn check_team_clause(clause: &Clause) -> Lowered<()> {
    match clause.name.as_str() {
        "default" => check_default(clause),
        "if" | "num_threads" | "shared" | "copyin" | "copyprivate" | "nowait" | "schedule" | "ordered"
        | "collapse" | "untied" | "mergeable" | "priority" | "final" | "proc_bind" | "safelen"
        | "simdlen" | "depend" | "filter" => Ok(()),
        name => unsupported(clause.range, format!("the clause `{name}` has no device form"), "leave it out"),
    }
}
