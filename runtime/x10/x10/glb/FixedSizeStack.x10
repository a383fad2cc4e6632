package x10.glb;

/** A stack of bounded size. */
public final class FixedSizeStack[T]{T haszero} {
    private val data:Rail[T];
    private var size:Long = 0;

    /** An empty stack for up to n values. */
    public def this(n:Long) { data = new Rail[T](n); }
    /** Takes the latest value. */
    public def pop():T = data(--size);
    /** Adds a value. */
    public def push(t:T):void { data(size++) = t; }
    /** How many values. */
    public def size():Long = size;
}
