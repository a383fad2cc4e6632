package x10.util.concurrent;

/**
 * The result of an activity that was started to compute it. It can be sent to other places; asking for the result goes to
 * where the activity runs.
 */
public class Future[T] implements ()=>T {
    private val root:GlobalRef[FutureState[T]];

    private def this(state:FutureState[T]) { root = GlobalRef[FutureState[T]](state); }

    /** Starts an activity that computes eval(). */
    public static def make[T](eval:()=>T):Future[T] {
        val state = new FutureState[T]();
        val future = new Future[T](state);
        async state.run(eval);
        return future;
    }
    /** Whether the activity has ended. */
    public def forced():Boolean = at (root) root().isDone();
    /** The result, as force gives it. */
    public operator this():T = force();
    /** Waits for the activity; gives its result, or raises what it has raised. */
    public def force():T = at (root) root().await();
}

/** What an activity of a Future leaves where it runs. */
final class FutureState[T] {
    private var done:Boolean = false;
    /** The result is the one element. */
    private val result:Rail[T] = Unsafe.allocRailUninitialized[T](1);
    private var raised:CheckedThrowable = null;

    def isDone():Boolean = done;
    def run(eval:()=>T):void {
        var failure:CheckedThrowable = null;
        try {
            finish result(0) = eval();
        } catch (e:CheckedThrowable) {
            failure = e;
        }
        atomic {
            raised = failure;
            done = true;
        }
    }
    def await():T {
        when (done) { }
        if (raised != null) throw Exception.ensureException(raised);
        return result(0);
    }
}
