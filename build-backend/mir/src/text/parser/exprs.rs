//! Parsing of expressions: operands with what follows them, and at most one binary operation.

use super::bodies::BodyParser;
use super::cursor::{Parsed, signed};
use super::items::resolve_span;
use crate::text::lexer::TokenKind;
use crate::text::types::{address_type, derive, field_named};
use crate::*;

/// The word or symbol of a binary operation.
enum Infix {
    Operation(Operation),
    And,
    Or,
    Cast,
    InstanceOf,
}

impl BodyParser<'_, '_> {
    /// An operand, or a binary operation on two.
    pub(super) fn full_expr(&mut self) -> Parsed<Expr> {
        self.cursor.enter()?;
        let left = self.operand()?;
        let expr = match self.infix() {
            None => left,
            Some(infix) => {
                self.cursor.advance();
                let kind = self.binary(infix, left)?;
                if self.infix().is_some() {
                    return self.cursor.error("write parentheses around one of the two operations");
                }
                self.typed(kind)?
            }
        };
        self.cursor.leave();
        Ok(expr)
    }

    /// The binary operation that the next token continues the expression with.
    fn infix(&self) -> Option<Infix> {
        match self.cursor.peek() {
            TokenKind::Punctuation("&&") => Some(Infix::And),
            TokenKind::Punctuation("||") => Some(Infix::Or),
            TokenKind::Punctuation(symbol) => Operation::from_symbol(symbol).map(Infix::Operation),
            TokenKind::Word(word) if word == "as" => Some(Infix::Cast),
            TokenKind::Word(word) if word == "is" => Some(Infix::InstanceOf),
            _ => None,
        }
    }

    fn binary(&mut self, infix: Infix, left: Expr) -> Parsed<ExprKind> {
        Ok(match infix {
            Infix::And => ExprKind::And(Box::new(left), Box::new(self.operand()?)),
            Infix::Or => ExprKind::Or(Box::new(left), Box::new(self.operand()?)),
            Infix::Operation(operation) => {
                ExprKind::Operation { operation, args: vec![left, self.operand()?] }
            }
            Infix::Cast => {
                let checked = self.cursor.eat("?");
                ExprKind::Cast { value: Box::new(left), target: self.target()?, checked }
            }
            Infix::InstanceOf => ExprKind::InstanceOf { value: Box::new(left), target: self.target()? },
        })
    }

    fn target(&mut self) -> Parsed<CastTarget> {
        Ok(if self.cursor.eat_word("interface") {
            CastTarget::Interface(self.symbols.interface(&mut self.cursor)?)
        } else {
            CastTarget::Class(self.symbols.class(&mut self.cursor)?)
        })
    }

    /// A primary expression with accesses, its type and its span.
    fn operand(&mut self) -> Parsed<Expr> {
        let mut expr = self.primary()?;
        let mut accesses = 0;
        loop {
            let kind = match self.cursor.peek() {
                TokenKind::Punctuation(access @ ("." | "?.")) => self.field_access(expr, *access == "?.")?,
                TokenKind::Punctuation(access @ ("[" | "?[")) => {
                    self.element_access(expr, *access == "?[")?
                }
                TokenKind::Punctuation("!") => {
                    self.cursor.advance();
                    ExprKind::NonNull(Box::new(expr))
                }
                _ => break,
            };
            expr = self.typed(kind)?;
            // Accesses nest as operands do.
            self.cursor.enter()?;
            accesses += 1;
        }
        (0..accesses).for_each(|_| self.cursor.leave());
        if self.cursor.eat(":") {
            let offset = self.cursor.offset();
            let ty = self.symbols.ty(&mut self.cursor)?;
            if matches!(expr.kind, ExprKind::MakeStruct(_)) && ty != expr.ty {
                return self
                    .cursor
                    .error_at(offset, "the value of a struct has no other type: remove this one");
            }
            expr.ty = ty;
        }
        let offset = self.cursor.offset();
        if let Some(span) = self.cursor.span() {
            let file = self.inherited.file;
            expr.span = Some(resolve_span(&self.cursor, self.symbols, offset, span, file)?);
        }
        Ok(expr)
    }

    /// The expression of a kind with its derived type, or the type that follows.
    pub(super) fn typed(&self, kind: ExprKind) -> Parsed<Expr> {
        let derived = self.derived_type(&kind);
        match derived {
            Some(ty) => Ok(Expr::new(ty, kind)),
            // The type that follows replaces this one.
            None if self.cursor.at_punctuation(":") => Ok(Expr::new(Ty::Void, kind)),
            None => self.cursor.error(format!(
                "the type of this expression does not follow from its operands: write `:TYPE` in front of {}",
                self.cursor.peek().describe()
            )),
        }
    }

    /// The type that an expression has if none is written behind it.
    fn derived_type(&self, kind: &ExprKind) -> Option<Ty> {
        if let ExprKind::FunctionAddress(function) = kind {
            let signature = self.program.functions[function.index()].signature();
            self.symbols.types.borrow_mut().function(signature);
        }
        let address = address_type(&self.scope(&self.symbols.types.borrow()), kind);
        if let Some(address) = address {
            self.symbols.types.borrow_mut().pointer_to(address.pointee, address.space);
        }
        derive(&self.scope(&self.symbols.types.borrow()), kind)
    }

    fn field_access(&mut self, base: Expr, checked: bool) -> Parsed<ExprKind> {
        self.cursor.advance();
        if let Ty::Struct(id) = base.ty {
            if checked {
                return self.cursor.error("a field of a struct is not null-checked: write `.`");
            }
            let fields = &self.program.structs[id.index()].fields;
            let field = self.field_in(fields, &self.program.structs[id.index()].name)?;
            return Ok(ExprKind::StructField { value: Box::new(base), field });
        }
        let start = self.cursor.clone();
        self.cursor.member_name()?;
        let class = if self.cursor.at_punctuation("(") {
            self.cursor.advance();
            let class = self.symbols.class(&mut self.cursor)?;
            self.cursor.expect(")")?;
            class
        } else if let Ty::Ref(class) = base.ty {
            class
        } else {
            return self.cursor.error("the class of the field is unknown: write `(@CLASS)` behind its name");
        };
        let end = std::mem::replace(&mut self.cursor, start);
        let field = self.field_of_class(class)?;
        self.cursor = end;
        Ok(ExprKind::Field { object: Box::new(base), class, field, checked })
    }

    /// The name of an own field of a class.
    pub(super) fn field_of_class(&mut self, class: ClassId) -> Parsed<u32> {
        let class = &self.program.classes[class.index()];
        self.field_in(&class.fields, &class.name)
    }

    pub(super) fn field_in(&mut self, fields: &[Field], owner: &str) -> Parsed<u32> {
        let offset = self.cursor.offset();
        let name = self.cursor.member_name()?;
        match field_named(fields, &name) {
            Some(index) => Ok(index),
            None => {
                let names: Vec<&str> = fields.iter().take(10).map(|it| it.name.as_str()).collect();
                let hint =
                    if names.is_empty() { "no fields".into() } else { format!("`{}`", names.join("`, `")) };
                self.cursor
                    .error_at(offset, format!("`{owner}` has no field named `{}`; it has {hint}", name.text))
            }
        }
    }

    fn element_access(&mut self, rail: Expr, checked: bool) -> Parsed<ExprKind> {
        self.cursor.advance();
        let index = Box::new(self.full_expr()?);
        self.cursor.expect("]")?;
        Ok(ExprKind::Element { rail: Box::new(rail), index, checked })
    }

    /// Arguments in parentheses.
    pub(super) fn args(&mut self) -> Parsed<Vec<Expr>> {
        self.cursor.expect("(")?;
        let mut args = Vec::new();
        while !self.cursor.eat(")") {
            args.push(self.full_expr()?);
            if !self.cursor.eat(",") {
                self.cursor.expect(")")?;
                break;
            }
        }
        Ok(args)
    }

    /// A number with or without a sign.
    pub(super) fn number(&mut self) -> Parsed<Expr> {
        let start = self.cursor.offset();
        let is_negative = self.cursor.eat("-");
        let kind = match *self.cursor.peek() {
            TokenKind::Integer(magnitude) => match signed(magnitude, is_negative) {
                Some(value) => ExprKind::Int(value),
                None => return self.cursor.error_at(start, "this number does not fit 64 bits with a sign"),
            },
            TokenKind::Float(value) => ExprKind::Float(if is_negative { -value } else { value }),
            _ => return self.cursor.expected("a number"),
        };
        self.cursor.advance();
        self.typed(kind)
    }

    /// An error for a wrong number of operands.
    pub(super) fn check_count(
        &self,
        offset: usize,
        name: &str,
        what: &str,
        needed: usize,
        found: usize,
    ) -> Parsed<()> {
        if needed == found {
            return Ok(());
        }
        self.cursor.error_at(offset, format!("`{name}` needs {needed} {what}, not {found}"))
    }
}
