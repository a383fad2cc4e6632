package x10.io;

/** Reads value after value until the end of the input. */
public class ReaderIterator[T]{T haszero} implements Iterator[T], Iterable[T] {
    private val marshal:Marshal[T];
    private val reader:Reader;
    /** The next value, if it has been read. */
    private var next:T = Zero.get[T]();
    private var isRead:Boolean = false;

    /** Reads values of the form m. */
    public def this(m:Marshal[T], r:Reader) { this.marshal = m; this.reader = r; }

    public def iterator():Iterator[T] = this;
    public def hasNext():Boolean {
        if (isRead) return true;
        try {
            next = marshal.read(reader);
            isRead = true;
        } catch (end:EOFException) { }
        return isRead;
    }
    public def next():T {
        if (!hasNext()) throw new x10.util.NoSuchElementException("end of the input");
        isRead = false;
        return next;
    }
}
