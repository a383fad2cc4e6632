//! The translation units of a program: which of them defines a function, and which objects of file scope its
//! code reaches (C17 6.2.2, 6.9).

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use apg_c_analysis::Parsed;
use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{self, ExprId, ExprKind, FunctionId, RecordId, StmtId, Storage, Type, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

/// A file of a program.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its names and types.
    pub parsed: &'a Parsed,
    /// Its path.
    pub path: &'a Path,
}

/// The number of a file in its program.
pub type FileNumber = usize;

/// An object of file scope, in the file whose code names it.
pub type FileObject = (FileNumber, VariableId);

/// An object that code reaches outside of itself, other than its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReachedObject {
    /// One of file scope.
    OfFile(FileObject),
    /// The words by which code on a device ends the program: how, and the status or the number of a text.
    Ending,
}

/// Whether a function of the C library ends the program.
pub(crate) fn ends_program(name: &str) -> bool {
    matches!(name, "exit" | "abort" | "_Exit" | "_exit" | "__assert_fail" | "__builtin_abort")
}

/// A function with its code, in the file that defines it.
pub(crate) type Definition = (FileNumber, FunctionId);

/// The files of a program.
pub(crate) struct Sources<'a> {
    files: &'a [Source<'a>],
    /// Functions that other files see.
    definitions: FxHashMap<&'a str, Definition>,
    /// Objects of functions, as far as they were requested.
    reached: RefCell<FxHashMap<Definition, Rc<[ReachedObject]>>>,
}

impl<'a> Sources<'a> {
    pub(crate) fn new(files: &'a [Source<'a>]) -> Sources<'a> {
        let mut definitions = FxHashMap::default();
        for (file, source) in files.iter().enumerate() {
            let hir = &source.parsed.program;
            for (id, _) in hir.defined_functions().filter(|it| !hir.function(it.0).is_static) {
                definitions.entry(hir.function(id).name.as_str()).or_insert((file, id));
            }
        }
        Sources { files, definitions, reached: RefCell::default() }
    }

    pub(crate) fn file(&self, file: FileNumber) -> Source<'a> {
        self.files[file]
    }

    pub(crate) fn hir(&self, file: FileNumber) -> &'a hir::Program {
        &self.files[file].parsed.program
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        self.files.iter().map(|it| it.path.display().to_string()).collect()
    }

    /// The name of an object in kernels.
    pub(crate) fn name(&self, object: ReachedObject) -> SmolStr {
        match object {
            ReachedObject::OfFile((file, variable)) => self.hir(file).variable(variable).name.clone(),
            ReachedObject::Ending => "ending".into(),
        }
    }

    /// The definition of the function that an expression of a file names.
    pub(crate) fn definition(&self, file: FileNumber, callee: ExprId) -> Option<Definition> {
        let hir = self.hir(file);
        let name = match &hir.expr(callee).kind {
            ExprKind::Function(id) if hir.function(*id).body.is_some() => return Some((file, *id)),
            ExprKind::Function(id) if hir.function(*id).is_static => return None,
            ExprKind::Function(id) => &hir.function(*id).name,
            ExprKind::Unresolved(name) => name,
            _ => return None,
        };
        self.definitions.get(name.as_str()).copied()
    }

    /// The objects of file scope that a function and those that it calls name, each once, in the order in
    /// which they are found; without constants whose value every user knows.
    pub(crate) fn objects_of(&self, function: Definition) -> Rc<[ReachedObject]> {
        if let Some(known) = self.reached.borrow().get(&function) {
            return known.clone();
        }
        let mut found = Objects { sources: self, objects: Vec::new(), functions: FxHashSet::default() };
        found.add_function(function);
        let objects: Rc<[ReachedObject]> = found.objects.into();
        self.reached.borrow_mut().insert(function, objects.clone());
        objects
    }

    /// The objects that the functions name which code of a file calls.
    pub(crate) fn objects_behind_calls(&self, file: FileNumber, code: StmtId) -> Vec<ReachedObject> {
        let mut found = Objects { sources: self, objects: Vec::new(), functions: FxHashSet::default() };
        let hir = self.hir(file);
        let mut called = Vec::new();
        hir.walk_stmt(code, &mut |node| {
            if let Node::Expr(id) = node
                && let ExprKind::Call(callee, _) = hir.expr(id).kind
            {
                match self.definition(file, callee) {
                    Some(function) => called.push(function),
                    None => found.add_library_function(hir.callee_name(callee)),
                }
            }
            true
        });
        called.into_iter().for_each(|it| found.add_function(it));
        found.objects
    }

    /// Whether two files declare the same struct or union (C17 6.2.7).
    pub(crate) fn is_same_record(&self, a: (FileNumber, RecordId), b: (FileNumber, RecordId)) -> bool {
        self.are_same_records(a, b, 0)
    }

    fn are_same_records(&self, a: (FileNumber, RecordId), b: (FileNumber, RecordId), depth: u32) -> bool {
        let (first, second) = (self.hir(a.0).record(a.1), self.hir(b.0).record(b.1));
        if first.tag != second.tag || first.is_union != second.is_union || depth > 8 {
            return false;
        }
        // A struct that leads to itself does so by its tag.
        if first.tag.is_some() && depth > 0 {
            return true;
        }
        let (Some(one), Some(other)) = (&first.fields, &second.fields) else { return first.tag.is_some() };
        one.len() == other.len()
            && one.iter().zip(other).all(|(one, other)| {
                one.name == other.name && self.is_same_type(a.0, &one.ty, b.0, &other.ty, depth + 1)
            })
    }

    fn is_same_type(&self, a: FileNumber, one: &Type, b: FileNumber, other: &Type, depth: u32) -> bool {
        match (one, other) {
            (Type::Record(first), Type::Record(second)) => {
                self.are_same_records((a, *first), (b, *second), depth)
            }
            (Type::Pointer(first), Type::Pointer(second)) => self.is_same_type(a, first, b, second, depth),
            (Type::Array(first, length), Type::Array(second, other)) => {
                length == other && self.is_same_type(a, first, b, second, depth)
            }
            _ => one == other,
        }
    }
}

/// Objects while they are found.
struct Objects<'s, 'a> {
    sources: &'s Sources<'a>,
    objects: Vec<ReachedObject>,
    functions: FxHashSet<Definition>,
}

impl Objects<'_, '_> {
    fn add_function(&mut self, function: Definition) {
        let mut pending = vec![function];
        while let Some((file, id)) = pending.pop() {
            let hir = self.sources.hir(file);
            let Some(body) = hir.function(id).body.filter(|_| self.functions.insert((file, id))) else {
                continue;
            };
            hir.walk_stmt(body, &mut |node| {
                match node {
                    Node::Expr(expr) => match hir.expr(expr).kind {
                        ExprKind::Variable(it) => self.add(file, it),
                        ExprKind::Call(callee, _) => match self.sources.definition(file, callee) {
                            Some(function) => pending.push(function),
                            None => self.add_library_function(hir.callee_name(callee)),
                        },
                        _ => {}
                    },
                    Node::Directive(it) => {
                        let items = hir.directive(it).clauses.iter().flat_map(|it| &it.items);
                        items.filter_map(|it| it.variable(hir)).for_each(|it| self.add(file, it));
                    }
                    Node::Stmt(_) => {}
                }
                true
            });
        }
    }

    fn add(&mut self, file: FileNumber, variable: VariableId) {
        let hir = self.sources.hir(file);
        if hir.variable(variable).storage == Storage::Global
            && !hir.is_threadprivate(variable)
            && known_value(hir, variable).is_none()
        {
            self.add_object(ReachedObject::OfFile((file, variable)));
        }
    }

    fn add_library_function(&mut self, name: Option<&str>) {
        if name.is_some_and(ends_program) {
            self.add_object(ReachedObject::Ending);
        }
    }

    fn add_object(&mut self, object: ReachedObject) {
        if !self.objects.contains(&object) {
            self.objects.push(object);
        }
    }
}

/// The value of an integer that never changes: `static const int n = 5;`.
pub(crate) fn known_value(hir: &hir::Program, variable: VariableId) -> Option<i64> {
    let of = hir.variable(variable);
    let is_constant = of.is_const && of.ty.is_integer();
    of.initializer.filter(|_| is_constant).and_then(|it| hir.constant(it)).map(|it| it as i64)
}
