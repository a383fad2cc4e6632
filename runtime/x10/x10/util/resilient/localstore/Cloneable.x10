package x10.util.resilient.localstore;

/** What can be copied, so that later changes of the program do not affect the copy. */
public interface Cloneable {
    /** A copy. */
    public def clone():Cloneable;
}
