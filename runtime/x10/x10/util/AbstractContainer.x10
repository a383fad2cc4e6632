package x10.util;

/** What a container can do by means of its size and its iterator. */
public abstract class AbstractContainer[T] implements Container[T] {
    public abstract def size():Long;
    public def isEmpty():Boolean = size() == 0;
    public abstract def contains(y:T):Boolean;
    public abstract def clone():Container[T];
    public abstract def iterator():Iterator[T];
    public def containsAll(c:Container[T]):Boolean {
        for (x:T in c) if (!contains(x)) return false;
        return true;
    }
}
