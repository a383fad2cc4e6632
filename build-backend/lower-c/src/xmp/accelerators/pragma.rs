//! Pragmas of regions of accelerators: compute constructs and loops as `target` regions of OpenMP; without
//! devices as parallel loops of the host.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{Directive, DirectiveId, ExprKind, StmtId, StmtKind, Type, VariableId};
use apg_c_analysis::loops::canonical;
use apg_c_analysis::xmp;
use apg_c_syntax::Family;

use super::super::Unit;
use super::super::edits::split;
use super::data::Maps;
use super::{block_name, only_loop};
use crate::changes::is_changed;
use crate::unsupported::{Lowered, unsupported};

/// What the directives of a region say.
#[derive(Default)]
struct Clauses {
    maps: Maps,
    /// Clauses that devices and the host obey.
    sharing: String,
    /// Clauses of devices.
    device: String,
    collapse: Option<String>,
    is_sequential: bool,
}

impl Unit<'_> {
    /// Data of a region, and its pragma if it precedes the region; else that of a loop inside is edited.
    pub(super) fn region_pragma(&mut self, region: usize) -> Lowered<(Maps, String)> {
        let (id, body) = (self.regions[region].directive, self.regions[region].body);
        if let Some((last, stmt)) = only_loop(self.hir, body) {
            let chain = self.chain_of(id, body, stmt);
            let clauses = self.clauses_of(region, &chain, stmt)?;
            let pragma = self.loop_pragma(&clauses, &chain, stmt);
            return Ok(match last {
                None => (clauses.maps, pragma),
                Some(inner) => {
                    self.edits.replace(self.hir.directive(inner).range.into(), pragma);
                    (clauses.maps, String::new())
                }
            });
        }
        let clauses = self.clauses_of(region, &[id], body)?;
        let loops = self.inner_loops(body);
        let is_split = loops.is_some();
        for (inner, stmt) in loops.unwrap_or_else(|| self.all_loops(body)) {
            let mut own = self.own_clauses(inner, stmt)?;
            own.device = clauses.device.clone();
            let chain = self.chain_of(inner, stmt, stmt);
            let pragma = match is_split {
                true => self.loop_pragma(&own, &chain, stmt),
                false => format!(
                    "\n#pragma omp parallel for{}{}\n",
                    self.collapse(&own, &chain, stmt),
                    own.sharing
                ),
            };
            self.edits.replace(self.hir.directive(inner).range.into(), pragma);
        }
        let pragma = match (self.has_devices, is_split) {
            (false, _) => String::new(),
            (true, true) if clauses.maps.clauses.is_empty() => String::new(),
            (true, true) => format!("\n#pragma omp target data{}\n", clauses.maps.clauses),
            (true, false) => format!("\n#pragma omp target{}\n", clauses.maps.clauses),
        };
        Ok((clauses.maps, pragma))
    }

    /// The directives from the one of a region to its loop, with the loop of XcalableMP around it.
    fn chain_of(&self, id: DirectiveId, body: StmtId, stmt: StmtId) -> Vec<DirectiveId> {
        let mut chain = Vec::new();
        if let Some(parent) = self.hir.directive(id).parent.filter(|it| self.is_loop_of(*it, id)) {
            chain.push(parent);
        }
        chain.push(id);
        let (start, end) = (self.hir.stmt(body).range.start(), self.hir.stmt(stmt).range.start());
        let is_between = |it: &DirectiveId| {
            let at = self.hir.directive(*it).range.start();
            *it != id && at >= start && at < end
        };
        chain.extend(self.hir.directive_ids().filter(is_between));
        chain
    }

    /// Whether a directive is a loop of XcalableMP whose statement begins with another directive.
    fn is_loop_of(&self, outer: DirectiveId, inner: DirectiveId) -> bool {
        let (of, inner) = (self.hir.directive(outer), self.hir.directive(inner));
        let body = of.body.map(|it| self.hir.stmt(it).range.start());
        of.family == Family::XcalableMp && of.name == "loop" && body == Some(inner.range.start())
    }

    /// The loops with a directive that a block consists of; `None` if it has other statements.
    fn inner_loops(&self, body: StmtId) -> Option<Vec<(DirectiveId, StmtId)>> {
        let StmtKind::Block(all) = &self.hir.stmt(body).kind else { return None };
        let one = |stmt: &StmtId| match only_loop(self.hir, *stmt)? {
            (Some(id), stmt) => Some((id, stmt)),
            (None, _) => None,
        };
        all.iter().map(one).collect()
    }

    /// The outermost loops of OpenACC in a statement.
    fn all_loops(&self, body: StmtId) -> Vec<(DirectiveId, StmtId)> {
        let mut found = Vec::new();
        self.hir.walk_stmt(body, &mut |node| {
            let Node::Directive(id) = node else { return true };
            let of = self.hir.directive(id);
            if of.family == Family::OpenMp {
                return true;
            }
            let only = of.body.and_then(|it| only_loop(self.hir, it));
            let is_parallel = of.name == "loop" && of.clause("seq").is_none();
            match only.filter(|_| is_parallel) {
                Some((inner, stmt)) => {
                    found.push((inner.unwrap_or(id), stmt));
                    false
                }
                None => true,
            }
        });
        found
    }

    /// The clauses of a loop in a region.
    fn own_clauses(&self, id: DirectiveId, stmt: StmtId) -> Lowered<Clauses> {
        let mut clauses = Clauses::default();
        let mut named = Vec::new();
        self.add_clauses(self.hir.directive(id), &mut clauses, &mut named)?;
        self.add_implicit(stmt, stmt, &mut clauses, &named);
        Ok(clauses)
    }

    fn clauses_of(&self, region: usize, chain: &[DirectiveId], stmt: StmtId) -> Lowered<Clauses> {
        let mut clauses = Clauses::default();
        let mut named = Vec::new();
        for id in chain {
            self.add_clauses(self.hir.directive(*id), &mut clauses, &mut named)?;
        }
        let is_openacc = self.hir.directive(self.regions[region].directive).family == Family::OpenAcc;
        for variable in self.regions[region].arrays.iter().filter(|it| !named.contains(it)) {
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
        self.add_implicit(self.regions[region].body, stmt, &mut clauses, &named);
        Ok(clauses)
    }

    /// Adds what a directive says; `named` are the variables of its clauses.
    fn add_clauses(&self, of: &Directive, clauses: &mut Clauses, named: &mut Vec<VariableId>) -> Lowered<()> {
        let is_accelerated = of.family == Family::OpenAcc || of.clause("acc").is_some();
        if of.family == Family::OpenAcc {
            self.data_clauses(of, &mut clauses.maps)?;
            named.extend(clauses.maps.variables.iter().copied());
        }
        if !is_accelerated {
            return Ok(());
        }
        for clause in &of.clauses {
            let items =
                || self.items_of(clause).into_iter().map(|it| self.edited_range(it)).collect::<Vec<_>>();
            match clause.name.as_str() {
                name @ ("private" | "firstprivate") => {
                    named.extend(clause.items.iter().filter_map(|it| it.variable(self.hir)));
                    clauses.sharing.push_str(&format!(" {name}({})", items().join(", ")));
                }
                "shared" => {
                    let shared: Vec<_> = clause.items.iter().filter_map(|it| it.variable(self.hir)).collect();
                    for variable in shared.iter().filter(|it| self.model.array(**it).is_none()) {
                        let name = &self.hir.variable(*variable).name;
                        clauses.maps.clauses.push_str(&format!(" map(tofrom: {name})"));
                    }
                    named.extend(shared);
                }
                "reduction" => self.add_reduction(of, clause.range, clauses, named)?,
                "num_threads" => {
                    let product: Vec<String> = items().into_iter().map(|it| format!("({it})")).collect();
                    clauses.device.push_str(&format!(" thread_limit({})", product.join(" * ")));
                }
                "vector_length" => clauses.device.push_str(&format!(" thread_limit({})", items().join(", "))),
                "num_gangs" => clauses.device.push_str(&format!(" num_teams({})", items().join(", "))),
                "collapse" => clauses.collapse = items().pop(),
                "seq" => clauses.is_sequential = true,
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
        named: &mut Vec<VariableId>,
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
            named.push(variable);
            clauses.sharing.push_str(&reduction);
            // The value in front of a loop of XcalableMP is the host's.
            let always = if of.family == Family::XcalableMp { "always, " } else { "" };
            clauses.maps.clauses.push_str(&format!(" map({always}tofrom: {text})"));
        }
        Ok(())
    }

    /// Adds what no clause says: counters of loops are private, and each thread has its own scalars that the
    /// region changes (OpenACC 3.2, section 2.6.2).
    fn add_implicit(&self, body: StmtId, stmt: StmtId, clauses: &mut Clauses, named: &[VariableId]) {
        let range = self.hir.stmt(body).range;
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
            let of = self.hir.variable(*it);
            of.range.is_none_or(|it| !range.contains_range(it))
                && (of.ty.is_arithmetic() || matches!(of.ty, Type::Pointer(_)))
                && !named.contains(it)
                && self.model.array(*it).is_none()
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

    fn loop_pragma(&self, clauses: &Clauses, chain: &[DirectiveId], stmt: StmtId) -> String {
        let openacc =
            chain.iter().map(|it| self.hir.directive(*it)).filter(|it| it.family == Family::OpenAcc);
        let condition: String = openacc.map(|it| self.condition(it)).collect();
        let (maps, sharing) = (&clauses.maps.clauses, &clauses.sharing);
        let pragma = match (self.has_devices, clauses.is_sequential) {
            (false, true) => return String::new(),
            (false, false) => {
                return format!(
                    "\n#pragma omp parallel for{}{sharing}\n",
                    self.collapse(clauses, chain, stmt)
                );
            }
            (true, true) => format!("target{maps}"),
            (true, false) => format!(
                "target teams distribute parallel for{}{sharing}{}{maps}{}",
                self.collapse(clauses, chain, stmt),
                clauses.device,
                condition.replacen(" if(", " if(target: ", 1)
            ),
        };
        // A node without iterations may have no elements on its device.
        let mut conditions = self.regions.iter().flat_map(|it| &it.conditions);
        let test = conditions.find(|it| it.0 == stmt).map_or_else(String::new, |it| format!("if ({})", it.1));
        format!("{test}\n#pragma omp {pragma}\n")
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
