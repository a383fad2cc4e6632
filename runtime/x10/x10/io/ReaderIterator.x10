package x10.io;

/** Reads value after value until the end of the input. */
public class ReaderIterator[T] implements Iterator[T], Iterable[T] {
    private val marshal:Marshal[T];
    private val reader:Reader;
    private var waiting:x10.util.ArrayList[T] = new x10.util.ArrayList[T]();

    /** Reads values of the form m. */
    public def this(m:Marshal[T], reader:Reader) { this.marshal = m; this.reader = reader; }

    public def iterator():Iterator[T] = this;
    public def hasNext():Boolean {
        if (waiting.size() > 0) return true;
        try {
            waiting.add(marshal.read(reader));
            return true;
        } catch (end:EOFException) {
            return false;
        }
    }
    public def next():T {
        if (!hasNext()) throw new x10.util.NoSuchElementException("end of the input");
        return waiting.removeLast();
    }
}
