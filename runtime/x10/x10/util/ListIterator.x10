package x10.util;

/** Goes over a list in both directions and changes it on the way. It stands between two values. */
public interface ListIterator[T] extends CollectionIterator[T] {
    /** Whether there is a value after this position. */
    public def hasNext():Boolean;
    /** The value after this position, which moves behind it. */
    public def next():T;
    /** The index of the value that next would give. */
    public def nextIndex():Long;
    /** Whether there is a value before this position. */
    public def hasPrevious():Boolean;
    /** The value before this position, which moves before it. */
    public def previous():T;
    /** The index of the value that previous would give; -1 at the start. */
    public def previousIndex():Long;
    /** Puts v in the place of the value that was given last. */
    public def set(v:T):void;
    /** Puts v in at this position, which moves behind it. */
    public def add(v:T):void;
}
