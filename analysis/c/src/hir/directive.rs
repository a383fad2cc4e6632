//! Directives, their constructs and their clauses.

use apg_c_syntax::{Family, TextRange};
use smol_str::SmolStr;

use super::{DirectiveId, ExprId, FunctionId, Mapping, Program, StmtId, Type, VariableId};

/// A directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// The specification that it belongs to.
    pub family: Family,
    /// Its name, with single spaces: `parallel for`. Empty if it is not known.
    pub name: SmolStr,
    /// The constructs that a combined directive consists of, the outermost first.
    pub constructs: Vec<Construct>,
    /// The name.
    pub name_range: TextRange,
    /// All of it, from `#pragma` to the end of its line.
    pub range: TextRange,
    /// The items in parentheses after the name.
    pub argument: Vec<Item>,
    /// Its clauses.
    pub clauses: Vec<Clause>,
    /// The statement that it is about.
    pub body: Option<StmtId>,
    /// The directive whose statement contains it.
    pub parent: Option<DirectiveId>,
    /// The function that contains it.
    pub function: Option<FunctionId>,
    /// What it was chosen from, if it is written as a `metadirective`.
    pub metadirective: Option<Box<Metadirective>>,
}

/// The choices of a `metadirective` (OpenMP 5.2, section 7.4), where the directive does not say them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadirective {
    /// What the host has in its place.
    pub on_host: HostDirective,
    /// What a device has in its place, where functions contain it and it differs.
    pub on_device: Option<Directive>,
}

/// What the host has in place of a `metadirective`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostDirective {
    /// It is not known at compile time: what the C compiler chooses.
    Unknown,
    /// No directive.
    Nothing,
    /// The directive with these words.
    Words(TextRange),
}

/// A clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Its name.
    pub name: SmolStr,
    /// All of it.
    pub range: TextRange,
    /// The modifiers.
    pub modifiers: Vec<Modifier>,
    /// The items, without modifiers.
    pub items: Vec<Item>,
}

/// A modifier of a clause: `to` in `map(to: a)`, `+` in `reduction(+: s)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Modifier {
    /// The word or operator.
    pub text: SmolStr,
    /// The items in its parentheses.
    pub arguments: Vec<Item>,
    /// All of it.
    pub range: TextRange,
}

/// What maps objects of a struct or union (OpenMP 5.2, section 5.8.8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapper {
    /// Its name: `default` if it has none.
    pub name: SmolStr,
    /// The struct or union.
    pub ty: Type,
    /// The object in its clauses.
    pub variable: VariableId,
    /// The directive.
    pub directive: DirectiveId,
}

/// An item of a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The expression.
    pub expr: Option<ExprId>,
    /// The word, if it is one alone.
    pub word: Option<SmolStr>,
    /// What a directive of XcalableMP names, or its subscripts.
    pub mapping: Option<Mapping>,
    /// Where it is.
    pub range: TextRange,
}

macro_rules! constructs {
    ($($variant:ident $text:literal,)*) => {
        /// A construct of OpenMP: one word, or words that mean one thing.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names are those of the specification")]
        pub enum Construct {
            $($variant,)*
        }

        impl Construct {
            const ALL: &[(&str, Construct)] = &[$(($text, Construct::$variant),)*];

            /// Its name in a directive.
            pub fn text(self) -> &'static str {
                match self {
                    $(Construct::$variant => $text,)*
                }
            }
        }
    };
}

constructs! {
    // Names of several words come before their first word.
    TargetEnterData "target enter data",
    TargetExitData "target exit data",
    TargetData "target data",
    TargetUpdate "target update",
    CancellationPoint "cancellation point",
    DeclareTarget "declare target",
    BeginDeclareTarget "begin declare target",
    EndDeclareTarget "end declare target",
    DeclareSimd "declare simd",
    DeclareReduction "declare reduction",
    Parallel "parallel",
    For "for",
    Sections "sections",
    Section "section",
    Single "single",
    Master "master",
    Masked "masked",
    Critical "critical",
    Atomic "atomic",
    Barrier "barrier",
    Flush "flush",
    Ordered "ordered",
    Threadprivate "threadprivate",
    Accessible "accessible",
    Taskgroup "taskgroup",
    Taskloop "taskloop",
    Taskwait "taskwait",
    Taskyield "taskyield",
    Task "task",
    Simd "simd",
    Target "target",
    Teams "teams",
    Distribute "distribute",
    Loop "loop",
    Scope "scope",
    Scan "scan",
    Cancel "cancel",
}

impl Construct {
    /// The constructs of a directive's name; empty for names that mean something else.
    pub(crate) fn split(name: &str) -> Vec<Construct> {
        let mut rest = name;
        let mut found = Vec::new();
        while !rest.is_empty() {
            let next = Construct::ALL.iter().find_map(|(text, construct)| {
                let after = rest.strip_prefix(text)?;
                (after.is_empty() || after.starts_with(' ')).then_some((*construct, after.trim_start()))
            });
            let Some((construct, after)) = next else { return Vec::new() };
            found.push(construct);
            rest = after;
        }
        found
    }

    /// Its iterations or parts are divided among the threads of a team.
    pub fn is_worksharing(self) -> bool {
        use Construct::*;
        matches!(self, For | Sections | Single | Loop | Scope)
    }

    /// It is about a loop.
    pub fn is_loop(self) -> bool {
        use Construct::*;
        matches!(self, For | Simd | Distribute | Taskloop | Loop)
    }
}

impl Directive {
    /// What code of a function is on a device.
    pub fn for_device(&self) -> &Directive {
        self.metadirective.as_ref().and_then(|it| it.on_device.as_ref()).unwrap_or(self)
    }

    /// Whether one of its constructs is this.
    pub fn has(&self, construct: Construct) -> bool {
        self.constructs.contains(&construct)
    }

    /// All clauses of a name.
    pub fn clauses_named<'d>(&'d self, name: &'d str) -> impl Iterator<Item = &'d Clause> {
        self.clauses.iter().filter(move |it| it.name == name)
    }

    /// The first clause of a name.
    pub fn clause(&self, name: &str) -> Option<&Clause> {
        self.clauses.iter().find(|it| it.name == name)
    }

    /// It is about a loop.
    pub fn is_loop(&self) -> bool {
        self.constructs.iter().any(|it| it.is_loop())
    }

    /// It is a compute construct of OpenACC.
    pub fn is_compute(&self) -> bool {
        self.family == Family::OpenAcc
            && matches!(self.name.split(' ').next(), Some("parallel" | "kernels" | "serial"))
    }

    /// It is a loop of XcalableMP that accelerators execute.
    pub fn is_accelerated_loop(&self) -> bool {
        self.family == Family::XcalableMp && self.name == "loop" && self.clause("acc").is_some()
    }
}

impl Clause {
    /// The operator or name of a reduction, the type of a map.
    pub fn modifier(&self) -> Option<&str> {
        self.modifiers.last().map(|it| it.text.as_str())
    }

    /// The first word: `static` of `schedule(static, 4)`, `none` of `default(none)`.
    pub fn word(&self) -> Option<&str> {
        self.items.first()?.word.as_deref()
    }
}

impl Item {
    /// The object that the item names, alone or as a section or element of it.
    pub fn variable(&self, program: &Program) -> Option<VariableId> {
        program.base_variable(self.expr?)
    }
}
