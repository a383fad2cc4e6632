package x10.compiler;

/** How the program was compiled. */
public class CompilerFlags {
    /** Whether indices are checked. */
    public static def checkBounds():Boolean = true;
    /** Whether places are checked. */
    public static def checkPlace():Boolean = true;
    /** false, not known to the compiler. */
    public static def FALSE():Boolean = false;
    /** true, not known to the compiler. */
    public static def TRUE():Boolean = true;
    /** Whether unsigned numbers are used where they can be. */
    public static def useUnsigned():Boolean = false;
}
