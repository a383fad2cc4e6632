//! Parsing of primary expressions: constants, locals, calls and allocations.

use std::sync::Arc;

use super::bodies::BodyParser;
use super::cursor::Parsed;
use super::globals::float_bits;
use crate::text::lexer::TokenKind;
use crate::*;

impl BodyParser<'_, '_> {
    pub(super) fn primary(&mut self) -> Parsed<Expr> {
        match self.cursor.peek() {
            TokenKind::Local(_) => {
                let local = self.local()?;
                self.typed(ExprKind::Local(local))
            }
            TokenKind::Punctuation("(") => self.parenthesised(),
            TokenKind::Global(_) => self.call(),
            TokenKind::Integer(_) | TokenKind::Float(_) | TokenKind::Punctuation("-") => self.number(),
            TokenKind::String(text) => {
                self.cursor.advance();
                self.typed(ExprKind::String(text.as_str().into()))
            }
            TokenKind::Char(c) => {
                self.cursor.advance();
                Ok(Expr::new(Ty::Char, ExprKind::Int(i64::from(u32::from(*c)))))
            }
            TokenKind::Word(word) => self.word_expr(word),
            _ => self.cursor.expected("an expression"),
        }
    }

    fn parenthesised(&mut self) -> Parsed<Expr> {
        self.cursor.advance();
        let inner = self.full_expr()?;
        self.cursor.expect(")")?;
        Ok(inner)
    }

    /// `@f(ARGS)`
    fn call(&mut self) -> Parsed<Expr> {
        let offset = self.cursor.offset();
        let function = self.symbols.function(&mut self.cursor)?;
        let args = self.args()?;
        let callee = &self.program.functions[function.index()];
        self.check_count(offset, &callee.name, "arguments", callee.params as usize, args.len())?;
        self.typed(ExprKind::Call { function, args })
    }

    /// An expression that begins with a word.
    fn word_expr(&mut self, word: &str) -> Parsed<Expr> {
        let start = self.cursor.offset();
        self.cursor.advance();
        let kind = match word {
            "true" | "false" => return Ok(Expr::new(Ty::Bool, ExprKind::Int(i64::from(word == "true")))),
            "null" => ExprKind::Null,
            "zero" => ExprKind::Zero,
            "here" => ExprKind::Here,
            "float" => ExprKind::Float(float_bits(&mut self.cursor)?),
            "load" => ExprKind::Load(Box::new(self.accessed_place()?)),
            "address" => ExprKind::AddressOf(Box::new(self.place()?)),
            "function" => ExprKind::FunctionAddress(self.symbols.function(&mut self.cursor)?),
            "external" => ExprKind::ExternalAddress(self.symbols.external(&mut self.cursor)?),
            "bytes" => ExprKind::Bytes(self.bytes()?),
            "call" => {
                let callee = Box::new(self.primary()?);
                ExprKind::CallPointer { callee, args: self.args()? }
            }
            "static" => ExprKind::Static(self.symbols.static_field(&mut self.cursor)?),
            "struct" => return self.make_struct(),
            "new" | "stack" | "new_rail" | "uninitialized_rail" | "table_rail" => self.allocation(word)?,
            "virtual" | "interface" | "closure" => self.indirect_call(word)?,
            "thread" => self.thread_index()?,
            "rt" => {
                self.cursor.expect(".")?;
                let entry = self.cursor.word("the name of a runtime entry")?.clone();
                ExprKind::Runtime { entry, args: self.args()? }
            }
            "length" => {
                let checked = self.cursor.eat("?");
                let [rail] = self.operands(start, word)?;
                ExprKind::Length { rail: Box::new(rail), checked }
            }
            "select" => {
                let [condition, then, otherwise] = self.operands(start, word)?.map(Box::new);
                ExprKind::Select { condition, then, otherwise }
            }
            "at_value" => {
                let [place, closure] = self.operands(start, word)?.map(Box::new);
                ExprKind::At { place, closure }
            }
            _ => self.operation(start, word)?,
        };
        self.typed(kind)
    }

    /// A fixed number of operands in parentheses.
    fn operands<const N: usize>(&mut self, offset: usize, name: &str) -> Parsed<[Expr; N]> {
        let args = self.args()?;
        let found = args.len();
        match args.try_into() {
            Ok(args) => Ok(args),
            Err(_) => self.cursor.error_at(offset, format!("`{name}` needs {N} operands, not {found}")),
        }
    }

    fn make_struct(&mut self) -> Parsed<Expr> {
        let offset = self.cursor.offset();
        let id = self.symbols.structure(&mut self.cursor)?;
        let fields = self.args()?;
        let declared = &self.program.structs[id.index()];
        self.check_count(offset, &declared.name, "fields", declared.fields.len(), fields.len())?;
        Ok(Expr::new(Ty::Struct(id), ExprKind::MakeStruct(fields)))
    }

    fn thread_index(&mut self) -> Parsed<ExprKind> {
        self.cursor.expect(".")?;
        let offset = self.cursor.offset();
        let name = self.cursor.word("the name of a thread index")?;
        match ThreadIndex::from_name(name) {
            Some(index) => Ok(ExprKind::ThreadIndex(index)),
            None => self.cursor.error_at(
                offset,
                format!(
                    "no thread index is named `{name}`: write `rank`, `lane`, `warp`, `count`, `grid_size` or `grid_index`"
                ),
            ),
        }
    }

    fn allocation(&mut self, word: &str) -> Parsed<ExprKind> {
        let slot_offset = self.cursor.offset();
        let slot =
            if word == "stack" { self.cursor.small_number("the number of a stack object")? } else { 0 };
        if word == "stack" && slot as usize >= self.stack_objects.len() {
            let count = self.stack_objects.len();
            return self.cursor.error_at(
                slot_offset,
                format!(
                    "this function has {count} stack objects: write `stack [@CLASS, ...];` in front of `var`"
                ),
            );
        }
        let offset = self.cursor.offset();
        let class = self.symbols.class(&mut self.cursor)?;
        match word {
            "new" if !self.cursor.at_punctuation("(") => Ok(ExprKind::Allocate(class)),
            "new" => {
                let fields = self.args()?;
                Ok(ExprKind::MakeObject { class, fields })
            }
            "stack" => Ok(ExprKind::StackAllocate { slot, class, fields: self.args()? }),
            "table_rail" => Ok(ExprKind::TableRail { class, table: Arc::new(self.table()?) }),
            _ => {
                let [length] = self.operands(offset, word)?;
                Ok(ExprKind::AllocateRail { class, length: Box::new(length), zeroed: word == "new_rail" })
            }
        }
    }

    /// `(ELEMENT, @CLASS [LENGTHS], ..., [VALUES])`
    fn table(&mut self) -> Parsed<Table> {
        self.cursor.expect("(")?;
        let element = self.symbols.ty(&mut self.cursor)?;
        let (mut classes, mut lengths) = (Vec::new(), Vec::new());
        self.cursor.expect(",")?;
        while matches!(self.cursor.peek(), TokenKind::Global(_)) {
            classes.push(self.symbols.class(&mut self.cursor)?);
            self.cursor.expect("[")?;
            let mut own = Vec::new();
            self.cursor.list("]", &mut |cursor| {
                own.push(cursor.integer()?);
                Ok(())
            })?;
            lengths.push(own);
            self.cursor.expect(",")?;
        }
        self.cursor.expect("[")?;
        let around = self.literal.replace(element);
        let mut elements = Vec::new();
        while !self.cursor.eat("]") {
            elements.push(self.full_expr()?);
            if !self.cursor.eat(",") {
                self.cursor.expect("]")?;
                break;
            }
        }
        self.literal = around;
        self.cursor.expect(")")?;
        Ok(Table { classes, lengths, element, elements })
    }

    /// `virtual @C 3(ARGS)`, `interface @I 0(ARGS)` or `closure @I(ARGS)`
    fn indirect_call(&mut self, word: &str) -> Parsed<ExprKind> {
        if word == "virtual" {
            let class = self.symbols.class(&mut self.cursor)?;
            // A class without objects has no table.
            let table = &self.program.classes[class.index()].vtable;
            let slot = self.slot(if table.is_empty() { usize::MAX } else { table.len() })?;
            return Ok(ExprKind::CallVirtual { class, slot, args: self.receiver_and_args()? });
        }
        let interface = self.symbols.interface(&mut self.cursor)?;
        if word == "closure" {
            return Ok(ExprKind::CallClosure { interface, args: self.receiver_and_args()? });
        }
        let slot = self.slot(self.program.interfaces[interface.index()].slots as usize)?;
        Ok(ExprKind::CallInterface { interface, slot, args: self.receiver_and_args()? })
    }

    fn slot(&mut self, count: usize) -> Parsed<u32> {
        let offset = self.cursor.offset();
        let slot = self.cursor.small_number("the number of a slot")?;
        if (slot as usize) < count {
            return Ok(slot);
        }
        self.cursor.error_at(offset, format!("there is no slot {slot}: the table has {count}"))
    }

    fn receiver_and_args(&mut self) -> Parsed<Vec<Expr>> {
        let offset = self.cursor.offset();
        let args = self.args()?;
        if args.is_empty() {
            return self.cursor.error_at(offset, "the receiver is missing: it is the first argument");
        }
        Ok(args)
    }

    /// An operation by its name: arithmetic, atomic or collective.
    fn operation(&mut self, offset: usize, word: &str) -> Parsed<ExprKind> {
        if let Some(operation) = Operation::from_name(word) {
            let args = self.args()?;
            return match operation.arity().contains(&args.len()) {
                true => Ok(ExprKind::Operation { operation, args }),
                false => {
                    self.cursor.error_at(offset, format!("`{word}` does not take {} operands", args.len()))
                }
            };
        }
        if let Some(name) = word.strip_prefix("atomic_")
            && let Some((operation, _)) = AtomicOperation::ALL.iter().find(|it| it.1 == name)
        {
            let mut args = self.args()?.into_iter();
            let (Some(rail), Some(index)) = (args.next(), args.next()) else {
                return self.cursor.error_at(offset, format!("`{word}` needs a rail, an index and values"));
            };
            let (rail, index) = (Box::new(rail), Box::new(index));
            return Ok(ExprKind::Atomic { operation: *operation, rail, index, values: args.collect() });
        }
        if let Some((scope, name)) = word.split_once('_')
            && let Some(operation) = CollectiveOp::from_name(scope, name)
        {
            return Ok(ExprKind::Collective { operation, args: self.args()? });
        }
        self.cursor.error_at(
            offset,
            format!("no expression begins with `{word}`: write `@{word}(...)` for a function, `%{word}` for a local"),
        )
    }
}
