package x10.util;

/** Makes a rail of elements that come one after another. */
public class RailBuilder[T] implements Builder[T,Rail[T]] {
    private val elements:GrowableRail[T];

    /** Without elements. */
    public def this() { elements = new GrowableRail[T](); }
    /** Without elements, with room for size. */
    public def this(size:Long) { elements = new GrowableRail[T](size); }

    /** Adds x at the end. */
    public def add(x:T):RailBuilder[T] { elements.add(x); return this; }
    /** Puts items before the element at loc. */
    public def insert(loc:Long, items:Rail[T]):RailBuilder[T] { elements.insert(loc, items); return this; }
    /** How many elements. */
    public def length():Long = elements.size();
    /** The rail. */
    public def result():Rail[T] = elements.toRail();
}
