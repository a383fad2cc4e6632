//! Prints collective loops that are fully unrolled.

use super::printer::{Printer, WARP_ELEMENT};
use crate::code::LocalSpelling;
use apg_mir::*;
use apg_passes::kernel::locals::{count_mentions, is_always_assigned, is_assigned_first, mentioned_locals};
use apg_passes::kernel::region_node::{RegionNode, Storage};
use apg_passes::kernel::unroll_collectives::{UnrolledLoop, statements};

impl<'k> Printer<'_, '_, 'k> {
    /// Prints all iterations of a loop.
    pub(super) fn print_unrolled_loop(
        &mut self,
        unrolled: &UnrolledLoop,
        stmt: &'k Stmt,
        body: &[RegionNode<'k>],
        update: &[RegionNode<'k>],
    ) {
        if self.is_unproven {
            return self.print_loop_node(stmt, body, update);
        }
        self.code.out.open("if constexpr (proven_) {");
        let counter = self.code.local(unrolled.counter).text;
        // The assignment of the counter is replaced by its value.
        let parts = match update {
            [] => [&body[..body.len().saturating_sub(1)], &[]],
            _ => [body, &update[..update.len() - 1]],
        };
        match unrolled.by_warps {
            true => self.print_iterations_by_warp(unrolled, &counter, stmt, parts),
            false => self.print_iterations(unrolled, &counter, parts),
        }
        self.code.out.line(format!("{counter} = {};", unrolled.end));
        self.code.out.between("} else {");
        let around = std::mem::replace(&mut self.is_unproven, true);
        self.print_loop_node(stmt, body, update);
        self.is_unproven = around;
        self.code.out.close("}");
    }

    fn print_iterations(&mut self, unrolled: &UnrolledLoop, counter: &str, parts: [&[RegionNode<'k>]; 2]) {
        for value in &unrolled.values {
            self.code.out.line(format!("{counter} = {value};"));
            // A lambda: labels are printed once per iteration.
            self.code.out.open("[&]() __attribute__((always_inline)) {");
            parts.iter().for_each(|it| self.print_nodes(it));
            self.code.out.close("}();");
        }
    }

    /// Prints all iterations for one warp after the other. Values of its threads are in arrays of the warp
    /// meanwhile.
    fn print_iterations_by_warp(
        &mut self,
        unrolled: &UnrolledLoop,
        counter: &str,
        stmt: &'k Stmt,
        parts: [&[RegionNode<'k>]; 2],
    ) {
        let around = std::mem::replace(&mut self.in_warp, true);
        if around {
            self.code.out.open("{");
        } else {
            self.code.out.open("for (apg_i64 base_ = 0; base_ < threads_; base_ += 32) {");
            self.code.out.line("const apg_i64 lanes_ = 32;");
        }
        let kept = self.declare_warp_arrays(stmt, parts);
        self.print_iterations(unrolled, counter, parts);
        for (local, spelling, lives_on) in kept {
            let inner = std::mem::replace(&mut self.code.locals[local.index()], spelling);
            if lives_on {
                let outer = self.code.local(local).text;
                self.print_for_each_lane(&format!("{outer} = {};", inner.text));
            }
        }
        self.in_warp = around;
        self.code.out.close("}");
    }

    fn print_for_each_lane(&mut self, line: &str) {
        let head = "for (apg_i64 lane_ = 0; lane_ < lanes_; ++lane_)";
        self.code.out.line(format!("{head} {{ const apg_i64 r_ = base_ + lane_; {line} }}"));
    }

    /// Declares arrays of the warp for locals in context arrays. Returns the locals, their former spelling,
    /// and whether they are read later.
    fn declare_warp_arrays(
        &mut self,
        stmt: &'k Stmt,
        parts: [&[RegionNode<'k>]; 2],
    ) -> Vec<(LocalId, LocalSpelling, bool)> {
        let stmts: Vec<&'k Stmt> = parts.iter().copied().flatten().flat_map(statements).copied().collect();
        let (inside, all) =
            (count_mentions(&[stmt]), count_mentions(&self.kernel.body.iter().collect::<Vec<_>>()));
        let mut locals: Vec<LocalId> = mentioned_locals(&stmts).into_iter().collect();
        locals.sort();
        let mut kept = Vec::new();
        for local in locals {
            let spelling = self.code.local(local);
            if self.tree.storage[local.index()] != Storage::ContextArray || spelling.stack.is_some() {
                continue;
            }
            self.labels += 1;
            let name = format!("of_warp{}_", self.labels);
            let ty = self.code.ty(spelling.ty);
            self.code.out.line(format!("alignas(64) {ty} {name}[32];"));
            self.code.locals[local.index()].text = format!("{name}{WARP_ELEMENT}");
            if !is_always_assigned(stmts.iter().copied(), local) {
                self.print_for_each_lane(&format!("{name}{WARP_ELEMENT} = {};", spelling.text));
            }
            let is_own =
                inside.get(&local) == all.get(&local) && is_assigned_first(stmts.iter().copied(), local);
            kept.push((local, spelling, !is_own));
        }
        kept
    }
}
