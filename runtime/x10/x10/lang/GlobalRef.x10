package x10.lang;

/** A reference to an object of one place, that may be sent to all others. */
public struct GlobalRef[T](
    /** Where the object lives. */
    home:Place) {T isref} {
    private val object:GlobalObject;

    /** A reference to t, which lives here. It keeps t alive, at whatever place it is. */
    public def this(t:T):GlobalRef[T]{self.home==here} {
        property(here);
        this.object = GlobalObject.of(t as Any);
    }

    /** A reference to what home has no object for: memory of an accelerator. */
    def this(home:Place):GlobalRef[T]{self.home==home} {
        property(home);
        this.object = null;
    }

    private def target():T = (object == null ? null : object.get()) as T;
    private def number():Long = object == null ? 0 : object.number();

    /** The object; raises a BadPlaceException at any place but home. */
    public operator this(){here==this.home}:T {
        if (here != home) GlobalObject.elsewhere("the object of this GlobalRef", home.id);
        return target();
    }
    /** Runs eval with the object at its home and brings the result. */
    public def evalAtHome[U](eval:(T)=>U):U {
        if (here == home) return eval(target());
        val ref = this;
        return at (home) eval(ref());
    }
    /** Lets the object be collected though references to it are around. */
    public def forget(){here==this.home}:void { if (object != null) object.forget(); }
    /** Whether this refers to null. */
    public def isNull():Boolean = object == null;
    /** The place and the number of the object. */
    public def toString():String = "GlobalRef(" + home + ", " + number() + ")";
    /** Whether that refers to the same object. */
    public def equals(that:Any):Boolean =
        that instanceof GlobalRef[T] && (that as GlobalRef[T]).home == home && (that as GlobalRef[T]).object == object;
    /** A hash of place and number. */
    public def hashCode():Int = (home.id * 31 + number()) as Int;
    /** The object where it lives, elsewhere a copy of it. */
    public def getLocalOrCopy():T = evalAtHome[T]((t:T)=>t);
    /** Runs eval with the object of ref at its home and brings the result. */
    public static def evalAtHome[T,U](ref:GlobalRef[T], eval:(T)=>U){T isref}:U = ref.evalAtHome[U](eval);
    /** The object where it lives, elsewhere a copy of it. */
    public static def getLocalOrCopy[T](ref:GlobalRef[T]){T isref}:T = ref.getLocalOrCopy();
}
