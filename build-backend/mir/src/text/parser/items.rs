//! Parsing of declarations.

use super::bodies::BodyParser;
use super::cursor::{Cursor, Parsed};
use super::symbols::{Item, ItemKind, Symbols, duplicate};
use crate::native::{NamedFile, NativeFile};
use crate::text::DEFAULT_SPAN;
use crate::text::lexer::{SpanText, TokenKind};
use crate::text::names::{Name, NameTable};
use crate::*;

/// Depth of structs in structs.
const MAX_STRUCT_DEPTH: usize = 64;
/// Size of a struct with all in it.
const MAX_STRUCT_SCALARS: usize = 1 << 16;
/// What a class consists of, for errors.
const CLASS_MEMBERS: &str =
    "`field`, `serialization`, `records_stack_trace`, `version_of`, `vtable`, `implements` or `}`";

/// Builds the program, declaration by declaration.
pub(super) struct ItemParser<'p, 't> {
    pub(super) cursor: Cursor<'t>,
    pub(super) symbols: &'p Symbols,
    pub(super) program: Program,
    /// The token behind the type of each global.
    pub(super) global_values: Vec<usize>,
    /// The token of the `{` of each function.
    function_bodies: Vec<usize>,
    /// The byte offset of each struct, for errors about all of them.
    struct_offsets: Vec<usize>,
}

impl<'p, 't> ItemParser<'p, 't> {
    pub(super) fn new(cursor: Cursor<'t>, symbols: &'p Symbols) -> Self {
        Self {
            cursor,
            symbols,
            program: Program::default(),
            global_values: Vec::new(),
            function_bodies: Vec::new(),
            struct_offsets: Vec::new(),
        }
    }

    /// Everything but the code of functions and kernels.
    pub(super) fn declarations(&mut self, items: &[Item]) -> Parsed<()> {
        for item in items {
            self.cursor = self.cursor.moved_to(item.token);
            match item.kind {
                ItemKind::Option => self.option()?,
                ItemKind::File => self.file(item.is_library)?,
                ItemKind::Struct => self.structure(false)?,
                ItemKind::Union => self.structure(true)?,
                ItemKind::Global => self.global_header()?,
                ItemKind::External => self.external()?,
                ItemKind::Interface => self.interface()?,
                ItemKind::Class => self.class()?,
                ItemKind::Static => self.static_field()?,
                ItemKind::Main | ItemKind::SerializeHook | ItemKind::DeserializeHook => {
                    self.entry_point(item.kind)?;
                }
                ItemKind::RuntimeExceptions => self.runtime_exceptions()?,
                ItemKind::Native => self.native_file()?,
                ItemKind::Function => self.function_header()?,
                ItemKind::Kernel => {}
            }
        }
        self.check_struct_sizes()
    }

    /// The code of kernels and functions.
    pub(super) fn bodies(mut self, items: &[Item]) -> Parsed<Program> {
        for (index, token) in self.global_values.iter().enumerate() {
            let ty = self.program.globals[index].ty;
            self.program.globals[index].init = self.global_value(self.cursor.moved_to(*token), ty)?;
        }
        for item in items.iter().filter(|it| it.kind == ItemKind::Kernel) {
            let body = BodyParser::new(self.cursor.moved_to(item.token), self.symbols, &self.program);
            let kernel = body.kernel()?;
            self.program.kernels.push(kernel);
        }
        for (index, token) in self.function_bodies.iter().enumerate() {
            let body = BodyParser::new(self.cursor.moved_to(*token), self.symbols, &self.program);
            self.program.functions[index] = body.function(&self.program.functions[index])?;
        }
        self.program.types = self.symbols.types.take();
        self.program.assign_ids();
        Ok(self.program)
    }

    fn option(&mut self) -> Parsed<()> {
        let option = match self.cursor.peek() {
            TokenKind::Word(word) if word == "native_code" => &mut self.program.has_native_code,
            TokenKind::Word(word) if word == "unchecked" => &mut self.program.unchecked,
            TokenKind::Word(word) if word == "debug" => &mut self.program.debug,
            TokenKind::Word(word) if word == "all_lines" => &mut self.program.emit_all_lines,
            _ => return self.cursor.expected("`native_code`, `unchecked`, `debug` or `all_lines`"),
        };
        *option = true;
        self.cursor.advance();
        self.cursor.expect(";")
    }

    fn file(&mut self, is_library: bool) -> Parsed<()> {
        let name = self.cursor.string("the name of a file, such as `\"Main.x10\"`,")?;
        if is_library {
            self.program.library.push(FileId(self.program.files.len() as u32));
        }
        self.program.files.push(name.to_owned());
        self.cursor.expect(";")
    }

    /// A struct or union, from its name on. It has a layout if it has a size.
    fn structure(&mut self, is_union: bool) -> Parsed<()> {
        let id = StructId(self.program.structs.len() as u32);
        self.struct_offsets.push(self.cursor.offset());
        let name = self.cursor.global("a struct")?;
        let size = self.size(is_union)?;
        let mut offsets = Vec::new();
        let mut item = Struct { layout: None, name: name.text.to_string(), fields: Vec::new() };
        let mut attributes = TypeAttributes::default();
        let mut names = NameTable::default();
        self.cursor.expect("{")?;
        while !self.cursor.eat("}") {
            match self.cursor.peek() {
                TokenKind::Word(word) if word == "field" => {
                    let has_offset = size.is_some() && !is_union;
                    offsets.push(self.field(&mut item.fields, &mut attributes, &mut names, has_offset)?);
                }
                TokenKind::Word(word) if word == "serialization" => {
                    attributes.serialization = self.serialization()?
                }
                TokenKind::Word(word) if word == "texture" => {
                    self.cursor.advance();
                    self.program.textures.insert(id);
                    self.cursor.expect(";")?;
                }
                _ => return self.cursor.expected("`field`, `serialization`, `texture` or `}`"),
            }
        }
        item.layout = size.map(|size| MemoryLayout { is_union, size, offsets });
        self.program.set_attributes_of_struct(id, attributes);
        self.program.structs.push(item);
        Ok(())
    }

    /// `size 16 align 8`, which unions must have.
    fn size(&mut self, is_needed: bool) -> Parsed<Option<SizeAlign>> {
        if !is_needed && !self.cursor.at_word("size") {
            return Ok(None);
        }
        self.cursor.expect_word("size")?;
        let size = u64::from(self.cursor.small_number("a size in bytes")?);
        self.cursor.expect_word("align")?;
        let align = u64::from(self.cursor.small_number("an alignment in bytes")?);
        Ok(Some(SizeAlign { size, align }))
    }

    fn interface(&mut self) -> Parsed<()> {
        let name = self.cursor.global("an interface")?;
        self.cursor.expect_word("slots")?;
        let slots = self.cursor.small_number("the number of slots")?;
        self.program.interfaces.push(Interface { name: name.text.to_string(), slots });
        self.cursor.expect(";")
    }

    fn class(&mut self) -> Parsed<()> {
        let id = ClassId(self.program.classes.len() as u32);
        let name = self.cursor.global("a class")?;
        let superclass = self.superclass(id)?;
        let kind = self.class_kind()?;
        let mut item = Class {
            name: name.text.to_string(),
            kind,
            superclass,
            fields: Vec::new(),
            attributes: TypeAttributes::default(),
            vtable: Vec::new(),
            interfaces: Vec::new(),
        };
        let mut names = NameTable::default();
        self.cursor.expect("{")?;
        while !self.cursor.eat("}") {
            let TokenKind::Word(word) = self.cursor.peek() else {
                return self.cursor.expected(CLASS_MEMBERS);
            };
            match word.as_str() {
                "field" => {
                    self.field(&mut item.fields, &mut item.attributes, &mut names, false)?;
                }
                "serialization" => item.attributes.serialization = self.serialization()?,
                "records_stack_trace" => {
                    self.cursor.advance();
                    item.attributes.records_stack_trace = true;
                    self.cursor.expect(";")?;
                }
                "version_of" => {
                    self.cursor.advance();
                    let original = self.symbols.class(&mut self.cursor)?;
                    self.program.closure_versions.insert(id, original);
                    self.cursor.expect(";")?;
                }
                "vtable" => {
                    self.cursor.advance();
                    item.vtable = self.slots()?;
                }
                "implements" => {
                    self.cursor.advance();
                    let interface = self.symbols.interface(&mut self.cursor)?;
                    item.interfaces.push((interface, self.slots()?));
                }
                _ => return self.cursor.expected(CLASS_MEMBERS),
            }
        }
        self.program.classes.push(item);
        Ok(())
    }

    /// `extends @C`: a class above, so that there is no cycle.
    fn superclass(&mut self, id: ClassId) -> Parsed<Option<ClassId>> {
        if !self.cursor.eat_word("extends") {
            return Ok(None);
        }
        let offset = self.cursor.offset();
        let superclass = self.symbols.class(&mut self.cursor)?;
        if superclass >= id {
            return self.cursor.error_at(
                offset,
                "a superclass is declared above its subclasses: move it there, or break the cycle",
            );
        }
        Ok(Some(superclass))
    }

    fn class_kind(&mut self) -> Parsed<ClassKind> {
        let TokenKind::Word(word) = self.cursor.peek() else { return Ok(ClassKind::Object) };
        let of = |parser: &mut Self| {
            parser.cursor.expect_word("of")?;
            parser.symbols.ty(&mut parser.cursor)
        };
        let offset = self.cursor.offset();
        self.cursor.advance();
        Ok(match word.as_str() {
            "rail" => ClassKind::Rail { element: of(self)? },
            "box" => ClassKind::Boxed { value: of(self)? },
            "cell" => ClassKind::Cell { value: of(self)? },
            "string" => ClassKind::String,
            "closure" => ClassKind::Closure,
            _ => {
                return self.cursor.error_at(
                    offset,
                    format!(
                        "no kind of class is named `{word}`: write `rail of TYPE`, `box of TYPE`, `cell of TYPE`, \
                         `string` or `closure`"
                    ),
                );
            }
        })
    }

    /// `[@f, -];`
    fn slots(&mut self) -> Parsed<Vec<Option<FunctionId>>> {
        let mut slots = Vec::new();
        self.cursor.expect("[")?;
        let symbols = self.symbols;
        self.cursor.list("]", &mut |cursor| {
            slots.push(symbols.slot(cursor)?);
            Ok(())
        })?;
        self.cursor.expect(";")?;
        Ok(slots)
    }

    /// `field name: TYPE at OFFSET transient volatile non_null immutable;`: adds the field and its
    /// attributes, and gives the offset.
    fn field(
        &mut self,
        fields: &mut Vec<Field>,
        attributes: &mut TypeAttributes,
        names: &mut NameTable,
        has_offset: bool,
    ) -> Parsed<u64> {
        self.cursor.advance();
        let offset = self.cursor.offset();
        let name = self.cursor.member_name()?;
        if let Err(ordinal) = names.declare(&name) {
            return self.cursor.error_at(offset, duplicate("a field", "", &name, ordinal));
        }
        self.cursor.expect(":")?;
        let ty = self.symbols.ty(&mut self.cursor)?;
        let mut place = 0;
        if has_offset {
            self.cursor.expect_word("at")?;
            place = u64::from(self.cursor.small_number("an offset in bytes")?);
        }
        let mut field = FieldAttributes::default();
        loop {
            match self.cursor.peek() {
                TokenKind::Word(word) if word == "transient" => field.transient = true,
                TokenKind::Word(word) if word == "volatile" => field.volatile = true,
                TokenKind::Word(word) if word == "non_null" => field.non_null = true,
                TokenKind::Word(word) if word == "immutable" => field.immutable = true,
                _ => break,
            }
            self.cursor.advance();
        }
        self.cursor.expect(";")?;
        attributes.set_field(fields.len() as u32, field);
        fields.push(Field { name: name.text, ty });
        Ok(place)
    }

    fn serialization(&mut self) -> Parsed<Serialization> {
        self.cursor.advance();
        let offset = self.cursor.offset();
        let word = self.cursor.word("a way of serialization")?;
        let serialization = match word.as_str() {
            "custom" if self.cursor.at_punctuation(";") => Serialization::Custom(None),
            "custom" => Serialization::Custom(Some(self.symbols.function(&mut self.cursor)?)),
            "restore_transient" => Serialization::RestoreTransient(self.symbols.function(&mut self.cursor)?),
            "never" => Serialization::NotSerializable,
            "global_ref" => Serialization::GlobalRef,
            _ => {
                return self.cursor.error_at(
                    offset,
                    "write `custom`, `custom @f`, `restore_transient @f`, `never` or `global_ref`",
                );
            }
        };
        self.cursor.expect(";")?;
        Ok(serialization)
    }

    fn static_field(&mut self) -> Parsed<()> {
        let name = self.cursor.global("a static")?;
        self.cursor.expect(":")?;
        let ty = self.symbols.ty(&mut self.cursor)?;
        self.cursor.expect_word("init")?;
        let init = self.symbols.function(&mut self.cursor)?;
        self.program.statics.push(Static { name: name.text.to_string(), ty, init });
        self.cursor.expect(";")
    }

    fn entry_point(&mut self, kind: ItemKind) -> Parsed<()> {
        let offset = self.cursor.offset();
        let function = self.symbols.function(&mut self.cursor)?;
        let entry = match kind {
            ItemKind::Main => &mut self.program.main,
            ItemKind::SerializeHook => &mut self.program.serialize_hook,
            _ => &mut self.program.deserialize_hook,
        };
        if entry.replace(function).is_some() {
            return self.cursor.error_at(offset, "there is another declaration of this above: remove one");
        }
        self.cursor.expect(";")
    }

    fn runtime_exceptions(&mut self) -> Parsed<()> {
        self.cursor.expect("[")?;
        let (symbols, functions) = (self.symbols, &mut self.program.runtime_exceptions);
        self.cursor.list("]", &mut |cursor| {
            functions.push(symbols.function(cursor)?);
            Ok(())
        })?;
        self.cursor.expect(";")
    }

    fn native_file(&mut self) -> Parsed<()> {
        let offset = self.cursor.offset();
        let number = self.cursor.small_number("the number of a file")?;
        let file = self.symbols.file(&self.cursor, offset, number)?;
        let folder = self.cursor.string("a folder")?.to_owned();
        let mut item =
            NativeFile { file, folder, includes: Vec::new(), sources: Vec::new(), others: Vec::new() };
        self.cursor.expect("{")?;
        while !self.cursor.eat("}") {
            let files = match self.cursor.peek() {
                TokenKind::Word(word) if word == "include" => &mut item.includes,
                TokenKind::Word(word) if word == "source" => &mut item.sources,
                TokenKind::Word(word) if word == "other" => &mut item.others,
                _ => return self.cursor.expected("`include`, `source`, `other` or `}`"),
            };
            self.cursor.advance();
            let name = self.cursor.string("the name of a file")?.into();
            let span = required_span(&mut self.cursor, self.symbols)?;
            files.push(NamedFile { name, span });
            self.cursor.expect(";")?;
        }
        self.program.natives.push(item);
        Ok(())
    }

    fn function_header(&mut self) -> Parsed<()> {
        let name = self.cursor.global("a function")?;
        let mut locals = Vec::new();
        let mut names = NameTable::default();
        self.cursor.expect("(")?;
        let symbols = self.symbols;
        self.cursor.list(")", &mut |cursor| {
            locals.push(declared_local(cursor, symbols, &mut names)?);
            Ok(())
        })?;
        self.cursor.expect(":")?;
        let result = symbols.ty(&mut self.cursor)?;
        let mut function = Function {
            name: name.text.to_string(),
            span: DEFAULT_SPAN,
            params: locals.len() as u32,
            locals,
            variables: Vec::new(),
            result,
            body: Vec::new(),
            device: false,
            kernel_only: false,
            recursion: Recursion::default(),
            stack_objects: Vec::new(),
            inlining: Inlining::Free,
            role: FunctionRole::Plain,
        };
        while let TokenKind::Word(word) = self.cursor.peek() {
            let offset = self.cursor.offset();
            self.cursor.advance();
            match word.as_str() {
                "device" => function.device = true,
                "kernel_only" => function.kernel_only = true,
                "noinline" => function.inlining = Inlining::Never,
                "cold" => function.inlining = Inlining::Cold,
                "cycle" => function.recursion.cycle = self.cursor.small_number("the number of the cycle")?,
                "checks_at_start" => function.recursion.checks_at_start = true,
                "tuple" => function.role = FunctionRole::Tuple,
                "property" => function.role = FunctionRole::Property,
                "char_at" => function.role = FunctionRole::CharAt,
                "indexing" => {
                    let indexing = self.indexing()?;
                    match &mut function.role {
                        FunctionRole::Indexing(forms) => forms.push(indexing),
                        role => *role = FunctionRole::Indexing(vec![indexing]),
                    }
                }
                _ => {
                    return self.cursor.error_at(
                        offset,
                        "write `device`, `kernel_only`, `noinline`, `cold`, `cycle NUMBER`, `checks_at_start`, \
                         `tuple`, `property`, `char_at`, `indexing NUMBER @covers @unchecked` or `{`",
                    );
                }
            }
        }
        function.span = optional_span(&mut self.cursor, symbols)?;
        if !self.cursor.at_punctuation("{") {
            return self.cursor.expected("`{`");
        }
        self.function_bodies.push(self.cursor.index());
        self.program.functions.push(function);
        Ok(())
    }

    /// `2 @covers @unchecked`
    fn indexing(&mut self) -> Parsed<Indexing> {
        let rank = self.cursor.small_number("the number of indices")?;
        let covers = self.symbols.function(&mut self.cursor)?;
        let unchecked = self.symbols.function(&mut self.cursor)?;
        Ok(Indexing { rank, covers, unchecked })
    }

    /// Structs are values: none contains itself. Their size is limited, since passes recurse on their fields.
    fn check_struct_sizes(&self) -> Parsed<()> {
        let (structs, types) = (&self.program.structs, self.symbols.types.borrow());
        // By struct: the number of its scalars, once it is known. On the path: a struct, its next field, and
        // the number of scalars in the fields before.
        let mut sizes: Vec<Option<usize>> = vec![None; structs.len()];
        for root in 0..structs.len() {
            let mut path = vec![(root, 0, 0_usize)];
            while let Some((index, field, size)) = path.pop() {
                let fail = |message: String| self.cursor.error_at(self.struct_offsets[index], message);
                let name = &structs[index].name;
                if size > MAX_STRUCT_SCALARS {
                    return fail(format!("the struct `{name}` has more than {MAX_STRUCT_SCALARS} scalars"));
                }
                let field_type = structs[index].fields.get(field).map(|it| types.innermost(it.ty));
                let inner = match field_type {
                    None => {
                        sizes[index] = Some(size);
                        continue;
                    }
                    Some(Ty::Struct(inner)) => inner.index(),
                    Some(_) => {
                        path.push((index, field + 1, size + 1));
                        continue;
                    }
                };
                if let Some(more) = sizes[inner] {
                    path.push((index, field + 1, size + more));
                    continue;
                }
                if inner == index || path.iter().any(|it| it.0 == inner) {
                    return fail(format!("the struct `{name}` contains itself"));
                }
                if path.len() >= MAX_STRUCT_DEPTH {
                    return fail(format!("structs are nested more than {MAX_STRUCT_DEPTH} levels deep here"));
                }
                // The field is examined again when the size of its struct is known.
                path.push((index, field, size));
                path.push((inner, 0, 0));
            }
        }
        Ok(())
    }
}

/// `%name: TYPE`
pub(super) fn declared_local(
    cursor: &mut Cursor<'_>,
    symbols: &Symbols,
    names: &mut NameTable,
) -> Parsed<Local> {
    let offset = cursor.offset();
    let name: &Name = cursor.local()?;
    if let Err(ordinal) = names.declare(name) {
        return cursor.error_at(offset, duplicate("a local", "%", name, ordinal));
    }
    cursor.expect(":")?;
    Ok(Local { name: name.text.clone(), ty: symbols.ty(cursor)? })
}

/// The span of a declaration.
pub(super) fn optional_span(cursor: &mut Cursor<'_>, symbols: &Symbols) -> Parsed<Span> {
    let offset = cursor.offset();
    match cursor.span() {
        Some(span) => resolve_span(cursor, symbols, offset, span, DEFAULT_SPAN.file),
        None => Ok(DEFAULT_SPAN),
    }
}

/// A span that must be there.
pub(super) fn required_span(cursor: &mut Cursor<'_>, symbols: &Symbols) -> Parsed<Span> {
    if !matches!(cursor.peek(), TokenKind::Span(_)) {
        return cursor.expected("a position, such as `@0:12:5`,");
    }
    optional_span(cursor, symbols)
}

/// A written span. Without a file it is in `inherited`.
pub(super) fn resolve_span(
    cursor: &Cursor<'_>,
    symbols: &Symbols,
    offset: usize,
    span: SpanText,
    inherited: FileId,
) -> Parsed<Span> {
    let file = span.file.map_or(Ok(inherited), |it| symbols.file(cursor, offset, it))?;
    Ok(Span { file, start: span.start, end: span.end })
}
