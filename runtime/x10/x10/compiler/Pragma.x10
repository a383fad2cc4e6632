package x10.compiler;

import x10.lang.annotations.*;

/** On a `finish`: tells which activities it governs. apg finds out itself; the annotation is accepted. */
public interface Pragma(pragma:Int) extends StatementAnnotation {
    /** One activity. */
    public static FINISH_ASYNC:Int = 1n;
    /** Activities that come back to end here. */
    public static FINISH_HERE:Int = 2n;
    /** One activity at each place. */
    public static FINISH_SPMD:Int = 3n;
    /** Activities here only. */
    public static FINISH_LOCAL:Int = 4n;
    /** Many activities at many places. */
    public static FINISH_DENSE:Int = 5n;
    /** The same as FINISH_HERE. */
    public static FINISH_ASYNC_AND_BACK:Int = 2n;
    /** The same as FINISH_SPMD. */
    public static FINISH_ATEACH_UNIQUE:Int = 3n;
}
