package x10.lang;

/** What `for (x in e)` goes over. */
public interface Iterable[T] {
    /** A new iterator at the start. */
    def iterator():Iterator[T];
}
