package x10.util;

/** A map for each thread of each place. The storage can be sent to other places. */
public class WorkerLocalStorage[Key,Value]{Value haszero} {
    private val maps = new WorkerLocalHandle[HashMap[Key,Value]](() => new HashMap[Key,Value]());

    /** What this thread has put under key; zero if it has put nothing. */
    public def get(key:Key):Value = maps().getOrElse(key, Zero.get[Value]());
    /** The same; value if it has put nothing. */
    public def getOrElse(key:Key, value:Value):Value = maps().getOrElse(key, value);
    /** The same; a NoSuchElementException if it has put nothing. */
    public def getOrThrow(key:Key):Value = maps().getOrThrow(key);
    /** Puts value under key for this thread; what was there before, or zero. */
    public def put(key:Key, value:Value):Value = maps().put(key, value);
    /** Takes away what this thread has put under key; zero if it has put nothing. */
    public def remove(key:Key):Value = maps().remove(key);
}
