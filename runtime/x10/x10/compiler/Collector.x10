package x10.compiler;

/**
 * What a collecting finish gathers the offered values in. Programs do not name it: `finish (r) { ... }` makes one, and
 * `offer v` adds to it. It may be copied to other places: each combines what is offered there.
 */
public struct Collector[T] {
    private val reducer:Reducible[T];
    /** The number under which each place keeps its part. */
    private val number:Long;

    /** Combines values with reducer. */
    public def this(reducer:Reducible[T]) {
        this.reducer = reducer;
        this.number = create();
    }

    @Intrinsic("rt.place_local_make") private static native def create():Long;
    @Intrinsic("rt.place_local_get") private static native def lookUp(number:Long):Any;
    @Intrinsic("rt.place_local_set") private static native def store(number:Long, value:Any):void;

    /** What one place has gathered. */
    private static class Part[T](reducer:Reducible[T]) {
        var value:T;
        def this(reducer:Reducible[T]) {
            property(reducer);
            value = reducer.zero();
        }
        def add(more:T):void {
            value = reducer(value, more);
        }
    }

    /** Combines value with what this place has gathered. */
    public def add(value:T):void {
        atomic {
            if (lookUp(number) == null) store(number, new Part[T](reducer));
            (lookUp(number) as Part[T]).add(value);
        }
    }

    /** Takes what this place has gathered; null if that is nothing. */
    private def take():Part[T] {
        val part = lookUp(number) as Part[T];
        store(number, null);
        return part;
    }

    /** All that was gathered, combined; the collector is empty afterwards. Nothing may be offered meanwhile. */
    public def result():T {
        val all = new Part[T](reducer);
        val own = take();
        if (own != null) all.add(own.value);
        val collector = this;
        finish for (p in Place.places()) if (p != here) async {
            val part = at (p) collector.take();
            if (part != null) atomic all.add(part.value);
        }
        return all.value;
    }
}
