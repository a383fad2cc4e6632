package x10.lang;

import x10.compiler.CUDA;
import x10.compiler.Intrinsic;

/** true or false. */
public struct Boolean implements Comparable[Boolean] {
    /** true. */
    public static TRUE:Boolean = true;
    /** false. */
    public static FALSE:Boolean = false;

    /** Not. */
    @Intrinsic("op.not") public native operator ! this:Boolean;
    /** And; both sides are evaluated. */
    @Intrinsic("op.and") public native operator this & (x:Boolean):Boolean;
    /** Or; both sides are evaluated. */
    @Intrinsic("op.or") public native operator this | (x:Boolean):Boolean;
    /** Exclusive or. */
    @Intrinsic("op.xor") public native operator this ^ (x:Boolean):Boolean;

    /** "true" or "false". */
    public def toString():String = this ? "true" : "false";
    /** Whether s is "true", in any case. */
    public static def parse(s:String):Boolean = "true".equalsIgnoreCase(s);
    /** The same as parse. */
    public static def parseBoolean(s:String):Boolean = parse(s);
    /** 1 or 0. */
    @CUDA public def hashCode():Int = this ? 1n : 0n;
    /** Whether x is the same truth value. */
    public def equals(x:Any):Boolean = x instanceof Boolean && (x as Boolean) == this;
    /** Whether x is the same. */
    @CUDA public def equals(x:Boolean):Boolean = this == x;
    /** false comes before true. */
    @CUDA public def compareTo(x:Boolean):Int = this == x ? 0n : (this ? 1n : -1n);
}

/** The Boolean that is equal to value. */
public type Boolean(value:Boolean) = Boolean{self==value};
