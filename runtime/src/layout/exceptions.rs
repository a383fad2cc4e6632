//! The exceptions that the runtime raises itself.

use super::Ref;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $class:literal),* $(,)?) => {
        /// An exception that the runtime raises itself; the program has a factory for each, in this order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u32)]
        pub enum ExceptionKind { $($(#[$doc])* $name),* }

        impl ExceptionKind {
            /// All of them, in order.
            pub const ALL: &'static [ExceptionKind] = &[$(ExceptionKind::$name),*];

            /// Its X10 class. The factory calls the constructor that takes the message, but for
            /// [`ExceptionKind::Multiple`], whose argument is a rail of `CheckedThrowable`.
            pub fn class(self) -> &'static str {
                match self { $(ExceptionKind::$name => $class),* }
            }

            /// Its name as a constant of the C header.
            pub fn c_name(self) -> String {
                let mut out = String::from("APG");
                for c in (match self { $(ExceptionKind::$name => stringify!($name)),* }).chars() {
                    if c.is_ascii_uppercase() {
                        out.push('_');
                    }
                    out.push(c.to_ascii_uppercase());
                }
                out + "_EXCEPTION"
            }
        }
    };
}

kinds! {
    /// A member of `null`.
    NullPointer = "x10.lang.NullPointerException",
    /// A rail index out of range.
    ArrayIndexOutOfBounds = "x10.lang.ArrayIndexOutOfBoundsException",
    /// A rail of negative length.
    NegativeArraySize = "x10.lang.NegativeArraySizeException",
    /// Division by zero.
    Arithmetic = "x10.lang.ArithmeticException",
    /// A failed cast.
    ClassCast = "x10.lang.ClassCastException",
    /// A failed run-time check of a constraint.
    FailedDynamicCheck = "x10.lang.FailedDynamicCheckException",
    /// The heap limit, or a device's memory, is reached.
    OutOfMemory = "x10.lang.OutOfMemoryError",
    /// An activity's stack is used up.
    StackOverflow = "x10.lang.StackOverflowError",
    /// A bad argument.
    IllegalArgument = "x10.lang.IllegalArgumentException",
    /// An operation that is not allowed here.
    IllegalOperation = "x10.lang.IllegalOperationException",
    /// An operation this place does not have.
    UnsupportedOperation = "x10.lang.UnsupportedOperationException",
    /// Use of a clock by an activity that is not registered on it.
    ClockUse = "x10.lang.ClockUseException",
    /// Exceptions gathered by a `finish`; made from a rail of `CheckedThrowable`.
    Multiple = "x10.lang.MultipleExceptions",
    /// Text that is not a number.
    NumberFormat = "x10.lang.NumberFormatException",
    /// A string index out of range.
    StringIndexOutOfBounds = "x10.lang.StringIndexOutOfBoundsException",
    /// A place that cannot do what was asked of it.
    BadPlace = "x10.lang.BadPlaceException",
    /// A place that has ended.
    DeadPlace = "x10.lang.DeadPlaceException",
    /// The job of an activity was cancelled.
    Cancellation = "x10.lang.CancellationException",
    /// A value that cannot be sent to another place.
    NotSerializable = "x10.io.NotSerializableException",
    /// Input or output failed.
    Io = "x10.io.IOException",
    /// No such file.
    FileNotFound = "x10.io.FileNotFoundException",
    /// The end of the input.
    Eof = "x10.io.EOFException",
    /// A defect of the runtime, or of a device.
    Internal = "x10.lang.InternalError",
}

/// The exception an entry raises; never null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raised(pub Ref);

/// The result of a raising entry.
pub type Outcome<T> = Result<T, Raised>;
