package x10.lang;

import x10.util.Ordered;

/** How a collecting finish makes one value of all that is offered: an operation that is associative and commutative, and its zero. */
public interface Reducible[T] {
    /** The value that changes nothing. */
    def zero():T;
    /** Makes one value of two. */
    operator this(a:T, b:T):T;

    /** Whether all are true. */
    public static struct AndReducer implements Reducible[Boolean] {
        /** true. */
        public def zero():Boolean = true;
        /** Whether both are true. */
        public operator this(a:Boolean, b:Boolean):Boolean = a && b;
    }
    /** Whether one is true. */
    public static struct OrReducer implements Reducible[Boolean] {
        /** false. */
        public def zero():Boolean = false;
        /** Whether one of the two is true. */
        public operator this(a:Boolean, b:Boolean):Boolean = a || b;
    }
    /** The sum. */
    public static struct SumReducer[T]{T <: Arithmetic[T], T haszero} implements Reducible[T] {
        /** The zero of T. */
        public def zero():T = Zero.get[T]();
        /** a + b. */
        public operator this(a:T, b:T):T = a + b;
    }
    /** The least value. */
    public static struct MinReducer[T]{T <: Ordered[T]} implements Reducible[T] {
        private val zeroVal:T;
        /** maxValue is no less than any value offered. */
        public def this(maxValue:T) { zeroVal = maxValue; }
        /** maxValue. */
        public def zero():T = zeroVal;
        /** The lesser of the two. */
        public operator this(a:T, b:T):T = a <= b ? a : b;
    }
    /** The greatest value. */
    public static struct MaxReducer[T]{T <: Ordered[T]} implements Reducible[T] {
        private val zeroVal:T;
        /** minValue is no greater than any value offered. */
        public def this(minValue:T) { zeroVal = minValue; }
        /** minValue. */
        public def zero():T = zeroVal;
        /** The greater of the two. */
        public operator this(a:T, b:T):T = a >= b ? a : b;
    }
}
