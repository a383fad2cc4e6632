package x10.util.resilient.iterative;

import x10.util.Team;
import x10.util.resilient.PlaceManager;

/** Runs the steps of a computation at all places. A program ends when a place dies, so that nothing is saved and put back. */
public class SPMDResilientIterativeExecutor(home:Place) {
    private val manager:GlobalRef[PlaceManager]{self.home==this.home};
    private val members:Team;
    /** A step begins at all places only when the one before has ended everywhere. */
    private val together:Boolean;

    /** Steps at all places but the last sparePlaces; with implicitStepSynchronization the steps wait for each other themselves. */
    public def this(itersPerCheckpoint:Long, sparePlaces:Long, supportShrinking:Boolean, implicitStepSynchronization:Boolean) {
        property(here);
        val places = new PlaceManager(sparePlaces, supportShrinking);
        manager = GlobalRef[PlaceManager](places);
        members = new Team(places.activePlaces());
        together = !implicitStepSynchronization;
    }

    /** The places to compute at. */
    public def activePlaces(){here==home}:PlaceGroup = manager().activePlaces();
    /** A team of these places. */
    public def team(){here==home}:Team = members;
    /** Which places die when: none does. */
    public def setHammer(h:SimplePlaceHammer){here==home}:void { }
    /** Does steps until none is left. */
    public def run(app:SPMDResilientIterativeApp){here==home}:void {
        val team = members;
        val wait = together;
        finish for (p in activePlaces()) at (p) async {
            while (!app.isFinished_local()) {
                if (wait) team.barrier();
                app.step_local();
            }
        }
    }
    /** As run; startRunTime is when the computation began, in milliseconds. */
    public def run(app:SPMDResilientIterativeApp, startRunTime:Long){here==home}:void { run(app); }
}
