package x10.lang;

import x10.compiler.Intrinsic;

/** A reference to an object of one place, that may be sent to all others. */
public struct GlobalRef[T](
    /** Where the object lives. */
    home:Place) {T isref} {
    private val handle:Long;

    /** A reference to t, which lives here. */
    public def this(t:T):GlobalRef[T]{self.home==here} {
        property(here);
        this.handle = register(t as Any);
    }

    @Intrinsic("rt.global_ref_register") private static native def register(value:Any):Long;
    @Intrinsic("rt.global_ref_get") private static native def lookUp(handle:Long):Any;
    @Intrinsic("rt.global_ref_forget") private static native def drop(handle:Long):void;

    /** The object; raises a BadPlaceException at any place but home. */
    public operator this(){here==this.home}:T {
        if (here != home) throw new BadPlaceException("the object of this GlobalRef lives at " + home + ", not " + here);
        return lookUp(handle) as T;
    }
    /** Runs eval with the object at its home and brings the result. */
    public def evalAtHome[U](eval:(T)=>U):U {
        if (here == home) return eval(lookUp(handle) as T);
        val ref = this;
        return at (home) eval(ref());
    }
    /** Lets the object be collected though references to it are around. */
    public def forget(){here==this.home}:void { drop(handle); }
    /** Whether this refers to null. */
    public def isNull():Boolean = handle == 0;
    /** The place and the number of the object. */
    public def toString():String = "GlobalRef(" + home + ", " + handle + ")";
    /** Whether that refers to the same object. */
    public def equals(that:Any):Boolean =
        that instanceof GlobalRef[T] && (that as GlobalRef[T]).home == home && (that as GlobalRef[T]).handle == handle;
    /** A hash of place and number. */
    public def hashCode():Int = (home.id * 31 + handle) as Int;
    /** The object where it lives, elsewhere a copy of it. */
    public def getLocalOrCopy():T = evalAtHome[T]((t:T)=>t);
    /** Runs eval with the object of ref at its home and brings the result. */
    public static def evalAtHome[T,U](ref:GlobalRef[T], eval:(T)=>U){T isref}:U = ref.evalAtHome[U](eval);
    /** The object where it lives, elsewhere a copy of it. */
    public static def getLocalOrCopy[T](ref:GlobalRef[T]){T isref}:T = ref.getLocalOrCopy();
}
