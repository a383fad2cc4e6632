//! Target tasks (OpenMP 5.2, sections 13.8 and 12.5): a region with `nowait` is a task of the OpenMP library,
//! which has its dependences, so that regions and copies of independent tasks overlap. What the clauses and
//! the region name is evaluated where the directive is met. Without a team the library executes the task
//! there.

use apg_c_analysis::hir::Directive;

use super::edits::pragma;
use crate::data::{Captured, Reference};
use crate::sources::ReachedObject;

/// A call of the runtime for a region.
pub(super) struct RegionCall<'t> {
    pub kernel: &'t str,
    /// How many maps the table `apg_m_` has.
    pub maps: usize,
    /// Rows of the table of captures, but for the one at its end.
    pub captures: &'t [String],
    /// What follows the call.
    pub behind: &'t str,
}

impl RegionCall<'_> {
    /// The call, with its result as `apg_r_`.
    pub(super) fn at_once(&self) -> String {
        format!("{} const int apg_r_ = {}; {}", self.table(), self.call(), self.behind)
    }

    fn call(&self) -> String {
        let (kernel, maps, count) = (self.kernel, self.maps, self.captures.len());
        format!("apg_target_region(&apg_s_, apg_n_, {kernel}, apg_m_, {maps}, apg_c_, {count})")
    }

    fn table(&self) -> String {
        let end = "{0, 0, 0, 0}".to_owned();
        let rows: Vec<&str> = self.captures.iter().chain([&end]).map(String::as_str).collect();
        format!("struct apg_captured apg_c_[] = {{{}}};", rows.join(", "))
    }

    /// The call in a task with these `depend` clauses where there is a device. The task has copies of the
    /// tables and of the values, whose addresses it writes into its table.
    pub(super) fn deferred(&self, depend: &str) -> String {
        let is_value = |(index, row): &(usize, &String)| row.contains(&format!("&apg_v{index}_,"));
        let values: Vec<usize> = self.captures.iter().enumerate().filter(is_value).map(|it| it.0).collect();
        let names: String = values.iter().map(|it| format!(", apg_v{it}_")).collect();
        let addresses: String =
            values.iter().map(|it| format!("apg_c_[{it}].address = (const void *)&apg_v{it}_; ")).collect();
        let task = pragma(&format!("omp task {depend} firstprivate(apg_m_, apg_c_, apg_n_{names})"));
        let (table, call, behind) = (self.table(), self.call(), self.behind);
        format!(
            "{table} int apg_r_ = 1; if (apg_is_device(apg_n_)) {{ {task} {{ {addresses}(void){call}; {behind}}} }} \
             else {{ apg_r_ = {call}; }} "
        )
    }
}

/// Whether a region is a task. A region that may end the program, or whose threads have copies of an object,
/// has more beside the directive than the tables: it is done when the directive is passed.
pub(super) fn is_deferred(of: &Directive, captured: &[Captured], objects: &[ReachedObject]) -> bool {
    let is_always = of.clause("nowait").is_some_and(|it| it.items.is_empty());
    is_always
        && !objects.contains(&ReachedObject::Ending)
        && captured.iter().all(|it| it.reference != Reference::Copy)
}
