package x10.util;

/** Gives f of each value of another iterator. */
public class MapIterator[S,T] implements Iterator[T] {
    private val source:Iterator[S];
    private val f:(S)=>T;

    def this(source:Iterator[S], f:(S)=>T) { this.source = source; this.f = f; }

    public def hasNext():Boolean = source.hasNext();
    public def next():T = f(source.next());
}
