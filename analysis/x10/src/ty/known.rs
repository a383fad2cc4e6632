//! The library classes that the compiler refers to.

use std::path::PathBuf;

use crate::db::Db;
use crate::ids::ClassId;
use crate::inputs::Library;

macro_rules! known {
    ($($name:ident = $package:literal),* $(,)?) => {
        /// A library class that the compiler refers to; its name is the variant's.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each is the class of that name")]
        pub enum Known { $($name),* }

        impl Known {
            /// All of them.
            pub const ALL: &'static [Known] = &[$(Known::$name),*];

            /// Its package and simple name.
            pub fn names(self) -> (&'static str, &'static str) {
                match self { $(Known::$name => ($package, stringify!($name))),* }
            }
        }
    };
}

known! {
    Any = "x10.lang",
    Boolean = "x10.lang",
    Byte = "x10.lang",
    Short = "x10.lang",
    Int = "x10.lang",
    Long = "x10.lang",
    UByte = "x10.lang",
    UShort = "x10.lang",
    UInt = "x10.lang",
    ULong = "x10.lang",
    Float = "x10.lang",
    Double = "x10.lang",
    Char = "x10.lang",
    String = "x10.lang",
    Rail = "x10.lang",
    GlobalRail = "x10.lang",
    GlobalRef = "x10.lang",
    PlaceLocalHandle = "x10.lang",
    Place = "x10.lang",
    Clock = "x10.lang",
    IntRange = "x10.lang",
    LongRange = "x10.lang",
    Iterable = "x10.lang",
    Iterator = "x10.lang",
    Comparable = "x10.lang",
    Arithmetic = "x10.lang",
    Point = "x10.lang",
    Dist = "x10.regionarray",
    Reducible = "x10.lang",
    CheckedThrowable = "x10.lang",
    CheckedException = "x10.lang",
    Exception = "x10.lang",
    Error = "x10.lang",
    MultipleExceptions = "x10.lang",
    AssertionError = "x10.lang",
    Zero = "x10.lang",
    Math = "x10.lang",
    CustomSerialization = "x10.io",
    Collector = "x10.compiler",
    Profile = "x10.compiler",
    ClassAnnotation = "x10.lang.annotations",
    FieldAnnotation = "x10.lang.annotations",
    MethodAnnotation = "x10.lang.annotations",
    StatementAnnotation = "x10.lang.annotations",
    ExpressionAnnotation = "x10.lang.annotations",
    CUDA = "x10.compiler",
    CUDADirectParams = "x10.compiler",
    CUDAUtilities = "x10.util",
}

impl Known {
    /// The structs that the machine computes with.
    pub const PRIMITIVES: &'static [Known] = &[
        Known::Boolean,
        Known::Byte,
        Known::Short,
        Known::Int,
        Known::Long,
        Known::UByte,
        Known::UShort,
        Known::UInt,
        Known::ULong,
        Known::Float,
        Known::Double,
        Known::Char,
    ];

    /// Whether it is an integer type.
    pub fn is_integer(self) -> bool {
        use Known::*;
        matches!(self, Byte | Short | Int | Long | UByte | UShort | UInt | ULong)
    }

    /// Whether it is an integer or floating-point type.
    pub fn is_number(self) -> bool {
        self.is_integer() || matches!(self, Known::Float | Known::Double)
    }

    /// Whether it is an unsigned integer type.
    pub fn is_unsigned(self) -> bool {
        matches!(self, Known::UByte | Known::UShort | Known::UInt | Known::ULong)
    }

    /// Bytes of a value, for the number types, `Boolean` and `Char`.
    pub fn size(self) -> Option<u32> {
        use Known::*;
        Some(match self {
            Boolean | Byte | UByte => 1,
            Short | UShort => 2,
            Int | UInt | Float | Char => 4,
            Long | ULong | Double => 8,
            _ => return None,
        })
    }
}

/// The class, if the library has it. This tests only whether its file exists, so that looking up `Int` does
/// not parse `Int.x10`.
pub fn known_class(db: &dyn Db, known: Known) -> Option<ClassId> {
    known_classes(db).all[known as usize]
}

/// Which of [`Known::PRIMITIVES`] a class is.
pub(crate) fn primitive_class(db: &dyn Db, class: ClassId) -> Option<Known> {
    known_classes(db).primitives.iter().find(|(of, _)| *of == class).map(|(_, known)| *known)
}

#[derive(Debug, PartialEq, Eq)]
struct KnownClasses {
    /// By [`Known`].
    all: Vec<Option<ClassId>>,
    primitives: Vec<(ClassId, Known)>,
}

#[salsa::tracked]
fn known_classes(db: &dyn Db) -> KnownClasses {
    let files = Library::get(db).files(db);
    let find = |known: &Known| {
        let (package, name) = known.names();
        let path = PathBuf::from(format!("{}/{name}.x10", package.replace('.', "/")));
        let file = files.get(&path)?;
        Some(ClassId::new(db, *file, None, smol_str::SmolStr::new(name), 0))
    };
    let all: Vec<Option<ClassId>> = Known::ALL.iter().map(find).collect();
    let primitives =
        Known::PRIMITIVES.iter().filter_map(|known| Some((all[*known as usize]?, *known))).collect();
    KnownClasses { all, primitives }
}
