//! What routines of OpenMP ask for, by their names (OpenMP 5.2, chapter 18).

/// What a word says about the threads around a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreadWord {
    /// The number of the thread, and in the upper half how many its team has.
    Team,
    /// The number of the team, and in the upper half how many the league has.
    League,
    /// How many parallel regions are around, from bit 30 on whether one of them is active, in the upper half
    /// the most threads of a team.
    Levels,
    /// The first one of the outermost parallel region.
    Outermost,
}

/// Whether a routine of OpenMP asks for a device: which one executes it, how many there are, what it has.
pub(crate) fn asks_for_device(name: &str) -> bool {
    matches!(
        name,
        "omp_get_device_num" | "omp_get_num_devices" | "omp_get_initial_device" | "omp_get_num_procs"
    )
}

/// The words that a routine needs of the threads around its call.
pub(crate) fn asked_words(name: &str) -> &'static [ThreadWord] {
    match name {
        "omp_get_thread_num" | "omp_get_num_threads" => &[ThreadWord::Team],
        "omp_get_team_num" | "omp_get_num_teams" => &[ThreadWord::League],
        "omp_get_level" | "omp_get_active_level" | "omp_in_parallel" | "omp_get_thread_limit" => {
            &[ThreadWord::Levels]
        }
        "omp_get_ancestor_thread_num" | "omp_get_team_size" => &[ThreadWord::Levels, ThreadWord::Outermost],
        _ => &[],
    }
}
