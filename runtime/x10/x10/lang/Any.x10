package x10.lang;

import x10.compiler.NoThisAccess;

/** The supertype of everything: classes, structs and functions. A struct or function becomes an Any in a box. */
public interface Any {
    /** A text for people. */
    def toString():String;
    /** The name of the run-time type, with its type arguments. */
    @NoThisAccess def typeName():String;
    /** Whether that is equal to this; identity unless overridden, for structs equality of all fields. */
    def equals(that:Any):Boolean;
    /** A number that is the same for equal values. */
    def hashCode():Int;
}

/** The Any that is equal to value. */
public type Any(value:Any) = Any{self==value};
