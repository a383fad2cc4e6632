package x10.compiler;

import x10.util.HashMap;
import x10.util.Pair;

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

    @Intrinsic("rt.finish_id") private static native def finishHere():Long;

    /** The collectors of finishes whose bodies run here, by the numbers of the finishes. */
    private static OPEN:HashMap[Long,Any] = new HashMap[Long,Any]();
    /** For the number of a collector its finish, and the collector that this one had before. */
    private static ENTERED:HashMap[Long,Pair[Long,Any]] = new HashMap[Long,Pair[Long,Any]]();

    /** Makes this the collector of the finish whose body begins. */
    public def enter():void {
        val finish_ = finishHere();
        if (finish_ < 0) return;
        atomic {
            ENTERED.put(number, Pair[Long,Any](finish_, OPEN.getOrElse(finish_, null)));
            OPEN.put(finish_, this as Any);
        }
    }
    private def leave():void {
        atomic {
            if (ENTERED.containsKey(number)) {
                val entry = ENTERED(number);
                ENTERED.remove(number);
                if (entry.second == null) OPEN.remove(entry.first); else OPEN.put(entry.first, entry.second);
            }
        }
    }
    private static def of(finish_:Long):Any {
        atomic return OPEN.getOrElse(finish_, null);
    }
    /**
     * The collector of the finish that waits for the caller: for a call of what `offers` from where no collecting finish is written.
     * Raises an IllegalOperationException if that finish collects nothing.
     */
    public static def current[T]():Collector[T] {
        val finish_ = finishHere();
        val home = finish_ >> 40;
        val found = finish_ < 0 ? null : home == here.id ? of(finish_) : at (Place(home)) of(finish_);
        if (found == null) throw new IllegalOperationException("values are offered, and the innermost finish collects none");
        if (!(found instanceof Collector[T])) throw new IllegalOperationException("values of another type are offered than the finish collects");
        return found as Collector[T];
    }

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
        leave();
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
