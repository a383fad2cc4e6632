package x10.lang;

/** A variable that all places can read and write; it lives where it was made, and others go there. */
public class GlobalCell[T] {
    protected val root:GlobalRef[Cell[T]];

    /** A variable here that holds v. */
    def this(v:T) {
        val contents = new Cell[T](v);
        root = GlobalRef[Cell[T]](contents);
    }
    /** A variable here that holds x. */
    public static def make[T](x:T):GlobalCell[T] = new GlobalCell[T](x);

    /** The contents. */
    public operator this():T = at (root) root().value;
    /** Sets the contents. */
    public operator this(x:T):void { set(x); }
    /** Sets the contents. */
    public operator this()=(x:T):T = set(x);
    /** Sets the contents. */
    public def set(x:T):T {
        at (root) root().value = x;
        return x;
    }
    /** Where the variable is. */
    public def toString():String = root.toString();
}
