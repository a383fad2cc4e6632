//! State of printing one body: target, locals, enclosing scopes, results of analyses, and the record of used
//! items from which the declarations of a translation unit are made.

use apg_passes::kernel_ir::{PipelinedLoop, UnrollFactor};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::names::Names;
use super::writer::Writer;
use super::{EmitError, names};
use apg_mir::*;
use apg_passes::analysis::ranges::facts::{CheckElimination, NarrowedExprs};

/// The dialect of C++.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Host code: objects, exceptions, activities.
    Host,
    /// A kernel, or a function called from one, as C++ for CPUs.
    Cpu,
    /// A kernel, or a function called from one, as CUDA C++.
    Cuda,
}

impl Target {
    /// The suffix that gives an integer literal the type `apg_i64`: `int64_t` on a host, `long long` on a
    /// device.
    pub(crate) fn long_suffix(self) -> &'static str {
        let is_long = self != Target::Cuda && !cfg!(target_vendor = "apple");
        if is_long { "L" } else { "LL" }
    }

    /// Whether arrays are pairs of pointer and length, and there are no objects.
    pub(crate) fn is_kernel(self) -> bool {
        self != Target::Host
    }
}

/// How a local is spelled.
#[derive(Clone, Debug)]
pub(crate) struct LocalSpelling {
    /// An lvalue.
    pub text: String,
    /// The array of which the lvalue is an element, if there is one for each thread.
    pub array: Option<ThreadArray>,
    /// Its type.
    pub ty: Ty,
    /// Elements and length, for an array of a kernel's environment, in shared memory or of a thread.
    pub rail: Option<RailSpelling>,
    /// Element type and length of a private array.
    pub stack: Option<(Ty, i64)>,
}

impl LocalSpelling {
    /// A variable, or another lvalue that stands for one value.
    pub(crate) fn new(text: String, ty: Ty) -> LocalSpelling {
        LocalSpelling { text, array: None, ty, rail: None, stack: None }
    }

    /// Moves the value to a variable.
    pub(crate) fn set_variable(&mut self, name: String) {
        (self.text, self.array) = (name, None);
    }

    /// Moves the value to an array with an element for each thread.
    pub(crate) fn set_array(&mut self, name: String, index: ThreadIndexing) {
        self.text = format!("{name}{}", index.subscript());
        self.array = Some(ThreadArray { name, index });
    }
}

/// An array with an element for each thread.
#[derive(Clone, Debug)]
pub(crate) struct ThreadArray {
    /// Its name.
    pub name: String,
    /// The thread's element.
    pub index: ThreadIndexing,
}

/// How the threads that share an array are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThreadIndexing {
    /// By their rank in the block.
    Block,
    /// By their rank in the warp.
    Warp,
}

impl ThreadIndexing {
    /// The subscript of the element of thread `r_`.
    fn subscript(self) -> &'static str {
        match self {
            ThreadIndexing::Block => "[r_]",
            ThreadIndexing::Warp => "[r_ - base_]",
        }
    }
}

/// An element that has been loaded ahead of its use.
#[derive(Clone, Debug)]
pub(crate) struct PreloadedElement {
    /// The variable that holds it.
    pub name: String,
    /// The condition under which it has been loaded.
    pub when: &'static str,
}

/// Spelling of an array in a kernel.
#[derive(Clone, Debug)]
pub(crate) struct RailSpelling {
    /// Pointer to the first element.
    pub data: String,
    /// Number of elements.
    pub length: String,
    /// For a private array of one thread of many: distance between its elements, and the thread's offset.
    /// Elements of adjacent threads are adjacent.
    pub lane: Option<(String, String)>,
}

impl RailSpelling {
    /// An array with contiguous elements.
    pub(crate) fn new(data: String, length: String) -> RailSpelling {
        RailSpelling { data, length, lane: None }
    }

    /// An element as an lvalue.
    pub(crate) fn element(&self, index: &str) -> String {
        match &self.lane {
            None => format!("{}[{index}]", self.data),
            Some((stride, lane)) => format!("{}[({index}) * {stride} + {lane}]", self.data),
        }
    }
}

/// Items that printed code refers to; ordered, so that equal programs give equal code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Used {
    /// Called or referenced functions.
    pub functions: BTreeSet<FunctionId>,
    /// Functions called by kernels.
    pub device_functions: BTreeSet<FunctionId>,
    /// Type descriptors.
    pub descriptors: BTreeSet<ClassId>,
    /// Layouts of classes.
    pub layouts: BTreeSet<ClassId>,
    /// Structs by value.
    pub structs: BTreeSet<StructId>,
    /// Globals.
    pub globals: BTreeSet<GlobalId>,
    /// External functions.
    pub externals: BTreeSet<ExternalId>,
    /// Structs compared by value.
    pub equality: BTreeSet<StructId>,
    /// Static fields.
    pub statics: BTreeSet<StaticId>,
    /// Kernels launched.
    pub kernels: BTreeSet<KernelId>,
    /// String constants.
    pub strings: BTreeSet<String>,
    /// Entries of teams are called.
    pub has_team: bool,
    /// Tables of constants by their symbols.
    pub tables: BTreeMap<String, Arc<Table>>,
}

impl Used {
    /// Adds another record.
    pub(crate) fn absorb(&mut self, other: Used) {
        self.functions.extend(other.functions);
        self.device_functions.extend(other.device_functions);
        self.descriptors.extend(other.descriptors);
        self.layouts.extend(other.layouts);
        self.structs.extend(other.structs);
        self.equality.extend(other.equality);
        self.globals.extend(other.globals);
        self.externals.extend(other.externals);
        self.statics.extend(other.statics);
        self.tables.extend(other.tables);
        self.kernels.extend(other.kernels);
        self.has_team |= other.has_team;
        self.strings.extend(other.strings);
    }
}

/// An enclosing construct that a jump may leave.
#[derive(Clone, Debug)]
pub(crate) enum Scope {
    /// A loop or switch of the target language.
    Breakable { label: LabelId, is_loop: bool, break_used: bool, continue_used: bool },
    /// A labelled block.
    Labeled { label: LabelId, used: bool },
    /// A loop of the printer's own: `break` would leave it instead of the program's loop.
    Opaque,
    /// Code that runs on every exit: jumps go through it.
    Cleanup { number: u32, exits: Vec<Jump> },
    /// Body of a thread. It has no `return`, as activities have none.
    Thread,
}

/// A jump out of a construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Jump {
    /// To the end of the construct.
    Break(LabelId),
    /// To the update of the loop.
    Continue(LabelId),
    /// Out of the function; the value is in `result_`.
    Return,
}

/// Prints code of one body.
pub(crate) struct Code<'p> {
    /// The program.
    pub program: &'p Program,
    /// Its symbols.
    pub names: &'p Names,
    /// The dialect.
    pub target: Target,
    /// The printed code.
    pub out: Writer,
    /// Items that the code refers to.
    pub used: Used,
    /// Locals of the current body.
    pub locals: Vec<LocalSpelling>,
    /// Names of the current function's variables in memory.
    pub variables: Vec<String>,
    /// Those of the locals that are shared memory of a block that one CPU thread runs.
    pub shared: Vec<LocalId>,
    /// Enclosing constructs, outermost first.
    pub scopes: Vec<Scope>,
    /// Result of the current function.
    pub result: Ty,
    /// The cycle of the call graph that the current function is part of; 0 if none.
    pub cycle: u32,
    /// The source of the code that is being printed.
    pub span: Span,
    /// Whether an expression that starts in another line than its statement gets a directive. Kernels have no
    /// backtraces: their checks have positions.
    pub attributes_expressions: bool,
    /// Number of the next temporary.
    pub next: u32,
    /// Errors so far.
    pub errors: Vec<EmitError>,
    /// In a kernel: which checks of accesses are eliminated, by the index expression.
    pub check_elimination: FxHashMap<ExprId, CheckElimination>,
    /// In a kernel: indices that are computed with 64 bits in launches whose conditions hold.
    pub widened: FxHashSet<ExprId>,
    /// In a kernel: steps of counters that do not wrap in launches whose conditions hold.
    pub exact_steps: FxHashSet<ExprId>,
    /// In a kernel: expressions that are computed with 32 bits in launches whose conditions hold.
    pub narrowed: NarrowedExprs,
    /// Integer locals that have a 64-bit copy, named with the suffix `_w`.
    pub widened_locals: FxHashSet<LocalId>,
    /// Elements loaded in front of a work-item loop, by the index expression.
    pub preloaded: FxHashMap<ExprId, PreloadedElement>,
    /// Indices of additions to private sums, and the arrays of these; for launches whose conditions hold.
    pub private_sums: FxHashMap<ExprId, String>,
    /// Indices of accesses that are checked in front of the code that is being printed.
    pub checked: FxHashSet<ExprId>,
    /// Conditions that hold for all threads at the point of printing.
    pub assumed_conditions: FxHashSet<ExprId>,
    /// Locals that are recomputed where they are used: their assignments are not printed.
    pub rematerialized: FxHashSet<LocalId>,
    /// Loops with another unroll factor than the program requests.
    pub unroll_factors: FxHashMap<LabelId, UnrollFactor>,
    /// Software-pipelined loops of a device kernel.
    pub pipelined_loops: FxHashMap<LabelId, PipelinedLoop>,
    /// In a device kernel: the number of threads of a block.
    pub block_size: String,
    /// In a device kernel: static fields that its environment holds, and their captures. If there are any,
    /// functions get the environment, of this type.
    pub statics: FxHashMap<StaticId, usize>,
    /// Likewise globals, whose addresses it holds.
    pub captured_globals: FxHashMap<GlobalId, usize>,
    /// Types of the elements of the arrays that calls of slots name, in device code that makes some.
    pub slot_elements: FxHashMap<LocalId, Ty>,
    pub environment_type: String,
}

impl<'p> Code<'p> {
    /// An empty state.
    pub(crate) fn new(program: &'p Program, names: &'p Names, target: Target) -> Code<'p> {
        Code {
            program,
            names,
            target,
            out: Writer::default(),
            used: Used::default(),
            locals: Vec::new(),
            variables: Vec::new(),
            shared: Vec::new(),
            scopes: Vec::new(),
            result: Ty::Void,
            cycle: 0,
            span: Span::of_line(FileId(0), 1),
            attributes_expressions: target == Target::Host,
            next: 0,
            errors: Vec::new(),
            check_elimination: FxHashMap::default(),
            widened: FxHashSet::default(),
            exact_steps: FxHashSet::default(),
            narrowed: NarrowedExprs::default(),
            widened_locals: FxHashSet::default(),
            rematerialized: FxHashSet::default(),
            preloaded: FxHashMap::default(),
            checked: FxHashSet::default(),
            private_sums: FxHashMap::default(),
            assumed_conditions: FxHashSet::default(),
            unroll_factors: FxHashMap::default(),
            pipelined_loops: FxHashMap::default(),
            block_size: String::new(),
            statics: FxHashMap::default(),
            captured_globals: FxHashMap::default(),
            slot_elements: FxHashMap::default(),
            environment_type: String::new(),
        }
    }

    /// A number that is unique in the function.
    pub(crate) fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// Records an error; returns a placeholder expression.
    pub(crate) fn fail(&mut self, message: String) -> String {
        let file = self.program.files.get(self.span.file.index()).cloned().unwrap_or_default();
        self.errors.push(EmitError { file, line: self.span.line(), message });
        "0".to_owned()
    }

    /// Forgets what is known of expressions: it is valid in one body only.
    pub(crate) fn forget_expressions(&mut self) {
        self.check_elimination.clear();
        self.widened.clear();
        self.exact_steps.clear();
        self.narrowed = NarrowedExprs::default();
        self.preloaded.clear();
        self.assumed_conditions.clear();
    }

    /// Attributes the code that follows to a span.
    pub(crate) fn at(&mut self, span: Span) {
        self.span = span;
        self.out.attribute(span, &self.program.files, self.program.emit_all_lines);
    }

    /// The type of a value.
    pub(crate) fn ty(&mut self, ty: Ty) -> String {
        match ty {
            Ty::Void => "void".into(),
            Ty::Bool => "bool".into(),
            Ty::I8 => "apg_i8".into(),
            Ty::I16 => "apg_i16".into(),
            Ty::I32 => "apg_i32".into(),
            Ty::I64 => "apg_i64".into(),
            Ty::U8 => "apg_u8".into(),
            Ty::U16 => "apg_u16".into(),
            Ty::U32 => "apg_u32".into(),
            Ty::U64 => "apg_u64".into(),
            Ty::F32 => "float".into(),
            Ty::F64 => "double".into(),
            Ty::Char => "apg_char".into(),
            Ty::Ref(class) if self.target.is_kernel() => match self.program.classes[class.index()].kind {
                ClassKind::Rail { element } => format!("apg_view<{}>", self.ty(element)),
                _ => self.no_object(ty),
            },
            Ty::Any if self.target.is_kernel() => self.no_object(ty),
            Ty::Ref(_) | Ty::Any => "apg_object *".into(),
            Ty::Pointer(_) | Ty::Array(_) | Ty::Function(_) => self.type_in_memory(ty),
            Ty::Struct(id) => {
                self.used.structs.insert(id);
                self.names.structs[id.index()].clone()
            }
        }
    }

    fn no_object(&mut self, ty: Ty) -> String {
        let name = match ty {
            Ty::Ref(class) => self.program.classes[class.index()].name.clone(),
            _ => "any class".into(),
        };
        self.fail(format!("a kernel cannot use an object of {name}"));
        "void *".into()
    }

    /// The address of a class's descriptor.
    pub(crate) fn descriptor(&mut self, class: ClassId) -> String {
        self.used.descriptors.insert(class);
        format!("&{}", self.names.classes[class.index()])
    }

    /// The layout struct of a class.
    pub(crate) fn layout(&mut self, class: ClassId) -> String {
        let class = self.program.closure_versions.get(&class).copied().unwrap_or(class);
        self.used.layouts.insert(class);
        format!("L{}", self.names.classes[class.index()])
    }

    /// The symbol of a function.
    pub(crate) fn function_symbol(&mut self, id: FunctionId) -> String {
        let name = &self.names.functions[id.index()];
        if self.target.is_kernel() {
            self.used.device_functions.insert(id);
            format!("k{name}")
        } else {
            self.used.functions.insert(id);
            name.clone()
        }
    }

    /// The member of a class's own field.
    pub(crate) fn field_name(&self, class: ClassId, field: u32) -> String {
        let item = &self.program.classes[class.index()];
        // Fields of the whole chain share one layout struct: own fields come after all inherited ones.
        let inherited = inherited_fields(self.program, class);
        let index = inherited + field as usize;
        item.fields.get(field as usize).map_or_else(|| format!("m{index}"), |it| names::field(index, it))
    }

    /// The member of a struct's field.
    pub(crate) fn struct_field_name(&self, id: StructId, field: u32) -> String {
        let fields = &self.program.structs[id.index()].fields;
        fields.get(field as usize).map_or_else(|| format!("m{field}"), |it| names::field(field as usize, it))
    }

    /// The spelling of a local.
    pub(crate) fn local(&self, id: LocalId) -> LocalSpelling {
        self.locals
            .get(id.index())
            .cloned()
            .unwrap_or_else(|| LocalSpelling::new("unknown_local".into(), Ty::Void))
    }

    /// The names of variables in memory.
    pub(crate) fn variable_names(variables: &[Local]) -> Vec<String> {
        variables.iter().enumerate().map(|(index, it)| names::variable(index, &it.name)).collect()
    }

    /// Declares variables in memory.
    pub(crate) fn declare_variables(&mut self, variables: &[Local]) {
        for (index, variable) in variables.iter().enumerate() {
            let ty = self.ty(variable.ty);
            self.out.line(format!("{ty} {};", self.variables[index]));
        }
    }

    /// Spells locals as plain variables.
    pub(crate) fn plain_locals(locals: &[Local]) -> Vec<LocalSpelling> {
        let spelling =
            |(index, local): (usize, &Local)| LocalSpelling::new(names::local(index, &local.name), local.ty);
        locals.iter().enumerate().map(spelling).collect()
    }
}

impl Code<'_> {
    /// Declares the private arrays of a kernel or device function as variables; their lengths are constants.
    pub(crate) fn stack_rails(&mut self, body: &[Stmt]) {
        let mut found = Vec::new();
        walk::visit_stmts(body, &mut |stmt| {
            if let StmtKind::Set { local, value } = &stmt.kind
                && let ExprKind::AllocateRail { class, length, .. } = &value.kind
            {
                found.push((*local, *class, (**length).clone(), stmt.span));
            }
        });
        for (local, class, length, span) in found {
            self.span = span;
            let ClassKind::Rail { element } = self.program.classes[class.index()].kind else { continue };
            let Some(length) = apg_passes::analysis::constants::constant_value(&length).filter(|it| *it >= 0)
            else {
                self.fail("the length of a rail made in a kernel must be known when it is compiled".into());
                continue;
            };
            let spelling = &mut self.locals[local.index()];
            spelling.stack = Some((element, length));
            spelling.rail = Some(RailSpelling::new(spelling.text.clone(), format!("{length}LL")));
        }
    }
}

/// Number of fields that a class inherits.
pub(crate) fn inherited_fields(program: &Program, class: ClassId) -> usize {
    let mut count = 0;
    let mut at = program.classes[class.index()].superclass;
    while let Some(id) = at {
        let class = &program.classes[id.index()];
        count += class.fields.len();
        at = class.superclass;
    }
    count
}

/// A class and its superclasses, root first.
pub(crate) fn chain(program: &Program, class: ClassId) -> Vec<ClassId> {
    let mut chain = vec![class];
    let mut at = program.classes[class.index()].superclass;
    while let Some(id) = at {
        chain.push(id);
        at = program.classes[id.index()].superclass;
    }
    chain.reverse();
    chain
}
