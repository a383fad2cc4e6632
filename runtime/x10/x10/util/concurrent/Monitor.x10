package x10.util.concurrent;

/** A lock whose owner can wait for another activity to change what it guards. */
public class Monitor extends Lock {
    /** How often release was called. */
    private var releases:Long = 0;

    /** A monitor that nobody has. */
    public def this() { super(); }

    /** Gives the lock back, waits for a release and takes the lock again. To be called by its owner. */
    public def await():void {
        val before = releases;
        unlock();
        try {
            when (releases != before) { }
        } finally {
            lock();
        }
    }
    /** Wakes all that wait and gives the lock back. To be called by its owner. */
    public def release():void {
        atomic releases++;
        unlock();
    }
}
