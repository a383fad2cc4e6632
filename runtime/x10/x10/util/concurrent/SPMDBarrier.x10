package x10.util.concurrent;

/** A barrier of count activities of one place. */
public final class SPMDBarrier(count:Int) {
    private var waiting:Int = 0n;
    private var phase:Long = 0;

    /** For count activities. */
    public def this(count:Int) { property(count); }

    /** Says that this activity takes part; count of them must. */
    public def register():void { }
    /** Waits until all have come here. */
    public def advance():void {
        val mine:Long;
        atomic {
            mine = phase;
            if (++waiting == count) { waiting = 0n; phase++; }
        }
        when (phase != mine) { }
    }
}
