//! Types of expressions that follow from their operands, so that the text need not repeat them.

use rustc_hash::FxHashMap;

use super::names::Name;
use crate::*;

/// The types that are one word.
const SIMPLE_TYPES: [(&str, Ty); 14] = [
    ("void", Ty::Void),
    ("bool", Ty::Bool),
    ("i8", Ty::I8),
    ("i16", Ty::I16),
    ("i32", Ty::I32),
    ("i64", Ty::I64),
    ("u8", Ty::U8),
    ("u16", Ty::U16),
    ("u32", Ty::U32),
    ("u64", Ty::U64),
    ("f32", Ty::F32),
    ("f64", Ty::F64),
    ("char", Ty::Char),
    ("any", Ty::Any),
];

/// The word for a type that is one word.
pub(super) fn simple_name(ty: Ty) -> &'static str {
    SIMPLE_TYPES.iter().find(|it| it.1 == ty).map_or("<type>", |it| it.0)
}

/// The type that a word stands for.
pub(super) fn simple_type(word: &str) -> Option<Ty> {
    SIMPLE_TYPES.iter().find(|it| it.0 == word).map(|it| it.1)
}

/// The names that an expression may refer to.
pub(super) struct Scope<'a> {
    pub(super) program: &'a Program,
    /// The types of the program, which a parser has not added to it yet.
    pub(super) types: &'a TypeTable,
    pub(super) locals: &'a [Local],
    /// Element types of the rails in locals that are no references to rails.
    pub(super) elements: &'a FxHashMap<LocalId, Ty>,
    /// The type of numbers, `zero` and `null`, in tables of constants.
    pub(super) literal: Option<Ty>,
}

/// The field with a name.
pub(super) fn field_named(fields: &[Field], name: &Name) -> Option<u32> {
    let mut namesakes = (0..).zip(fields).filter(|(_, it)| it.name == name.text);
    namesakes.nth(name.ordinal as usize).map(|(index, _)| index)
}

/// The element types of a kernel's captures.
pub(super) fn capture_elements(captures: &[KernelCapture]) -> FxHashMap<LocalId, Ty> {
    let element = |(index, capture): (u32, &KernelCapture)| match capture.kind {
        KernelCaptureKind::Scalar(_) => None,
        KernelCaptureKind::Buffer { element }
        | KernelCaptureKind::ConstantBuffer { element }
        | KernelCaptureKind::GlobalBuffer { element } => Some((LocalId(index), element)),
    };
    (0..).zip(captures).filter_map(element).collect()
}

/// The class of string constants.
pub(super) fn string_class(program: &Program) -> Option<ClassId> {
    let index = program.classes.iter().position(|it| it.kind == ClassKind::String)?;
    Some(ClassId(index as u32))
}

/// The element type of a rail.
pub(super) fn element(scope: &Scope<'_>, rail: &Expr) -> Option<Ty> {
    if let Ty::Ref(class) = rail.ty
        && let ClassKind::Rail { element } = scope.program.classes.get(class.index())?.kind
    {
        return Some(element);
    }
    match rail.kind {
        ExprKind::Local(local) => scope.elements.get(&local).copied(),
        _ => None,
    }
}

/// The type of an address, which follows from what it is the address of.
pub(super) fn address_type(scope: &Scope<'_>, kind: &ExprKind) -> Option<PointerType> {
    let (pointee, space) = match kind {
        ExprKind::AddressOf(place) => (place.ty, place.space(scope.types)),
        ExprKind::FunctionAddress(function) => {
            let signature = scope.program.functions.get(function.index())?.signature();
            (Ty::Function(scope.types.find_signature(&signature)?), AddressSpace::Generic)
        }
        ExprKind::ExternalAddress(external) => {
            let external = scope.program.externals.get(external.index())?;
            (Ty::Function(external.signature), AddressSpace::Generic)
        }
        ExprKind::Bytes(_) => (Ty::I8, AddressSpace::Generic),
        _ => return None,
    };
    Some(PointerType { pointee, space })
}

/// The type of an expression that is written without one.
pub(super) fn derive(scope: &Scope<'_>, kind: &ExprKind) -> Option<Ty> {
    let program = scope.program;
    Some(match kind {
        ExprKind::Int(_) => scope.literal.unwrap_or(Ty::I64),
        ExprKind::Float(_) => scope.literal.unwrap_or(Ty::F64),
        ExprKind::Null => scope.literal.unwrap_or(Ty::Any),
        ExprKind::Zero => return scope.literal,
        ExprKind::String(_) => Ty::Ref(string_class(program)?),
        ExprKind::Local(local) => scope.locals.get(local.index())?.ty,
        ExprKind::Static(id) => program.statics.get(id.index())?.ty,
        ExprKind::Load(place) => place.ty,
        ExprKind::AddressOf(_)
        | ExprKind::FunctionAddress(_)
        | ExprKind::ExternalAddress(_)
        | ExprKind::Bytes(_) => {
            let pointer = address_type(scope, kind)?;
            return scope.types.find_pointer_to(pointer.pointee, pointer.space);
        }
        ExprKind::CallPointer { callee, .. } => scope.types.pointed_signature(callee.ty)?.result,
        ExprKind::Field { class, field, .. } => {
            program.classes.get(class.index())?.fields.get(*field as usize)?.ty
        }
        ExprKind::StructField { value, field } => {
            let Ty::Struct(id) = value.ty else { return None };
            program.structs.get(id.index())?.fields.get(*field as usize)?.ty
        }
        ExprKind::Atomic { rail, .. } if let Some(pointer) = scope.types.pointer(rail.ty) => pointer.pointee,
        ExprKind::Element { rail, .. } | ExprKind::Atomic { rail, .. } => return element(scope, rail),
        ExprKind::Allocate(class)
        | ExprKind::AllocateRail { class, .. }
        | ExprKind::TableRail { class, .. }
        | ExprKind::MakeObject { class, .. }
        | ExprKind::StackAllocate { class, .. } => Ty::Ref(*class),
        ExprKind::NonNull(value) => value.ty,
        ExprKind::At { .. } => Ty::Any,
        ExprKind::Call { function, .. } => program.functions.get(function.index())?.result,
        ExprKind::CallVirtual { class, slot, .. } => {
            let function = (*program.classes.get(class.index())?.vtable.get(*slot as usize)?)?;
            program.functions.get(function.index())?.result
        }
        ExprKind::CallInterface { .. } | ExprKind::CallClosure { .. } | ExprKind::Runtime { .. } => Ty::Void,
        ExprKind::Collective { operation, .. } if operation.slot_call().is_some() => Ty::I64,
        ExprKind::Collective { args, .. } => args.first()?.ty,
        ExprKind::Operation { operation, .. } if operation.is_comparison() => Ty::Bool,
        ExprKind::Operation {
            operation: Operation::Convert | Operation::ConvertUndefined | Operation::Bitcast,
            ..
        } => return None,
        ExprKind::Operation { operation: Operation::Distance, .. } => Ty::I64,
        ExprKind::Operation { args, .. } => args.first()?.ty,
        ExprKind::Cast { target: CastTarget::Class(class), .. } => Ty::Ref(*class),
        ExprKind::Cast { target: CastTarget::Interface(_), .. } => Ty::Any,
        ExprKind::InstanceOf { .. } | ExprKind::And(..) | ExprKind::Or(..) => Ty::Bool,
        ExprKind::Select { then, .. } => then.ty,
        ExprKind::Length { .. } | ExprKind::Here | ExprKind::ThreadIndex(_) => Ty::I64,
        ExprKind::MakeStruct(_) => return None,
    })
}
