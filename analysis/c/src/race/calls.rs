//! Calls: functions of the program are executed in their place, those of OpenMP's library are known.

use apg_kernels::fork_join::{self, LockEvent, Selector, Step, Symbol};

use super::values::{LockKey, Place, Value};
use super::{Lowering, MAX_CALL_DEPTH};
use crate::hir::{ExprId, ExprKind, FunctionId, StmtId, Type};

impl Lowering<'_> {
    pub(super) fn call(&mut self, id: ExprId, callee: ExprId, arguments: &[ExprId]) -> Option<Value> {
        if !matches!(self.program.expr(callee).kind, ExprKind::Function(_) | ExprKind::Unresolved(_)) {
            self.value(callee);
        }
        let values: Vec<Option<Value>> = arguments.iter().map(|it| self.value(*it)).collect();
        if let ExprKind::Function(function) = self.program.expr(callee).kind
            && let Some(body) = self.program.function(function).body
        {
            return self.inlined(function, body, values);
        }
        let name = self.program.callee_name(callee)?;
        match name {
            "omp_get_thread_num" => {
                let team = self.innermost_team()?;
                let Step::Team { thread, .. } = &self.path[team] else { return None };
                let thread = fork_join::Value::symbol(*thread);
                Some(Value::Integer(thread))
            }
            "omp_get_team_num" => {
                let league = self.path.iter().rev().find_map(|it| match it {
                    Step::Team { thread, synchronises: false, .. } => Some(*thread),
                    _ => None,
                });
                Some(league.map_or(Value::integer(0), |it| Value::Integer(fork_join::Value::symbol(it))))
            }
            "omp_get_num_threads" | "omp_get_max_threads" | "omp_get_num_procs" => {
                let symbol = self.fresh_symbol(Symbol::Fixed);
                Some(Value::Integer(fork_join::Value::symbol(symbol)))
            }
            "omp_set_lock" | "omp_set_nest_lock" | "omp_test_lock" | "omp_test_nest_lock" => {
                match self.lock_of(values.into_iter().next()) {
                    Some(lock) => {
                        if self.locks.is_empty() {
                            self.elections.begin();
                        }
                        self.locks.insert(lock);
                        self.lock_event(lock, false);
                    }
                    // Which lock it is is not known: nothing after it is certain.
                    None => self.is_synchronised_by_hand = true,
                }
                None
            }
            "omp_unset_lock" | "omp_unset_nest_lock" => {
                match self.lock_of(values.into_iter().next()) {
                    Some(lock) if self.locks.remove(&lock) => {
                        if self.locks.is_empty() {
                            self.elections.end();
                        }
                    }
                    Some(lock) if self.is_held_since_a_barrier(lock) => self.lock_event(lock, true),
                    // A lock that another thread took: the threads hand it over.
                    _ => self.is_synchronised_by_hand = true,
                }
                None
            }
            "malloc" | "calloc" | "realloc" | "aligned_alloc" | "alloca" | "__builtin_alloca"
            | "omp_alloc" => {
                let ty = self.program.expr(id).ty.clone();
                let object = self.add_object(None, ty, self.path.len());
                let zero = Selector::Index(Some(fork_join::Value::from_constant(0)));
                Some(Value::Pointer(Place::whole(object).with(zero)))
            }
            _ => {
                // The function may store through pointers that it gets.
                for value in values.into_iter().flatten() {
                    if let Value::Pointer(place) = value
                        && place.selectors.is_empty()
                    {
                        self.forget(place.object);
                    }
                }
                None
            }
        }
    }

    fn lock_of(&mut self, argument: Option<Option<Value>>) -> Option<u32> {
        let Value::Pointer(place) = argument?? else { return None };
        (!place.has_own_symbols()).then(|| self.lock(LockKey::Lock(place)))
    }

    /// The number of a lock.
    pub(super) fn lock(&mut self, key: LockKey) -> u32 {
        let known = self.lock_keys.iter().position(|it| *it == key);
        let number = known.unwrap_or_else(|| {
            self.lock_keys.push(key);
            self.lock_keys.len() - 1
        });
        number as u32
    }

    /// The region of the innermost team and its phase.
    fn team_and_phase(&self) -> Option<(u32, u32)> {
        match &self.path[self.innermost_team()?] {
            Step::Team { region, phase, .. } => Some((*region, *phase)),
            _ => None,
        }
    }

    fn lock_event(&mut self, lock: u32, is_release: bool) {
        let Some(team) = self.team_and_phase() else { return };
        self.time += 1;
        let constraints = self.constraints.snapshot();
        self.lock_events.push(LockEvent { lock, team, is_release, time: self.time, constraints });
    }

    /// Whether some thread of the team acquired a lock before the last barrier. In a loop the order of the
    /// source is not that of time.
    fn is_held_since_a_barrier(&self, lock: u32) -> bool {
        let Some((region, phase)) = self.team_and_phase() else { return false };
        let is_in_loop = self.loops.iter().any(|it| Some(it.depth) > self.innermost_team());
        let before =
            |it: &LockEvent| !it.is_release && it.lock == lock && it.team.0 == region && it.team.1 < phase;
        !is_in_loop && self.lock_events.iter().any(before)
    }

    /// The call of a function of the program.
    fn inlined(
        &mut self,
        function: FunctionId,
        body: StmtId,
        arguments: Vec<Option<Value>>,
    ) -> Option<Value> {
        self.executed.insert(function);
        if self.calls.len() >= MAX_CALL_DEPTH || self.calls.contains(&function) || self.has_ended() {
            // What it does is not followed.
            self.forget_assigned(body);
            return None;
        }
        let scope = std::mem::take(&mut self.scope);
        let returned = self.returned.take();
        self.calls.push(function);
        for (parameter, value) in self.program.function(function).parameters.iter().zip(arguments) {
            let object = self.make_object(*parameter);
            let is_number = matches!(self.program.variable(*parameter).ty, Type::Float(_) | Type::Complex(_));
            if let Some(value) = value.filter(|_| !is_number) {
                self.values.insert(object, value);
            } else if !self.is_parallel() {
                self.forget(object);
            }
        }
        self.stmt(body);
        self.calls.pop();
        self.scope = scope;
        std::mem::replace(&mut self.returned, returned).flatten()
    }
}
