//! The names of all declarations of a text, which are collected before anything refers to them.

use std::cell::RefCell;

use crate::text::lexer::TokenKind;
use crate::text::names::{Name, NameTable};
use crate::*;

use super::cursor::{Cursor, Parsed};

/// The kind of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemKind {
    Option,
    File,
    Struct,
    Union,
    Global,
    External,
    Interface,
    Class,
    Static,
    Main,
    SerializeHook,
    DeserializeHook,
    RuntimeExceptions,
    Native,
    Kernel,
    Function,
}

/// A declaration: its kind, and the token behind its first word (or words).
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) kind: ItemKind,
    pub(super) token: usize,
    /// `library file`
    pub(super) is_library: bool,
}

/// Declarations by name.
#[derive(Default)]
pub(super) struct Symbols {
    structs: NameTable,
    interfaces: NameTable,
    classes: NameTable,
    statics: NameTable,
    functions: NameTable,
    kernels: NameTable,
    globals: NameTable,
    externals: NameTable,
    /// The types that the text has mentioned so far.
    pub(super) types: RefCell<TypeTable>,
    files: usize,
}

impl Symbols {
    /// Collects the declarations of a text.
    pub(super) fn collect(cursor: &mut Cursor<'_>) -> Parsed<(Symbols, Vec<Item>)> {
        let mut symbols = Symbols::default();
        let mut items = Vec::new();
        while *cursor.peek() != TokenKind::End {
            items.push(symbols.item(cursor)?);
        }
        Ok((symbols, items))
    }

    fn item(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Item> {
        let is_library =
            cursor.at_word("library") && matches!(cursor.peek_second(), TokenKind::Word(it) if it == "file");
        if is_library {
            cursor.advance();
        }
        let TokenKind::Word(word) = cursor.peek() else {
            return cursor.expected("a declaration, such as `function @name(): void { }`,");
        };
        let kind = match word.as_str() {
            "option" => ItemKind::Option,
            "file" => ItemKind::File,
            "struct" => ItemKind::Struct,
            "union" => ItemKind::Union,
            "global" => ItemKind::Global,
            "external" => ItemKind::External,
            "interface" => ItemKind::Interface,
            "class" => ItemKind::Class,
            "static" => ItemKind::Static,
            "main" => ItemKind::Main,
            "serialize_hook" => ItemKind::SerializeHook,
            "deserialize_hook" => ItemKind::DeserializeHook,
            "runtime_exceptions" => ItemKind::RuntimeExceptions,
            "native" => ItemKind::Native,
            "kernel" => ItemKind::Kernel,
            "function" => ItemKind::Function,
            _ => {
                return cursor.error(format!(
                    "no declaration begins with `{word}`: write `file`, `struct`, `union`, `global`, `external`, `interface`, `class`, `static`, `main`, \
                     `kernel`, `function`, `native`, `option`, `runtime_exceptions`, `serialize_hook` or `deserialize_hook`"
                ));
            }
        };
        cursor.advance();
        let token = cursor.index();
        let (table, what) = match kind {
            ItemKind::Struct | ItemKind::Union => (Some(&mut self.structs), "a struct"),
            ItemKind::Global => (Some(&mut self.globals), "a global"),
            ItemKind::External => (Some(&mut self.externals), "an external function"),
            ItemKind::Interface => (Some(&mut self.interfaces), "an interface"),
            ItemKind::Class => (Some(&mut self.classes), "a class"),
            ItemKind::Static => (Some(&mut self.statics), "a static"),
            ItemKind::Function => (Some(&mut self.functions), "a function"),
            ItemKind::Kernel => (Some(&mut self.kernels), "a kernel"),
            _ => (None, ""),
        };
        if let Some(table) = table {
            let offset = cursor.offset();
            let name = cursor.global(what)?;
            if let Err(ordinal) = table.declare(name) {
                return cursor.error_at(offset, duplicate(what, "@", name, ordinal));
            }
        }
        self.files += usize::from(kind == ItemKind::File);
        skip_item(cursor, kind != ItemKind::Global)?;
        Ok(Item { kind, token, is_library })
    }

    fn find(&self, cursor: &mut Cursor<'_>, table: &NameTable, what: &str) -> Parsed<u32> {
        let offset = cursor.offset();
        let name = cursor.global(what)?;
        if let Some(index) = table.find(name) {
            return Ok(index);
        }
        let ordinal = if name.ordinal > 0 { format!("#{}", name.ordinal) } else { String::new() };
        let hint = table.similar(&name.text).map_or(String::new(), |it| format!("; there is `@{it}`"));
        cursor.error_at(offset, format!("{what} named `@{}{ordinal}` is not declared{hint}", name.text))
    }

    pub(super) fn class(&self, cursor: &mut Cursor<'_>) -> Parsed<ClassId> {
        self.find(cursor, &self.classes, "a class").map(ClassId)
    }

    pub(super) fn structure(&self, cursor: &mut Cursor<'_>) -> Parsed<StructId> {
        self.find(cursor, &self.structs, "a struct").map(StructId)
    }

    pub(super) fn interface(&self, cursor: &mut Cursor<'_>) -> Parsed<InterfaceId> {
        self.find(cursor, &self.interfaces, "an interface").map(InterfaceId)
    }

    pub(super) fn static_field(&self, cursor: &mut Cursor<'_>) -> Parsed<StaticId> {
        self.find(cursor, &self.statics, "a static").map(StaticId)
    }

    pub(super) fn function(&self, cursor: &mut Cursor<'_>) -> Parsed<FunctionId> {
        self.find(cursor, &self.functions, "a function").map(FunctionId)
    }

    pub(super) fn kernel(&self, cursor: &mut Cursor<'_>) -> Parsed<KernelId> {
        self.find(cursor, &self.kernels, "a kernel").map(KernelId)
    }

    pub(super) fn global(&self, cursor: &mut Cursor<'_>) -> Parsed<GlobalId> {
        self.find(cursor, &self.globals, "a global").map(GlobalId)
    }

    pub(super) fn external(&self, cursor: &mut Cursor<'_>) -> Parsed<ExternalId> {
        self.find(cursor, &self.externals, "an external function").map(ExternalId)
    }

    /// A function, or `-` for none.
    pub(super) fn slot(&self, cursor: &mut Cursor<'_>) -> Parsed<Option<FunctionId>> {
        if cursor.eat("-") { Ok(None) } else { self.function(cursor).map(Some) }
    }

    /// A file by its number. A text without files has the number 0, too.
    pub(super) fn file(&self, cursor: &Cursor<'_>, offset: usize, number: u32) -> Parsed<FileId> {
        if (number as usize) < self.files.max(1) {
            return Ok(FileId(number));
        }
        cursor.error_at(offset, format!("there is no file {number}: the text declares {}", self.files))
    }

    pub(super) fn ty(&self, cursor: &mut Cursor<'_>) -> Parsed<Ty> {
        let offset = cursor.offset();
        let word = cursor.word("a type, such as `i64`, `ref @C` or `struct @S`,")?;
        match word.as_str() {
            "ref" => self.class(cursor).map(Ty::Ref),
            "struct" => self.structure(cursor).map(Ty::Struct),
            "pointer" | "array" | "function" => {
                cursor.enter()?;
                let ty = self.derived_type(cursor, word)?;
                cursor.leave();
                Ok(ty)
            }
            word => match crate::text::types::simple_type(word) {
                Some(ty) => Ok(ty),
                None => cursor.error_at(
                    offset,
                    format!(
                        "no type is named `{word}`: write `void`, `bool`, `char`, `i8` to `i64`, `u8` to `u64`, `f32`, \
                         `f64`, `any`, `ref @C`, `struct @S`, `pointer TYPE`, `array NUMBER of TYPE` or `function(TYPE): TYPE`"
                    ),
                ),
            },
        }
    }
}

impl Symbols {
    /// A type that is made of others, behind its first word.
    fn derived_type(&self, cursor: &mut Cursor<'_>, word: &str) -> Parsed<Ty> {
        match word {
            "pointer" => {
                let space = address_space(cursor)?;
                let pointee = self.ty(cursor)?;
                Ok(self.types.borrow_mut().pointer_to(pointee, space))
            }
            "array" => {
                let offset = cursor.offset();
                let Ok(length) = u64::try_from(cursor.integer()?) else {
                    return cursor.error_at(offset, "the length of an array is not negative");
                };
                cursor.expect_word("of")?;
                let element = self.ty(cursor)?;
                Ok(self.types.borrow_mut().array_of(element, length))
            }
            _ => self.signature(cursor).map(Ty::Function),
        }
    }

    /// `(TYPE, TYPE, ...): TYPE`
    pub(super) fn signature(&self, cursor: &mut Cursor<'_>) -> Parsed<SignatureId> {
        cursor.expect("(")?;
        let (mut params, mut is_variadic) = (Vec::new(), false);
        cursor.list(")", &mut |cursor| {
            if is_variadic {
                return cursor.error("no parameter follows `...`");
            }
            is_variadic = cursor.eat("...");
            if !is_variadic {
                params.push(self.ty(cursor)?);
            }
            Ok(())
        })?;
        cursor.expect(":")?;
        let result = self.ty(cursor)?;
        Ok(self.types.borrow_mut().function(Signature { params, result, is_variadic }))
    }
}

/// `(SPACE)`, or nothing for any memory.
fn address_space(cursor: &mut Cursor<'_>) -> Parsed<AddressSpace> {
    if !cursor.eat("(") {
        return Ok(AddressSpace::Generic);
    }
    let offset = cursor.offset();
    let word = cursor.word("the name of an address space")?;
    let Some((space, _)) = AddressSpace::ALL.iter().find(|it| it.1 == word) else {
        return cursor.error_at(
            offset,
            format!("no address space is named `{word}`: write `generic`, `global`, `shared` or `constant`"),
        );
    };
    cursor.expect(")")?;
    Ok(*space)
}

/// The message for a name that is declared twice.
pub(super) fn duplicate(what: &str, sigil: &str, name: &Name, ordinal: u32) -> String {
    let text = &name.text;
    if ordinal == 0 {
        return format!("this is the first declaration of `{sigil}{text}`: remove `#{}`", name.ordinal);
    }
    format!(
        "{what} named `{sigil}{text}` is declared {ordinal} times above: this one is `{sigil}{text}#{ordinal}`"
    )
}

/// Skips a declaration behind its name: up to `;`, or over the block that ends it, if it has one.
fn skip_item(cursor: &mut Cursor<'_>, has_block: bool) -> Parsed<()> {
    let start = cursor.offset();
    let mut depth = 0_usize;
    loop {
        match cursor.peek() {
            TokenKind::End => return cursor.error_at(start, "this declaration does not end: add `;` or `}`"),
            TokenKind::Punctuation("{") => depth += 1,
            TokenKind::Punctuation("}") if depth <= 1 => {
                if depth == 0 {
                    return cursor.error("this `}` closes no block");
                }
                if has_block {
                    cursor.advance();
                    return Ok(());
                }
                depth = 0;
            }
            TokenKind::Punctuation("}") => depth -= 1,
            TokenKind::Punctuation(";") if depth == 0 => {
                cursor.advance();
                return Ok(());
            }
            _ => {}
        }
        cursor.advance();
    }
}
