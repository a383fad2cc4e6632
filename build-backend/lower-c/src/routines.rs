//! Routines of OpenMP in regions (OpenMP 5.2, chapter 18) whose answer the region knows: which thread, team
//! or device executes it, and what a device allows.

use apg_mir::{Expr, Operation, Ty};

use crate::body::{Body, Role, ThreadNumbers, int, local_value, operation};
use crate::sources::{ReachedObject, asks_for_device};

/// The answer of a routine that is the same in all code of devices, as far as there is one.
fn constant(name: &str) -> Option<i64> {
    match name {
        "omp_is_initial_device" => Some(0),
        // A region inside of a parallel one has one thread, and no construct is cancelled.
        "omp_get_max_active_levels" | "omp_get_supported_active_levels" => Some(1),
        "omp_get_nested" | "omp_get_dynamic" | "omp_get_cancellation" => Some(0),
        "omp_get_max_task_priority" => Some(0),
        _ => None,
    }
}

impl ThreadNumbers {
    /// The answer of a routine that asks for threads and teams.
    fn answer(&self, name: &str) -> Option<Expr> {
        match name {
            "omp_get_thread_num" => Some(self.thread.clone()),
            "omp_get_num_threads" => Some(self.threads.clone()),
            "omp_get_team_num" => Some(self.team.clone()),
            "omp_get_num_teams" => Some(self.teams.clone()),
            "omp_get_level" => Some(int(Ty::I32, self.level)),
            // Of the parallel regions around, only the outermost may have several threads.
            "omp_get_active_level" | "omp_in_parallel" => Some(self.active.clone()),
            "omp_get_thread_limit" => self.limit.clone(),
            _ => None,
        }
    }
}

impl Body<'_, '_> {
    /// The value of a routine without operands.
    pub(crate) fn routine_value(&self, name: &str) -> Option<Expr> {
        if let Some(value) = constant(name) {
            return Some(int(Ty::I32, value));
        }
        if asks_for_device(name) {
            return self.device_number(name);
        }
        match &self.role {
            Role::Region(numbers) => numbers.answer(name),
            Role::Function(_) => None,
        }
    }

    /// The number of the device, or of the host, which is the number of devices (OpenMP 5.2, section 18.7).
    fn device_number(&self, name: &str) -> Option<Expr> {
        let local = self.file_addresses.get(&ReachedObject::Device)?;
        let word = local_value(*local, Ty::I64);
        let half = match name {
            "omp_get_device_num" => word,
            _ => operation(Ty::I64, Operation::Shr, vec![word, int(Ty::I64, 32)]),
        };
        Some(operation(Ty::I32, Operation::Convert, vec![half]))
    }
}
