package x10.lang;

/** Goes over the elements of a rail. */
final class RailIterator[T] implements Iterator[T] {
    private val rail:Rail[T];
    private var position:Long = 0;

    def this(rail:Rail[T]) { this.rail = rail; }

    public def hasNext():Boolean = position < rail.size;
    public def next():T = rail(position++);
}
