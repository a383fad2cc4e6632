package x10.util.resilient.iterative;

import x10.util.HashMap;
import x10.util.Team;
import x10.util.resilient.PlaceManager.ChangeDescription;
import x10.util.resilient.localstore.Cloneable;

/** A computation in steps that all places go through together. */
public interface SPMDResilientIterativeApp {
    /** Whether no step is left; the same at all places. */
    public def isFinished_local():Boolean;
    /** This place's part of a step. */
    public def step_local():void;
    /** What has to be saved of this place. */
    public def getCheckpointData_local():HashMap[String,Cloneable];
    /** Goes over to other places. */
    public def remake(changes:ChangeDescription, newTeam:Team):void;
    /** Makes this place's part what it was at iteration lastCheckpointIter. */
    public def restore_local(restoreDataMap:HashMap[String,Cloneable], lastCheckpointIter:Long):void;
}
