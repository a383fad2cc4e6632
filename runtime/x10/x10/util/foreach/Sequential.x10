package x10.util.foreach;

import x10.array.DenseIterationSpace_2;

/** Loops whose bodies run one after another in this activity. */
public final class Sequential {
    /** Runs body for each number of range. */
    public static operator for(range:LongRange, body:(i:Long)=>void):void {
        for (i in range) body(i);
    }
    /** Runs body for each index pair of space. */
    public static operator for(space:DenseIterationSpace_2, body:(i:Long, j:Long)=>void):void {
        for (i in space.min0..space.max0) for (j in space.min1..space.max1) body(i, j);
    }
    /** Runs body for range as a whole. */
    public static operator for(range:LongRange, body:(range:LongRange)=>void):void { body(range); }
    /** What body makes of the numbers of range, combined by reduce. */
    public static operator for[T](range:LongRange, reduce:(a:T, b:T)=>T, identity:T, body:(i:Long)=>T):T {
        var result:T = identity;
        for (i in range) result = reduce(result, body(i));
        return result;
    }
    /** What body makes of the index pairs of space, combined by reduce. */
    public static operator for[T](space:DenseIterationSpace_2, reduce:(a:T, b:T)=>T, identity:T, body:(i:Long, j:Long)=>T):T {
        var result:T = identity;
        for (i in space.min0..space.max0)
            for (j in space.min1..space.max1) result = reduce(result, body(i, j));
        return result;
    }
    /** What body makes of range as a whole. */
    public static operator for[T](range:LongRange, reduce:(a:T, b:T)=>T, body:(range:LongRange)=>T):T = body(range);

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
            val found = Sequential.operator for(range, reduce, identity, body);
            result(0) = found;
            ready = true;
            return found;
        }
        /** What body makes of the index pairs of space, combined. */
        public final operator for(space:DenseIterationSpace_2, body:(i:Long, j:Long)=>T):T {
            val found = Sequential.operator for(space, reduce, identity, body);
            result(0) = found;
            ready = true;
            return found;
        }
    }
}
