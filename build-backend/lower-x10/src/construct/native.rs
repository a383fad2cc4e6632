//! C++ code in programs: `@Native("c++", "...")` on methods and blocks, `@NativeCPPExtern`, and files that
//! classes name (X10 specification, "Interoperability with Other Languages").

use apg_analysis::SourceFile;
use apg_analysis::parse;
use apg_analysis::program::body::{Annotation, ExprKind, Literal};
use apg_analysis::program::items::AnnotationItem;
use apg_analysis::program::items::TypeParamId;
use apg_analysis::program::items::has_annotation;
use apg_analysis::program::items::{Item, ranges};
use apg_analysis::program::items::{
    all_classes, class_item, field_is_static, fields, method_is_static, method_item, qualified_name,
};
use apg_analysis::program::ty::Ty;
use apg_syntax::ast::{self, AstNode};
use apg_syntax::{TextRange, TextSize};
use smol_str::SmolStr;

use crate::builder::function::Builder;
use crate::builder::span::FileLines;
use crate::construct::cpp_snippet::{CodeLiteral, Snippet, Token, literals, tokens};
use crate::mono::types::Shape;
use crate::{Callee, LowerError, Lowerer};
use apg_mir::native::{Fragment, NamedFile, NativeCode, NativeFile};
use apg_mir::{self as mir, StmtKind as Out};

/// The language argument of annotations for this compiler.
const LANGUAGE: &str = "c++";

/// Names of X10's original runtime, which this one does not provide.
const X10_RUNTIME_NAMES: [&str; 4] = ["x10aux", "x10rt", "x10::", "FMGL(raw)"];

/// The annotation of a declaration with code for this compiler, and the code.
fn annotation_with_code(annotations: &[AnnotationItem]) -> Option<(&AnnotationItem, SmolStr)> {
    annotations.iter().filter(|it| it.simple_name() == "Native").find_map(|it| match it.strings.as_slice() {
        [Some(language), Some(code), ..] if language == LANGUAGE => Some((it, code.clone())),
        _ => None,
    })
}

/// The code for this compiler among the annotations of a declaration.
fn code_of(annotations: &[AnnotationItem]) -> Option<SmolStr> {
    annotation_with_code(annotations).map(|it| it.1)
}

/// The text of a string that is a sum of literals.
fn joined(literals: &[CodeLiteral]) -> String {
    literals.iter().map(|it| it.0.as_str()).collect()
}

fn is_foreign(code: &str) -> bool {
    X10_RUNTIME_NAMES.iter().any(|it| code.contains(it))
}

impl Lowerer<'_> {
    /// Records the C++ files that the classes of a file name.
    pub(crate) fn native_file(&mut self, file: SourceFile, lines: &FileLines) {
        let id = lines.file;
        let folder = file.path(self.db).parent().map(|it| it.display().to_string()).unwrap_or_default();
        let mut native =
            NativeFile { file: id, folder, includes: Vec::new(), sources: Vec::new(), others: Vec::new() };
        for class in all_classes(self.db, file) {
            let Some(item) = class_item(self.db, *class) else { continue };
            for annotation in &item.annotations {
                let list = match annotation.simple_name() {
                    "NativeCPPInclude" => &mut native.includes,
                    "NativeCPPCompilationUnit" => &mut native.sources,
                    "NativeCPPOutputFile" => &mut native.others,
                    _ => continue,
                };
                let range = ranges(self.db, Item::Class(*class)).get(annotation.at as usize).copied();
                let span = lines.span_at(range.unwrap_or_default().start().into());
                let names = annotation.strings.iter().flatten().filter(|it| !it.is_empty());
                list.extend(names.map(|name| NamedFile { name: name.clone(), span }));
            }
        }
        if !(native.includes.is_empty() && native.sources.is_empty()) {
            self.program.has_native_code = true;
            self.program.natives.push(native);
        }
    }
}

impl Builder<'_, '_> {
    /// The C++ code that a method has in place of a body.
    pub(crate) fn native_method(&self, callee: &Callee) -> Option<SmolStr> {
        let item = method_item(self.lowerer.db, callee.method)?;
        if let Some(code) = code_of(&item.annotations) {
            return (!is_foreign(&code)).then_some(code);
        }
        let is_extern = !item.has_body && has_annotation(&item.annotations, "NativeCPPExtern");
        is_extern.then(|| {
            let args: Vec<String> = (1..=item.params.len()).map(|it| format!("#{it}")).collect();
            format!("{}({})", item.name, args.join(", ")).into()
        })
    }

    /// The code of a method with the lines that it is written in.
    fn snippet_of(&self, code: &str, callee: &Callee) -> Snippet {
        let db = self.lowerer.db;
        let item = Item::Method(callee.method);
        let written = method_item(db, callee.method).and_then(|method| {
            let (annotation, _) = annotation_with_code(&method.annotations)?;
            let name = *ranges(db, item).get(annotation.at as usize)?;
            let tree = parse(db, item.file(db)).syntax();
            let node = tree.covering_element(name).ancestors().find_map(ast::Annotation::cast)?;
            let argument = node.arg_list()?.exprs().nth(1)?;
            let snippet =
                Snippet::new(literals(&argument), |offset| self.source.lines.span_at(offset.into()));
            (snippet.text == code).then_some(snippet)
        });
        written.unwrap_or_else(|| Snippet::in_line(code, self.span))
    }

    /// The body of a method with C++ code.
    pub(crate) fn native_code(&mut self, code: SmolStr, callee: &Callee, result: Ty) {
        let db = self.lowerer.db;
        let item = method_item(db, callee.method);
        let is_extern = item.as_ref().is_some_and(|it| code_of(&it.annotations).is_none());
        let machine = self.lowerer.machine(result);
        let fragments = self.fragments(&self.snippet_of(&code, callee), Some(callee), is_extern);
        let result = (machine != mir::Ty::Void).then_some(machine);
        self.lowerer.program.has_native_code = true;
        self.push(Out::Native(NativeCode { fragments, variables: Vec::new(), result }));
    }

    /// Lowers the C++ code of a block. False if there is none, or if it needs X10's original runtime and the
    /// block has X10 code as well.
    pub(crate) fn native_block(
        &mut self,
        annotations: &[Annotation],
        is_empty: bool,
        range: TextRange,
    ) -> bool {
        let db = self.lowerer.db;
        let is_native = |it: &&Annotation| {
            it.class.is_some_and(|class| &*qualified_name(db, class) == "x10.compiler.Native")
        };
        let mut codes = annotations.iter().filter(is_native).filter_map(|it| {
            let [language, code, ..] = it.args.as_slice() else { return None };
            (joined(&self.constant_literals(*language)?) == LANGUAGE)
                .then(|| self.constant_literals(*code))?
        });
        let Some(code) = codes.next() else { return false };
        let code = Snippet::new(code, |offset| self.source.lines.span_at(offset.into()));
        if is_foreign(&code.text) && !is_empty {
            return false;
        }
        let why = match () {
            () if self.is_device_code() => Some("this block stands for C++ code, which a kernel cannot run"),
            () if is_foreign(&code.text) => {
                Some("this block stands for C++ code that needs the runtime of X10's own implementation")
            }
            () => None,
        };
        if let Some(why) = why {
            let error = LowerError::new("build/native-block", why);
            self.error(error.note("write in the block, in X10, what the C++ code does"), range);
            return true;
        }
        let fragments = self.fragments(&code, None, false);
        let variables = self.named_variables(&code.text);
        self.lowerer.program.has_native_code = true;
        self.push(Out::Native(NativeCode { fragments, variables, result: None }));
        true
    }

    /// The literals of a constant string expression.
    fn constant_literals(&self, id: apg_analysis::program::body::ExprId) -> Option<Vec<CodeLiteral>> {
        let expr = self.source.body.expr(id);
        match &expr.kind {
            ExprKind::Literal(Literal::String(text)) => {
                Some(vec![(text.to_string(), expr.range.start() + TextSize::new(self.source.base))])
            }
            ExprKind::Concat { parts: fragments } => {
                let literals: Option<Vec<_>> =
                    fragments.iter().map(|it| self.constant_literals(*it)).collect();
                Some(literals?.concat())
            }
            ExprKind::Coerce { value } => self.constant_literals(*value),
            _ => None,
        }
    }

    /// The variables of the program that the code names.
    fn named_variables(&mut self, code: &str) -> Vec<(SmolStr, mir::Expr)> {
        let mut names: Vec<&str> = Vec::new();
        for token in tokens(code) {
            if let Token::Word(word) = token
                && !names.contains(&word)
            {
                names.push(word);
            }
        }
        let mut found = Vec::new();
        for name in names {
            let all = self.variables.keys().copied();
            // The last declaration of a name is the innermost.
            let local = all.filter(|it| self.source.body.local(*it).name == name).max_by_key(|it| it.0);
            if let Some(value) = local.and_then(|it| self.read_variable(it)) {
                found.push((SmolStr::new(name), value));
            }
        }
        found
    }

    /// Replaces operands (`#x`, `#1`, `#T`), `this` and fields (`FMGL(f)`) in C++ code.
    fn fragments(&mut self, code: &Snippet, callee: Option<&Callee>, of_extern: bool) -> Vec<Fragment> {
        let mut fragments = Vec::new();
        let tokens = tokens(&code.text);
        let lines = code.line_of_tokens(&tokens);
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            fragments.extend(lines[at].map(Fragment::Line));
            at += 1;
            let part = match (token, callee) {
                (Token::Operand(name), Some(callee)) => self.operand(name, callee),
                (Token::Word("this"), _) => self.this.map(Fragment::Address),
                (Token::Word("FMGL"), _) => match tokens[at..] {
                    [Token::Other("("), Token::Word(name), Token::Other(")"), ..] => {
                        let part = self.native_field(name, &mut fragments);
                        at += if part.is_some() { 3 } else { 0 };
                        part
                    }
                    _ => None,
                },
                _ => None,
            };
            let is_rail = |value: &mir::Expr| match value.ty {
                mir::Ty::Ref(class) => {
                    matches!(self.lowerer.program.classes[class.index()].kind, mir::ClassKind::Rail { .. })
                }
                _ => false,
            };
            let raw = of_extern && matches!(&part, Some(Fragment::Value(value)) if is_rail(value));
            fragments.push(part.unwrap_or_else(|| {
                Fragment::Text(match token {
                    Token::Word(text) | Token::Other(text) => (*text).to_owned(),
                    Token::Operand(text) => format!("#{text}"),
                })
            }));
            if raw {
                fragments.push(Fragment::Text("->raw".to_owned()));
            }
        }
        fragments
    }

    /// The meaning of `#name`: a formal by name or number, the receiver, or a type parameter.
    fn operand(&mut self, name: &str, callee: &Callee) -> Option<Fragment> {
        let db = self.lowerer.db;
        let item = method_item(db, callee.method)?;
        let is_static = method_is_static(db, callee.method);
        let first = usize::from(!is_static);
        let number = name.parse::<usize>().ok();
        if name == "this" || number == Some(0) {
            return self.this.map(Fragment::Address);
        }
        let named = item.params.iter().position(|it| it.name.as_deref() == Some(name));
        if let Some(index) = named.or(number.map(|it| it - 1)).filter(|it| *it < item.params.len()) {
            // Numbers after those of the formals are types.
            let local = mir::LocalId((index + first) as u32);
            return Some(Fragment::Value(self.local(local)));
        }
        let class = callee.method.class(db);
        let own = apg_analysis::program::items::method_type_param_ids(db, callee.method);
        let of_class = apg_analysis::program::items::all_type_params(db, class);
        let is_it = |it: &&TypeParamId| it.name(db) == name;
        let param = *own.iter().chain(of_class).find(is_it)?;
        let ty = self.concrete(Ty::param(db, param));
        Some(Fragment::Type(self.lowerer.machine(ty)))
    }

    /// `FMGL(name)`: access to a field of the enclosing class.
    fn native_field(&mut self, name: &str, fragments: &mut Vec<Fragment>) -> Option<Fragment> {
        let db = self.lowerer.db;
        let this = self.source.this?;
        let (class, _) = this.as_class(db)?;
        let field = *fields(db, class).iter().find(|it| it.name(db) == name)?;
        let text =
            |part: Option<&Fragment>, wanted: &str| matches!(part, Some(Fragment::Text(it)) if it == wanted);
        if field_is_static(db, field) {
            // `C::FMGL(x)`: the class is known.
            while text(fragments.last(), ":") {
                fragments.pop();
                if !text(fragments.last(), ":") {
                    fragments.pop();
                }
            }
            let ty = self.lowerer.static_type(field);
            return Some(Fragment::Value(self.static_field(field, ty)));
        }
        let (owner, index) = self.lowerer.locate_field(this, field)?;
        let ty = self.lowerer.field_of(field, owner);
        if !text(fragments.last(), ">") && !text(fragments.last(), ".") {
            let local = self.this?;
            let object = self.local(local);
            return Some(Fragment::Value(self.load(object, owner, index, ty, false)));
        }
        if self.lowerer.shape(owner) == Shape::Value {
            return None;
        }
        Some(Fragment::Field(self.lowerer.class_of(owner), index))
    }
}
