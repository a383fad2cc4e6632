//! The declarations of XcalableMP in a program (specification 1.4, chapter 4): what names refer to.
//!
//! Axes are as they are written, in the order of their declaration's [`Spelling`]: with parentheses the first
//! axis varies fastest, with brackets the last.

use apg_c_syntax::{Family, TextRange};
use smol_str::SmolStr;

use crate::hir::{
    Directive, FunctionId, Mapping, Program, Role, Spelling, Subscript, SubscriptKind, Type, VariableId,
};

/// What the directives of a program declare.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Nodes and templates, in the order of the source.
    pub grids: Vec<Grid>,
    /// The arrays that are aligned with templates, once for each `align`.
    pub arrays: Vec<GlobalArray>,
    /// The shadows of arrays.
    pub shadows: Vec<Shadow>,
}

/// What a grid of points consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridKind {
    /// Nodes, which execute.
    Nodes,
    /// A template: indices that are distributed onto nodes.
    Template,
}

/// Nodes or a template.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Nodes or a template.
    pub kind: GridKind,
    /// Its name.
    pub name: SmolStr,
    /// The name in the declaration.
    pub range: TextRange,
    /// The function that declares it; `None` at file scope.
    pub function: Option<FunctionId>,
    /// How it is declared.
    pub spelling: Spelling,
    /// Its axes as they are written.
    pub axes: Vec<Axis>,
    /// The distribution of a template.
    pub distribution: Option<Distribution>,
}

/// An axis of nodes or of a template.
#[derive(Clone, Debug)]
pub struct Axis {
    /// As it is written.
    pub text: SmolStr,
    /// The first and the last index, if they are constant.
    pub bounds: Option<(i128, i128)>,
}

/// How the indices of a template are divided among nodes.
#[derive(Clone, Debug)]
pub struct Distribution {
    /// The format of each axis as it is written: `block`, `cyclic(2)`, `gblock(m)`, `*`.
    pub formats: Vec<SmolStr>,
    /// The nodes.
    pub nodes: SmolStr,
}

/// An array whose elements are distributed as the indices of a template are.
#[derive(Clone, Debug)]
pub struct GlobalArray {
    /// The array.
    pub variable: VariableId,
    /// Its name in the `align`.
    pub range: TextRange,
    /// The subscript of each axis: an index, `*` if the axis is not distributed.
    pub axes: Vec<Subscript>,
    /// The template.
    pub template: SmolStr,
    /// The subscript of each axis of the template as it is written.
    pub target: Vec<Subscript>,
    /// How the subscripts of the template are written.
    pub target_spelling: Option<Spelling>,
}

/// Elements of neighbours that a node has copies of.
#[derive(Clone, Debug)]
pub struct Shadow {
    /// The array.
    pub variable: VariableId,
    /// Its name in the directive.
    pub range: TextRange,
    /// The width of each axis.
    pub widths: Vec<Width>,
}

/// The width of a shadow or of a reflection in an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Elements below and above.
    Sides(i128, i128),
    /// The whole axis.
    Full,
    /// Not constant.
    Unknown,
}

impl Model {
    /// The model of a program; empty without directives of XcalableMP.
    pub fn of(program: &Program) -> Model {
        let mut model = Model::default();
        for directive in directives(program) {
            match directive.name.as_str() {
                "nodes" => model.declare(program, directive, GridKind::Nodes),
                "template" => model.declare(program, directive, GridKind::Template),
                "distribute" => model.distribute(directive),
                "align" => model.align(directive),
                "shadow" => model.shadow(program, directive),
                _ => {}
            }
        }
        model
    }

    fn declare(&mut self, program: &Program, directive: &Directive, kind: GridKind) {
        for (subject, subscripts, spelling) in subjects(directive) {
            let Some(spelling) = spelling.filter(|_| !subject.name.is_empty()) else { continue };
            let axis = |it: &Subscript| Axis { text: it.text.clone(), bounds: bounds(program, it, spelling) };
            self.grids.push(Grid {
                kind,
                name: subject.name.clone(),
                range: subject.name_range,
                function: directive.function,
                spelling,
                axes: subscripts.iter().map(axis).collect(),
                distribution: None,
            });
        }
    }

    fn distribute(&mut self, directive: &Directive) {
        let Some(nodes) = target(directive, "onto") else { return };
        for (subject, formats, _) in subjects(directive) {
            let Some(index) = self.index(&subject.name, directive.function) else { continue };
            let formats = formats.iter().map(|it| it.text.clone()).collect();
            self.grids[index].distribution.get_or_insert(Distribution { formats, nodes: nodes.name.clone() });
        }
    }

    fn align(&mut self, directive: &Directive) {
        let Some(target) = target(directive, "with") else { return };
        for (subject, axes, _) in subjects(directive) {
            let Some(variable) = subject.variable else { continue };
            self.arrays.push(GlobalArray {
                variable,
                range: subject.name_range,
                axes: axes.to_vec(),
                template: target.name.clone(),
                target: target.subscripts.clone(),
                target_spelling: target.spelling,
            });
        }
    }

    fn shadow(&mut self, program: &Program, directive: &Directive) {
        for (subject, widths, _) in subjects(directive) {
            let Some(variable) = subject.variable else { continue };
            let widths = widths.iter().map(|it| width(program, it)).collect();
            self.shadows.push(Shadow { variable, range: subject.name_range, widths });
        }
    }

    /// The nodes or the template that a name refers to in a function; `None` if there is none, or several
    /// with the same name in different blocks.
    pub fn grid(&self, name: &str, function: Option<FunctionId>) -> Option<&Grid> {
        Some(&self.grids[self.index(name, function)?])
    }

    fn index(&self, name: &str, function: Option<FunctionId>) -> Option<usize> {
        let in_scope = |scope: Option<FunctionId>| {
            let found = move |it: &(usize, &Grid)| it.1.name == name && it.1.function == scope;
            self.grids.iter().enumerate().filter(found).map(|it| it.0).collect::<Vec<_>>()
        };
        let local = function.map_or_else(Vec::new, |it| in_scope(Some(it)));
        match &(if local.is_empty() { in_scope(None) } else { local })[..] {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Whether a name is one of nodes or a template anywhere.
    pub fn is_declared(&self, name: &str) -> bool {
        self.grids.iter().any(|it| it.name == name)
    }

    /// The alignment of an array.
    pub fn array(&self, variable: VariableId) -> Option<&GlobalArray> {
        self.arrays.iter().find(|it| it.variable == variable)
    }

    /// The shadow of an array.
    pub fn shadow_of(&self, variable: VariableId) -> Option<&Shadow> {
        self.shadows.iter().find(|it| it.variable == variable)
    }
}

impl Grid {
    /// Its kind in words.
    pub fn kind_text(&self) -> &'static str {
        match self.kind {
            GridKind::Nodes => "node array",
            GridKind::Template => "template",
        }
    }

    /// The number of points, if it is constant.
    pub fn size(&self) -> Option<i128> {
        self.axes.iter().try_fold(1_i128, |size, it| size.checked_mul(it.size()?))
    }
}

impl Axis {
    /// The number of indices, if it is constant.
    pub fn size(&self) -> Option<i128> {
        self.bounds.and_then(|(first, last)| last.checked_sub(first)?.checked_add(1))
    }
}

/// The directives of XcalableMP.
pub fn directives(program: &Program) -> impl Iterator<Item = &Directive> {
    program.directives.iter().filter(|it| it.family == Family::XcalableMp)
}

/// All references of a directive, those of its clauses too.
pub fn mappings(directive: &Directive) -> impl Iterator<Item = &Mapping> {
    let items = directive.argument.iter().chain(directive.clauses.iter().flat_map(|it| &it.items));
    items.filter_map(|it| it.mapping.as_ref())
}

/// What a directive declares or gives attributes to, with the subscripts that say so, and their spelling:
/// `align a[i] with t(i)` and `align [i] with t(i) :: a` mean the same.
pub fn subjects(directive: &Directive) -> Vec<(&Mapping, &[Subscript], Option<Spelling>)> {
    let in_argument = || directive.argument.iter().filter_map(|it| it.mapping.as_ref());
    let after_colons: Vec<_> = mappings(directive).filter(|it| it.role == Role::Subject).collect();
    if after_colons.is_empty() {
        let named = in_argument().filter(|it| it.role == Role::Plain && !it.name.is_empty());
        return named.map(|it| (it, &it.subscripts[..], it.spelling)).collect();
    }
    let Some(attributes) = in_argument().find(|it| it.name.is_empty()) else { return Vec::new() };
    after_colons.into_iter().map(|it| (it, &attributes.subscripts[..], attributes.spelling)).collect()
}

/// What a clause names: the nodes after `onto`, the template after `with` or `on`.
pub fn target<'d>(directive: &'d Directive, clause: &str) -> Option<&'d Mapping> {
    let items = &directive.clause(clause)?.items;
    items.iter().filter_map(|it| it.mapping.as_ref()).find(|it| it.role == Role::Plain && !it.name.is_empty())
}

/// The indices of an axis, if they are constant.
fn bounds(program: &Program, subscript: &Subscript, spelling: Spelling) -> Option<(i128, i128)> {
    let value = |it| program.constant(it);
    match (subscript.kind, spelling) {
        (SubscriptKind::Expr(size), Spelling::Parentheses) => Some((1, value(size)?)),
        (SubscriptKind::Expr(size), Spelling::Brackets) => Some((0, value(size)?.checked_sub(1)?)),
        (SubscriptKind::Bounds(Some(first), Some(last)), Spelling::Parentheses) => {
            Some((value(first)?, value(last)?))
        }
        (SubscriptKind::Bounds(Some(first), Some(length)), Spelling::Brackets) => {
            let first = value(first)?;
            Some((first, first.checked_add(value(length)?)?.checked_sub(1)?))
        }
        _ => None,
    }
}

/// The width that a subscript of `shadow` or `width` means: `1`, `0:2`, `*`.
pub fn width(program: &Program, subscript: &Subscript) -> Width {
    let sides = match subscript.kind {
        SubscriptKind::Star => return Width::Full,
        SubscriptKind::Expr(both) => program.constant(both).map(|it| (it, it)),
        SubscriptKind::Bounds(Some(below), Some(above)) => {
            program.constant(below).zip(program.constant(above))
        }
        SubscriptKind::Bounds(..) | SubscriptKind::Missing => None,
    };
    sides.map_or(Width::Unknown, |(below, above)| Width::Sides(below, above))
}

/// The number of axes of an array, or of the array that a pointer points to; `None` if it is not known.
pub fn rank(program: &Program, variable: VariableId) -> Option<usize> {
    let (mut ty, mut rank) = (&program.variable(variable).ty, 0);
    loop {
        match ty {
            Type::Array(element, _) => ty = element,
            Type::Pointer(element) if rank == 0 => ty = element,
            Type::Pointer(_) | Type::Unknown | Type::Function(_) => return None,
            _ => return (rank > 0).then_some(rank),
        }
        rank += 1;
    }
}
