//! Pragmas of regions of accelerators: compute constructs and loops as `target` regions of OpenMP; without
//! devices as parallel loops of the host.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{Directive, DirectiveId, ExprKind, StmtId, StmtKind, Type, VariableId};
use apg_c_analysis::loops::canonical;
use apg_c_analysis::xmp;
use apg_c_syntax::Family;

use super::super::Unit;
use super::super::edits::split;
use super::block_name;
use super::data::Maps;
use super::nests::{InnerLoop, is_shared_loop, only_loop};
use crate::changes::is_changed;
use crate::unsupported::{Lowered, unsupported};

/// What the directives of a region, or of a loop in it, say.
#[derive(Default)]
struct Clauses {
    maps: Maps,
    /// Clauses that devices and the host obey.
    sharing: String,
    /// Clauses of devices.
    device: String,
    /// Conditions of the device.
    condition: String,
    collapse: Option<String>,
    is_sequential: bool,
    /// The variables that clauses name.
    named: Vec<VariableId>,
    /// Those of which each thread has its own.
    private: Vec<VariableId>,
    /// Those of reductions, with the clauses.
    reductions: Vec<(VariableId, String)>,
}

impl Unit<'_> {
    /// Data of a region, and its pragma if it precedes the region; else that of a loop inside is edited.
    pub(super) fn region_pragma(&mut self, region: usize) -> Lowered<(Maps, String)> {
        let (id, body) = (self.regions[region].directive, self.regions[region].body);
        let only = only_loop(self.hir, body);
        let chain = only.map_or_else(|| vec![id], |(_, stmt)| self.chain_of(id, body, stmt));
        let mut clauses = self.clauses_of(region, &chain, only.map_or(body, |it| it.1))?;
        let is_parallel = only.is_some() && self.is_parallel(region, &chain);
        let loops = if is_parallel { Vec::new() } else { self.parallel_loops(region, body) };
        if let Some((last, stmt)) = only.filter(|_| loops.is_empty()) {
            clauses.is_sequential = !is_parallel;
            self.add_copies(region, body, &mut clauses);
            let pragma = self.loop_pragma(&clauses, &chain, stmt);
            return Ok(match last {
                None => (clauses.maps, pragma),
                Some(inner) => {
                    self.edits.replace(self.hir.directive(inner).range.into(), pragma);
                    (clauses.maps, String::new())
                }
            });
        }
        if let Some(loops) = self.inner_loops(body).filter(|_| only.is_none()) {
            return self.separate_loops(region, clauses, &loops);
        }
        clauses.is_sequential = true;
        self.add_copies(region, body, &mut clauses);
        for inner in loops {
            let own = self.own_clauses(&inner, &clauses, false)?;
            for (variable, _) in own.reductions.iter().filter(|it| self.is_outer(body, it.0)) {
                if !clauses.named.contains(variable) {
                    clauses.maps.add_scalar(&self.hir.variable(*variable).name, "");
                }
            }
            let collapse = self.collapse(&own, &inner.chain, inner.stmt);
            self.edit_inner(&inner, format!("\n#pragma omp parallel for{collapse}{}\n", own.sharing));
        }
        if !self.has_devices {
            return Ok((clauses.maps, String::new()));
        }
        let test = only.map_or_else(String::new, |it| self.test_of(it.1));
        let pragma = format!("{test}\n#pragma omp target{}{}\n", clauses.maps.clauses, clauses.condition);
        Ok((clauses.maps, pragma))
    }

    /// Makes each loop of a region that consists of loops a region of its own, with data of all around them.
    fn separate_loops(
        &mut self,
        region: usize,
        clauses: Clauses,
        loops: &[InnerLoop],
    ) -> Lowered<(Maps, String)> {
        for inner in loops {
            let mut own = self.own_clauses(inner, &clauses, true)?;
            own.is_sequential = !self.is_parallel(region, &inner.chain);
            self.add_copies(region, inner.stmt, &mut own);
            let pragma = self.loop_pragma(&own, &inner.chain, inner.stmt);
            self.edit_inner(inner, pragma);
        }
        let pragma = match !self.has_devices || clauses.maps.clauses.is_empty() {
            true => String::new(),
            false => format!("\n#pragma omp target data{}{}\n", clauses.maps.clauses, clauses.condition),
        };
        Ok((clauses.maps, pragma))
    }

    /// Puts the pragma of a loop in a region in place of its last directive.
    fn edit_inner(&mut self, inner: &InnerLoop, pragma: String) {
        if let Some(last) = inner.chain.last() {
            self.edits.replace(self.hir.directive(*last).range.into(), pragma);
        }
    }

    /// The clauses of a loop in a region, whose clauses are `outer`. A loop that is a region of its own names
    /// the scalars again: a `target` region has copies of those of which it says nothing (OpenMP 5.2, section
    /// 5.8.1).
    fn own_clauses(&self, inner: &InnerLoop, outer: &Clauses, is_region: bool) -> Lowered<Clauses> {
        let mut own = Clauses::default();
        for id in &inner.chain {
            self.add_clauses(self.hir.directive(*id), &mut own)?;
        }
        if !is_region {
            own.maps = Maps::default();
        }
        for (variable, reduction) in &outer.reductions {
            if !own.named.contains(variable) && is_changed(self.hir, inner.stmt, *variable) {
                own.sharing.push_str(reduction);
                own.named.push(*variable);
                own.reductions.push((*variable, reduction.clone()));
            }
        }
        for variable in outer.named.iter().filter(|it| !own.private.contains(it)) {
            let of = self.hir.variable(*variable);
            let is_scalar = of.ty.is_arithmetic();
            if outer.private.contains(variable) {
                // Of scalars that the loop changes each thread has its own anyway.
                if matches!(of.ty, Type::Array(..) | Type::Record(_)) && !own.named.contains(variable) {
                    own.sharing.push_str(&format!(" firstprivate({})", of.name));
                    own.named.push(*variable);
                }
                continue;
            }
            if is_region && is_scalar && self.model.array(*variable).is_none() {
                own.maps.add_scalar(&of.name, "");
            }
            own.named.push(*variable);
        }
        let is_reduced = |it: &DirectiveId| {
            let of = self.hir.directive(*it);
            is_shared_loop(of) && of.clause("reduction").is_some()
        };
        if is_region && inner.chain.iter().any(is_reduced) {
            // The value in front of a loop of XcalableMP is the host's.
            for (variable, _) in &own.reductions {
                own.maps.add_scalar(&self.hir.variable(*variable).name, "always, ");
            }
        }
        if is_region {
            own.condition.insert_str(0, &outer.condition);
            own.device.push_str(&outer.device);
        }
        self.add_implicit(inner.stmt, inner.stmt, &mut own);
        Ok(own)
    }

    fn clauses_of(&self, region: usize, chain: &[DirectiveId], stmt: StmtId) -> Lowered<Clauses> {
        let mut clauses = Clauses::default();
        for id in chain {
            self.add_clauses(self.hir.directive(*id), &mut clauses)?;
        }
        let is_openacc = self.hir.directive(self.regions[region].directive).family == Family::OpenAcc;
        let arrays = &self.regions[region].arrays;
        for variable in arrays.iter().filter(|it| !clauses.named.contains(it)) {
            if is_openacc {
                let name = &self.hir.variable(*variable).name;
                let map = format!(" map(tofrom: {}[0:apg_n_{name}])", block_name(name));
                clauses.maps.clauses.push_str(&map);
            } else {
                // A loop of XcalableMP finds its arrays on the device.
                let of = self.hir.directive(self.regions[region].directive);
                self.check_presence(of, *variable, &mut clauses.maps);
            }
        }
        self.add_implicit(self.regions[region].body, stmt, &mut clauses);
        Ok(clauses)
    }

    /// Adds what a directive says.
    fn add_clauses(&self, of: &Directive, clauses: &mut Clauses) -> Lowered<()> {
        let is_accelerated = of.family == Family::OpenAcc || of.clause("acc").is_some();
        if of.family == Family::OpenAcc {
            self.data_clauses(of, &mut clauses.maps)?;
            clauses.named.extend(clauses.maps.variables.iter().copied());
            clauses.condition.push_str(&self.condition(of));
        }
        if !is_accelerated {
            return Ok(());
        }
        for clause in &of.clauses {
            let items =
                || self.items_of(clause).into_iter().map(|it| self.edited_range(it)).collect::<Vec<_>>();
            match clause.name.as_str() {
                name @ ("private" | "firstprivate") => {
                    let own: Vec<_> = clause.items.iter().filter_map(|it| it.variable(self.hir)).collect();
                    clauses.named.extend(own.iter().copied());
                    clauses.private.extend(own);
                    clauses.sharing.push_str(&format!(" {name}({})", items().join(", ")));
                }
                "shared" => {
                    let shared: Vec<_> = clause.items.iter().filter_map(|it| it.variable(self.hir)).collect();
                    for variable in shared.iter().filter(|it| self.model.array(**it).is_none()) {
                        let name = &self.hir.variable(*variable).name;
                        clauses.maps.add_scalar(name, "");
                    }
                    clauses.named.extend(shared);
                }
                "reduction" => self.add_reduction(of, clause.range, clauses)?,
                "num_threads" => {
                    let product: Vec<String> = items().into_iter().map(|it| format!("({it})")).collect();
                    clauses.device.push_str(&format!(" thread_limit({})", product.join(" * ")));
                }
                "vector_length" => clauses.device.push_str(&format!(" thread_limit({})", items().join(", "))),
                "num_gangs" => clauses.device.push_str(&format!(" num_teams({})", items().join(", "))),
                "collapse" => clauses.collapse = items().pop(),
                _ => {}
            }
        }
        Ok(())
    }

    fn add_reduction(
        &self,
        of: &Directive,
        range: apg_c_syntax::TextRange,
        clauses: &mut Clauses,
    ) -> Lowered<()> {
        let Some(inside) = self.in_parentheses(range) else { return Ok(()) };
        let Some(colon) = self.text[inside.clone()].find(':') else { return Ok(()) };
        let operator = self.text[inside.start..inside.start + colon].trim().to_ascii_lowercase();
        let items = split(&self.text, inside.start + colon + 1..inside.end, b',');
        if operator.starts_with("first")
            || operator.starts_with("last")
            || items.iter().any(|it| self.text[it.clone()].contains('/'))
        {
            let message = format!("the reduction `{operator}` with locations has no form for accelerators");
            return unsupported(range, message, "write a loop without `acc` for it");
        }
        for item in items {
            let text = self.edited_range(item.clone());
            let Some(variable) = self.variable(&text, of) else { continue };
            let reduction = format!(" reduction({operator}: {text})");
            if clauses.sharing.contains(&reduction) {
                continue;
            }
            clauses.named.push(variable);
            clauses.sharing.push_str(&reduction);
            clauses.reductions.push((variable, reduction));
            // The value in front of a loop of XcalableMP is the host's.
            let always = if of.family == Family::XcalableMp { "always, " } else { "" };
            clauses.maps.add_scalar(&text, always);
        }
        Ok(())
    }

    /// Adds what no clause says: counters of loops are private, and each thread has its own scalars that the
    /// region changes (OpenACC 3.2, section 2.6.2).
    fn add_implicit(&self, body: StmtId, stmt: StmtId, clauses: &mut Clauses) {
        let named = &clauses.named;
        let associated = canonical(self.hir, stmt).ok().map(|it| it.variable);
        let (mut counters, mut scalars) = (Vec::new(), Vec::new());
        self.hir.walk_stmt(body, &mut |node| {
            match node {
                Node::Stmt(it) => counters.extend(canonical(self.hir, it).ok().map(|it| it.variable)),
                Node::Expr(id) => {
                    if let ExprKind::Variable(variable) = self.hir.expr(id).kind {
                        scalars.push(variable);
                    }
                }
                Node::Directive(_) => {}
            }
            true
        });
        let is_outer = |it: &VariableId| {
            let ty = &self.hir.variable(*it).ty;
            let is_scalar = ty.is_arithmetic() || matches!(ty, Type::Pointer(_));
            is_scalar && !named.contains(it) && self.is_outer(body, *it)
        };
        let mut seen: Vec<VariableId> = associated.into_iter().collect();
        for variable in counters.iter().chain(&scalars).filter(|it| is_outer(it)) {
            let is_counter = counters.contains(variable);
            if seen.contains(variable) || !is_counter && !is_changed(self.hir, body, *variable) {
                continue;
            }
            seen.push(*variable);
            let kind = if is_counter { "private" } else { "firstprivate" };
            clauses.sharing.push_str(&format!(" {kind}({})", self.hir.variable(*variable).name));
        }
    }

    /// Whether a variable is declared outside of a statement, and no global array.
    fn is_outer(&self, stmt: StmtId, variable: VariableId) -> bool {
        let range = self.hir.stmt(stmt).range;
        let of = self.hir.variable(variable);
        of.range.is_none_or(|it| !range.contains_range(it)) && self.model.array(variable).is_none()
    }

    /// Adds the scalars that a sequential statement of `kernels` changes: they are data like those of `copy`
    /// (OpenACC 3.2, section 2.6.2).
    fn add_copies(&self, region: usize, stmt: StmtId, clauses: &mut Clauses) {
        if !clauses.is_sequential || !self.is_construct(region, "kernels") {
            return;
        }
        for index in 0..self.hir.variables.len() {
            let variable = VariableId::new(index);
            let of = self.hir.variable(variable);
            let is_changed = || is_changed(self.hir, stmt, variable) && self.is_outer(stmt, variable);
            if of.ty.is_arithmetic() && !clauses.named.contains(&variable) && is_changed() {
                clauses.maps.add_scalar(&of.name, "");
            }
        }
    }

    /// A test whether the node has iterations of a loop: without, it may have no elements on its device.
    fn test_of(&self, stmt: StmtId) -> String {
        let mut conditions = self.regions.iter().flat_map(|it| &it.conditions);
        conditions.find(|it| it.0 == stmt).map_or_else(String::new, |it| format!("if ({})", it.1))
    }

    fn loop_pragma(&self, clauses: &Clauses, chain: &[DirectiveId], stmt: StmtId) -> String {
        let (maps, sharing) = (&clauses.maps.clauses, &clauses.sharing);
        let pragma = match (self.has_devices, clauses.is_sequential) {
            (false, true) => return String::new(),
            (false, false) => {
                return format!(
                    "\n#pragma omp parallel for{}{sharing}\n",
                    self.collapse(clauses, chain, stmt)
                );
            }
            (true, true) => format!("target{maps}{}", clauses.condition),
            (true, false) => format!(
                "target teams distribute parallel for{}{sharing}{}{maps}{}",
                self.collapse(clauses, chain, stmt),
                clauses.device,
                clauses.condition.replacen(" if(", " if(target: ", 1)
            ),
        };
        format!("{}\n#pragma omp {pragma}\n", self.test_of(stmt))
    }

    /// The loops of a nest that are executed together: those of a `collapse`, or else those whose iterations
    /// nodes share.
    fn collapse(&self, clauses: &Clauses, chain: &[DirectiveId], stmt: StmtId) -> String {
        if let Some(count) = &clauses.collapse {
            return format!(" collapse({count})");
        }
        let names: Vec<&str> = chain
            .iter()
            .map(|it| self.hir.directive(*it))
            .filter(|it| it.family == Family::XcalableMp)
            .filter_map(|it| xmp::target(it, "on"))
            .flat_map(|it| it.subscripts.iter().map(|it| it.text.as_str()))
            .collect();
        let is_shared = |name: &str| {
            names
                .iter()
                .any(|it| it.strip_prefix(name).is_some_and(|it| it.is_empty() || it.starts_with(['+', '-'])))
        };
        let (mut count, mut next) = (0, Some(stmt));
        while let Some(stmt) = next {
            let Ok(form) = canonical(self.hir, stmt) else { break };
            if !is_shared(&self.hir.variable(form.variable).name) {
                break;
            }
            count += 1;
            next = match &self.hir.stmt(form.body).kind {
                StmtKind::For { .. } => Some(form.body),
                StmtKind::Block(all) if all.len() == 1 => Some(all[0]),
                _ => None,
            };
        }
        if count > 1 { format!(" collapse({count})") } else { String::new() }
    }
}
