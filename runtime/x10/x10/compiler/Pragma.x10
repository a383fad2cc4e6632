package x10.compiler;

import x10.lang.annotations.*;

/** On a `finish`: tells which activities it governs. apg finds out itself; the annotation is accepted. */
public interface Pragma(pragma:Int) extends StatementAnnotation {
    /** One activity, elsewhere. */
    public static FINISH_ASYNC:Int = 1n;
    /** Activities elsewhere that come back here. */
    public static FINISH_HERE:Int = 2n;
    /** One activity at each place, which finishes its own. */
    public static FINISH_SPMD:Int = 3n;
    /** Activities of this place alone. */
    public static FINISH_LOCAL:Int = 4n;
    /** Many activities at many places. */
    public static FINISH_DENSE:Int = 5n;
    /** One activity elsewhere, which comes back here. */
    public static FINISH_ASYNC_AND_BACK:Int = FINISH_HERE;
    /** One activity at each place. */
    public static FINISH_ATEACH_UNIQUE:Int = FINISH_SPMD;
}
