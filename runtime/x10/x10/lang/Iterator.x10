package x10.lang;

/** A walk over values. */
public interface Iterator[T] {
    /** Whether next() has another value. */
    def hasNext():Boolean;
    /** The next value. */
    def next():T;
}
