//! Tasks, barriers, reductions, broadcasts and reflection (specification 1.4, chapter 5).

use apg_c_analysis::hir::{Directive, VariableId};
use apg_c_syntax::TextRange;

use super::arrays::array_name;
use super::edits::split;
use super::references::grid_name;
use super::{Unit, constants};
use crate::unsupported::{Lowered, unsupported};

impl Unit<'_> {
    pub(super) fn task(&mut self, of: &Directive) -> Lowered<()> {
        let Some(body) = of.body else { return Ok(()) };
        let on = self.on_clause(of, "on")?;
        let is_in_tasks = of.parent.is_some_and(|it| self.hir.directive(it).name == "tasks");
        let nocomm = u8::from(is_in_tasks || of.clause("nocomm").is_some());
        let site = self.site(of);
        self.replace(
            of,
            format!(
                "{{ int apg_t_ __attribute__((cleanup(apg_xmp_end_task))) = \
                 apg_xmp_begin_task({site}, {on}, {nocomm}); if (apg_t_) "
            ),
        )?;
        self.edits.insert_behind(Self::range(self.hir.stmt(body).range), " }");
        Ok(())
    }

    pub(super) fn barrier(&mut self, of: &Directive) -> Lowered<()> {
        let (site, on) = (self.site(of), self.on_clause(of, "on")?);
        self.replace(of, format!("apg_xmp_barrier({site}, {on});"))
    }

    pub(super) fn reduction(&mut self, of: &Directive) -> Lowered<()> {
        let found = self.reduction_items(of, self.argument(of)?)?;
        let (site, on, asynchronous) = (self.site(of), self.on_clause(of, "on")?, self.asynchronous(of));
        let function = self.function(of, "reduction");
        let call = format!(
            "{function}({site}, {}, (const struct apg_xmp_item[]){{{}}}, {}, {on}, {asynchronous});",
            found.operator, found.items, found.count
        );
        if !self.is_about_device(of) {
            return self.replace(of, call);
        }
        let items = self.in_parentheses(self.argument(of)?).unwrap_or_default();
        let colon = self.text[items.clone()].find(':').map_or(items.start, |it| items.start + it + 1);
        let items = split(&self.text, colon..items.end, b',');
        let call = self.with_presence(of, &items, &call);
        self.replace(of, call)
    }

    /// The reductions of a loop on axes of a template, or of nodes: the code in front of the loop, and
    /// behind it.
    pub(super) fn loop_reductions(
        &mut self,
        of: &Directive,
        (grid, axes): (&str, u32),
        is_on_device: bool,
        (before, behind): (&mut String, &mut String),
    ) -> Lowered<()> {
        for clause in of.clauses_named("reduction") {
            let found = self.reduction_items(of, clause.range)?;
            let (number, site, grid) = (self.number(), self.site(of), grid_name(grid));
            let (operator, count) = (&found.operator, found.count);
            // The value in front of the loop counts once; if the operator is idempotent, it may on each node.
            let saved = match found.is_idempotent() {
                true => "0".to_owned(),
                false => format!("apg_xmp_begin_reduction({site}, {operator}, apg_i{number}_, {count})"),
            };
            before.push_str(&format!(
                "const struct apg_xmp_item apg_i{number}_[] = {{{}}}; void *apg_o{number}_ = {saved}; ",
                found.items
            ));
            let end = format!(
                " apg_xmp_end_reduction({site}, {operator}, apg_i{number}_, {count}, {grid}, {axes}, apg_o{number}_);"
            );
            behind.insert_str(0, &end);
            if is_on_device {
                // What the device has of the variables, if it has them, is the result as well.
                let names = self.in_parentheses(clause.range).map_or("", |it| &self.text[it]);
                let names = names.split_once(':').map_or("", |it| it.1);
                let at = behind.len() - " }".len();
                behind.insert_str(at, &format!("\n#pragma omp target update to({})\n", names.trim()));
            }
        }
        Ok(())
    }

    pub(super) fn bcast(&mut self, of: &Directive) -> Lowered<()> {
        let argument = self.argument(of)?;
        let range = self.in_parentheses(argument).unwrap_or_else(|| Self::range(argument));
        let (items, count) = self.item_list(of, range.clone())?;
        let (from, on) = (self.on_clause(of, "from")?, self.on_clause(of, "on")?);
        let (site, asynchronous) = (self.site(of), self.asynchronous(of));
        let function = self.function(of, "bcast");
        let call = format!("{function}({site}, {items}, {count}, {from}, {on}, {asynchronous});");
        if !self.is_about_device(of) {
            return self.replace(of, call);
        }
        let call = self.with_presence(of, &split(&self.text, range, b','), &call);
        self.replace(of, call)
    }

    /// The list behind the name of a directive.
    pub(super) fn argument(&self, of: &Directive) -> Lowered<TextRange> {
        match of.argument.first() {
            Some(first) => Ok(first.range),
            None => {
                let message = format!("`{}` names nothing", of.name);
                unsupported(of.range, message, "write the variables in parentheses behind it")
            }
        }
    }

    /// The global arrays that a directive names in parentheses, as arguments of the runtime.
    fn named_arrays(&self, of: &Directive) -> Lowered<Vec<String>> {
        let argument = self.argument(of)?;
        let Some(range) = self.in_parentheses(argument) else {
            return unsupported(argument, "the arrays are missing", "write them in parentheses");
        };
        let mut found = Vec::new();
        for name in split(&self.text, range, b',') {
            let name = &self.text[name];
            let array = self.variable(name, of).filter(|it| self.model.array(*it).is_some());
            let array = array.map(|it| (it, name.to_owned()));
            match array.or_else(|| self.member_of_object(name, |it| self.variable(it, of))) {
                Some((array, name)) => found.push(self.descriptor(array, &name)),
                None => {
                    let message = format!("`{name}` is no global array");
                    return unsupported(argument, message, "align it with a template");
                }
            }
        }
        Ok(found)
    }

    /// A global array, which `name` names, as an argument of the runtime.
    pub(super) fn descriptor(&self, variable: VariableId, name: &str) -> String {
        format!("apg_xmp_at(&{}, (void *){name})", array_name(&self.hir.variable(variable).name))
    }

    /// `reflect`, `reflect_init` and `reduce_shadow`.
    pub(super) fn reflect(&mut self, of: &Directive, function: &str) -> Lowered<()> {
        let widths = match of.clause("width").and_then(|it| self.in_parentheses(it.range)) {
            None => "0".to_owned(),
            Some(range) => {
                let mut widths = Vec::new();
                for width in split(&self.text, range, b',') {
                    let written = self.edited_range(width);
                    let periodic = written.trim_start().strip_prefix('/').and_then(|it| it.split_once('/'));
                    let (is_periodic, sides) = match periodic {
                        Some((_, sides)) => (1, sides),
                        None => (0, written.as_str()),
                    };
                    let (below, above) = sides.split_once(':').unwrap_or((sides, sides));
                    widths.push(format!("{{{below}, {above}, {is_periodic}}}"));
                }
                constants("struct apg_xmp_width", &widths)
            }
        };
        let orthogonal = u8::from(of.clause("orthogonal").is_some());
        let rest = match function {
            "reflect_init" => format!("{orthogonal}"),
            "reduce_shadow" => self.asynchronous(of),
            _ => format!("{orthogonal}, {}", self.asynchronous(of)),
        };
        let function = self.function(of, function);
        let mut calls = Vec::new();
        for array in self.named_arrays(of)? {
            let site = self.site(of);
            calls.push(format!("{function}({site}, {array}, {widths}, {rest});"));
        }
        self.replace(of, format!("{{ {} }}", calls.join(" ")))
    }

    /// The function of a construct, in the memory of the device with `acc`.
    fn function(&self, of: &Directive, name: &str) -> String {
        // A plan is that of the array, wherever it is.
        match self.is_about_device(of) && name != "reflect_init" {
            true => format!("apg_xmp_device_{name}"),
            false => format!("apg_xmp_{name}"),
        }
    }

    pub(super) fn reflect_do(&mut self, of: &Directive) -> Lowered<()> {
        let function = self.function(of, "reflect_do");
        let mut calls = Vec::new();
        for array in self.named_arrays(of)? {
            let (site, asynchronous) = (self.site(of), self.asynchronous(of));
            calls.push(format!("{function}({site}, {array}, {asynchronous});"));
        }
        self.replace(of, format!("{{ {} }}", calls.join(" ")))
    }

    pub(super) fn wait_async(&mut self, of: &Directive) -> Lowered<()> {
        let argument = self.argument(of)?;
        let range = self.in_parentheses(argument).unwrap_or_else(|| Self::range(argument));
        let numbers: Vec<String> =
            split(&self.text, range, b',').into_iter().map(|it| self.edited_range(it)).collect();
        let (site, on) = (self.site(of), self.on_clause(of, "on")?);
        let count = numbers.len();
        self.replace(
            of,
            format!("apg_xmp_wait_async({site}, {}, {count}, {on});", constants("long", &numbers)),
        )
    }
}
