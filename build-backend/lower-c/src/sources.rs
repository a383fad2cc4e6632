//! The translation units of a program: which of them defines a function, and which objects of file scope its
//! code reaches (C17 6.2.2, 6.9).

use std::cell::{OnceCell, RefCell};
use std::path::Path;
use std::rc::Rc;

use apg_c_analysis::Parsed;
use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{
    self, Entity, ExprId, ExprKind, FunctionId, RecordId, StmtId, StmtKind, Storage, Type, VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use crate::array_lengths::has_variable_length;
use crate::call_graph::CallGraph;
use crate::device_library::{CHARACTER_CLASSES, device_library};
use crate::questions::{ThreadWord, asked_words, asks_for_device};
use crate::variants::{Callee, callees};

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
    /// A function whose address code of the program takes: that of the host, by which devices know it.
    Function(Definition),
    /// The words by which code on a device ends the program: how, and the status or the number of a text.
    Ending,
    /// The ranges of the device's memory: how many, and the first address of each and that behind it.
    Ranges,
    /// The number of the device, from bit 16 on how many devices there are, from bit 32 on how many
    /// multiprocessors or CPUs it has.
    Device,
    /// The number that an expression of a clause is, which the host computes in front of the region.
    Number(ExprId),
    /// What encloses a call, a word by value. Regions know it themselves.
    Threads(ThreadWord),
}

/// Whether a function of the C library ends the program.
pub(crate) fn ends_program(name: &str) -> bool {
    matches!(name, "exit" | "abort" | "_Exit" | "_exit" | "__assert_fail" | "__builtin_abort")
}

/// A function with its code, in the file that defines it.
pub type Definition = (FileNumber, FunctionId);

/// The files of a program.
pub(crate) struct Sources<'a> {
    files: Vec<Source<'a>>,
    /// Functions that other files see.
    definitions: FxHashMap<&'a str, Definition>,
    /// Those of the C library for devices.
    library: FxHashMap<&'a str, Definition>,
    /// Functions whose address is taken, as far as they were requested.
    taken: OnceCell<Vec<Definition>>,
    /// Those of them that no file defines.
    foreign: OnceCell<Vec<Definition>>,
    /// Objects of functions, as far as they were requested.
    reached: RefCell<FxHashMap<Definition, Rc<[ReachedObject]>>>,
    calls: CallGraph,
    /// What calls of functions with variants call, as far as it was requested.
    callees: RefCell<FxHashMap<FileNumber, Rc<FxHashMap<ExprId, Callee>>>>,
    /// The code is that of `target` regions.
    is_device: bool,
    /// Code checks bounds.
    pub checks: bool,
}

impl<'a> Sources<'a> {
    /// Files; code checks bounds if `checks` is set.
    pub(crate) fn new(files: &[Source<'a>], checks: bool) -> Sources<'a> {
        let mut definitions = FxHashMap::default();
        for (file, source) in files.iter().enumerate() {
            add_definitions(&source.parsed.program, file, &mut definitions);
        }
        Sources {
            files: files.to_vec(),
            definitions,
            library: FxHashMap::default(),
            taken: OnceCell::new(),
            foreign: OnceCell::new(),
            reached: RefCell::default(),
            calls: CallGraph::default(),
            callees: RefCell::default(),
            is_device: false,
            checks,
        }
    }

    /// The files of a program, and the C library for code of devices, as their last.
    pub(crate) fn with_library(files: &[Source<'a>], checks: bool) -> Sources<'a> {
        let mut sources = Sources::new(files, checks);
        sources.is_device = true;
        let parsed = device_library();
        add_definitions(&parsed.program, files.len(), &mut sources.library);
        sources.files.push(Source { parsed, path: Path::new("<the C library>") });
        sources
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
            ReachedObject::Function((file, function)) => self.hir(file).function(function).name.clone(),
            ReachedObject::Ending => "ending".into(),
            ReachedObject::Ranges => "ranges".into(),
            ReachedObject::Device => "device".into(),
            ReachedObject::Number(_) => "number".into(),
            ReachedObject::Threads(ThreadWord::Team) => "team".into(),
            ReachedObject::Threads(ThreadWord::League) => "league".into(),
            ReachedObject::Threads(ThreadWord::Levels) => "levels".into(),
            ReachedObject::Threads(ThreadWord::Outermost) => "outermost".into(),
        }
    }

    /// What a call of a function with variants calls; `None` of other functions.
    pub(crate) fn variant(&self, file: FileNumber, callee: ExprId) -> Option<Callee> {
        if self.hir(file).variants.is_empty() {
            return None;
        }
        if let Some(known) = self.callees.borrow().get(&file) {
            return known.get(&callee).cloned();
        }
        let found = Rc::new(callees(self.hir(file), self.is_device));
        let variant = found.get(&callee).cloned();
        self.callees.borrow_mut().insert(file, found);
        variant
    }

    /// The definition of the function that a name means in a file.
    fn definition_of_name(&self, file: FileNumber, name: &str) -> Option<Definition> {
        let hir = self.hir(file);
        match hir.names.get(name) {
            Some(Entity::Function(id)) if hir.function(*id).body.is_some() => Some((file, *id)),
            _ => self.definitions.get(name).copied(),
        }
    }

    /// The definition of the function that an expression of a file names, or of the variant that is called in
    /// its place.
    pub(crate) fn definition(&self, file: FileNumber, callee: ExprId) -> Option<Definition> {
        let hir = self.hir(file);
        if let Some(Callee::Variant(name)) = self.variant(file, callee) {
            return self.definition_of_name(file, &name);
        }
        let name = match &hir.expr(callee).kind {
            ExprKind::Function(id) if hir.function(*id).body.is_some() => return Some((file, *id)),
            ExprKind::Function(id) if hir.function(*id).is_static => return None,
            ExprKind::Function(id) => &hir.function(*id).name,
            ExprKind::Unresolved(name) => name,
            _ => return None,
        };
        self.definitions.get(name.as_str()).copied().or_else(|| self.library_function(name))
    }

    /// A function of the C library for devices, also by its name as one of the compiler.
    pub(crate) fn library_function(&self, name: &str) -> Option<Definition> {
        let of_compiler = || self.library.get(name.strip_prefix("__builtin_")?);
        self.library.get(name).or_else(of_compiler).copied()
    }

    /// The functions with a number of parameters whose address the program takes: those that a call through a
    /// pointer may reach.
    pub(crate) fn candidates(&self, parameters: usize) -> impl Iterator<Item = Definition> {
        let taken = self.taken.get_or_init(|| self.taken_functions());
        let has_as_many = move |it: &Definition| self.hir(it.0).function(it.1).parameters.len() == parameters;
        taken.iter().copied().filter(has_as_many)
    }

    /// The functions that no file of the program defines and whose address the program takes, each with the
    /// file that does. The number of their parameters is not known.
    pub(crate) fn foreign_functions(&self) -> &[Definition] {
        self.foreign.get_or_init(|| {
            let mut found = Vec::new();
            for file in (0..self.files.len()).filter(|it| !self.is_library(*it)) {
                let hir = self.hir(file);
                for expr in self.uncalled(file) {
                    let ExprKind::Function(function) = hir.expr(expr).kind else { continue };
                    let is_foreign = self.definition(file, expr).is_none_or(|it| self.is_library(it.0));
                    if is_foreign && !found.contains(&(file, function)) {
                        found.push((file, function));
                    }
                }
            }
            found
        })
    }

    /// Whether a task of the program may be final.
    pub(crate) fn has_final_tasks(&self) -> bool {
        let directives = self.files.iter().flat_map(|it| &it.parsed.program.directives);
        directives.flat_map(|it| &it.clauses).any(|it| it.name == "final")
    }

    /// Whether a file is the C library for devices.
    fn is_library(&self, file: FileNumber) -> bool {
        self.library.values().any(|it| it.0 == file)
    }

    /// The expressions of a file that no call calls.
    fn uncalled(&self, file: FileNumber) -> impl Iterator<Item = ExprId> {
        let exprs = &self.hir(file).exprs;
        let mut called: FxHashSet<ExprId> = exprs
            .iter()
            .filter_map(|it| match it.kind {
                ExprKind::Call(callee, _) => Some(callee),
                _ => None,
            })
            .collect();
        // The name of a variant is no use of its address.
        let variants = self.hir(file).directives.iter().filter(|it| it.name == "declare variant");
        called.extend(variants.flat_map(|it| &it.argument).filter_map(|it| it.expr));
        (0..exprs.len()).map(ExprId::new).filter(move |it| !called.contains(it))
    }

    /// Whether code of the program takes the address of a function.
    pub(crate) fn is_taken(&self, function: Definition) -> bool {
        self.taken.get_or_init(|| self.taken_functions()).contains(&function)
    }

    /// The functions that expressions name other than to call them, each once.
    fn taken_functions(&self) -> Vec<Definition> {
        let mut found = Vec::new();
        for file in 0..self.files.len() {
            for definition in self.uncalled(file).filter_map(|it| self.definition(file, it)) {
                // The host has the addresses of functions of the program.
                if !self.is_library(definition.0) && !found.contains(&definition) {
                    found.push(definition);
                }
            }
        }
        found
    }

    /// The objects of file scope that a function and those that it calls name, each once, in the order in
    /// which they are found; without constants whose value every user knows.
    pub(crate) fn objects_of(&self, function: Definition) -> Rc<[ReachedObject]> {
        if let Some(known) = self.reached.borrow().get(&function) {
            return known.clone();
        }
        let mut found =
            Objects { sources: self, objects: self.objects_of_checks(), functions: FxHashSet::default() };
        found.add_function(function);
        let objects: Rc<[ReachedObject]> = found.objects.into();
        self.reached.borrow_mut().insert(function, objects.clone());
        objects
    }

    /// The functions that a function may call, each once.
    pub(crate) fn callees_of(&self, (file, function): Definition) -> Vec<Definition> {
        let hir = self.hir(file);
        let mut called = Vec::new();
        if let Some(body) = hir.function(function).body {
            let mut found = Objects { sources: self, objects: Vec::new(), functions: FxHashSet::default() };
            hir.walk_stmt(body, &mut |node| {
                if let Node::Expr(id) = node {
                    found.add_of_expr(file, id, &mut called);
                }
                true
            });
        }
        called.sort_unstable();
        called.dedup();
        called
    }

    /// Whether calls lead from a function to another one, or back to itself.
    pub(crate) fn reaches(&self, from: Definition, to: Definition) -> bool {
        self.calls.reaches(self, from, to)
    }

    /// What checks of bounds reach.
    fn objects_of_checks(&self) -> Vec<ReachedObject> {
        if self.checks { vec![ReachedObject::Ending, ReachedObject::Ranges] } else { Vec::new() }
    }

    /// The objects that the functions name which code of a file calls.
    pub(crate) fn objects_behind_calls(&self, file: FileNumber, code: StmtId) -> Vec<ReachedObject> {
        let mut found =
            Objects { sources: self, objects: self.objects_of_checks(), functions: FxHashSet::default() };
        let hir = self.hir(file);
        let mut called = Vec::new();
        hir.walk_stmt(code, &mut |node| {
            match node {
                Node::Expr(id) => found.add_of_expr(file, id, &mut called),
                Node::Stmt(id) => found.add_of_stmt(hir, id),
                Node::Directive(_) => {}
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
            // Without room on the stack for a call of a recursion, the program ends.
            if self.sources.reaches((file, id), (file, id)) {
                self.add_object(ReachedObject::Ending);
            }
            hir.walk_stmt(body, &mut |node| {
                match node {
                    Node::Expr(expr) => match hir.expr(expr).kind {
                        ExprKind::Variable(it) => self.add(file, it),
                        _ => self.add_of_expr(file, expr, &mut pending),
                    },
                    Node::Directive(it) => {
                        let items = hir.directive(it).for_device().clauses.iter().flat_map(|it| &it.items);
                        items.filter_map(|it| it.variable(hir)).for_each(|it| self.add(file, it));
                    }
                    Node::Stmt(id) => self.add_of_stmt(hir, id),
                }
                true
            });
        }
    }

    /// Adds what an expression reaches as a call or by the address of a function; functions that it may call
    /// go to `called`.
    fn add_of_expr(&mut self, file: FileNumber, expr: ExprId, called: &mut Vec<Definition>) {
        let hir = self.sources.hir(file);
        match &hir.expr(expr).kind {
            ExprKind::Call(callee, arguments) => match self.sources.definition(file, *callee) {
                Some(function) => called.push(function),
                None if let Some(name) = hir.callee_name(*callee) => self.add_library_function(name),
                None => {
                    // A pointer that leads to none of them ends the program.
                    self.add_object(ReachedObject::Ending);
                    for function in self.sources.candidates(arguments.len()) {
                        self.add_object(ReachedObject::Function(function));
                        called.push(function);
                    }
                }
            },
            ExprKind::Function(_) | ExprKind::Unresolved(_) => {
                if let Some(function) = self.sources.definition(file, expr)
                    && self.sources.is_taken(function)
                {
                    self.add_object(ReachedObject::Function(function));
                }
            }
            ExprKind::Index(base, _) if is_table_of_characters(hir, *base) => {
                called.extend(self.sources.library_function(CHARACTER_CLASSES));
            }
            _ => {}
        }
    }

    /// Adds what a declaration reaches: without memory for an array, the program ends.
    fn add_of_stmt(&mut self, hir: &hir::Program, stmt: StmtId) {
        if let StmtKind::Declaration(variables) = &hir.stmt(stmt).kind
            && variables.iter().any(|it| has_variable_length(&hir.variable(*it).ty))
        {
            self.add_object(ReachedObject::Ending);
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

    fn add_library_function(&mut self, name: &str) {
        if ends_program(name) {
            self.add_object(ReachedObject::Ending);
        }
        if asks_for_device(name) {
            self.add_object(ReachedObject::Device);
        }
        for word in asked_words(name) {
            self.add_object(ReachedObject::Threads(*word));
        }
    }

    fn add_object(&mut self, object: ReachedObject) {
        if !self.objects.contains(&object) {
            self.objects.push(object);
        }
    }
}

/// Whether an expression is the table that macros of `<ctype.h>` index, as the GNU C library has it.
pub(crate) fn is_table_of_characters(hir: &hir::Program, base: ExprId) -> bool {
    match &hir.expr(base).kind {
        ExprKind::Dereference(call) => match hir.expr(*call).kind {
            ExprKind::Call(callee, _) => hir.callee_name(callee) == Some("__ctype_b_loc"),
            _ => false,
        },
        _ => false,
    }
}

fn add_definitions<'a>(
    hir: &'a hir::Program,
    file: FileNumber,
    definitions: &mut FxHashMap<&'a str, Definition>,
) {
    for (id, _) in hir.defined_functions().filter(|it| !hir.function(it.0).is_static) {
        definitions.entry(hir.function(id).name.as_str()).or_insert((file, id));
    }
}

/// The value of an integer that never changes: `static const int n = 5;`.
pub(crate) fn known_value(hir: &hir::Program, variable: VariableId) -> Option<i64> {
    let of = hir.variable(variable);
    let is_constant = of.is_const && of.ty.is_integer();
    of.initializer.filter(|_| is_constant).and_then(|it| hir.constant(it)).map(|it| it as i64)
}
