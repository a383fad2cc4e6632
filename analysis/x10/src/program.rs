//! Program model: the part of the analysis that code generation and tools read. Everything else of this crate
//! is an implementation detail.

/// Typed bodies.
pub mod body {
    pub use crate::body::walk::Node;
    pub use crate::body::{
        Annotation, AssignTarget, Body, Capture, Captured, Clocked, Closure, Dispatch, ExprId, ExprKind,
        Iteration, LabelId, Literal, LocalId, Owner, StmtId, StmtKind,
    };
    pub use crate::infer::local_class_env::{CapturedVariable, class_captures};
    pub use crate::infer::{BodyResult, body, constant, field_init_body, owner_body};
}

/// Declarations and their signatures.
pub mod items {
    pub use crate::ids::{ClassId, FieldId, MethodId, TypeParamId};
    pub use crate::item_tree::items::{
        all_classes, class_item, class_kind, class_modifiers, field_is_mutable, field_is_static, field_item,
        fields, item_tree, method_is_static, method_item, method_type_param_ids, methods, own_field,
        own_methods, properties, qualified_name, type_param_ids,
    };
    pub use crate::item_tree::nesting::{all_type_params, is_static_class};
    pub use crate::item_tree::source::{Item, item_offset, name_range, ranges};
    pub use crate::item_tree::{
        AnnotationItem, ClassKind, MethodKind, Modifiers, RESTORER, annotation_string, has_annotation,
    };
    pub use crate::signature::inferred::result_type;
    pub use crate::signature::{class_header, field_type, method_signature};
}

/// Kernels, as recognised in `@CUDA` blocks.
pub mod kernel {
    pub use crate::kernel::{
        Axis, CaptureKind, CaptureSource, Kernel, PreludeKind, Recognised, SharedInit, SharedRail, kernels,
        requires_thread_context,
    };
}

/// Types and constraints.
pub mod ty {
    pub use crate::relate::Context;
    pub use crate::ty::known::{Known, known_class};
    pub use crate::ty::subst::Substitution;
    pub use crate::ty::type_test::TypeTest;
    pub use crate::ty::{Constraint, ConstraintTerm, Named, Path, PathRoot, Ty, TyKind, characters};
}
