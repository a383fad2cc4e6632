package x10.lang;

/** A variable as an object. */
public final class Cell[T] {
    /** The contents. */
    public var value:T;

    /** A cell that holds value. */
    public def this(value:T) { this.value = value; }
    /** The contents. */
    public operator this():T = value;
    /** Sets the contents. */
    public operator this(x:T):void { value = x; }
    /** Sets the contents. */
    public operator this()=(x:T):T { value = x; return x; }
    /** Sets the contents. */
    public def set(x:T):T { value = x; return x; }
    /** A cell that holds x. */
    public static def make[T](x:T):Cell[T] = new Cell[T](x);
    /** The contents' text. */
    public def toString():String = "Cell(" + value + ")";
    /** A cell that holds x. */
    public static operator[W](x:W):Cell[W] = new Cell[W](x);
}
