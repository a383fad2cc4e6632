//! C++ code in the program: `@Native("c++", "...")` on methods and blocks, `@NativeCPPExtern`, and the files that classes name
//! (chapter "Interoperability with Other Languages" of the language specification).

use apg_analysis::body::{Annotation, ExprKind, Literal};
use apg_analysis::ids::SourceFile;
use apg_analysis::ids::TypeParamId;
use apg_analysis::item_tree::AnnotationItem;
use apg_analysis::item_tree::has_annotation;
use apg_analysis::item_tree::items::{
    all_classes, class_item, field_is_static, fields, method_is_static, method_item, qualified_name,
};
use apg_analysis::ty::Ty;
use apg_syntax::TextRange;
use smol_str::SmolStr;

use super::function::Builder;
use super::types::Shape;
use super::{Callee, LowerError, Lowerer};
use crate::mir::native::{Native, NativeFile, Part};
use crate::mir::{self, StmtKind as Out};

/// The language of annotations that are meant for this compiler.
const LANGUAGE: &str = "c++";

/// Words of X10's own runtime, which this one does not have.
const FOREIGN: [&str; 4] = ["x10aux", "x10rt", "x10::", "FMGL(raw)"];

/// A word or anything else of C++ code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    /// A name or keyword.
    Word(&'a str),
    /// `#name`, `#1`.
    Operand(&'a str),
    /// Spaces, signs, numbers, literals, comments.
    Other(&'a str),
}

/// Divides C++ code; the tokens together are the code.
fn tokens(code: &str) -> Vec<Token<'_>> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut all = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let word_end = |from: &str| from.find(|c| !is_word(c)).unwrap_or(from.len());
        let (length, token): (usize, fn(&str) -> Token<'_>) = match first {
            '#' if rest[1..].starts_with(is_word) => {
                (1 + word_end(&rest[1..]), |it| Token::Operand(&it[1..]))
            }
            '"' | '\'' => (literal_end(rest, first), |it| Token::Other(it)),
            _ if rest.starts_with("//") => (rest.find('\n').unwrap_or(rest.len()), |it| Token::Other(it)),
            _ if rest.starts_with("/*") => {
                (rest.find("*/").map_or(rest.len(), |end| end + 2), |it| Token::Other(it))
            }
            '0'..='9' => (word_end(rest), |it| Token::Other(it)),
            _ if is_word(first) => (word_end(rest), |it| Token::Word(it)),
            _ => (first.len_utf8(), |it| Token::Other(it)),
        };
        let (text, after) = rest.split_at(length);
        all.push(token(text));
        rest = after;
    }
    all
}

/// Behind a literal that begins with the quote.
fn literal_end(code: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in code.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    code.len()
}

/// The code for this compiler among the annotations of a declaration.
fn code_of(annotations: &[AnnotationItem]) -> Option<SmolStr> {
    let natives = annotations.iter().filter(|it| it.simple_name() == "Native");
    let mut codes = natives.filter_map(|it| match it.strings.as_slice() {
        [Some(language), Some(code), ..] if language == LANGUAGE => Some(code.clone()),
        _ => None,
    });
    codes.next()
}

fn is_foreign(code: &str) -> bool {
    FOREIGN.iter().any(|it| code.contains(it))
}

impl Lowerer<'_> {
    /// Notes what the classes of a file say of C++ files.
    pub(super) fn native_file(&mut self, file: SourceFile, id: mir::FileId) {
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
                let names = annotation.strings.iter().flatten().cloned();
                list.extend(names.filter(|it| !it.is_empty()));
            }
        }
        if !(native.includes.is_empty() && native.sources.is_empty()) {
            self.program.foreign = true;
            self.program.natives.push(native);
        }
    }
}

impl Builder<'_, '_> {
    /// The C++ code that a method has in place of a body.
    pub(super) fn native_method(&self, callee: &Callee) -> Option<SmolStr> {
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

    /// The body of a method with C++ code.
    pub(super) fn native_code(&mut self, code: SmolStr, callee: &Callee, result: Ty) {
        let db = self.lowerer.db;
        let item = method_item(db, callee.method);
        let is_extern = item.as_ref().is_some_and(|it| code_of(&it.annotations).is_none());
        let machine = self.lowerer.machine(result);
        let parts = self.parts(&code, Some(callee), is_extern);
        let result = (machine != mir::Ty::Void).then_some(machine);
        self.lowerer.program.foreign = true;
        self.push(Out::Native(Native { parts, variables: Vec::new(), result }));
    }

    /// The C++ code that stands for a block; false if there is none, or if X10 code stands there as well that does not need X10's
    /// own runtime.
    pub(super) fn native_block(
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
            (self.constant_text(*language)? == LANGUAGE).then(|| self.constant_text(*code))?
        });
        let Some(code) = codes.next() else { return false };
        if is_foreign(&code) && !is_empty {
            return false;
        }
        let why = match () {
            () if self.is_device_code() => Some("this block stands for C++ code, which a kernel cannot run"),
            () if is_foreign(&code) => {
                Some("this block stands for C++ code that needs the runtime of X10's own implementation")
            }
            () => None,
        };
        if let Some(why) = why {
            let error = LowerError::new("build/native-block", why);
            self.error(error.note("write in the block, in X10, what the C++ code does"), range);
            return true;
        }
        let parts = self.parts(&code, None, false);
        let variables = self.named_variables(&code);
        self.lowerer.program.foreign = true;
        self.push(Out::Native(Native { parts, variables, result: None }));
        true
    }

    /// The text of a constant string expression.
    fn constant_text(&self, id: apg_analysis::body::ExprId) -> Option<String> {
        match &self.source.body.expr(id).kind {
            ExprKind::Literal(Literal::String(text)) => Some(text.to_string()),
            ExprKind::Concat { parts } => parts.iter().map(|it| self.constant_text(*it)).collect(),
            ExprKind::Coerce { value } => self.constant_text(*value),
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
            // Of several of that name the one declared last is the innermost.
            let local = all.filter(|it| self.source.body.local(*it).name == name).max_by_key(|it| it.0);
            if let Some(value) = local.and_then(|it| self.read_variable(it)) {
                found.push((SmolStr::new(name), value));
            }
        }
        found
    }

    /// C++ code, with what stands in it for parts of the program: operands (`#x`, `#1`, `#T`), `this`, fields (`FMGL(f)`).
    fn parts(&mut self, code: &str, callee: Option<&Callee>, of_extern: bool) -> Vec<Part> {
        let mut parts = Vec::new();
        let tokens = tokens(code);
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            let part = match (token, callee) {
                (Token::Operand(name), Some(callee)) => self.operand(name, callee),
                (Token::Word("this"), _) => self.this.map(Part::Address),
                (Token::Word("FMGL"), _) => match tokens[at..] {
                    [Token::Other("("), Token::Word(name), Token::Other(")"), ..] => {
                        let part = self.native_field(name, &mut parts);
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
            let raw = of_extern && matches!(&part, Some(Part::Value(value)) if is_rail(value));
            parts.push(part.unwrap_or_else(|| {
                Part::Text(match token {
                    Token::Word(text) | Token::Other(text) => (*text).to_owned(),
                    Token::Operand(text) => format!("#{text}"),
                })
            }));
            if raw {
                parts.push(Part::Text("->raw".to_owned()));
            }
        }
        parts
    }

    /// What `#name` stands for: a formal by its name or number, the receiver, or a type parameter.
    fn operand(&mut self, name: &str, callee: &Callee) -> Option<Part> {
        let db = self.lowerer.db;
        let item = method_item(db, callee.method)?;
        let is_static = method_is_static(db, callee.method);
        let first = usize::from(!is_static);
        let number = name.parse::<usize>().ok();
        if name == "this" || number == Some(0) {
            return self.this.map(Part::Address);
        }
        let named = item.params.iter().position(|it| it.name.as_deref() == Some(name));
        if let Some(index) = named.or(number.map(|it| it - 1)).filter(|it| *it < item.params.len()) {
            // Numbers after those of the formals are types.
            let local = mir::LocalId((index + first) as u32);
            return Some(Part::Value(self.local(local)));
        }
        let class = callee.method.class(db);
        let own = apg_analysis::item_tree::items::method_type_param_ids(db, callee.method);
        let of_class = apg_analysis::ty::params::all_type_params(db, class);
        let is_it = |it: &&TypeParamId| it.name(db) == name;
        let param = *own.iter().chain(of_class).find(is_it)?;
        let ty = self.concrete(Ty::param(db, param));
        Some(Part::Type(self.lowerer.machine(ty)))
    }

    /// `FMGL(name)`: how a field of the class around is reached.
    fn native_field(&mut self, name: &str, parts: &mut Vec<Part>) -> Option<Part> {
        let db = self.lowerer.db;
        let this = self.source.this?;
        let (class, _) = this.as_class(db)?;
        let field = *fields(db, class).iter().find(|it| it.name(db) == name)?;
        let text = |part: Option<&Part>, wanted: &str| matches!(part, Some(Part::Text(it)) if it == wanted);
        if field_is_static(db, field) {
            // `C::FMGL(x)`: the class is known.
            while text(parts.last(), ":") {
                parts.pop();
                if !text(parts.last(), ":") {
                    parts.pop();
                }
            }
            let ty = self.lowerer.static_type(field);
            return Some(Part::Value(self.static_field(field, ty)));
        }
        let (owner, index) = self.lowerer.locate_field(this, field)?;
        let ty = self.lowerer.field_of(field, owner);
        if !text(parts.last(), ">") && !text(parts.last(), ".") {
            let local = self.this?;
            let object = self.local(local);
            return Some(Part::Value(self.load(object, owner, index, ty, false)));
        }
        if self.lowerer.shape(owner) == Shape::Value {
            return None;
        }
        Some(Part::Field(self.lowerer.class_of(owner), index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_divided_into_words_and_the_rest() {
        let code = "f((#x)->raw, \"#y \\\" z\", #1) // this\n+ 0x1f";
        let all = tokens(code);
        assert!(all.contains(&Token::Word("f")) && all.contains(&Token::Word("raw")));
        assert!(all.contains(&Token::Operand("x")) && all.contains(&Token::Operand("1")));
        assert!(!all.contains(&Token::Operand("y")) && !all.contains(&Token::Word("this")));
        let text = |token: &Token<'_>| match token {
            Token::Word(text) | Token::Other(text) => (*text).to_owned(),
            Token::Operand(text) => format!("#{text}"),
        };
        assert_eq!(all.iter().map(text).collect::<String>(), code);
    }
}
