package x10.lang;

import x10.compiler.Intrinsic;

/**
 * A rail of one place, host or accelerator, that may be named at all others. Its elements are read and written at its
 * home only, by Rail.asyncCopy from elsewhere, and by kernels sent to its home.
 */
public final struct GlobalRail[T](size:Long) {
    private val place:Place;
    /** On a host the number of the rail, on an accelerator the address of its elements. */
    val handle:Long;

    /** A name for a, which lives here. The rail stays in memory until it is forgotten. */
    public def this(a:Rail[T]{self!=null}):GlobalRail[T]{self.home()==here,self.size==a.size} {
        property(a.size);
        this.place = here;
        this.handle = register(a);
    }
    def this(place:Place, size:Long, handle:Long) {
        property(size);
        this.place = place;
        this.handle = handle;
    }

    @Intrinsic("rt.global_ref_register") private static native def register(value:Any):Long;
    @Intrinsic("rt.global_ref_get") private static native def lookUp(handle:Long):Any;
    @Intrinsic("rt.global_ref_forget") private static native def drop(handle:Long):void;
    @Intrinsic("rt.device_allocate") private static native def allocateOnDevice(place:Long, sample:Any, count:Long):Long;
    @Intrinsic("rt.device_free") private static native def freeOnDevice(place:Long, handle:Long):void;

    /** count zeros at p, which is here or an accelerator of here. */
    public static def allocate[T](p:Place, count:Long){T haszero}:GlobalRail[T] {
        if (p == here) return new GlobalRail[T](new Rail[T](count));
        return new GlobalRail[T](p, count, allocateOnDevice(p.id, new Rail[T](0), count));
    }
    /** Frees a rail of an accelerator of here, forgets one of here. */
    public def free():void {
        if (place.isCUDA()) freeOnDevice(place.id, handle); else drop(handle);
    }

    /** Where the elements live. */
    public property def home():Place = place;
    def homeId():Long = place.id;
    /** What the home's host knows the elements by: an address of an accelerator, or a number. */
    public def memory():Long = handle;
    /** The element at index. */
    public operator this(index:Long){here==home()}:T = this()(index);
    /** Sets the element at index. */
    public operator this(index:Long)=(v:T){here==home()}:T { this()(index) = v; return v; }
    /** The rail; raises a BadPlaceException at any place but home. */
    public operator this(){here==home()}:Rail[T] {
        if (here != place) GlobalObject.elsewhere("this GlobalRail", place.id);
        return lookUp(handle) as Rail[T];
    }
    /** A reference to the rail. Called, `g.rail()`, it is the rail. */
    public property rail():GlobalRef[Rail[T]{self!=null}]{self.home==this.home()} = reference();
    private def reference():GlobalRef[Rail[T]{self!=null}]{self.home==this.home()} {
        if (place.isCUDA()) return new GlobalRef[Rail[T]{self!=null}](place);
        val rail = this;
        return at (place) GlobalRef[Rail[T]{self!=null}](rail.local());
    }
    /** Lets the rail be collected though it is named elsewhere. */
    public def forget(){here==home()}:void { drop(handle); }
    /** The place and the size. */
    public def toString():String = "GlobalRail(" + place + ", " + size + ")";
    /** Whether that names the same rail. */
    public def equals(that:Any):Boolean =
        that instanceof GlobalRail[T] && (that as GlobalRail[T]).place == place && (that as GlobalRail[T]).handle == handle;
    /** A hash of place and rail. */
    public def hashCode():Int = (place.id * 31 + handle) as Int;
    /** The rail; accessible at its home only. */
    private def local():Rail[T] = lookUp(handle) as Rail[T];
    /** Adds v to an element of a rail anywhere, as a whole; the enclosing finish waits for it. */
    public static def remoteAdd(target:GlobalRail[Long], idx:Long, v:Long):void {
        at (target.home()) async atomic {
            val rail = target.local();
            rail(idx) = rail(idx) + v;
        }
    }
    /** Adds v to an element of a rail anywhere, as a whole; the enclosing finish waits for it. */
    public static def remoteAdd(target:GlobalRail[ULong], idx:Long, v:ULong):void {
        at (target.home()) async atomic {
            val rail = target.local();
            rail(idx) = rail(idx) + v;
        }
    }
    /** Takes the bitwise and of v and an element of a rail anywhere, as a whole; the enclosing finish waits for it. */
    public static def remoteAnd(target:GlobalRail[Long], idx:Long, v:Long):void {
        at (target.home()) async atomic {
            val rail = target.local();
            rail(idx) = rail(idx) & v;
        }
    }
    /** Takes the bitwise and of v and an element of a rail anywhere, as a whole; the enclosing finish waits for it. */
    public static def remoteAnd(target:GlobalRail[ULong], idx:Long, v:ULong):void {
        at (target.home()) async atomic {
            val rail = target.local();
            rail(idx) = rail(idx) & v;
        }
    }
    /** Takes the bitwise or of v and an element of a rail anywhere, as a whole; the enclosing finish waits for it. */
    public static def remoteOr(target:GlobalRail[Long], idx:Long, v:Long):void {
        at (target.home()) async atomic {
            val rail = target.local();
            rail(idx) = rail(idx) | v;
        }
    }
    /** Takes the bitwise or of v and an element of a rail anywhere, as a whole; the enclosing finish waits for it. */
    public static def remoteOr(target:GlobalRail[ULong], idx:Long, v:ULong):void {
        at (target.home()) async atomic {
            val rail = target.local();
            rail(idx) = rail(idx) | v;
        }
    }
    /** Takes the bitwise exclusive or of v and an element of a rail anywhere, as a whole; the enclosing finish waits for it. */
    public static def remoteXor(target:GlobalRail[Long], idx:Long, v:Long):void {
        at (target.home()) async atomic {
            val rail = target.local();
            rail(idx) = rail(idx) ^ v;
        }
    }
    /** Takes the bitwise exclusive or of v and an element of a rail anywhere, as a whole; the enclosing finish waits for it. */
    public static def remoteXor(target:GlobalRail[ULong], idx:Long, v:ULong):void {
        at (target.home()) async atomic {
            val rail = target.local();
            rail(idx) = rail(idx) ^ v;
        }
    }
    /** Sends what the operations above hold back; they hold back nothing. */
    public static def flushRemoteOps():void { }
}
