package x10.lang;

import x10.compiler.CUDA;
import x10.util.Ordered;

/**
 * How values are combined: by an operation that is associative and commutative, so that the order in which they come
 * does not matter, and a value that changes nothing.
 */
public interface Reducible[T] {
    /** The value that combined with any other gives that other. */
    def zero():T;
    /** a and b combined. */
    operator this(a:T, b:T):T;

    /** Whether all are true. */
    public static struct AndReducer implements Reducible[Boolean] {
        /** True. */
        @CUDA public def zero():Boolean = true;
        /** Whether both are true. */
        @CUDA public operator this(a:Boolean, b:Boolean):Boolean = a && b;
    }

    /** Whether any is true. */
    public static struct OrReducer implements Reducible[Boolean] {
        /** False. */
        @CUDA public def zero():Boolean = false;
        /** Whether one or both are true. */
        @CUDA public operator this(a:Boolean, b:Boolean):Boolean = a || b;
    }

    /** The sum. */
    public static struct SumReducer[T] {T <: Arithmetic[T], T haszero} implements Reducible[T] {
        /** Zero. */
        @CUDA public def zero():T = Zero.get[T]();
        /** Their sum. */
        @CUDA public operator this(a:T, b:T):T = a + b;
    }

    /** The least value. */
    public static struct MinReducer[T] {T <: Ordered[T]} implements Reducible[T] {
        private val most:T;
        /** Of values none of which is greater than maxValue. */
        @CUDA public def this(maxValue:T) { most = maxValue; }
        /** The greatest value that there can be. */
        @CUDA public def zero():T = most;
        /** The lesser of both. */
        @CUDA public operator this(a:T, b:T):T = b < a ? b : a;
    }

    /** The greatest value. */
    public static struct MaxReducer[T] {T <: Ordered[T]} implements Reducible[T] {
        private val least:T;
        /** Of values none of which is less than minValue. */
        @CUDA public def this(minValue:T) { least = minValue; }
        /** The least value that there can be. */
        @CUDA public def zero():T = least;
        /** The greater of both. */
        @CUDA public operator this(a:T, b:T):T = b > a ? b : a;
    }
}
