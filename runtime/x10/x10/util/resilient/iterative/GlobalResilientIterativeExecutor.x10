package x10.util.resilient.iterative;

import x10.util.resilient.PlaceManager;

/** Runs the steps of a computation. A program ends when a place dies, so that nothing is saved and put back. */
public class GlobalResilientIterativeExecutor(home:Place) {
    private val manager:GlobalRef[PlaceManager]{self.home==this.home};

    /** Steps at all places but the last sparePlaces. */
    public def this(itersPerCheckpoint:Long, sparePlaces:Long, supportShrinking:Boolean) {
        property(here);
        manager = GlobalRef[PlaceManager](new PlaceManager(sparePlaces, supportShrinking));
    }

    /** The places to compute at. */
    public def activePlaces(){here==home}:PlaceGroup = manager().activePlaces();
    /** Which places die when: none does. */
    public def setHammer(h:SimplePlaceHammer){here==home}:void { }
    /** Does steps until none is left. */
    public def run(app:GlobalResilientIterativeApp){here==home}:void { while (!app.isFinished()) app.step(); }
    /** As run; startRunTime is when the computation began, in milliseconds. */
    public def run(app:GlobalResilientIterativeApp, startRunTime:Long){here==home}:void { run(app); }
}
