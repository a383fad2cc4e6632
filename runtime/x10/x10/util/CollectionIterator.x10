package x10.util;

/** An iterator that can take values out of its collection. */
public interface CollectionIterator[T] extends Iterator[T] {
    /** Takes out the value that was given last. */
    public def remove():void;
}
