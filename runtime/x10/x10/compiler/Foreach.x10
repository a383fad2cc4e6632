package x10.compiler;

import x10.array.DenseIterationSpace_2;
import x10.util.foreach.*;

/** Loops over ranges and rectangles, as methods: the loops of x10.util.foreach. Bounds are included. */
public final class Foreach {
    /** Runs body for each index, one after another. */
    public static def sequential(min:Long, max:Long, body:(i:Long)=>void):void { Sequential.operator for(min..max, body); }
    /** Runs body for each piece, one after another. */
    public static def sequential(min:Long, max:Long, body:(min:Long, max:Long)=>void):void { Sequential.operator for(min..max, (part:LongRange)=>{ body(part.min, part.max); }); }
    /** Runs body for each index pair, one after another. */
    public static def sequential(min0:Long, max0:Long, min1:Long, max1:Long, body:(i:Long, j:Long)=>void):void { Sequential.operator for(new DenseIterationSpace_2(min0, min1, max0, max1), body); }
    /** Runs body for each index pair, one after another. */
    public static def sequential(space:DenseIterationSpace_2, body:(i:Long, j:Long)=>void):void { Sequential.operator for(space, body); }
    /** What body makes of the indices, combined by reduce. */
    public static def sequentialReduce[T](min:Long, max:Long, body:(i:Long)=>T, reduce:(a:T, b:T)=>T, identity:T):T = Sequential.operator for[T](min..max, reduce, identity, body);
    /** What body makes of the pieces, combined by reduce. */
    public static def sequentialReduce[T](min:Long, max:Long, body:(min:Long, max:Long)=>T, reduce:(a:T, b:T)=>T):T = Sequential.operator for[T](min..max, reduce, (part:LongRange)=>body(part.min, part.max));
    /** What body makes of the indices, combined by reduce. */
    public static def sequentialReduce[T](space:DenseIterationSpace_2, body:(i:Long, j:Long)=>T, reduce:(a:T, b:T)=>T, identity:T):T = Sequential.operator for[T](space, reduce, identity, body);
    /** Runs body for each index, each in an activity. */
    public static def basic(min:Long, max:Long, body:(i:Long)=>void):void { Basic.operator for(min..max, body); }
    /** Runs body for each index pair, each in an activity. */
    public static def basic(min0:Long, max0:Long, min1:Long, max1:Long, body:(i:Long, j:Long)=>void):void { Basic.operator for(new DenseIterationSpace_2(min0, min1, max0, max1), body); }
    /** Runs body for each index, a block in each thread. */
    public static def block(min:Long, max:Long, body:(i:Long)=>void):void { Block.operator for(min..max, body); }
    /** Runs body for each piece, a block in each thread. */
    public static def block(min:Long, max:Long, body:(min:Long, max:Long)=>void):void { Block.operator for(min..max, (part:LongRange)=>{ body(part.min, part.max); }); }
    /** Runs body for each index pair, a block in each thread. */
    public static def block(min0:Long, max0:Long, min1:Long, max1:Long, body:(i:Long, j:Long)=>void):void { Block.operator for(new DenseIterationSpace_2(min0, min1, max0, max1), body); }
    /** Runs body for each index pair, a block in each thread. */
    public static def block(space:DenseIterationSpace_2, body:(i:Long, j:Long)=>void):void { Block.operator for(space, body); }
    /** What body makes of the indices, combined by reduce. */
    public static def blockReduce[T](min:Long, max:Long, body:(i:Long)=>T, reduce:(a:T, b:T)=>T, identity:T):T = Block.operator for[T](min..max, reduce, identity, body);
    /** What body makes of the pieces, combined by reduce. */
    public static def blockReduce[T](min:Long, max:Long, body:(min:Long, max:Long)=>T, reduce:(a:T, b:T)=>T):T = Block.operator for[T](min..max, reduce, (part:LongRange)=>body(part.min, part.max));
    /** What body makes of the indices, combined by reduce. */
    public static def blockReduce[T](space:DenseIterationSpace_2, body:(i:Long, j:Long)=>T, reduce:(a:T, b:T)=>T, identity:T):T = Block.operator for[T](space, reduce, identity, body);
    /** Runs body for each index, dealt out to the threads. */
    public static def cyclic(min:Long, max:Long, body:(i:Long)=>void):void { Cyclic.operator for(min..max, body); }
    /** What body makes of the indices, combined by reduce. */
    public static def cyclicReduce[T](min:Long, max:Long, body:(i:Long)=>T, reduce:(a:T, b:T)=>T, identity:T):T = Cyclic.operator for[T](min..max, reduce, identity, body);
    /** Runs body for each index, in pieces made by halving. */
    public static def bisect(min:Long, max:Long, body:(i:Long)=>void):void { Bisect.operator for(min..max, body); }
    /** Runs body for each piece, in pieces made by halving. */
    public static def bisect(min:Long, max:Long, body:(min:Long, max:Long)=>void):void { Bisect.operator for(min..max, (part:LongRange)=>{ body(part.min, part.max); }); }
    /** Runs body for each index pair, in pieces made by halving. */
    public static def bisect(min0:Long, max0:Long, min1:Long, max1:Long, body:(i:Long, j:Long)=>void):void { Bisect.operator for(new DenseIterationSpace_2(min0, min1, max0, max1), body); }
    /** Runs body for each index, in pieces made by halving, down to grainSize. */
    public static def bisect(min:Long, max:Long, grainSize:Long, body:(i:Long)=>void):void { Bisect.operator for(min..max, grainSize, body); }
    /** Runs body for each piece, in pieces made by halving, down to grainSize. */
    public static def bisect(min:Long, max:Long, grainSize:Long, body:(min:Long, max:Long)=>void):void { Bisect.operator for(min..max, grainSize, (part:LongRange)=>{ body(part.min, part.max); }); }
    /** Runs body for each index pair, in pieces made by halving, down to the grain sizes. */
    public static def bisect(min0:Long, max0:Long, min1:Long, max1:Long, grainSize0:Long, grainSize1:Long, body:(i:Long, j:Long)=>void):void { Bisect.operator for(new DenseIterationSpace_2(min0, min1, max0, max1), grainSize0, grainSize1, body); }
    /** Runs body for each piece, in pieces made by halving, down to the grain sizes. */
    public static def bisect(min0:Long, max0:Long, min1:Long, max1:Long, grainSize0:Long, grainSize1:Long, body:(min0:Long, max0:Long, min1:Long, max1:Long)=>void):void { Bisect.operator for(new DenseIterationSpace_2(min0, min1, max0, max1), grainSize0, grainSize1, (s:DenseIterationSpace_2)=>{ body(s.min0, s.max0, s.min1, s.max1); }); }
    /** Runs body for each piece, in pieces made by halving. */
    public static def bisect(min0:Long, max0:Long, min1:Long, max1:Long, body:(min0:Long, max0:Long, min1:Long, max1:Long)=>void):void { Bisect.operator for(new DenseIterationSpace_2(min0, min1, max0, max1), (s:DenseIterationSpace_2)=>{ body(s.min0, s.max0, s.min1, s.max1); }); }
    /** What body makes of the indices, combined by reduce. */
    public static def bisectReduce[T](min:Long, max:Long, body:(i:Long)=>T, reduce:(a:T, b:T)=>T, identity:T):T = Bisect.operator for[T](min..max, reduce, identity, body);
    /** What body makes of the pieces, combined by reduce. */
    public static def bisectReduce[T](min:Long, max:Long, body:(min:Long, max:Long)=>T, reduce:(a:T, b:T)=>T):T = Bisect.operator for[T](min..max, reduce, (part:LongRange)=>body(part.min, part.max));
    /** What body makes of the indices, combined by reduce. */
    public static def bisectReduce[T](space:DenseIterationSpace_2, body:(i:Long, j:Long)=>T, reduce:(a:T, b:T)=>T, identity:T):T = Bisect.operator for[T](space, reduce, identity, body);
    /** What body makes of the indices, combined by reduce. */
    public static def bisectReduce[T](min:Long, max:Long, grainSize:Long, body:(i:Long)=>T, reduce:(a:T, b:T)=>T, identity:T):T = Bisect.operator for[T](min..max, grainSize, reduce, identity, body);
    /** What body makes of the pieces, combined by reduce. */
    public static def bisectReduce[T](min:Long, max:Long, grainSize:Long, body:(min:Long, max:Long)=>T, reduce:(a:T, b:T)=>T):T = Bisect.operator for[T](min..max, grainSize, reduce, (part:LongRange)=>body(part.min, part.max));
    /** What body makes of the indices, combined by reduce. */
    public static def bisectReduce[T](space:DenseIterationSpace_2, grainSize0:Long, grainSize1:Long, body:(i:Long, j:Long)=>T, reduce:(a:T, b:T)=>T, identity:T):T = Bisect.operator for[T](space, grainSize0, grainSize1, reduce, identity, body);
    /** What body makes of the indices, combined by reduce. */
    public static def bisectReduce[T](min0:Long, max0:Long, min1:Long, max1:Long, grainSize0:Long, grainSize1:Long, body:(i:Long, j:Long)=>T, reduce:(a:T, b:T)=>T, identity:T):T = Bisect.operator for[T](new DenseIterationSpace_2(min0, min1, max0, max1), grainSize0, grainSize1, reduce, identity, body);
}
