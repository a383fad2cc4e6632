//! Which loops of a region threads share, and the place of what the host computes for them.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{Directive, DirectiveId, Program, StmtId, StmtKind};
use apg_c_syntax::{Family, TextSize};

use super::super::Unit;

/// A loop in a region, behind directives of its own.
pub(super) struct InnerLoop {
    /// The statement that the directives begin.
    pub(super) outer: StmtId,
    /// The directives, the outermost first; at least one.
    pub(super) chain: Vec<DirectiveId>,
    /// The `for` statement.
    pub(super) stmt: StmtId,
}

/// Where a loop stands whose iterations nodes share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Place {
    /// In no region.
    Host,
    /// It is all that the region consists of.
    Whole(usize),
    /// It is a region of its own in a region that consists of several; the statement with its directives.
    Own(usize, StmtId),
    /// There are other statements in the region.
    Inside(usize),
}

/// The loop that a statement is, behind directives and in blocks with nothing else, and the last directive in
/// front of it.
pub(super) fn only_loop(hir: &Program, mut stmt: StmtId) -> Option<(Option<DirectiveId>, StmtId)> {
    let mut last = None;
    loop {
        match &hir.stmt(stmt).kind {
            StmtKind::For { .. } => return Some((last, stmt)),
            StmtKind::Block(all) if all.len() == 1 => stmt = all[0],
            StmtKind::Directive(id) if hir.directive(*id).family != Family::OpenMp => {
                last = Some(*id);
                stmt = hir.directive(*id).body?;
            }
            _ => return None,
        }
    }
}

impl Unit<'_> {
    /// Where a loop at an offset stands; `stmt` is its `for` statement.
    pub(in super::super) fn place(&self, offset: usize, stmt: StmtId) -> Place {
        let Some(region) = self.region_at(offset) else { return Place::Host };
        let body = self.regions[region].body;
        if let Some((_, only)) = only_loop(self.hir, body) {
            return if only == stmt { Place::Whole(region) } else { Place::Inside(region) };
        }
        let all = self.inner_loops(body).unwrap_or_default();
        match all.iter().find(|it| it.stmt == stmt) {
            Some(own) => Place::Own(region, own.outer),
            None => Place::Inside(region),
        }
    }

    /// The directives from the one of a region to its loop, with the loop of XcalableMP around it.
    pub(super) fn chain_of(&self, id: DirectiveId, body: StmtId, stmt: StmtId) -> Vec<DirectiveId> {
        let mut chain = Vec::new();
        if let Some(parent) = self.hir.directive(id).parent.filter(|it| self.is_loop_of(*it, id)) {
            chain.push(parent);
        }
        chain.push(id);
        let between = self.directives_between(self.hir.stmt(body).range.start(), stmt);
        chain.extend(between.into_iter().filter(|it| *it != id));
        chain
    }

    /// The directives from an offset to a statement.
    fn directives_between(&self, start: TextSize, stmt: StmtId) -> Vec<DirectiveId> {
        let end = self.hir.stmt(stmt).range.start();
        let is_between = |it: &DirectiveId| (start..end).contains(&self.hir.directive(*it).range.start());
        self.hir.directive_ids().filter(is_between).collect()
    }

    /// Whether a directive is a loop of XcalableMP whose statement begins with another directive.
    fn is_loop_of(&self, outer: DirectiveId, inner: DirectiveId) -> bool {
        let (of, inner) = (self.hir.directive(outer), self.hir.directive(inner));
        let body = of.body.map(|it| self.hir.stmt(it).range.start());
        is_shared_loop(of) && body == Some(inner.range.start())
    }

    /// The loops with a directive that a block consists of; `None` if it has other statements.
    pub(super) fn inner_loops(&self, body: StmtId) -> Option<Vec<InnerLoop>> {
        let StmtKind::Block(all) = &self.hir.stmt(body).kind else { return None };
        let one = |outer: &StmtId| {
            let (last, stmt) = only_loop(self.hir, *outer)?;
            last?;
            let chain = self.directives_between(self.hir.stmt(*outer).range.start(), stmt);
            Some(InnerLoop { outer: *outer, chain, stmt })
        };
        all.iter().map(one).collect()
    }

    /// The outermost loops in a statement of a region whose iterations its threads share.
    pub(super) fn parallel_loops(&self, region: usize, body: StmtId) -> Vec<InnerLoop> {
        let mut found = Vec::new();
        self.hir.walk_stmt(body, &mut |node| {
            let Node::Directive(id) = node else { return true };
            let of = self.hir.directive(id);
            let Some(outer) = of.body.filter(|_| of.family != Family::OpenMp && of.name == "loop") else {
                return true;
            };
            let Some((_, stmt)) = only_loop(self.hir, outer) else { return true };
            let chain = self.directives_between(of.range.start(), stmt);
            let is_parallel = self.is_parallel(region, &chain);
            if is_parallel {
                found.push(InnerLoop { outer, chain, stmt });
            }
            !is_parallel
        });
        found
    }

    /// Whether the iterations of a loop may be executed together. Without a directive of a loop each gang
    /// executes all; `kernels` and `auto` leave it to the compiler, which does not analyse the dependences
    /// (OpenACC 3.2, section 2.9). Those of a loop of XcalableMP are independent.
    pub(super) fn is_parallel(&self, region: usize, chain: &[DirectiveId]) -> bool {
        let chain: Vec<&Directive> = chain.iter().map(|it| self.hir.directive(*it)).collect();
        let has = |clause: &str| chain.iter().any(|it| it.clause(clause).is_some());
        let is_shared = chain.iter().any(|it| is_shared_loop(it));
        let is_loop =
            |it: &&Directive| it.family == Family::OpenAcc && it.name.split(' ').any(|it| it == "loop");
        let is_independent = is_shared || has("independent");
        let is_left_open = self.is_construct(region, "kernels") || has("auto");
        (is_shared || chain.iter().any(is_loop))
            && !has("seq")
            && !self.is_construct(region, "serial")
            && (is_independent || !is_left_open)
    }

    /// Whether the directive of a region is a construct of OpenACC, or one combined of it and `loop`.
    pub(super) fn is_construct(&self, region: usize, name: &str) -> bool {
        let of = self.hir.directive(self.regions[region].directive);
        of.family == Family::OpenAcc && of.name.split(' ').next() == Some(name)
    }
}

/// Whether a directive is a loop of XcalableMP.
pub(super) fn is_shared_loop(of: &Directive) -> bool {
    of.family == Family::XcalableMp && of.name == "loop"
}
