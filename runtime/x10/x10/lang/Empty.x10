package x10.lang;

/** An object with nothing in it. */
public class Empty {
    /** One of them. */
    public def this() { }
}
