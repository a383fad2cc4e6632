//! Parsing of statements.

use super::bodies::{BodyParser, Label};
use super::cursor::Parsed;
use super::items::required_span;
use crate::native::{Fragment, NativeCode};
use crate::text::lexer::TokenKind;
use crate::*;

impl BodyParser<'_, '_> {
    /// Statements behind a `{`, up to and with its `}`.
    pub(super) fn stmts_to_brace(&mut self) -> Parsed<Vec<Stmt>> {
        self.cursor.enter()?;
        let mut stmts = Vec::new();
        while !self.cursor.eat("}") {
            stmts.push(self.stmt()?);
        }
        self.cursor.leave();
        Ok(stmts)
    }

    fn stmt(&mut self) -> Parsed<Stmt> {
        if self.cursor.eat("{") {
            let span = self.statement_span()?;
            return Ok(Stmt::new(span, StmtKind::Block(self.stmts_to_brace()?)));
        }
        let TokenKind::Word(word) = self.cursor.peek() else { return self.simple_stmt() };
        if let Some(number) = label_number(word)
            && matches!(self.cursor.peek_second(), TokenKind::Punctuation(":"))
        {
            return self.labelled_stmt(number);
        }
        match word.as_str() {
            "outlined" | "atomic" | "finish" => self.scope_stmt(word),
            "if" => self.if_stmt(),
            "try" => self.try_stmt(),
            "when" => self.when_stmt(),
            "native" => self.native_stmt(),
            "while" | "do" | "switch" => {
                self.cursor.error(format!("write a label in front of `{word}`, such as `L0: {word}`"))
            }
            _ => self.simple_stmt(),
        }
    }

    /// `{`, perhaps with a span, and the statements of a block.
    fn opened(&mut self) -> Parsed<(Span, Vec<Stmt>)> {
        self.cursor.expect("{")?;
        let span = self.statement_span()?;
        Ok((span, self.stmts_to_brace()?))
    }

    /// A block whose span is that of its statement.
    fn block(&mut self) -> Parsed<Vec<Stmt>> {
        self.cursor.expect("{")?;
        self.stmts_to_brace()
    }

    fn scope_stmt(&mut self, word: &str) -> Parsed<Stmt> {
        self.cursor.advance();
        let clocked = word == "finish" && self.cursor.eat_word("clocked");
        let (span, body) = self.opened()?;
        Ok(Stmt::new(
            span,
            match word {
                "outlined" => StmtKind::Outlined(body),
                "atomic" => StmtKind::Atomic(body),
                _ => StmtKind::Finish { body, clocked },
            },
        ))
    }

    fn if_stmt(&mut self) -> Parsed<Stmt> {
        self.cursor.advance();
        let condition = self.full_expr()?;
        let (span, then) = self.opened()?;
        let otherwise = if self.cursor.eat_word("else") { self.block()? } else { Vec::new() };
        Ok(Stmt::new(span, StmtKind::If { condition, then, otherwise }))
    }

    fn try_stmt(&mut self) -> Parsed<Stmt> {
        self.cursor.advance();
        let (span, body) = self.opened()?;
        let mut catches = Vec::new();
        while self.cursor.eat_word("catch") {
            let class = self.symbols.class(&mut self.cursor)?;
            let local = self.local()?;
            catches.push(Catch { class, local, body: self.block()? });
        }
        let finally = if self.cursor.eat_word("finally") { self.block()? } else { Vec::new() };
        Ok(Stmt::new(span, StmtKind::Try { body, catches, finally }))
    }

    fn when_stmt(&mut self) -> Parsed<Stmt> {
        self.cursor.advance();
        let (span, mut setup) = self.opened()?;
        let mut branches = Vec::new();
        loop {
            self.cursor.expect_word("if")?;
            let condition = self.full_expr()?;
            branches.push(WhenBranch { setup, condition, body: self.block()? });
            if !self.cursor.eat_word("or") {
                return Ok(Stmt::new(span, StmtKind::When(branches)));
            }
            setup = self.block()?;
        }
    }

    /// A loop, switch or block with a label.
    fn labelled_stmt(&mut self, number: u32) -> Parsed<Stmt> {
        let id = self.label(number, self.cursor.offset())?;
        self.cursor.advance();
        self.cursor.expect(":")?;
        let is_loop = self.cursor.at_word("while") || self.cursor.at_word("do");
        self.labels.push(Label { id, is_loop });
        let stmt = if is_loop {
            self.loop_stmt(id)
        } else if self.cursor.eat_word("switch") {
            self.switch_stmt(id)
        } else {
            self.opened().map(|(span, body)| Stmt::new(span, StmtKind::Labeled { label: id, body }))
        };
        self.labels.pop();
        stmt
    }

    fn loop_stmt(&mut self, label: LabelId) -> Parsed<Stmt> {
        let post_tested = self.cursor.eat_word("do");
        self.cursor.expect_word("while")?;
        let condition = self.full_expr()?;
        let unroll = if self.cursor.eat_word("unroll") {
            Some(self.cursor.small_number("a number of copies")?)
        } else {
            None
        };
        let (span, body) = self.opened()?;
        let update = if self.cursor.eat_word("update") { self.block()? } else { Vec::new() };
        Ok(Stmt::new(span, StmtKind::Loop { label, condition, body, update, unroll, post_tested }))
    }

    fn switch_stmt(&mut self, label: LabelId) -> Parsed<Stmt> {
        let value = self.full_expr()?;
        self.cursor.expect("{")?;
        let span = self.statement_span()?;
        let mut cases = Vec::new();
        while !self.cursor.eat("}") {
            self.cursor.expect_word("case")?;
            let mut constants = Vec::new();
            loop {
                let is_default = self.cursor.eat_word("default");
                constants.push(if is_default { None } else { Some(self.cursor.integer()?) });
                if !self.cursor.eat(",") {
                    break;
                }
            }
            cases.push((constants, self.block()?));
        }
        Ok(Stmt::new(span, StmtKind::Switch { label, value, cases }))
    }

    fn native_stmt(&mut self) -> Parsed<Stmt> {
        self.cursor.advance();
        let result =
            if self.cursor.eat_word("result") { Some(self.symbols.ty(&mut self.cursor)?) } else { None };
        self.cursor.expect("{")?;
        let span = self.statement_span()?;
        let mut native = NativeCode { fragments: Vec::new(), variables: Vec::new(), result };
        while !self.cursor.eat("}") {
            const PARTS: &str = "`variable`, `text`, `value`, `type`, `address`, `field`, `line` or `}`";
            let TokenKind::Word(word) = self.cursor.peek() else { return self.cursor.expected(PARTS) };
            let offset = self.cursor.offset();
            self.cursor.advance();
            let fragment = match word.as_str() {
                "variable" => {
                    let name = self.cursor.member_name()?.text;
                    self.cursor.expect("=")?;
                    native.variables.push((name, self.full_expr()?));
                    self.cursor.expect(";")?;
                    continue;
                }
                "text" => Fragment::Text(self.cursor.string("a string of C++")?.to_owned()),
                "value" => Fragment::Value(self.full_expr()?),
                "type" => Fragment::Type(self.symbols.ty(&mut self.cursor)?),
                "address" => Fragment::Address(self.local()?),
                "field" => {
                    let class = self.symbols.class(&mut self.cursor)?;
                    Fragment::Field(class, self.field_of_class(class)?)
                }
                "line" => Fragment::Line(required_span(&mut self.cursor, self.symbols)?),
                _ => {
                    return self.cursor.error_at(
                        offset,
                        format!("no part of native code is named `{word}`: write {PARTS}"),
                    );
                }
            };
            native.fragments.push(fragment);
            self.cursor.expect(";")?;
        }
        Ok(Stmt::new(span, StmtKind::Native(native)))
    }

    /// A statement that ends in `;`.
    fn simple_stmt(&mut self) -> Parsed<Stmt> {
        let kind = match self.cursor.peek() {
            TokenKind::Word(word) => match word.as_str() {
                "store" => self.store()?,
                "goto" | "label" => self.goto_or_target(word == "goto")?,
                "break" | "continue" => self.jump(word == "continue")?,
                "return" => {
                    self.cursor.advance();
                    let is_empty = self.cursor.at_punctuation(";");
                    StmtKind::Return(if is_empty { None } else { Some(self.full_expr()?) })
                }
                "throw" => {
                    self.cursor.advance();
                    StmtKind::Throw(self.full_expr()?)
                }
                "barrier" => {
                    self.cursor.advance();
                    StmtKind::Barrier
                }
                "async" => self.async_stmt()?,
                "at" => {
                    self.cursor.advance();
                    let (place, closure) = self.place_and_closure()?;
                    StmtKind::At { place, closure }
                }
                "launch" => self.launch()?,
                _ => self.assignment()?,
            },
            _ => self.assignment()?,
        };
        self.cursor.expect(";")?;
        Ok(Stmt::new(self.statement_span()?, kind))
    }

    fn jump(&mut self, is_continue: bool) -> Parsed<StmtKind> {
        self.cursor.advance();
        let number = self.label_name()?;
        let label = Label { id: LabelId(number), is_loop: true };
        let around = self.labels.iter().rev().find(|it| it.id == label.id);
        if around.is_none() {
            return self.cursor.error(format!("no statement around this one has the label `L{number}`"));
        }
        if is_continue && around != Some(&label) {
            return self
                .cursor
                .error(format!("`L{number}` is no loop, so that it cannot be continued: use `break`"));
        }
        self.cursor.advance();
        Ok(if is_continue { StmtKind::Continue(label.id) } else { StmtKind::Break(label.id) })
    }

    /// The number of the label that is the next token.
    fn label_name(&self) -> Parsed<u32> {
        let number = match self.cursor.peek() {
            TokenKind::Word(word) => label_number(word),
            _ => None,
        };
        match number {
            Some(number) => Ok(number),
            None => self.cursor.expected("a label, such as `L0`,"),
        }
    }

    /// `goto L0` or `label L0`
    fn goto_or_target(&mut self, is_goto: bool) -> Parsed<StmtKind> {
        self.cursor.advance();
        let (number, offset) = (self.label_name()?, self.cursor.offset());
        self.cursor.advance();
        if is_goto {
            self.gotos.push((LabelId(number), offset));
            return Ok(StmtKind::Goto(LabelId(number)));
        }
        let label = self.label(number, offset)?;
        self.targets.insert(label);
        Ok(StmtKind::Target(label))
    }

    /// `store PLACE = VALUE`
    fn store(&mut self) -> Parsed<StmtKind> {
        self.cursor.advance();
        let place = self.accessed_place()?;
        self.cursor.expect("=")?;
        Ok(StmtKind::Store { place, value: self.full_expr()? })
    }

    fn async_stmt(&mut self) -> Parsed<StmtKind> {
        self.cursor.advance();
        if self.cursor.eat_word("at") {
            let (place, closure) = self.place_and_closure()?;
            let clocks = self.clocks()?;
            let raise_at_sender = self.cursor.eat_word("raise_at_sender");
            return Ok(StmtKind::AsyncAt { place, closure, clocks, raise_at_sender });
        }
        let closure = self.full_expr()?;
        Ok(StmtKind::Async { closure, clocks: self.clocks()? })
    }

    /// `PLACE run CLOSURE`
    fn place_and_closure(&mut self) -> Parsed<(Expr, Expr)> {
        let place = self.full_expr()?;
        self.cursor.expect_word("run")?;
        Ok((place, self.full_expr()?))
    }

    fn clocks(&mut self) -> Parsed<Clocks> {
        if self.cursor.eat_word("uncounted") {
            return Ok(Clocks::Uncounted);
        }
        if !self.cursor.eat_word("clocked") {
            return Ok(Clocks::None);
        }
        Ok(if self.cursor.at_punctuation("(") { Clocks::Listed(self.args()?) } else { Clocks::Implicit })
    }

    /// `launch @K(CAPTURES) at PLACE captures_stable fallback CLOSURE`
    fn launch(&mut self) -> Parsed<StmtKind> {
        self.cursor.advance();
        let offset = self.cursor.offset();
        let kernel = self.symbols.kernel(&mut self.cursor)?;
        let captures = self.args()?;
        if let Some(declared) = self.program.kernels.get(kernel.index()) {
            let count = declared.captures.len();
            self.check_count(offset, &declared.name, "captured values", count, captures.len())?;
        }
        self.cursor.expect_word("at")?;
        let place = self.full_expr()?;
        let captures_stable = self.cursor.eat_word("captures_stable");
        let fallback_activity = if self.cursor.eat_word("fallback") { Some(self.full_expr()?) } else { None };
        Ok(StmtKind::Launch { place, kernel, captures, fallback_activity, captures_stable })
    }

    /// `TARGET = VALUE`, or an expression.
    fn assignment(&mut self) -> Parsed<StmtKind> {
        let offset = self.cursor.offset();
        let target = self.full_expr()?;
        if !self.cursor.eat("=") {
            return Ok(StmtKind::Expr(target));
        }
        let value = self.full_expr()?;
        Ok(match target.kind {
            ExprKind::Local(local) => StmtKind::Set { local, value },
            ExprKind::Field { object, class, field, checked } => {
                StmtKind::SetField { object: *object, class, field, value, checked }
            }
            ExprKind::StructField { value: base, field } => match base.kind {
                ExprKind::Local(local) if self.locals[local.index()].ty == base.ty => {
                    StmtKind::SetStructField { local, field, value }
                }
                ExprKind::Local(_) => {
                    return self.cursor.error_at(offset, "the local has another type: remove that one");
                }
                _ => return self.cursor.error_at(offset, "only a struct in a local has fields to assign"),
            },
            ExprKind::Element { rail, index, checked } => {
                StmtKind::SetElement { rail: *rail, element: target.ty, index: *index, value, checked }
            }
            ExprKind::Static(field) => StmtKind::SetStatic { field, value },
            _ => {
                return self
                    .cursor
                    .error_at(offset, "only a local, a field, an element or a static can be assigned; `store PLACE = VALUE` stores into memory");
            }
        })
    }
}

/// The number of a label: `L3`.
fn label_number(word: &str) -> Option<u32> {
    let digits = word.strip_prefix('L')?;
    let is_canonical = digits == "0" || !digits.starts_with('0');
    digits.parse().ok().filter(|_| is_canonical && !digits.starts_with('+'))
}
