package x10.lang;

/** A place that has died. */
public class DeadPlaceException(place:Place) extends Exception {
    /** This place, without a message. */
    public def this() { super(); property(here); }
    /** This place, with a message. */
    public def this(message:String) { super(message); property(here); }
    /** The place p, without a message. */
    public def this(p:Place) { super(); property(p); }
    /** The place p, with a message. */
    public def this(p:Place, message:String) { super(message); property(p); }
}
