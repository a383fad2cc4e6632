package x10.util;

/** The time. */
public class Timer {
    /** Milliseconds since 1970. */
    public static def milliTime():Long = System.currentTimeMillis();
    /** Nanoseconds since some moment, for differences. */
    public static def nanoTime():Long = System.nanoTime();
}
