//! Constructs inside of regions (OpenMP 5.2, chapters 10 to 12 and 15), for teams of one thread: a program
//! may get fewer threads than it asks for (section 10.1.1). Such a thread executes all iterations, sections
//! and tasks itself, in the order of the source, and waits for no other thread. `distribute` divides its
//! iterations among the teams of the league.

use apg_c_analysis::hir::{Clause, Construct, Directive, DirectiveId, Program, StmtId, VariableId};
use apg_c_analysis::loops;
use apg_c_analysis::sharing::Attribute;
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, Expr, Operation, Place, PlaceKind, Ty};

use crate::body::{Body, Storage, Threads, binary, int};
use crate::changes::is_changed;
use crate::data::check_default;
use crate::loops::{check_perfect_nest, not_canonical};
use crate::lvalue::Lvalue;
use crate::reduction_clause::reduction_operator;
use crate::schedule::{Level, Workers, keeps_values};
use crate::unsupported::{Lowered, unsupported};

/// Clauses of constructs inside of regions that a thread obeys by executing the statement.
const OBEYED: &[&str] = &[
    "aligned",
    "allocate",
    "bind",
    "collapse",
    "copyin",
    "depend",
    "dist_schedule",
    "filter",
    "final",
    "firstprivate",
    "grainsize",
    "hint",
    "holds",
    "if",
    "linear",
    "mergeable",
    "no_openmp",
    "no_openmp_routines",
    "no_parallelism",
    "nontemporal",
    "nowait",
    "num_tasks",
    "num_threads",
    "order",
    "ordered",
    "priority",
    "private",
    "proc_bind",
    "reduction",
    "safelen",
    "schedule",
    "shared",
    "simd",
    "simdlen",
    "threads",
    "untied",
];

/// Constructs that a thread executes at once, whatever its team is.
fn is_of_any_thread(construct: Construct) -> bool {
    use Construct::*;
    matches!(construct, Simd | Task | Taskgroup | Taskloop | Taskwait | Taskyield | Flush)
}

/// Constructs that the only thread of a team executes alone.
fn is_of_team(construct: Construct) -> bool {
    use Construct::*;
    matches!(
        construct,
        For | Loop | Sections | Section | Single | Master | Masked | Critical | Barrier | Ordered | Scope
    )
}

impl Body<'_, '_> {
    /// A construct inside of a region.
    pub(crate) fn nested_construct(&mut self, id: DirectiveId) -> Lowered<()> {
        let of = self.unit.hir.directive(id).for_device();
        if of.constructs.is_empty() {
            match of.name.as_str() {
                "assume" | "nothing" => {}
                // Its begin says what there is to say.
                "end metadirective" => return Ok(()),
                _ => return no_device_form(of),
            }
        }
        if let Threads::Block(team) = self.threads.clone() {
            return self.block_construct(id, &team);
        }
        let opens_team = of.has(Construct::Parallel);
        let is_league = matches!(self.threads, Threads::League(_));
        let is_team_of_one = opens_team || self.threads != Threads::Several;
        for construct in &of.constructs {
            let is_known = match construct {
                Construct::Parallel => self.may_open_team,
                Construct::Distribute => is_league,
                // The teams of other threads do not exclude each other.
                Construct::Critical if self.has_siblings => false,
                it => is_of_any_thread(*it) || (is_team_of_one && is_of_team(*it)),
            };
            if !is_known {
                return no_device_form(of);
            }
        }
        let is_divided = is_league && is_divided_by_teams(of);
        self.check_nested_clauses(of, is_divided)?;
        let around = (self.objects.clone(), self.threads.clone(), self.numbers.clone(), self.has_siblings);
        self.has_siblings |= opens_team && self.threads == Threads::Several;
        let result = self.nested_body(id, is_divided, opens_team);
        (self.objects, self.threads, self.numbers, self.has_siblings) = around;
        result
    }

    pub(crate) fn check_nested_clauses(&self, of: &Directive, is_divided: bool) -> Lowered<()> {
        let hir = self.unit.hir;
        for clause in &of.clauses {
            let is_obeyed = match clause.name.as_str() {
                // The last iteration of one thread is the last of all.
                "lastprivate" | "copyprivate" => !is_divided,
                "default" => {
                    check_default(clause)?;
                    true
                }
                name => OBEYED.contains(&name),
            };
            if !is_obeyed {
                let message = format!("the clause `{}` of a region has no device form yet", clause.name);
                return unsupported(
                    clause.range,
                    message,
                    "leave it out, or write what it does in the region",
                );
            }
            if clause.name == "reduction" {
                reduction_operator(clause)?;
                let is_shared = |it: VariableId| matches!(self.objects.get(&it), Some(Storage::Pointed(_)));
                let mut variables = clause.items.iter().filter_map(|it| it.variable(hir));
                if is_divided && variables.any(is_shared) {
                    let message = "the teams of the region share what this reduces";
                    return unsupported(clause.range, message, "write the `reduction` at `teams`, too");
                }
            }
        }
        Ok(())
    }

    fn nested_body(&mut self, id: DirectiveId, is_divided: bool, opens_team: bool) -> Lowered<()> {
        let hir = self.unit.hir;
        let of = hir.directive(id).for_device();
        if of.constructs == [Construct::Flush] {
            self.call_entry("team_flush", Vec::new());
        }
        let Some(body) = of.body else { return Ok(()) };
        if opens_team {
            let numbers = &mut self.numbers;
            (numbers.thread, numbers.threads) = (int(Ty::I32, 0), int(Ty::I32, 1));
            numbers.level = binary(Ty::I32, Operation::Add, numbers.level.clone(), int(Ty::I32, 1));
        }
        for clause in &of.clauses {
            match clause.name.as_str() {
                "private" => {
                    self.each_variable(clause, |it, variable, range| it.declare_private(variable, range))?
                }
                "firstprivate" => self.each_variable(clause, |it, variable, range| {
                    if is_kept(it.unit.hir, of, variable) { Ok(()) } else { it.declare_copy(variable, range) }
                })?,
                _ => {}
            }
        }
        if of.has(Construct::Task) || of.has(Construct::Taskloop) {
            self.copy_for_task(id, body)?;
        }
        let range = of.range;
        if of.is_loop() {
            let (found, problem) = loops::associated(hir, of);
            if let Some(problem) = problem {
                return not_canonical(hir, problem, range);
            }
            if let Threads::League(league) = self.threads.clone()
                && is_divided
            {
                check_perfect_nest(hir, &found)?;
                if found.len() < loops::loop_count(hir, of) {
                    let message = "a directive stands between the loops";
                    return unsupported(range, message, "`collapse` fewer loops");
                }
                let inner = found.last().map_or(body, |it| it.body);
                self.threads = Threads::One;
                let space = self.iteration_space(&found)?;
                // What is no object of the region is the team's own.
                let is_own = |it| self.objects.get(&it).is_some_and(|it| !matches!(it, Storage::Pointed(_)));
                let is_seen = self.unit.asks_for_numbers(inner) || keeps_values(hir, inner, is_own);
                let levels = match is_seen {
                    true => {
                        let workers = Workers { all: *league, of_league: None };
                        let total = self.temporary(space.total.clone());
                        self.levels(&[of], workers, &total)?
                    }
                    false => vec![Level::of_one(*league)],
                };
                return self.divided_loop(&space, inner, &levels, &[]);
            }
            for it in &found {
                // The counter of `simd` has its value behind the loop, too.
                let is_private = of.constructs != [Construct::Simd];
                if is_kept(hir, of, it.variable) {
                    continue;
                }
                if is_private || !self.objects.contains_key(&it.variable) {
                    self.declare_private(it.variable, range)?;
                }
            }
        }
        if of.constructs.iter().any(|it| !is_of_any_thread(*it)) {
            self.threads = Threads::One;
        }
        // The thread of a team of one has the number 0.
        if of.has(Construct::Masked) && of.clause("filter").is_some() {
            let number = self.filtered_thread(of)?;
            let (then, ()) = self.nested(|it| {
                it.stmt(body);
                Ok(())
            })?;
            let condition = binary(Ty::Bool, Operation::Eq, number, int(Ty::I32, 0));
            self.push(mir::StmtKind::If { condition, then, otherwise: Vec::new() });
            return Ok(());
        }
        self.stmt(body);
        Ok(())
    }

    /// The number of the thread that executes a `masked` construct (OpenMP 5.2, section 10.5).
    pub(crate) fn filtered_thread(&mut self, of: &Directive) -> Lowered<Expr> {
        let number = of.clause("filter").and_then(|it| it.items.first()?.expr);
        let Some(number) = number else { return Ok(int(Ty::I32, 0)) };
        let value = self.value(number)?;
        let value = self.convert_to(value, Ty::I32, of.range)?;
        Ok(self.temporary(value))
    }

    /// A task changes copies of the objects that are private around it (OpenMP 5.2, section 5.1.1).
    fn copy_for_task(&mut self, id: DirectiveId, body: StmtId) -> Lowered<()> {
        let hir = self.unit.hir;
        for (variable, range) in hir.captured(id) {
            let sharing = hir.sharing(id, variable);
            let is_copied = sharing.is_some_and(|it| it.attribute == Attribute::Firstprivate);
            if is_copied
                && is_changed(hir, body, variable)
                && !is_kept(hir, hir.directive(id).for_device(), variable)
            {
                self.declare_copy(variable, range)?;
            }
        }
        Ok(())
    }

    pub(crate) fn each_variable(
        &mut self,
        clause: &Clause,
        mut declare: impl FnMut(&mut Self, VariableId, TextRange) -> Lowered<()>,
    ) -> Lowered<()> {
        let hir = self.unit.hir;
        for item in &clause.items {
            if let Some(variable) = item.variable(hir) {
                declare(self, variable, item.range)?;
            }
        }
        Ok(())
    }

    /// A new object without a value.
    pub(crate) fn declare_private(&mut self, variable: VariableId, range: TextRange) -> Lowered<()> {
        let storage = self.declare(variable, range)?;
        if let Storage::Local(local) = storage {
            let ty = self.locals[local.index()].ty;
            self.set(local, crate::conversion::zero(ty));
        }
        Ok(())
    }

    /// A new object with the value of the one outside.
    pub(crate) fn declare_copy(&mut self, variable: VariableId, range: TextRange) -> Lowered<()> {
        let outside = self.object(variable, range)?;
        let storage = self.declare(variable, range)?;
        match outside {
            Lvalue::Place(place) => self.copy_into(storage, &place),
            outside => {
                let value = self.load(outside);
                self.initialize(storage, value);
            }
        }
        Ok(())
    }

    /// Gives a new object the value of an object in memory.
    pub(crate) fn copy_into(&mut self, target: Storage, source: &Place) {
        match target {
            Storage::Local(local) => {
                self.set(local, Expr::new(source.ty, mir::ExprKind::Load(Box::new(source.clone()))));
            }
            Storage::Memory(id) => {
                let place = Place::new(self.variables[id.index()].ty, PlaceKind::Variable(id));
                self.copy_place(&place, source);
            }
            Storage::Pointed(_) => {}
        }
    }

    /// Copies an object; an array element by element.
    fn copy_place(&mut self, target: &Place, source: &Place) {
        let Some(array) = self.unit.program.types.array(source.ty) else {
            let value = Expr::new(source.ty, mir::ExprKind::Load(Box::new(source.clone())));
            return self.store(target.clone(), value);
        };
        let (element, length) = (array.element, array.length);
        let at = |place: &Place, index: Expr| {
            let (base, index) = (Box::new(place.clone()), Box::new(index));
            Place::new(element, PlaceKind::Index { base, index })
        };
        self.count(0, length as i64, |it, index| {
            it.copy_place(&at(target, index.clone()), &at(source, index));
        });
    }
}

/// Whether a clause keeps the last value of a variable: the thread that executes all iterations has it in the
/// object around the construct.
fn is_kept(hir: &Program, of: &Directive, variable: VariableId) -> bool {
    of.clauses_named("lastprivate").flat_map(|it| &it.items).any(|it| it.variable(hir) == Some(variable))
}

/// Whether the teams of a league divide the iterations of a directive, not each team for itself (OpenMP 5.2,
/// sections 11.6 and 11.7.1).
pub(crate) fn is_divided_by_teams(of: &Directive) -> bool {
    let is_of_teams = of.clause("bind").is_none_or(|it| it.word() == Some("teams"));
    of.has(Construct::Distribute) || of.has(Construct::Loop) && !of.has(Construct::Parallel) && is_of_teams
}

pub(crate) fn no_device_form<T>(of: &Directive) -> Lowered<T> {
    let message = format!("`{}` inside of a region has no device form yet", of.name);
    let advice = match of.constructs.first() {
        Some(Construct::Critical | Construct::Ordered) => "write `atomic`, or a reduction",
        Some(it) if it.is_worksharing() || it.is_loop() || *it == Construct::Parallel => {
            "write `target teams distribute parallel for` on one loop nest"
        }
        _ => "do it in front of the region or behind it",
    };
    unsupported(of.range, message, advice)
}
