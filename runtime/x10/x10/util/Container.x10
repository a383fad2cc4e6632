package x10.util;

/** Values that can be counted, searched and gone over. */
public interface Container[T] extends Iterable[T] {
    /** How many values. */
    public def size():Long;
    /** Whether there is none. */
    public def isEmpty():Boolean;
    /** Whether a value equal to y is among them. */
    public def contains(y:T):Boolean;
    /** Whether each value of c is among them. */
    public def containsAll(c:Container[T]):Boolean;
    /** Another container of the same values. */
    public def clone():Container[T];
}
