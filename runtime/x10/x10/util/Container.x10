package x10.util;

/** A collection that can be counted, searched and gone over. */
public interface Container[T] extends Iterable[T] {
    /** How many values. */
    def size():Long;
    /** Whether there is none. */
    def isEmpty():Boolean;
    /** Whether v is one of them. */
    def contains(v:T):Boolean;
    /** All of them. */
    def toRail():Rail[T];
}
