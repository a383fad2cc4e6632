package x10.util.resilient.localstore;

/** A distributed object whose part at each place can be saved and put back. */
public interface Snapshottable {
    /** A copy of the part at this place. */
    public def makeSnapshot_local():Cloneable;
    /** Makes the part at this place what it was. */
    public def restoreSnapshot_local(snapshot:Cloneable):void;
}
