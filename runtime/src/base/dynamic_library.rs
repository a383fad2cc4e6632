//! Libraries that are loaded at run time (`dlopen(3)`), as tables of the functions that are called.

/// Declares a struct with the functions of a library by their names there, and its `load`, which fails if
/// one is missing. The library stays loaded as long as the process: its threads and handlers may outlive the
/// table.
///
/// The types are those of the library's header in all versions of the file name that is loaded, which each
/// use of the macro has to ensure.
macro_rules! dynamic_library {
    ($(#[$attribute:meta])* struct $table:ident { $($name:ident = $symbol:literal: $ty:ty;)* }) => {
        $(#[$attribute])*
        struct $table {
            $($name: $ty,)*
        }

        impl $table {
            fn load(file: libloading::Library) -> Result<$table, libloading::Error> {
                // The functions are its own.
                let file = std::mem::ManuallyDrop::new(file);
                // SAFETY: the types are those of the library's header, as the caller of the macro ensures.
                unsafe { Ok($table { $($name: *file.get::<$ty>($symbol)?,)* }) }
            }
        }
    };
}

pub(crate) use dynamic_library;

/// Why a library cannot be loaded or used, with what the system's loader says.
pub(crate) fn explain(error: &libloading::Error) -> String {
    let cause = std::error::Error::source(error);
    cause.map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}
