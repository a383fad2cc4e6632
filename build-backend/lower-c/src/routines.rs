//! Routines of OpenMP in regions (OpenMP 5.2, chapter 18) whose answer the region knows: which thread, team
//! or device executes it, what a device allows, and the time. A function gets what it asks for by words
//! behind its arguments ([`ThreadWord`]).

use apg_c_syntax::TextRange;
use apg_mir::{self as mir, Expr, LocalId, Operation, Ty};

use crate::body::{Body, ThreadNumbers, binary, int, local_value, operation};
use crate::questions::{ThreadWord, asked_words, asks_for_device};
use crate::sources::ReachedObject;
use crate::unsupported::{Lowered, unsupported};

/// The precision of `omp_get_wtime`, in seconds: that of the clock of GPUs.
const TICK: f64 = 1e-6;

/// The answer of a routine that is the same in all code of devices, as far as there is one.
fn constant(name: &str) -> Option<i64> {
    match name {
        "omp_is_initial_device" => Some(0),
        // A region inside of a parallel one has one thread, and no construct is cancelled.
        "omp_get_max_active_levels" | "omp_get_supported_active_levels" | "omp_get_max_threads" => Some(1),
        "omp_get_nested" | "omp_get_dynamic" | "omp_get_cancellation" => Some(0),
        "omp_get_max_task_priority" => Some(0),
        // Devices have no places to bind threads to (OpenMP 5.2, section 18.3).
        "omp_get_proc_bind" | "omp_get_num_places" | "omp_get_partition_num_places" => Some(0),
        "omp_get_place_num" => Some(-1),
        _ => None,
    }
}

/// The bit of a word of levels that says whether a region is active.
const ACTIVE_BIT: i64 = 30;

/// Bits of a word, as a number of 32 bits.
fn part(word: LocalId, shift: i64, bits: u32) -> Expr {
    let word = local_value(word, Ty::I64);
    let shifted =
        if shift == 0 { word } else { operation(Ty::I64, Operation::Shr, vec![word, int(Ty::I64, shift)]) };
    let masked = binary(Ty::I64, Operation::And, shifted, int(Ty::I64, (1 << bits) - 1));
    operation(Ty::I32, Operation::Convert, vec![masked])
}

impl ThreadNumbers {
    /// Notes that a parameter of a function has a word.
    pub(crate) fn know(&mut self, word: ThreadWord, local: LocalId) {
        let halves = || (part(local, 0, 32), part(local, 32, 32));
        match word {
            ThreadWord::Team => (self.thread, self.threads) = halves(),
            ThreadWord::League => (self.team, self.teams) = halves(),
            ThreadWord::Outermost => self.outermost = halves(),
            ThreadWord::Levels => {
                self.level = part(local, 0, 30);
                self.active = part(local, ACTIVE_BIT, 1);
                self.limit = Some(part(local, 32, 32));
            }
        }
    }

    /// The answer of a routine that asks for threads and teams.
    fn answer(&self, name: &str, args: &[Expr]) -> Option<Expr> {
        match (name, args) {
            ("omp_get_thread_num", []) => Some(self.thread.clone()),
            ("omp_get_num_threads", []) => Some(self.threads.clone()),
            ("omp_get_team_num", []) => Some(self.team.clone()),
            ("omp_get_num_teams", []) => Some(self.teams.clone()),
            ("omp_get_level", []) => Some(self.level.clone()),
            // Of the parallel regions around, only the outermost may have several threads.
            ("omp_get_active_level" | "omp_in_parallel", []) => Some(self.active.clone()),
            ("omp_get_thread_limit", []) => self.limit.clone(),
            ("omp_get_ancestor_thread_num", [level]) => {
                Some(self.at_level(level, &self.outermost.0, int(Ty::I32, 0)))
            }
            ("omp_get_team_size", [level]) => Some(self.at_level(level, &self.outermost.1, int(Ty::I32, 1))),
            _ => None,
        }
    }

    /// What is at a level of parallel regions: -1 where there is none (OpenMP 5.2, sections 18.2.16 and
    /// 18.2.17). `level` has no effect.
    fn at_level(&self, level: &Expr, outermost: &Expr, otherwise: Expr) -> Expr {
        let compare = |op, other| binary(Ty::Bool, op, level.clone(), other);
        let is_outside = mir::ExprKind::Or(
            Box::new(compare(Operation::Lt, int(Ty::I32, 0))),
            Box::new(compare(Operation::Gt, self.level.clone())),
        );
        let is_outermost = compare(Operation::Eq, int(Ty::I32, 1));
        let inside = select(is_outermost, outermost.clone(), otherwise);
        select(Expr::new(Ty::Bool, is_outside), int(Ty::I32, -1), inside)
    }
}

fn select(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    let (condition, then, otherwise) = (Box::new(condition), Box::new(then), Box::new(otherwise));
    Expr::new(then.ty, mir::ExprKind::Select { condition, then, otherwise })
}

impl Body<'_, '_> {
    /// Whether regions know the answer of a routine.
    pub(crate) fn has_routine(&self, name: &str) -> bool {
        constant(name).is_some()
            || asks_for_device(name)
            || !asked_words(name).is_empty()
            || matches!(
                name,
                "omp_get_wtime"
                    | "omp_get_wtick"
                    | "omp_get_schedule"
                    | "omp_get_place_num_procs"
                    | "omp_get_place_proc_ids"
                    | "omp_get_partition_place_nums"
            )
            || name == "omp_in_final" && !self.unit.sources.has_final_tasks()
    }

    /// The value of a routine; `None` of other functions.
    pub(crate) fn routine_value(
        &mut self,
        name: &str,
        args: &[Expr],
        range: TextRange,
    ) -> Lowered<Option<Expr>> {
        if !self.has_routine(name) {
            return Ok(None);
        }
        let value = match (name, args) {
            (_, []) if let Some(value) = constant(name) => Some(int(Ty::I32, value)),
            (_, []) if asks_for_device(name) => self.device_word(name),
            ("omp_in_final", []) => Some(int(Ty::I32, 0)),
            ("omp_get_wtime", []) => Some(self.entry_value(mir::team::WALL_TIME, Vec::new())),
            ("omp_get_wtick", []) => Some(Expr::new(Ty::F64, mir::ExprKind::Float(TICK))),
            ("omp_get_place_num_procs", [_]) => Some(int(Ty::I32, 0)),
            ("omp_get_place_proc_ids", [..]) | ("omp_get_partition_place_nums", [..]) => {
                Some(int(Ty::I32, 0))
            }
            // What `schedule(runtime)` is on devices: `omp_sched_static`, of chunks as suits the device.
            ("omp_get_schedule", [kind, chunk]) => {
                for (pointer, value) in [(kind, 1), (chunk, 0)] {
                    let address = operation(Ty::I64, Operation::Convert, vec![pointer.clone()]);
                    let place = self.at_address(address, Ty::I32);
                    self.store(place, int(Ty::I32, value));
                }
                Some(int(Ty::I32, 0))
            }
            (_, [level]) => {
                let level = self.convert_to(level.clone(), Ty::I32, range)?;
                let level = self.temporary(level);
                self.numbers.answer(name, &[level])
            }
            _ => self.numbers.answer(name, args),
        };
        match value {
            Some(value) => Ok(Some(value)),
            None => unsupported(
                range,
                format!("the region does not know what `{name}` returns here"),
                "call it in front of the region",
            ),
        }
    }

    /// A part of the word about devices; the host is the number of devices (OpenMP 5.2, section 18.7).
    fn device_word(&self, name: &str) -> Option<Expr> {
        let local = *self.file_addresses.get(&ReachedObject::Device)?;
        Some(match name {
            "omp_get_device_num" => part(local, 0, 16),
            "omp_get_num_procs" => part(local, 32, 31),
            _ => part(local, 16, 16),
        })
    }

    /// A word about the threads around a call.
    pub(crate) fn thread_word(&mut self, word: ThreadWord, range: TextRange) -> Lowered<Expr> {
        let numbers = self.numbers.clone();
        let (low, high) = match word {
            ThreadWord::Team => (numbers.thread, numbers.threads),
            ThreadWord::League => (numbers.team, numbers.teams),
            ThreadWord::Outermost => numbers.outermost,
            ThreadWord::Levels => {
                let active = binary(Ty::I32, Operation::Shl, numbers.active, int(Ty::I32, ACTIVE_BIT));
                let Some(limit) = numbers.limit else {
                    let message = "the region does not know how many threads its teams may have";
                    return unsupported(range, message, "write a number in `thread_limit`");
                };
                (binary(Ty::I32, Operation::Or, numbers.level, active), limit)
            }
        };
        let low = self.convert_to(low, Ty::I64, range)?;
        let high = self.convert_to(high, Ty::I64, range)?;
        let high = binary(Ty::I64, Operation::Shl, high, int(Ty::I64, 32));
        Ok(self.temporary(binary(Ty::I64, Operation::Or, high, low)))
    }
}
