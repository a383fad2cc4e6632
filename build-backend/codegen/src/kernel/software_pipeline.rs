//! Prints software-pipelined loops (Lam, PLDI 1988).

use crate::code::{Code, PreloadedElement};
use apg_passes::kernel_ir::PipelinedLoop;

/// The condition under which pipelined code runs.
const PIPELINE_GUARD: &str = "if (pipelined_) {";

impl Code<'_> {
    /// Prints the prologue: loads for the first two iterations.
    pub(crate) fn print_pipeline_prologue(
        &mut self,
        pipelined: &PipelinedLoop,
        condition: &str,
    ) -> Vec<String> {
        let names: Vec<String> =
            pipelined.elements.iter().map(|_| format!("preloaded{}_", self.fresh())).collect();
        self.out.open("{");
        for (name, load) in names.iter().zip(&pipelined.elements) {
            let ty = self.ty(load.element.ty);
            self.out.line(format!("{ty} {name} = {ty}{{}}, {name}next = {ty}{{}};"));
        }
        self.out.open(PIPELINE_GUARD);
        self.save_counters(pipelined);
        self.out.open(format!("if ({condition}) {{"));
        self.print_loads(pipelined, &names, "");
        self.stmts(&pipelined.update);
        self.out.open(format!("if ({condition}) {{"));
        self.print_loads(pipelined, &names, "next");
        self.out.close("}");
        self.out.close("}");
        self.restore_counters(pipelined);
        self.out.close("}");
        names
    }

    /// Prints the begin of an iteration: takes its preloaded values and loads those of the iteration after
    /// the next.
    pub(crate) fn print_pipeline_stage(
        &mut self,
        pipelined: &PipelinedLoop,
        names: &[String],
        condition: &str,
    ) {
        for (name, load) in names.iter().zip(&pipelined.elements) {
            let ty = self.ty(load.element.ty);
            self.out.line(format!("const {ty} {name}now = {name};"));
        }
        self.out.open(PIPELINE_GUARD);
        for name in names {
            self.out.line(format!("{name} = {name}next;"));
        }
        self.save_counters(pipelined);
        self.stmts(&pipelined.update);
        // If the next iteration does not run, the one after it does not either.
        self.out.open(format!("if ({condition}) {{"));
        self.stmts(&pipelined.update);
        self.out.open(format!("if ({condition}) {{"));
        self.print_loads(pipelined, names, "next");
        self.out.close("}");
        self.out.close("}");
        self.restore_counters(pipelined);
        self.out.close("}");
        for (name, load) in names.iter().zip(&pipelined.elements) {
            for access in &load.uses {
                let ahead = PreloadedElement { name: format!("{name}now"), when: "pipelined_" };
                self.preloaded.insert(*access, ahead);
            }
        }
    }

    fn print_loads(&mut self, pipelined: &PipelinedLoop, names: &[String], which: &str) {
        for (name, load) in names.iter().zip(&pipelined.elements) {
            let value = self.expr(&load.element);
            self.out.line(format!("{name}{which} = {value};"));
        }
    }

    fn save_counters(&mut self, pipelined: &PipelinedLoop) {
        for counter in &pipelined.counters {
            self.out.line(format!("const auto saved{}_ = {};", counter.0, self.local(*counter).text));
        }
    }

    fn restore_counters(&mut self, pipelined: &PipelinedLoop) {
        for counter in &pipelined.counters {
            self.out.line(format!("{} = saved{}_;", self.local(*counter).text, counter.0));
        }
    }
}
