package x10.util.resilient.iterative;

import x10.util.HashMap;
import x10.util.resilient.localstore.Cloneable;
import x10.util.resilient.localstore.Snapshottable;

/** The distributed objects that a computation wants saved, by name. */
public class ApplicationSnapshotStore {
    private val changing = new HashMap[String,Snapshottable]();
    private val fixed = new HashMap[String,Snapshottable]();

    /** Nothing yet. */
    public def this() { }

    /** To be saved at each checkpoint. */
    public def save(key:String, distObject:Snapshottable):void { changing.put(key, distObject); }
    /** To be saved at the first checkpoint: it does not change. */
    public def saveReadOnly(key:String, distObject:Snapshottable):void { fixed.put(key, distObject); }
    /** Copies of the parts at this place. */
    public def getCheckpointData_local(first:Boolean):HashMap[String,Cloneable] {
        val copies = new HashMap[String,Cloneable]();
        for (entry in changing.entries()) copies.put(entry.getKey(), entry.getValue().makeSnapshot_local());
        if (first) for (entry in fixed.entries()) copies.put(entry.getKey(), entry.getValue().makeSnapshot_local());
        return copies;
    }
    /** Puts copies back at this place. */
    public def restore_local(restoreDataMap:HashMap[String,Cloneable]):void {
        for (entry in changing.entries()) entry.getValue().restoreSnapshot_local(restoreDataMap.getOrThrow(entry.getKey()));
        for (entry in fixed.entries()) entry.getValue().restoreSnapshot_local(restoreDataMap.getOrThrow(entry.getKey()));
    }
}
