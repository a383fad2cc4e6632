//! Prints the initialisation of shared arrays.

use crate::code::{Code, Target};
use apg_mir::*;

/// Prints the loop that initialises a shared array; `head` is the loop's head, which counts `i_`.
pub(super) fn print_fill(code: &mut Code<'_>, rail: &SharedArray, head: &str) {
    let target = code.local(rail.local).text;
    let ty = code.ty(rail.element);
    match &rail.init {
        SharedInit::Zero | SharedInit::Value(_) => {
            let value = match &rail.init {
                SharedInit::Value(value) => code.expr(value),
                _ => format!("{ty}{{}}"),
            };
            // Otherwise the compiler calls `memset` for zeros, which is slower for short arrays.
            let (constant, hide) = match code.target {
                Target::Cpu => ("", "asm volatile(\"\" : \"+m\"(value_)); "),
                _ => ("const ", ""),
            };
            code.out.line(format!(
                "{{ {constant}{ty} value_ = {value}; {hide}{head} {target}[i_] = value_; }} }}"
            ));
        }
        SharedInit::Function { index, setup, value } => {
            code.out.open(head);
            let spelling = code.local(*index);
            let index_ty = code.ty(spelling.ty);
            code.out.line(format!("{} = ({index_ty})i_;", spelling.text));
            code.stmts(setup);
            let value = code.expr(value);
            code.out.line(format!("{target}[i_] = {value};"));
            code.out.close("}");
        }
        SharedInit::Copy(source) => {
            let source = code.local(*source);
            let data = source.rail.map_or_else(|| format!("{}.data", source.text), |it| it.data);
            code.out.line(format!("{head} {target}[i_] = {data}[i_]; }}"));
        }
    }
}
