//! Data of accelerators: `data`, `enter data`, `exit data`, `update`, `host_data` and `declare` of OpenACC,
//! and `acc replicate` and `acc replicate_sync`.
//!
//! The part of a global array that a clause means is that of the node: its block with the shadow.

use std::ops::Range;

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{Clause, Directive, ExprId, ExprKind, StmtId, StmtKind, Type, VariableId};

use super::super::Unit;
use super::super::edits::split;
use super::super::items::tree_range;
use super::block_name;
use crate::literal::quoted;
use crate::unsupported::{Lowered, unsupported};

/// Data of clauses as clauses of OpenMP.
#[derive(Debug, Default)]
pub(super) struct Maps {
    /// Checks in front of the directive.
    pub(super) checks: String,
    /// Clauses with blanks in front.
    pub(super) clauses: String,
    /// The objects that they name, each once.
    pub(super) variables: Vec<VariableId>,
}

impl Maps {
    fn add_variable(&mut self, variable: Option<VariableId>) {
        if let Some(variable) = variable.filter(|it| !self.variables.contains(it)) {
            self.variables.push(variable);
        }
    }

    /// Adds a scalar that is copied in both directions, once; `modifier` is that of its map type.
    pub(super) fn add_scalar(&mut self, name: &str, modifier: &str) {
        let (plain, map) = (format!(" map(tofrom: {name})"), format!(" map({modifier}tofrom: {name})"));
        if modifier.is_empty() && self.clauses.contains(&format!("tofrom: {name})"))
            || self.clauses.contains(&map)
        {
            return;
        }
        match self.clauses.contains(&plain) {
            true => self.clauses = self.clauses.replace(&plain, &map),
            false => self.clauses.push_str(&map),
        }
    }
}

/// The map type of a data clause (OpenACC 3.2, section 2.7).
fn map_type(clause: &str) -> Option<&'static str> {
    let name = clause
        .strip_prefix("present_or_")
        .or_else(|| clause.strip_prefix('p').filter(|_| clause != "present"));
    Some(match name.unwrap_or(clause) {
        "copy" => "tofrom",
        "copyin" => "to",
        "copyout" => "from",
        "create" | "device_resident" => "alloc",
        "delete" => "release",
        _ => return None,
    })
}

/// Clauses about data that have no translation.
const UNSUPPORTED: [&str; 7] = ["attach", "detach", "no_create", "link", "on_device", "layout", "shadow"];

impl Unit<'_> {
    /// The variable that an item names: `a`, `a[0:n]`.
    fn item_variable(&self, of: &Directive, range: &Range<usize>) -> Option<VariableId> {
        let text = &self.text[range.clone()];
        self.variable(text.split(|it: char| !it.is_alphanumeric() && it != '_').next()?, of)
    }

    /// What precedes a directive with data: the blocks of global arrays as variables, and checks.
    fn preparation(&self, maps: &Maps) -> String {
        let blocks: String = maps.variables.iter().map(|it| self.block_declarations(*it)).collect();
        blocks + &maps.checks
    }

    /// An item of a clause of OpenMP.
    pub(super) fn data_item(&self, of: &Directive, range: Range<usize>, maps: &mut Maps) -> String {
        let variable = self.item_variable(of, &range);
        maps.add_variable(variable);
        match variable.filter(|it| self.model.array(*it).is_some()) {
            Some(variable) => {
                let name = &self.hir.variable(variable).name;
                format!("{}[0:apg_n_{name}]", block_name(name))
            }
            None => self.edited_range(range),
        }
    }

    /// A check that an object is in the memory of the device.
    pub(super) fn presence_check(&self, of: &Directive, range: Range<usize>, maps: &mut Maps) {
        if let Some(variable) = self.item_variable(of, &range) {
            maps.add_variable(Some(variable));
            self.check_presence(of, variable, maps);
        }
    }

    /// Adds the check of a variable; the host alone has all of them.
    pub(super) fn check_presence(&self, of: &Directive, variable: VariableId, maps: &mut Maps) {
        if !self.has_devices {
            return;
        }
        let name = &self.hir.variable(variable).name;
        let is_global = self.model.array(variable).is_some();
        let (address, bytes) = match &self.hir.variable(variable).ty {
            _ if is_global => {
                let block = block_name(name);
                (block.clone(), format!("apg_n_{name} * sizeof({block}[0])"))
            }
            Type::Pointer(_) => (name.to_string(), "1".to_owned()),
            _ => (format!("&{name}"), format!("sizeof({name})")),
        };
        let site = self.site(of);
        maps.checks
            .push_str(&format!("apg_xmp_present({site}, {}, (void *){address}, {bytes}); ", quoted(name)));
    }

    /// The items of a clause as ranges of the text.
    pub(super) fn items_of(&self, clause: &Clause) -> Vec<Range<usize>> {
        clause.items.iter().map(|it| it.range.into()).collect()
    }

    /// The data clauses of a directive.
    pub(super) fn data_clauses(&self, of: &Directive, maps: &mut Maps) -> Lowered<()> {
        for clause in &of.clauses {
            let name = clause.name.as_str();
            if UNSUPPORTED.contains(&name) {
                let message = format!("the clause `{name}` is not supported");
                return unsupported(clause.range, message, "each node has one accelerator: leave it out");
            }
            for item in self.items_of(clause) {
                match (name, map_type(name)) {
                    ("present", _) => self.presence_check(of, item, maps),
                    ("deviceptr", _) => {
                        let item = self.data_item(of, item, maps);
                        maps.clauses.push_str(&format!(" is_device_ptr({item})"));
                    }
                    (_, Some(ty)) => {
                        let item = self.data_item(of, item, maps);
                        maps.clauses.push_str(&format!(" map({ty}: {item})"));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// The condition of an `if` clause as one of OpenMP.
    pub(super) fn condition(&self, of: &Directive) -> String {
        let condition = of.clause("if").and_then(|it| self.in_parentheses(it.range));
        condition.map_or_else(String::new, |it| format!(" if({})", self.edited_range(it)))
    }

    /// A block with a pragma of `target data` in front of its statement.
    fn data_block(&mut self, of: &Directive, maps: &Maps) -> Lowered<()> {
        let Some(body) = of.body else { return Ok(()) };
        let pragma = match maps.clauses.is_empty() || !self.has_devices {
            true => String::new(),
            false => format!("\n#pragma omp target data{}{}\n", maps.clauses, self.condition(of)),
        };
        self.replace(of, format!("{{ {}{pragma}", self.preparation(maps)))?;
        self.edits.insert_behind(Self::range(self.hir.stmt(body).range), " }");
        Ok(())
    }

    pub(super) fn data_construct(&mut self, of: &Directive) -> Lowered<()> {
        let mut maps = Maps::default();
        self.data_clauses(of, &mut maps)?;
        self.data_block(of, &maps)
    }

    /// `enter data`, `exit data` and `update`.
    pub(super) fn stand_alone_data(&mut self, of: &Directive) -> Lowered<()> {
        let mut maps = Maps::default();
        if of.name == "update" {
            self.updates(of, &mut maps)?;
        } else {
            self.data_clauses(of, &mut maps)?;
        }
        let text = self.stand_alone_text(&of.name, &maps, &self.condition(of));
        self.replace(of, text)
    }

    fn stand_alone_text(&self, name: &str, maps: &Maps, condition: &str) -> String {
        match maps.clauses.is_empty() || !self.has_devices {
            true => format!("{{ {}}}", self.preparation(maps)),
            false => format!(
                "{{ {}\n#pragma omp target {name}{}{condition}\n}}",
                self.preparation(maps),
                maps.clauses
            ),
        }
    }

    fn updates(&self, of: &Directive, maps: &mut Maps) -> Lowered<()> {
        for clause in &of.clauses {
            let direction = match clause.name.as_str() {
                "host" | "self" => "from",
                "device" => "to",
                _ => continue,
            };
            for item in self.items_of(clause) {
                self.update(of, direction, item, maps)?;
            }
        }
        Ok(())
    }

    /// Adds an object to what is copied.
    pub(super) fn update(
        &self,
        of: &Directive,
        direction: &str,
        item: Range<usize>,
        maps: &mut Maps,
    ) -> Lowered<()> {
        let is_part = self.text[item.clone()].contains('[');
        let is_global = self.item_variable(of, &item).is_some_and(|it| self.model.array(it).is_some());
        if is_part && is_global {
            let message = "a part of a global array is copied";
            return unsupported(tree_range(&item), message, "name the array: each node copies its block");
        }
        let item = self.data_item(of, item, maps);
        maps.clauses.push_str(&format!(" {direction}({item})"));
        Ok(())
    }

    pub(super) fn host_data(&mut self, of: &Directive) -> Lowered<()> {
        let Some(body) = of.body else { return Ok(()) };
        if let Some(coindexed) = self.coindexed(body) {
            // The accesses say themselves which sides are in the memory of the device.
            if !self.is_coarray_access(body) {
                let message = "a coarray is accessed in the memory of a device beside other statements";
                let advice = "write a `host_data` of its own for assignments like `a[0:n]:[1] = b[0:n];`";
                return unsupported(self.hir.expr(coindexed).range, message, advice);
            }
            if let Some(clause) = of.clauses.iter().find(|it| it.name != "use_device") {
                let message = format!("`{}` is not supported for accesses of coarrays", clause.name);
                let advice = "leave it out, or write the access once with and once without `host_data`";
                return unsupported(clause.range, message, advice);
            }
            self.edits.replace(of.range.into(), "");
            return Ok(());
        }
        let mut maps = Maps::default();
        for clause in of.clauses_named("use_device") {
            for item in self.items_of(clause) {
                maps.clauses.push_str(&format!(" use_device_ptr({})", self.edited_range(item)));
            }
        }
        self.data_block(of, &maps)
    }

    /// An object of another image in a statement.
    fn coindexed(&self, stmt: StmtId) -> Option<ExprId> {
        let mut found = None;
        self.hir.walk_stmt(stmt, &mut |node| {
            if let Node::Expr(id) = node
                && matches!(self.hir.expr(id).kind, ExprKind::Coindexed(..))
            {
                found.get_or_insert(id);
            }
            true
        });
        found
    }

    /// Whether a statement consists of assignments of elements of coarrays.
    fn is_coarray_access(&self, stmt: StmtId) -> bool {
        match &self.hir.stmt(stmt).kind {
            StmtKind::Block(all) => all.iter().all(|it| self.is_coarray_access(*it)),
            StmtKind::Expr(expr) => {
                let is_remote = |it: ExprId| matches!(self.hir.expr(it).kind, ExprKind::Coindexed(..));
                matches!(self.hir.expr(*expr).kind, ExprKind::Assign(None, to, from) if is_remote(to) || is_remote(from))
            }
            _ => false,
        }
    }

    /// `declare` of OpenACC at file scope.
    pub(super) fn declare_data(&mut self, of: &Directive) -> Lowered<()> {
        let mut maps = Maps::default();
        self.data_clauses(of, &mut maps)?;
        self.data_of_program(of, &maps)
    }

    /// Data that the device has as long as the program runs.
    fn data_of_program(&mut self, of: &Directive, maps: &Maps) -> Lowered<()> {
        if of.function.is_some() {
            let message = "this directive is in a function, where its data would outlive the call";
            return unsupported(of.range, message, "write `#pragma acc data create(...)` on a block");
        }
        let text = self.stand_alone_text("enter data", maps, "");
        self.declare(of, "", &text)
    }

    /// `acc replicate`: memory on the device for a block, or for the program.
    pub(in super::super) fn replicate(&mut self, of: &Directive) -> Lowered<()> {
        let argument = self.argument(of)?;
        let range = self.in_parentheses(argument).unwrap_or_else(|| Self::range(argument));
        let mut maps = Maps::default();
        for item in split(&self.text, range, b',') {
            let item = self.data_item(of, item, &mut maps);
            maps.clauses.push_str(&format!(" map(alloc: {item})"));
        }
        match of.function {
            Some(_) => self.data_block(of, &maps),
            None => self.data_of_program(of, &maps),
        }
    }

    /// `acc replicate_sync`: `in` copies to the device, `out` to the host.
    pub(in super::super) fn replicate_sync(&mut self, of: &Directive) -> Lowered<()> {
        let mut maps = Maps::default();
        for clause in &of.clauses {
            let direction = if clause.name == "in" { "to" } else { "from" };
            for item in self.items_of(clause) {
                self.presence_check(of, item.clone(), &mut maps);
                self.update(of, direction, item, &mut maps)?;
            }
        }
        if maps.clauses.is_empty() {
            return unsupported(of.range, "nothing is copied here", "write `in (a)` or `out (a)`");
        }
        let text = self.stand_alone_text("update", &maps, "");
        self.replace(of, text)
    }

    /// A construct that communicates values of the device: the checks that it has all whole variables, and
    /// the call, which checks parts itself.
    pub(in super::super) fn with_presence(&self, of: &Directive, all: &[Range<usize>], call: &str) -> String {
        let mut maps = Maps::default();
        for item in all.iter().filter(|it| self.is_whole(of, &self.text[(*it).clone()])) {
            self.presence_check(of, item.clone(), &mut maps);
        }
        format!("{{ {}{call} }}", self.preparation(&maps))
    }

    /// Whether an item of a directive is all of a variable, or of an array that is a parameter.
    fn is_whole(&self, of: &Directive, item: &str) -> bool {
        self.variable(item.trim(), of).is_some_and(|it| {
            let is_pointer = matches!(self.hir.variable(it).ty, Type::Pointer(_));
            !is_pointer || self.model.array(it).is_some() || !self.written_extents(it).is_empty()
        })
    }

    /// Whether a construct communicates values of the device.
    pub(in super::super) fn is_about_device(&self, of: &Directive) -> bool {
        self.has_devices && of.clause("acc").is_some()
    }
}
