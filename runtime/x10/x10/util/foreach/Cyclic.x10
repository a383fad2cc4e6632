package x10.util.foreach;

import x10.xrx.Runtime;

/** Loops with an activity for each thread, which takes every index that many further on. */
public final class Cyclic {
    /** Runs body for each number of range. */
    public static operator for(range:LongRange, body:(i:Long)=>void):void {
        val count = Runtime.NTHREADS as Long;
        finish for (t in 0..(count - 1)) async each(range, count, t, body);
    }
    /** Runs body for number t of range and every count-th one after it. */
    private static def each(range:LongRange, count:Long, t:Long, body:(i:Long)=>void):void {
        if (range.max < range.min) return;
        // What is left behind the next index: a ULong, whatever the range.
        var left:ULong = (range.max - range.min) as ULong;
        var step:Long = t;
        var i:Long = range.min;
        while (left >= step as ULong) {
            left -= step as ULong;
            i += step;
            body(i);
            step = count;
        }
    }
    /** What body makes of the numbers of range, combined by reduce. */
    public static operator for[T](range:LongRange, reduce:(a:T, b:T)=>T, identity:T, body:(i:Long)=>T):T {
        val count = Runtime.NTHREADS as Long;
        val results = Unsafe.allocRailUninitialized[T](count);
        finish for (t in 0..(count - 1)) async {
            results(t) = identity;
            each(range, count, t, (i:Long)=>{ results(t) = reduce(results(t), body(i)); });
        }
        var result:T = results(0);
        for (t in 1..(count - 1)) result = reduce(result, results(t));
        return result;
    }

    /** A loop whose bodies give values, which are combined: r.for (i:Long in range) { ...; value }, then r.value(). */
    public static final class Reducer[T] {
        /** How two values are combined: associative and commutative. */
        public val reduce:(T, T)=>T;
        /** The value that changes nothing. */
        public val identity:T;
        /** The result of the last loop is the one element. */
        private val result:Rail[T] = Unsafe.allocRailUninitialized[T](1);
        private var ready:Boolean = false;

        /** Combines by reduce. */
        public def this(reduce:(T, T)=>T, identity:T) { this.reduce = reduce; this.identity = identity; }
        /** Combines by red. */
        public def this(red:Reducible[T]) { this.reduce = (a:T, b:T)=>red(a, b); this.identity = red.zero(); }
        /** The result of the last loop; raises a ReduceNotReady if there was none. */
        public final def value() throws ReduceNotReady:T {
            if (!ready) throw new ReduceNotReady();
            return result(0);
        }
        /** What body makes of the numbers of range, combined. */
        public final operator for(range:LongRange, body:(i:Long)=>T):T {
            val found = Cyclic.operator for(range, reduce, identity, body);
            result(0) = found;
            ready = true;
            return found;
        }
    }
}
