//! The host's side of parallel regions that run on a device: a call that launches the kernel, followed by the
//! region's own text for the host, and the tables that kernels refer to.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{Clause, Construct, Directive, DirectiveId, Length, Program, StmtId, Type};

use super::{Host, address_function, declared_kernel, kernel_addresses};
use crate::literal::quoted;
use crate::moved::{Moved, pointer_name};
use crate::tables::{FILE_NAME, Tables};
use crate::team::{ParallelRegions, Taken, countable_loops};
use crate::unsupported::Lowered;

/// Parallel regions with the symbols of their kernels, in the same order.
#[derive(Clone, Copy, Debug)]
pub struct ParallelKernels<'a> {
    /// The regions.
    pub regions: &'a ParallelRegions,
    /// The symbols.
    pub symbols: &'a [String],
}

impl<'a> ParallelKernels<'a> {
    /// The kernel of a directive, and what it takes of the function around it.
    fn kernel(self, id: DirectiveId) -> Option<(&'a str, &'a [Taken])> {
        let found = self.regions.regions.iter().zip(self.symbols).find(|it| it.0.0 == id)?;
        Some((found.1, &found.0.1))
    }

    /// The symbol of the table of addresses.
    fn table(self) -> String {
        format!("{}_objects", self.symbols.first().map_or("apg", String::as_str))
    }
}

/// Whether threads wait for each other inside of a region: its end is not inside.
fn has_waits(hir: &Program, region: StmtId) -> bool {
    let mut found = false;
    hir.walk_stmt(region, &mut |node| {
        if let Node::Directive(id) = node {
            let of = hir.directive(id);
            let has_end = of.clauses_named("nowait").next().is_none();
            found |= of.constructs.iter().any(|it| match it {
                Construct::Barrier | Construct::Critical | Construct::Ordered => true,
                Construct::For | Construct::Sections | Construct::Single => has_end,
                _ => false,
            });
        }
        true
    });
    found
}

impl Host<'_> {
    /// Puts a launch in front of a parallel region with a kernel; whether it has one.
    pub(super) fn parallel(&mut self, id: DirectiveId, kernels: ParallelKernels<'_>) -> Lowered<bool> {
        let Some((kernel, captured)) = kernels.kernel(id) else { return Ok(false) };
        let hir = &self.parsed.program;
        let of = hir.directive(id);
        let Some(body) = of.body else { return Ok(false) };
        let at = self.spelled(of.range)?;
        let addresses = captured.iter().map(|it| {
            let of = hir.variable(it.variable);
            if it.is_value {
                return format!(
                    "__extension__ ({{ __typeof__({name}) apg_c_ = {name}; void *apg_w_ = 0; \
                     __builtin_memcpy(&apg_w_, &apg_c_, sizeof apg_c_); apg_w_; }})",
                    name = of.name
                );
            }
            let is_address = matches!(of.ty, Type::Array(_, Length::Variable(_) | Length::Unknown));
            format!("(void *){}{}", if is_address { "" } else { "&" }, of.name)
        });
        let addresses: Vec<String> = addresses.chain(["0".to_owned()]).collect();
        let is_ours = |it: &&Clause| it.modifier().is_none_or(|it| it == "parallel");
        let condition =
            self.clause_value(of, "if", &is_ours).map_or("1".to_owned(), |it| format!("({it}) != 0"));
        let threads = self.clause_value(of, "num_threads", &|_| true).unwrap_or_else(|| "0".to_owned());
        let line = format!(
            "{{ if (__extension__ ({{ {site} void *apg_v_[] = {{{addresses}}}; {declared} \
             extern const struct apg_object *{table}_address(void); \
             apg_parallel_region(&apg_s_, {condition}, (long)({threads}), {waits}, {iterations}, \
             {kernel}_address(), {table}_address(), {objects}, apg_v_, {count}); }})) {{}} else {{",
            declared = declared_kernel(kernel),
            waits = u8::from(has_waits(hir, body)) | (u8::from(kernels.regions.exclusive.contains(&id)) << 1),
            iterations = self.iterations(id, kernels),
            site = self.site(of, at.start),
            addresses = addresses.join(", "),
            table = kernels.table(),
            objects = kernels.regions.tables.objects.len(),
            count = captured.len(),
        );
        self.edits.insert_line(self.parsed.text(), at.start, &line);
        let statement = self.statement(body);
        self.edits.insert_behind(at.start..statement.end, " }}");
        self.is_changed = true;
        Ok(true)
    }

    /// About how many iterations a loop has whose threads are independent, as the runtime gets it.
    fn iterations(&self, id: DirectiveId, kernels: ParallelKernels<'_>) -> String {
        let hir = &self.parsed.program;
        if !kernels.regions.independent.contains(&id) {
            return "-1ul".to_owned();
        }
        let Some(loops) = countable_loops(hir, hir.directive(id)) else { return "0ul".to_owned() };
        let source = self.source();
        let counts = loops.iter().map(|it| {
            let step = it.step.map_or("1".to_owned(), |step| source.expr(step));
            let (start, end) = (source.expr(it.start), source.expr(it.end));
            format!("apg_iterations((long)({start}), (long)({end}), (long)({step}))")
        });
        counts.collect::<Vec<_>>().join(" * ")
    }

    /// The text of the value of a clause.
    fn clause_value(&self, of: &Directive, name: &str, is_ours: &dyn Fn(&&Clause) -> bool) -> Option<String> {
        let value = of.clauses_named(name).find(is_ours)?.items.first()?.expr?;
        Some(self.source().expr(value))
    }

    /// Uses arrays by pointers, which stand behind their declarations.
    fn move_arrays(&mut self, moved: &[Moved]) {
        let hir = &self.parsed.program;
        for it in moved {
            let name = &hir.variable(it.variable).name;
            let pointer = pointer_name(name);
            self.edits.insert(it.declared, &format!(" static __typeof__({name}) *{pointer} = &{name};"));
            for at in &it.uses {
                self.edits.replace(at.clone(), &format!("(*{pointer})"));
            }
        }
    }

    /// The tables, as definitions at the end of the file.
    pub(super) fn tables(&mut self, kernels: ParallelKernels<'_>) -> String {
        if kernels.symbols.is_empty() {
            return String::new();
        }
        self.move_arrays(&kernels.regions.tables.moved);
        let Tables { objects, definitions, private, locks, pointers, words, moved, .. } =
            &kernels.regions.tables;
        let hir = &self.parsed.program;
        let rows: Vec<String> = objects
            .iter()
            .enumerate()
            .map(|(index, it)| {
                let is_private = private.iter().any(|(_, name)| *it == format!("(void *)&{name}"));
                let kind = match index {
                    it if locks.contains(&it) => 2,
                    it if pointers.contains(&it) => 3,
                    _ => u32::from(is_private),
                };
                let words = words.iter().find(|it| it.0 == index).map_or(0, |it| it.1);
                format!("{{{it}, {kind}, {words}}}")
            })
            .chain(["{0, 0, 0}".to_owned()])
            .collect();
        let calls: String = private
            .iter()
            .map(|(variable, name)| {
                format!("apg_add_private(&{name}, (void *)&{}); ", hir.variable(*variable).name)
            })
            .collect();
        let arrays: String = moved
            .iter()
            .map(|it| {
                let name = &hir.variable(it.variable).name;
                let pointer = pointer_name(name);
                format!(
                    "{{ static struct apg_moved apg_m_ = {{(void **)&{pointer}, sizeof {name}, 0}}; \
                     apg_add_moved(&apg_m_); }} "
                )
            })
            .collect();
        format!(
            "#line 1 {file}\n{definitions}\n{kernels}\
             static const struct apg_object {table}[] = {{{rows}}};\n{table_address}\
             __attribute__((constructor)) static void apg_add_parallel_(void) {{ apg_use_parallel(); {calls}{arrays}}}\n",
            file = quoted("the calls of regions"),
            definitions = definitions.join("\n").replace(FILE_NAME, &quoted(self.name)),
            kernels = kernel_addresses(kernels.symbols),
            table = kernels.table(),
            table_address = address_function("struct apg_object", &kernels.table()),
            rows = rows.join(",\n"),
        )
    }
}
