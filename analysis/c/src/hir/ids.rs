//! Numbers of the parts of a program.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $name(u32);

            impl $name {
                /// The part with this index.
                pub fn new(index: usize) -> $name {
                    $name(u32::try_from(index).expect("a translation unit has fewer parts than 4 Gi"))
                }

                /// The index in its list.
                pub fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*
    };
}

ids! {
    /// A [`super::Variable`].
    VariableId;
    /// A [`super::Function`].
    FunctionId;
    /// A [`super::Record`].
    RecordId;
    /// A [`super::Expr`].
    ExprId;
    /// A [`super::Stmt`].
    StmtId;
    /// A [`super::Directive`].
    DirectiveId;
}
