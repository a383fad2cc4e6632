package x10.util.resilient.localstore;

/** What can be copied, to be kept apart from what the program goes on to change. */
public interface Cloneable {
    /** A copy. */
    public def clone():Cloneable;
}
