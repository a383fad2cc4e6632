package x10.glb;

/** What a task does from time to time so that other places are served. */
public interface ContextI {
    /** Serves other places. */
    public def yielding():void;
}
