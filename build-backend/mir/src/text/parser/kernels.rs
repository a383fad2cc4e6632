//! Parsing of kernels.

use super::bodies::BodyParser;
use super::cursor::Parsed;
use super::items::optional_span;
use crate::text::lexer::TokenKind;
use crate::text::types::capture_elements;
use crate::*;

impl BodyParser<'_, '_> {
    /// A kernel, from its name on.
    pub(super) fn kernel(mut self) -> Parsed<Kernel> {
        let name = self.cursor.global("a kernel")?;
        let mut kernel = empty_kernel(&name.text);
        while let TokenKind::Word(word) = self.cursor.peek() {
            match word.as_str() {
                "direct_params" => kernel.direct_params = true,
                "fast_math" => kernel.fast_math = true,
                "has_barrier" => kernel.has_barrier = true,
                _ => return self.cursor.expected("`direct_params`, `fast_math`, `has_barrier` or `{`"),
            }
            self.cursor.advance();
        }
        kernel.span = optional_span(&mut self.cursor, self.symbols)?;
        self.inherited = kernel.span;
        self.cursor.expect("{")?;
        self.variable_declarations()?;
        self.local_declarations()?;
        let mut has_body = false;
        while !self.cursor.eat("}") {
            has_body |= self.cursor.at_word("body");
            self.kernel_part(&mut kernel)?;
        }
        if !has_body {
            return self.cursor.error("the kernel above has no `body { }`");
        }
        self.check_gotos()?;
        (kernel.locals, kernel.variables) = (self.locals, self.variables);
        Ok(kernel)
    }

    fn kernel_part(&mut self, kernel: &mut Kernel) -> Parsed<()> {
        const PARTS: &str = "`capture`, `block`, `thread`, `auto_blocks`, `auto_threads`, `block_choices`, `thread_choices`, \
                             `shared` or `body`";
        let TokenKind::Word(word) = self.cursor.peek() else { return self.cursor.expected(PARTS) };
        let offset = self.cursor.offset();
        self.cursor.advance();
        match word.as_str() {
            "capture" => {
                let capture = self.capture()?;
                kernel.captures.push(capture);
                self.elements = capture_elements(&kernel.captures);
            }
            "block" | "thread" => {
                let local = self.local()?;
                self.cursor.expect("<")?;
                let extent = self.full_expr()?;
                let (locals, extents) = match word.as_str() {
                    "block" => (&mut kernel.block_locals, &mut kernel.host.blocks),
                    _ => (&mut kernel.thread_locals, &mut kernel.host.threads),
                };
                locals.push(local);
                extents.push(extent);
            }
            "auto_blocks" => kernel.auto_blocks = Some(self.local()?),
            "auto_threads" => kernel.auto_threads = Some(self.local()?),
            "block_choices" => kernel.block_choices = self.choices()?,
            "thread_choices" => kernel.thread_choices = self.choices()?,
            "shared" => {
                let array = self.shared_array(kernel)?;
                kernel.shared.push(array);
            }
            "body" => {
                self.cursor.expect("{")?;
                kernel.body = self.stmts_to_brace()?;
                return Ok(());
            }
            _ => {
                return self
                    .cursor
                    .error_at(offset, format!("no part of a kernel is named `{word}`: write {PARTS}"));
            }
        }
        self.cursor.expect(";")
    }

    /// `name: TYPE static @S global @G = VALUE`
    fn capture(&mut self) -> Parsed<KernelCapture> {
        let name = self.cursor.member_name()?.text;
        self.cursor.expect(":")?;
        let word = match self.cursor.peek() {
            TokenKind::Word(word) if matches!(word.as_str(), "buffer" | "constant" | "global") => {
                word.as_str()
            }
            _ => "",
        };
        if !word.is_empty() {
            self.cursor.advance();
            if word != "buffer" {
                self.cursor.expect_word("buffer")?;
            }
            self.cursor.expect_word("of")?;
        }
        let element = self.symbols.ty(&mut self.cursor)?;
        let kind = match word {
            "buffer" => KernelCaptureKind::Buffer { element },
            "constant" => KernelCaptureKind::ConstantBuffer { element },
            "global" => KernelCaptureKind::GlobalBuffer { element },
            _ => KernelCaptureKind::Scalar(element),
        };
        let static_field = if self.cursor.eat_word("static") {
            Some(self.symbols.static_field(&mut self.cursor)?)
        } else {
            None
        };
        let global = match self.cursor.eat_word("global") {
            true => Some(self.symbols.global(&mut self.cursor)?),
            false => None,
        };
        let derived_from = if self.cursor.eat("=") { Some(self.full_expr()?) } else { None };
        Ok(KernelCapture { name, kind, static_field, global, derived_from })
    }

    /// `[1, 2, 3]`
    fn choices(&mut self) -> Parsed<Vec<i32>> {
        let mut choices = Vec::new();
        self.cursor.expect("[")?;
        self.cursor.list("]", &mut |cursor| {
            let offset = cursor.offset();
            let Ok(choice) = i32::try_from(cursor.integer()?) else {
                return cursor.error_at(offset, "a choice is a number of 32 bits");
            };
            choices.push(choice);
            Ok(())
        })?;
        Ok(choices)
    }

    /// `%name: TYPE length EXPR = INITIAL`
    fn shared_array(&mut self, kernel: &mut Kernel) -> Parsed<SharedArray> {
        let local = self.local()?;
        self.cursor.expect(":")?;
        let element = self.symbols.ty(&mut self.cursor)?;
        self.cursor.expect_word("length")?;
        kernel.host.shared_lengths.push(self.full_expr()?);
        let init = if !self.cursor.eat("=") {
            SharedInit::Zero
        } else if self.cursor.eat_word("copy") {
            SharedInit::Copy(self.local()?)
        } else if self.cursor.eat_word("function") {
            let index = self.local()?;
            self.cursor.expect("{")?;
            let setup = self.stmts_to_brace()?;
            self.cursor.expect_word("value")?;
            SharedInit::Function { index, setup, value: self.full_expr()? }
        } else {
            SharedInit::Value(self.full_expr()?)
        };
        Ok(SharedArray { local, element, init })
    }
}

fn empty_kernel(name: &str) -> Kernel {
    Kernel {
        name: name.to_owned(),
        span: crate::text::DEFAULT_SPAN,
        captures: Vec::new(),
        host: LaunchConfiguration { blocks: Vec::new(), threads: Vec::new(), shared_lengths: Vec::new() },
        shared: Vec::new(),
        locals: Vec::new(),
        variables: Vec::new(),
        block_locals: Vec::new(),
        thread_locals: Vec::new(),
        auto_blocks: None,
        auto_threads: None,
        block_choices: Vec::new(),
        thread_choices: Vec::new(),
        body: Vec::new(),
        direct_params: false,
        fast_math: false,
        has_barrier: false,
    }
}
