//! Identities: indices into tables, and the numbers of statements and expressions.

macro_rules! index {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            /// As an index into its table.
            #[inline]
            pub fn index(self) -> usize { self.0 as usize }
        }
    )* };
}
index! {
    /// Index into [`crate::Program::classes`].
    ClassId,
    /// Index into [`crate::Program::structs`].
    StructId,
    /// Index into [`crate::Program::interfaces`].
    InterfaceId,
    /// Index into [`crate::Program::functions`].
    FunctionId,
    /// Index into [`crate::Program::statics`].
    StaticId,
    /// Index into [`crate::Program::kernels`].
    KernelId,
    /// Index into [`crate::Program::files`].
    FileId,
    /// Index into [`crate::Function::locals`].
    LocalId,
    /// Index into [`crate::Function::variables`].
    VariableId,
    /// Index into [`crate::Program::globals`].
    GlobalId,
    /// Index into [`crate::Program::externals`].
    ExternalId,
    /// A pointer type of a [`crate::TypeTable`].
    PointerId,
    /// An array type of a [`crate::TypeTable`].
    ArrayId,
    /// A function type of a [`crate::TypeTable`].
    SignatureId,
    /// A jump target, unique within the function.
    LabelId,
    /// Identity of a statement in its function or kernel.
    StmtId,
    /// Identity of an expression in its function or kernel.
    ExprId,
}

macro_rules! unassigned {
    ($($name:ident),*) => { $(
        impl $name {
            /// The identity of a node that [`crate::Program::assign_ids`] has not numbered.
            pub const UNASSIGNED: $name = $name(u32::MAX);

            /// Whether the node is numbered, so that it can be a key.
            #[inline]
            pub fn is_assigned(self) -> bool { self != $name::UNASSIGNED }
        }
    )* };
}
unassigned!(StmtId, ExprId);
