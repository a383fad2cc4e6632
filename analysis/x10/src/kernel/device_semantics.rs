//! Classification of types and methods for device code.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::body::Owner;
use crate::db::Db;
use crate::ids::{ClassId, FieldId, FileOrigin, MethodId};
use crate::infer::{BodyResult, owner_body};
use crate::item_tree::items::{
    class_kind, field_is_static, field_item, fields, method_is_static, method_item, qualified_name,
};
use crate::item_tree::{AnnotationItem, ClassKind, annotation_string, has_annotation};
use crate::rules::render::method_name;
use crate::signature::field_type;
use crate::suggest::ObjectReference;
use crate::ty::known::Known;
use crate::ty::subst::Substitution;
use crate::ty::{Ty, TyKind};

/// Maximum nesting depth of structs.
const MAX_EXPRESSION_DEPTH: u32 = 32;

/// Members of `x10.util.Slot` that all threads of a block call together.
const SLOT_CALLS: [&str; 16] = [
    "send",
    "recv",
    "sendRecv",
    "sendRecvReplace",
    "asyncSend",
    "asyncRecv",
    "test",
    "wait",
    "barrier",
    "broadcast",
    "gather",
    "scatter",
    "allgather",
    "alltoall",
    "reduce",
    "allreduce",
];
/// Arguments of an intrinsic call of a slot before its buffers.
const SLOT_NUMBERS: usize = 9;
/// Arguments for each buffer: a rail, an index, a number of elements.
const SLOT_BUFFER_ARGUMENTS: usize = 3;

/// Queries on classes, methods, fields and types that kernel rules need.
pub(crate) struct DeviceSemantics<'a> {
    pub db: &'a dyn Db,
}

/// How device code may call a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CalleeKind {
    /// A machine operation or an element access, known to code generation.
    Builtin,
    /// The block barrier, `Clock.advanceAll()`.
    Barrier,
    /// A collective operation of a warp or block, or a call of the block's slot.
    Collective,
    /// The index of a thread, or the number of threads.
    ThreadIndex,
    /// A `@CUDA` function, checked and compiled for the device.
    Function,
    /// Not callable in device code.
    HostOnly,
}

/// Categories of types for device code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeCategory {
    /// A number, `Boolean`, `Char`, a struct of such, or a type parameter (checked at instantiation).
    Plain,
    /// `Rail[T]` of plain elements.
    Rail(Ty),
    /// `GlobalRail[T]` of plain elements.
    GlobalRail(Ty),
    /// `CUDAConstantRail[T]` of plain elements.
    ConstantRail(Ty),
    /// A rail of unsupported elements: the element type.
    UnsupportedRail(Ty),
    /// `String`.
    String,
    /// A function value.
    Function,
    /// `void`, the type of `null`.
    Null,
    /// Unknown, already reported.
    Unknown,
    /// Any other class, interface or struct with references in it.
    Object,
}

impl<'a> DeviceSemantics<'a> {
    /// Device semantics for code of a program.
    pub(crate) fn new(db: &'a dyn Db) -> DeviceSemantics<'a> {
        DeviceSemantics { db }
    }

    /// Whether `class` is the library class with this full name.
    pub(crate) fn is_class(&self, class: ClassId, full: &str) -> bool {
        let name = full.rsplit('.').next().unwrap_or(full);
        class.outer(self.db).is_none()
            && class.name(self.db) == name
            && qualified_name(self.db, class) == full
    }

    /// Whether `method` is that of the library class `full`.
    pub(crate) fn is_method(&self, method: MethodId, full: &str, name: &str) -> bool {
        method.name(self.db) == name && self.is_class(method.class(self.db), full)
    }

    /// `Class.method`, for messages.
    pub(crate) fn method_name(&self, method: MethodId) -> String {
        method_name(self.db, method)
    }

    /// How device code may call `method`.
    pub(crate) fn callee_kind(&self, method: MethodId) -> CalleeKind {
        let Some(item) = method_item(self.db, method) else { return CalleeKind::HostOnly };
        match annotation_string(&item.annotations, "Intrinsic").map(SmolStr::as_str) {
            Some("kernel.barrier") => return CalleeKind::Barrier,
            Some(name) if ["warp.", "block.", "slot."].iter().any(|scope| name.starts_with(scope)) => {
                return CalleeKind::Collective;
            }
            Some(name) if name.starts_with("thread.") => return CalleeKind::ThreadIndex,
            Some(name) if name.starts_with("op.") => return CalleeKind::Builtin,
            Some("any.zero" | "texture.at") => return CalleeKind::Builtin,
            Some("rail.get" | "rail.set") => return CalleeKind::Builtin,
            Some("rt.atomic_fence") => return CalleeKind::Builtin,
            Some(name) if name.starts_with("atomic.") => return CalleeKind::Builtin,
            _ => {}
        }
        if marks_device_code(&item.annotations) {
            return CalleeKind::Function;
        }
        let class = method.class(self.db);
        let rail = ["x10.lang.Rail", "x10.lang.GlobalRail", "x10.lang.CUDAConstantRail"];
        let access = ["operator()", "operator()=", "size", "range"];
        let is_access = access.contains(&method.name(self.db).as_str());
        if is_access && rail.iter().any(|full| self.is_class(class, full)) {
            return CalleeKind::Builtin;
        }
        // In a kernel, only the bounds of a range remain.
        if ["x10.lang.IntRange", "x10.lang.LongRange"].iter().any(|full| self.is_class(class, full))
            && item.kind.is_constructor()
        {
            return CalleeKind::Builtin;
        }
        CalleeKind::HostOnly
    }

    /// Whether the method is an atomic update of an element of its first argument, a rail.
    pub(crate) fn is_atomic(&self, method: MethodId) -> bool {
        let Some(item) = method_item(self.db, method) else { return false };
        annotation_string(&item.annotations, "Intrinsic").is_some_and(|name| name.starts_with("atomic."))
    }

    /// Whether the method orders the memory accesses of a thread.
    pub(crate) fn is_fence(&self, method: MethodId) -> bool {
        self.intrinsic(method) == Some("rt.atomic_fence")
    }

    /// Whether all threads of a block get the same result.
    pub(crate) fn is_block_uniform(&self, method: MethodId) -> bool {
        self.intrinsic(method).is_some_and(|name| {
            let sums = ["block.inclusive", "block.exclusive"];
            name.starts_with("block.") && !sums.contains(&name)
                || name.starts_with("slot.")
                || ["thread.count", "thread.grid_size"].contains(&name)
        })
    }

    /// Whether all threads of a warp get the same result.
    pub(crate) fn is_warp_uniform(&self, method: MethodId) -> bool {
        self.intrinsic(method).is_some_and(|name| {
            let sums = ["warp.inclusive", "warp.exclusive"];
            name == "thread.warp"
                || name.starts_with("warp.") && !name.starts_with("warp.shuffle") && !sums.contains(&name)
        })
    }

    /// Whether the method is a collective operation of one warp.
    pub(crate) fn is_warp_collective(&self, method: MethodId) -> bool {
        self.intrinsic(method).is_some_and(|name| name.starts_with("warp."))
    }

    /// Whether the method is a call of a slot, which all threads of a block make together: a member of
    /// `x10.util.Slot` that sends, receives or waits.
    pub(crate) fn is_slot_call(&self, method: MethodId) -> bool {
        self.is_class(method.class(self.db), "x10.util.Slot")
            && SLOT_CALLS.contains(&method.name(self.db).as_str())
    }

    /// Whether the method is an intrinsic call of a block's slot.
    pub(crate) fn is_slot_operation(&self, method: MethodId) -> bool {
        self.intrinsic(method).is_some_and(|name| name.starts_with("slot."))
    }

    /// The position of the rail that a call of a slot writes to, among the arguments of the intrinsic.
    pub(crate) fn received_argument(&self, method: MethodId) -> Option<usize> {
        let call = self.intrinsic(method)?.strip_prefix("slot.")?;
        match call {
            "receive" | "start_receive" | "replace" | "broadcast" => Some(SLOT_NUMBERS),
            "exchange" | "gather" | "scatter" | "all_gather" | "all_to_all" | "reduce" | "all_reduce" => {
                Some(SLOT_NUMBERS + SLOT_BUFFER_ARGUMENTS)
            }
            _ => None,
        }
    }

    /// The name of a thread operation: `shuffle` for `warp.shuffle`.
    pub(crate) fn thread_operation(&self, method: MethodId) -> Option<&str> {
        self.intrinsic(method)?.split_once('.').map(|it| it.1)
    }

    fn intrinsic(&self, method: MethodId) -> Option<&str> {
        let item = method_item(self.db, method)?;
        annotation_string(&item.annotations, "Intrinsic").map(SmolStr::as_str)
    }

    /// Whether the class is an array of the class library, backed by a rail.
    pub(crate) fn is_array(&self, class: ClassId) -> bool {
        let arrays = [
            "x10.array.Array",
            "x10.array.Array_1",
            "x10.array.Array_2",
            "x10.array.Array_3",
            "x10.regionarray.Array",
        ];
        arrays.iter().any(|full| self.is_class(class, full))
    }

    /// Whether the method is declared in user code, so that fixes can change it.
    pub(crate) fn is_user_code(&self, method: MethodId) -> bool {
        method.class(self.db).file(self.db).origin(self.db) == FileOrigin::User
    }

    pub(crate) fn is_static(&self, method: MethodId) -> bool {
        method_is_static(self.db, method)
    }

    pub(crate) fn is_constructor(&self, method: MethodId) -> bool {
        method_item(self.db, method).is_some_and(|item| item.kind.is_constructor())
    }

    /// Whether the method carries `@CUDA`.
    pub(crate) fn is_cuda(&self, method: MethodId) -> bool {
        method_item(self.db, method).is_some_and(|item| has_annotation(&item.annotations, "CUDA"))
    }

    pub(crate) fn class_kind(&self, class: ClassId) -> ClassKind {
        class_kind(self.db, class).unwrap_or(ClassKind::Class)
    }

    /// Whether a field is a `var`.
    pub(crate) fn is_mutable_field(&self, field: FieldId) -> bool {
        field_item(self.db, field).is_some_and(|item| item.mutable)
    }

    /// Whether a call has no effect and the same value at every place.
    pub(crate) fn is_pure(&self, method: MethodId) -> bool {
        let Some(item) = method_item(self.db, method) else { return false };
        annotation_string(&item.annotations, "Intrinsic").is_some_and(|name| name.starts_with("op."))
            || (has_annotation(&item.annotations, "CUDA") && self.is_static(method))
            || has_annotation(&item.annotations, "Pure")
    }

    pub(crate) fn body(&self, method: MethodId) -> Arc<BodyResult> {
        self.body_of(Owner::Method(method))
    }

    /// The typed code of a method or field initialiser.
    pub(crate) fn body_of(&self, owner: Owner) -> Arc<BodyResult> {
        owner_body(self.db, owner).clone()
    }

    /// The type as written in a program, without constraints.
    pub(crate) fn display(&self, ty: Ty) -> String {
        ty.base(self.db).display(self.db).to_string()
    }

    /// The category of a type.
    pub(crate) fn category(&self, ty: Ty) -> TypeCategory {
        self.category_at_depth(ty, 0)
    }

    /// The category of a type nested `depth` types deep. Recursion ends at [`MAX_EXPRESSION_DEPTH`]: the type
    /// may be infinite.
    fn category_at_depth(&self, ty: Ty, depth: u32) -> TypeCategory {
        let (class, args) = match ty.base(self.db).kind(self.db) {
            TyKind::Class { class, args } => (*class, args),
            TyKind::Function { .. } => return TypeCategory::Function,
            TyKind::Param(_) => return TypeCategory::Plain,
            TyKind::Null | TyKind::Void => return TypeCategory::Null,
            TyKind::Error => return TypeCategory::Unknown,
            TyKind::Constrained { .. } => return TypeCategory::Object,
        };
        if ty.primitive(self.db).is_some() {
            return TypeCategory::Plain;
        }
        if ty.is_known(self.db, Known::String) {
            return TypeCategory::String;
        }
        if let [element] = args[..] {
            let rail =
                |shape: fn(Ty) -> TypeCategory| match self.element_category_at_depth(element, depth + 1) {
                    TypeCategory::Plain => shape(element),
                    TypeCategory::Unknown => TypeCategory::Unknown,
                    _ => TypeCategory::UnsupportedRail(element),
                };
            if ty.is_known(self.db, Known::Rail) {
                return rail(TypeCategory::Rail);
            }
            if ty.is_known(self.db, Known::GlobalRail) {
                return rail(TypeCategory::GlobalRail);
            }
            if self.is_class(class, "x10.lang.CUDAConstantRail") {
                return rail(TypeCategory::ConstantRail);
            }
        }
        if self.class_kind(class) != ClassKind::Struct || depth > MAX_EXPRESSION_DEPTH {
            return TypeCategory::Object;
        }
        // An unknown type may be plain.
        let fields = self.instance_fields(class, args).map(|ty| self.category_at_depth(ty, depth + 1));
        let worse = |found, field| match (found, field) {
            (TypeCategory::Plain, TypeCategory::Plain) => TypeCategory::Plain,
            (TypeCategory::Plain | TypeCategory::Unknown, TypeCategory::Plain | TypeCategory::Unknown) => {
                TypeCategory::Unknown
            }
            _ => TypeCategory::Object,
        };
        fields.fold(TypeCategory::Plain, worse)
    }

    /// The category of a type as element of a rail.
    pub(crate) fn element_category(&self, ty: Ty) -> TypeCategory {
        self.element_category_at_depth(ty, 0)
    }

    fn element_category_at_depth(&self, ty: Ty, depth: u32) -> TypeCategory {
        match self.category_at_depth(ty, depth) {
            // The location of a texture is resolved at launch: a texture must be captured, alone or in a
            // struct, never an element.
            TypeCategory::Plain if self.holds_texture(ty, depth) => TypeCategory::Object,
            shape => shape,
        }
    }

    fn holds_texture(&self, ty: Ty, depth: u32) -> bool {
        let Some((class, args)) = ty.as_class(self.db) else { return false };
        if ty.primitive(self.db).is_some() || depth > MAX_EXPRESSION_DEPTH {
            return false;
        }
        self.is_class(class, "x10.util.CUDATextureRail")
            || self.instance_fields(class, args).any(|it| self.holds_texture(it, depth + 1))
    }

    /// The first field of a struct, nested ones included, that keeps it from having a device representation.
    pub(crate) fn object_reference_in(&self, ty: Ty) -> Option<ObjectReference> {
        let mut path = Vec::new();
        let held = self.find_reference(ty, &mut path);
        let field_type = held.filter(|_| self.category(ty) == TypeCategory::Object)?;
        Some(ObjectReference { ty, path, field_type })
    }

    /// The type of the first field of a struct, nested ones included, that is not plain; `path` leads to it.
    fn find_reference(&self, ty: Ty, path: &mut Vec<SmolStr>) -> Option<Ty> {
        let (class, args) = ty.as_class(self.db)?;
        if self.class_kind(class) != ClassKind::Struct || path.len() > MAX_EXPRESSION_DEPTH as usize {
            return None;
        }
        let substitution = Substitution::class(self.db, class, args);
        for field in fields(self.db, class).iter().filter(|it| !field_is_static(self.db, **it)) {
            let held = substitution.apply(self.db, field_type(self.db, *field));
            path.push(field.name(self.db).clone());
            match self.category(held) {
                TypeCategory::Plain | TypeCategory::Unknown => {}
                _ => return Some(self.find_reference(held, path).unwrap_or(held)),
            }
            path.pop();
        }
        None
    }

    /// The types of the instance fields of an instantiated class.
    fn instance_fields(&self, class: ClassId, args: &[Ty]) -> impl Iterator<Item = Ty> + '_ {
        let substitution = Substitution::class(self.db, class, args);
        fields(self.db, class)
            .iter()
            .copied()
            .filter(|field| !field_is_static(self.db, *field))
            .map(move |field| substitution.apply(self.db, field_type(self.db, field)))
    }

    /// The instance fields of a class that have an initialiser.
    pub(crate) fn initialised_fields(&self, class: ClassId) -> Vec<FieldId> {
        let initialised = |field: &FieldId| {
            !field_is_static(self.db, *field)
                && field_item(self.db, *field).is_some_and(|item| item.has_initializer && !item.is_property)
        };
        fields(self.db, class).iter().copied().filter(initialised).collect()
    }

    /// Size in bytes of a plain value in device memory, laid out as in C++.
    pub(crate) fn size(&self, ty: Ty) -> Option<u64> {
        self.size_and_alignment(ty, 0).map(|(size, _)| size)
    }

    fn size_and_alignment(&self, ty: Ty, depth: u32) -> Option<(u64, u64)> {
        if let Some(size) = ty.primitive(self.db).and_then(Known::size) {
            return Some((size.into(), size.into()));
        }
        let (class, args) = ty.as_class(self.db)?;
        if depth > MAX_EXPRESSION_DEPTH || self.category(ty) != TypeCategory::Plain {
            return None;
        }
        let (mut end, mut alignment) = (0u64, 1u64);
        for field in self.instance_fields(class, args) {
            let (size, align) = self.size_and_alignment(field, depth + 1)?;
            end = end.next_multiple_of(align) + size;
            alignment = alignment.max(align);
        }
        Some((end.max(1).next_multiple_of(alignment), alignment))
    }
}

/// Whether kernels may call a function. A misspelt `@CUDA` is reported separately; calls are checked as if it
/// were right.
fn marks_device_code(annotations: &[AnnotationItem]) -> bool {
    annotations.iter().any(|it| it.simple_name() == "CUDA" || is_misspelt(it.simple_name(), "CUDA"))
}

/// Whether `written` is a likely misspelling of `meant`.
pub(super) fn is_misspelt(written: &str, meant: &str) -> bool {
    apg_syntax::closest(written, std::iter::once(meant)).is_some()
        || meant == "CUDA" && crate::suggest::foreign_vocabulary::is_device_annotation(written)
}
