package x10.glb;

/** How tasks went from place to place. */
public final class Logger {
    /** Tasks done. */
    public var nodesCount:Long = 0;
    /** Bags given away. */
    public var nodesGiven:Long = 0;
    /** Bags that came along lifelines. */
    public var lifelineNodesReceived:Long = 0;
    /** Random places asked. */
    public var stealsAttempted:Long = 0;
    /** Random places that gave. */
    public var stealsPerpetrated:Long = 0;
    /** Random requests received. */
    public var stealsReceived:Long = 0;
    /** Random requests granted. */
    public var stealsSuffered:Long = 0;
    /** Bags received. */
    public var nodesReceived:Long = 0;
    /** Lifelines asked. */
    public var lifelineStealsAttempted:Long = 0;
    /** Lifelines that gave at once. */
    public var lifelineStealsPerpetrated:Long = 0;
    /** Lifeline requests received. */
    public var lifelineStealsReceived:Long = 0;
    /** Lifeline requests granted. */
    public var lifelineStealsSuffered:Long = 0;
    /** When work last began or ended. */
    public var lastStartStopLiveTimeStamp:Long = -1;
    /** Nanoseconds at work. */
    public var timeAlive:Long = 0;
    /** Nanoseconds without work. */
    public var timeDead:Long = 0;
    /** When the first work began. */
    public var startTime:Long = 0;
    /** The time from which times are counted. */
    public val timeReference:Long;

    /** Counts from now if now is set, else from 0. */
    public def this(now:Boolean) { timeReference = now ? System.nanoTime() : 0; }

    /** Work begins. */
    public def startLive():void {
        val now = System.nanoTime();
        if (startTime == 0) startTime = now;
        if (lastStartStopLiveTimeStamp >= 0) timeDead += now - lastStartStopLiveTimeStamp;
        lastStartStopLiveTimeStamp = now;
    }
    /** Work ends. */
    public def stopLive():void {
        val now = System.nanoTime();
        if (lastStartStopLiveTimeStamp >= 0) timeAlive += now - lastStartStopLiveTimeStamp;
        lastStartStopLiveTimeStamp = now;
    }
    /** Adds up the logs of all places. */
    public def collect(logs:Rail[Logger]):void { for (log in logs) add(log); }
    /** Prints the counts. */
    public def stats():void {
        Console.OUT.println(nodesCount + " tasks done, " + nodesGiven + " bags given, " + nodesReceived + " received, "
            + lifelineNodesReceived + " of them along lifelines");
        Console.OUT.println(stealsPerpetrated + " of " + stealsAttempted + " random requests granted, "
            + lifelineStealsPerpetrated + " of " + lifelineStealsAttempted + " lifeline requests granted at once");
        Console.OUT.println((timeAlive / 1e9) + " s at work, " + (timeDead / 1e9) + " s without");
    }
    /** Adds the counts of other. */
    public def add(other:Logger):void {
        nodesCount += other.nodesCount;
        nodesGiven += other.nodesGiven;
        lifelineNodesReceived += other.lifelineNodesReceived;
        stealsAttempted += other.stealsAttempted;
        stealsPerpetrated += other.stealsPerpetrated;
        stealsReceived += other.stealsReceived;
        stealsSuffered += other.stealsSuffered;
        nodesReceived += other.nodesReceived;
        lifelineStealsAttempted += other.lifelineStealsAttempted;
        lifelineStealsPerpetrated += other.lifelineStealsPerpetrated;
        lifelineStealsReceived += other.lifelineStealsReceived;
        lifelineStealsSuffered += other.lifelineStealsSuffered;
        timeAlive += other.timeAlive;
        timeDead += other.timeDead;
    }
    /** This; prints the place's times first if verbose is set. */
    public def get(verbose:Boolean):Logger {
        if (verbose) Console.OUT.println(here + ": " + (timeAlive / 1e9) + " s at work, " + (timeDead / 1e9) + " s without");
        return this;
    }
}
