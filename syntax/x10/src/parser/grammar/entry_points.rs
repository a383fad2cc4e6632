//! Entry points of the grammar's recursion, as methods of the parser: lists and error recovery, which are
//! below the constructs of the grammar, parse their parts through them.

use crate::parser::grammar::context::{BraceMeaning, Tail};
use crate::parser::grammar::operand::Operand;
use crate::parser::grammar::recovery::{angle_brackets, foreign_words};
use crate::parser::grammar::{atoms, controls, exprs, formals, items, members, stmts, types};
use crate::parser::state::{Completed, Marker, Parser};
use crate::syntax_kind::SyntaxKind;

impl Parser<'_> {
    pub(super) fn parse_expr(&mut self) -> Option<Completed> {
        exprs::expr(self)
    }

    pub(super) fn parse_header_expr(&mut self) {
        exprs::header_expr(self)
    }

    pub(super) fn parse_unary(&mut self) -> Option<Operand> {
        exprs::unary(self)
    }

    pub(super) fn parse_type(&mut self) -> Option<Completed> {
        types::type_(self)
    }

    pub(super) fn parse_type_with(&mut self, braces: BraceMeaning<'_>) -> Option<Completed> {
        types::type_with(self, braces)
    }

    pub(super) fn parse_type_without_annotations(&mut self) {
        types::type_with_no_annotations(self)
    }

    pub(super) fn parse_method(&mut self, m: Marker) {
        members::method(self, m)
    }

    pub(super) fn parse_constructor_rest(&mut self, m: Marker) {
        members::constructor_rest(self, m)
    }

    pub(super) fn parse_member(&mut self) {
        members::member(self)
    }

    pub(super) fn parse_in_parens(&mut self) {
        controls::in_parens(self)
    }

    pub(super) fn parse_on_place(&mut self) -> bool {
        controls::on_place(self)
    }

    pub(super) fn parse_loop_variable(&mut self) {
        formals::loop_variable(self)
    }

    pub(super) fn parse_formal_list(&mut self) {
        formals::formal_list(self)
    }

    pub(super) fn parse_result_type(&mut self, braces: BraceMeaning<'_>) {
        formals::result_type(self, braces)
    }

    pub(super) fn parse_property_list(&mut self) {
        items::property_list(self)
    }

    pub(super) fn parse_modifier_list(&mut self) {
        items::modifier_list(self)
    }

    pub(super) fn parse_type_after_keyword(&mut self, m: Marker, keyword: SyntaxKind) {
        items::type_after_keyword(self, m, keyword)
    }

    pub(super) fn parse_semicolon(&mut self) {
        stmts::semicolon(self)
    }

    pub(super) fn parse_block(&mut self, tail: Tail) {
        stmts::block(self, tail)
    }

    pub(super) fn parse_closure_body(&mut self) {
        atoms::closure_body(self)
    }

    pub(super) fn parse_chain(&mut self) -> Option<Operand> {
        atoms::chain(self)
    }

    pub(super) fn parse_at_expr(&mut self, m: Marker) -> Completed {
        atoms::at_expr(self, m)
    }

    pub(super) fn parse_angle_type_param_list(&mut self) {
        angle_brackets::type_param_list(self)
    }

    pub(super) fn parse_type_param_bound(&mut self) {
        foreign_words::bound(self)
    }

    /// Whether an expression may start here.
    pub(super) fn at_expr_start(&self) -> bool {
        exprs::at_first(self)
    }

    /// Whether a type may start here.
    pub(super) fn at_type_start(&self) -> bool {
        types::at_first(self)
    }
}
