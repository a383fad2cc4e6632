//! Routines of OpenMP in code of teams (OpenMP 2.5, chapter 3).

use apg_c_analysis::hir::{ExprId, Type};
use apg_c_syntax::TextRange;
use apg_mir::{Expr, Operation, Ty};

use crate::body::{Body, int, operation};
use crate::unsupported::{Lowered, unsupported};

/// Routines whose answer is the host's, or whose effect is one on the host.
const OF_HOST: &[&str] = &[
    "omp_get_cancellation",
    "omp_get_device_num",
    "omp_get_dynamic",
    "omp_get_initial_device",
    "omp_get_max_active_levels",
    "omp_get_max_task_priority",
    "omp_get_max_threads",
    "omp_get_nested",
    "omp_get_num_devices",
    "omp_get_num_places",
    "omp_get_num_procs",
    "omp_get_partition_num_places",
    "omp_get_place_num_procs",
    "omp_get_proc_bind",
    "omp_get_supported_active_levels",
    "omp_get_thread_limit",
    "omp_get_wtick",
    "omp_get_wtime",
    "omp_set_dynamic",
    "omp_set_max_active_levels",
    "omp_set_nested",
    "omp_set_num_threads",
    "omp_set_schedule",
];

/// Whether devices have a routine.
pub(super) fn is_of_device(name: &str) -> bool {
    name.starts_with("omp_") && !OF_HOST.contains(&name)
}

/// The bytes of a lock, and of a nestable one, of the library whose locks apg_team.h has (libgomp).
const LOCK_BYTES: [u64; 2] = [4, 16];

impl Body<'_, '_> {
    /// Refuses locks of a library that has others.
    pub(super) fn check_lock(&self, name: &str, arguments: &[ExprId]) -> Lowered<()> {
        let hir = self.unit.hir;
        let [lock] = arguments else { return Ok(()) };
        let (Type::Pointer(lock), range) = (hir.expr(*lock).ty.clone().decayed(), hir.expr(*lock).range)
        else {
            return Ok(());
        };
        let expected = LOCK_BYTES[usize::from(name.ends_with("_nest_lock"))];
        if !name.ends_with("_lock") || hir.size_of(&lock) == Some(expected) {
            return Ok(());
        }
        unsupported(range, "the locks of this compiler's OpenMP have no device form", "build with gcc")
    }

    /// What an entry knows of the level that a value is.
    fn at_level(&mut self, entry: &str, level: &Expr, range: TextRange) -> Lowered<Expr> {
        let level = self.convert_to(level.clone(), Ty::I32, range)?;
        let state = self.state().into_iter();
        Ok(self.entry_value(entry, state.chain([level]).collect()))
    }

    /// The value of a call of a routine that devices have.
    pub(super) fn routine(&mut self, name: &str, args: &[Expr], range: TextRange) -> Lowered<Expr> {
        let void = || Ok(int(Ty::I32, 0));
        let address = |it: &Expr| operation(Ty::I64, Operation::Convert, vec![it.clone()]);
        match (name, args) {
            ("omp_get_thread_num", []) => Ok(self.entry_value("team_thread", Vec::new())),
            ("omp_get_num_threads", []) => Ok(self.entry_value("team_threads", Vec::new())),
            ("omp_get_level", []) => Ok(self.entry_value("team_level", Vec::new())),
            ("omp_get_ancestor_thread_num", [level]) => self.at_level("team_ancestor", level, range),
            ("omp_get_team_size", [level]) => self.at_level("team_size", level, range),
            // Threads of the team are bound to no places.
            ("omp_get_place_num", []) => Ok(int(Ty::I32, -1)),
            // Regions with tasks run on the host.
            ("omp_in_final", []) => void(),
            ("omp_in_parallel" | "omp_get_active_level", []) => {
                Ok(self.entry_value("team_in_parallel", Vec::new()))
            }
            ("omp_get_team_num" | "omp_is_initial_device", []) => void(),
            ("omp_get_num_teams", []) => Ok(int(Ty::I32, 1)),
            ("omp_init_lock", [lock]) => {
                let place = self.at_address(address(lock), Ty::I32);
                self.store(place, int(Ty::I32, 0));
                void()
            }
            ("omp_init_nest_lock", [lock]) => {
                for (offset, ty) in [(0, Ty::I64), (8, Ty::I64)] {
                    let at = operation(Ty::I64, Operation::Add, vec![address(lock), int(Ty::I64, offset)]);
                    let place = self.at_address(at, ty);
                    self.store(place, int(ty, 0));
                }
                void()
            }
            ("omp_destroy_lock" | "omp_destroy_nest_lock", [_]) => void(),
            ("omp_set_lock", [lock]) => {
                self.call_entry("team_lock", vec![address(lock)]);
                void()
            }
            ("omp_unset_lock", [lock]) => {
                self.call_entry("team_unlock", vec![address(lock)]);
                void()
            }
            ("omp_test_lock", [lock]) => Ok(self.entry_value("team_test_lock", vec![address(lock)])),
            ("omp_set_nest_lock", [lock]) => {
                self.entry_value("team_nest_lock", vec![address(lock)]);
                void()
            }
            ("omp_unset_nest_lock", [lock]) => {
                self.call_entry("team_nest_unlock", vec![address(lock)]);
                void()
            }
            ("omp_test_nest_lock", [lock]) => Ok(self.entry_value("team_nest_try_lock", vec![address(lock)])),
            _ => unsupported(range, format!("`{name}` has no device form"), "call it outside of the region"),
        }
    }
}
