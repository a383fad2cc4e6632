package x10.util;

/** A list used from its end: what was pushed last is popped first. */
public class Stack[T] extends ArrayList[T] {
    /** An empty stack. */
    public def this() { super(); }

    /** Puts v on top. */
    public def push(v:T):Boolean = add(v);
    /** Takes off the top value. */
    public def pop():T = removeLast();
    /** Takes off the k top values, the topmost last; null if there are fewer. */
    public def pop(k:Long):Rail[T] {
        val n = size();
        return n < k ? null : moveSectionToRail(n - k, n - 1);
    }
    /** The top value. */
    public def peek():T = getLast();
    /** How far from the top a value equal to v is first found, 1 for the top value; -1 if there is none. */
    public def search(v:T):Long {
        val index = lastIndexOf(v);
        return index < 0 ? -1 : size() - index;
    }
}
