package x10.util.foreach;

import x10.array.DenseIterationSpace_2;
import x10.xrx.Runtime;

/** Loops cut in halves again and again, down to a grain size, with an activity for each piece: idle threads steal large pieces first. */
public final class Bisect {
    /** Eight pieces for each thread. */
    private static def grain(size:Long):Long = Math.max(1, size / (8 * Runtime.NTHREADS));
    private static def rows(space:DenseIterationSpace_2):Long = (space.min0..space.max0).size();
    private static def columns(space:DenseIterationSpace_2):Long = (space.min1..space.max1).size();
    /** Whether min..max, which is not empty, has more numbers than a grain. */
    private static def isLarge(min:Long, max:Long, grainSize:Long):Boolean = (max - min) as ULong >= grainSize as ULong;
    /** The last number of the lower half of min..max, which may have more numbers than a Long can count. */
    private static def middle(min:Long, max:Long):Long = min + ((max - min) as ULong / 2ul) as Long;

    /** Runs body for each piece of range. */
    public static operator for(range:LongRange, grainSize:Long, body:(range:LongRange)=>void):void {
        if (range.min <= range.max) finish bisect(range.min, range.max, Math.max(grainSize, 1), body);
    }
    /** Runs body for each piece of range. */
    public static operator for(range:LongRange, body:(range:LongRange)=>void):void {
        Bisect.operator for(range, grain(range.size()), body);
    }
    /** Runs body for each number of range. */
    public static operator for(range:LongRange, grainSize:Long, body:(i:Long)=>void):void {
        Bisect.operator for(range, grainSize, (piece:LongRange)=>{ Sequential.operator for(piece, body); });
    }
    /** Runs body for each number of range. */
    public static operator for(range:LongRange, body:(i:Long)=>void):void {
        Bisect.operator for(range, grain(range.size()), body);
    }
    private static def bisect(min:Long, max:Long, grainSize:Long, body:(range:LongRange)=>void):void {
        var last:Long = max;
        while (isLarge(min, last, grainSize)) {
            val middle = middle(min, last);
            val upper = last;
            async bisect(middle + 1, upper, grainSize, body);
            last = middle;
        }
        body(min..last);
    }

    /** What body makes of the numbers of range, combined by reduce. */
    public static operator for[T](range:LongRange, grainSize:Long, reduce:(a:T, b:T)=>T, identity:T, body:(i:Long)=>T):T =
        Bisect.operator for[T](range, grainSize, reduce, (piece:LongRange)=>Sequential.operator for[T](piece, reduce, identity, body));
    /** What body makes of the pieces of range, combined by reduce. */
    public static operator for[T](range:LongRange, grainSize:Long, reduce:(a:T, b:T)=>T, body:(range:LongRange)=>T):T =
        bisectReduce[T](range.min, range.max, Math.max(grainSize, 1), reduce, body);
    /** What body makes of the pieces of range, combined by reduce. */
    public static operator for[T](range:LongRange, reduce:(a:T, b:T)=>T, body:(range:LongRange)=>T):T =
        bisectReduce[T](range.min, range.max, grain(range.size()), reduce, body);
    /** What body makes of the numbers of range, combined by reduce. */
    public static operator for[T](range:LongRange, reduce:(a:T, b:T)=>T, identity:T, body:(i:Long)=>T):T =
        Bisect.operator for[T](range, grain(range.size()), reduce, identity, body);
    private static def bisectReduce[T](min:Long, max:Long, grainSize:Long, reduce:(a:T, b:T)=>T, body:(range:LongRange)=>T):T {
        if (max < min || !isLarge(min, max, grainSize)) return body(min..max);
        val middle = middle(min, max);
        val upper = Unsafe.allocRailUninitialized[T](1);
        val lower:T;
        finish {
            async upper(0) = bisectReduce[T](middle + 1, max, grainSize, reduce, body);
            lower = bisectReduce[T](min, middle, grainSize, reduce, body);
        }
        return reduce(lower, upper(0));
    }

    /** Runs body for each piece of space. */
    public static operator for(space:DenseIterationSpace_2, grainSize0:Long, grainSize1:Long, body:(space:DenseIterationSpace_2)=>void):void {
        if (rows(space) > 0 && columns(space) > 0) finish bisect(space, Math.max(grainSize0, 1), Math.max(grainSize1, 1), body);
    }
    /** Runs body for each piece of space. */
    public static operator for(space:DenseIterationSpace_2, body:(space:DenseIterationSpace_2)=>void):void {
        Bisect.operator for(space, grain(rows(space)), grain(columns(space)), body);
    }
    /** Runs body for each index pair of space. */
    public static operator for(space:DenseIterationSpace_2, grainSize0:Long, grainSize1:Long, body:(i:Long, j:Long)=>void):void {
        Bisect.operator for(space, grainSize0, grainSize1, (piece:DenseIterationSpace_2)=>{ Sequential.operator for(piece, body); });
    }
    /** Runs body for each index pair of space. */
    public static operator for(space:DenseIterationSpace_2, body:(i:Long, j:Long)=>void):void {
        Bisect.operator for(space, grain(rows(space)), grain(columns(space)), body);
    }
    /** Which axis is cut: the one with more grains, -1 if both have one. */
    private static def longer(space:DenseIterationSpace_2, grain0:Long, grain1:Long):Long {
        val parts0 = rows(space) / grain0;
        val parts1 = columns(space) / grain1;
        return parts0 <= 1 && parts1 <= 1 ? -1 : parts0 >= parts1 ? 0 : 1;
    }
    private static def half(space:DenseIterationSpace_2, axis:Long, upper:Boolean):DenseIterationSpace_2 {
        if (axis == 0) {
            val middle = middle(space.min0, space.max0);
            return upper ? new DenseIterationSpace_2(middle + 1, space.min1, space.max0, space.max1) : new DenseIterationSpace_2(space.min0, space.min1, middle, space.max1);
        }
        val middle = middle(space.min1, space.max1);
        return upper ? new DenseIterationSpace_2(space.min0, middle + 1, space.max0, space.max1) : new DenseIterationSpace_2(space.min0, space.min1, space.max0, middle);
    }
    private static def bisect(space:DenseIterationSpace_2, grain0:Long, grain1:Long, body:(space:DenseIterationSpace_2)=>void):void {
        val axis = longer(space, grain0, grain1);
        if (axis < 0) { body(space); return; }
        async bisect(half(space, axis, true), grain0, grain1, body);
        bisect(half(space, axis, false), grain0, grain1, body);
    }
    /** What body makes of the index pairs of space, combined by reduce. */
    public static operator for[T](space:DenseIterationSpace_2, grainSize0:Long, grainSize1:Long, reduce:(a:T, b:T)=>T, identity:T, body:(i:Long, j:Long)=>T):T =
        bisectReduce[T](space, Math.max(grainSize0, 1), Math.max(grainSize1, 1), reduce, identity, body);
    /** What body makes of the index pairs of space, combined by reduce. */
    public static operator for[T](space:DenseIterationSpace_2, reduce:(a:T, b:T)=>T, identity:T, body:(i:Long, j:Long)=>T):T =
        bisectReduce[T](space, grain(rows(space)), grain(columns(space)), reduce, identity, body);
    private static def bisectReduce[T](space:DenseIterationSpace_2, grain0:Long, grain1:Long, reduce:(a:T, b:T)=>T, identity:T, body:(i:Long, j:Long)=>T):T {
        val axis = longer(space, grain0, grain1);
        if (axis < 0) return Sequential.operator for[T](space, reduce, identity, body);
        val upper = Unsafe.allocRailUninitialized[T](1);
        val lower:T;
        finish {
            async upper(0) = bisectReduce[T](half(space, axis, true), grain0, grain1, reduce, identity, body);
            lower = bisectReduce[T](half(space, axis, false), grain0, grain1, reduce, identity, body);
        }
        return reduce(lower, upper(0));
    }

    /** A loop with a grain size: g.for (i:Long in range) { ... }. */
    public static final class GrainSize {
        private val grainSize:Long;

        /** With this many indices in a piece. */
        public def this(grainSize:Long) { this.grainSize = grainSize; }
        /** Runs body for each number of range. */
        public final operator for(range:LongRange, body:(Long)=>void):void { Bisect.operator for(range, grainSize, body); }
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
            val found = Bisect.operator for(range, reduce, identity, body);
            result(0) = found;
            ready = true;
            return found;
        }
        /** What body makes of the index pairs of space, combined. */
        public final operator for(space:DenseIterationSpace_2, body:(i:Long, j:Long)=>T):T {
            val found = Bisect.operator for(space, reduce, identity, body);
            result(0) = found;
            ready = true;
            return found;
        }
    }
}
