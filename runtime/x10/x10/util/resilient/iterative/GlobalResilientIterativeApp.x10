package x10.util.resilient.iterative;

import x10.util.resilient.PlaceManager.ChangeDescription;

/** A computation in steps, each begun at one place. */
public interface GlobalResilientIterativeApp {
    /** Whether no step is left. */
    public def isFinished():Boolean;
    /** One step, at all places that it needs. */
    public def step():void;
    /** Names what has to be saved. */
    public def checkpoint(store:ApplicationSnapshotStore):void;
    /** Goes over to other places, before the state of iteration lastCkptIter is put back. */
    public def remake(changes:ChangeDescription, lastCkptIter:Long):void;
}
