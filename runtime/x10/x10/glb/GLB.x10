package x10.glb;

import x10.util.Team;

/**
 * Global load balancing: tasks that make more tasks, spread over all places. Each place has a queue that `init` makes; `run` begins with
 * the tasks of place 0, `runParallel` with what each place's queue has. Both return the results of all places put together.
 */
public final class GLB[Queue, R]{Queue<:TaskQueue[Queue, R]} {
    private val workers:PlaceLocalHandle[Worker[Queue, R]];
    private val parameters:GLBParameters;
    private val tree:Boolean;
    private val setupTime:Long;
    private var crunchTime:Long = 0;
    private var collectTime:Long = 0;

    /** A load balancer over queues that init makes; with tree the first tasks of run go along a binary tree of places. */
    public def this(init:()=>Queue, glbParams:GLBParameters, tree:Boolean) {
        val before = System.nanoTime();
        parameters = glbParams;
        this.tree = tree;
        workers = PlaceLocalHandle.make[Worker[Queue, R]](Place.places(), ()=>new Worker[Queue, R](init, glbParams));
        val st = workers;
        Place.places().broadcastFlat(()=>{ st().setContext(st); });
        setupTime = System.nanoTime() - before;
    }
    /** The queue of this place. */
    public def taskQueue():Queue = workers().queue;

    /** Does the tasks that start adds to this place's queue, and all that come of them. */
    public def run(start:()=>void):Rail[R] {
        val before = System.nanoTime();
        val st = workers;
        val tree = this.tree;
        Place.places().broadcastFlat(()=>{ st().prepare(tree); });
        finish st().main(st, start);
        crunchTime = System.nanoTime() - before;
        return collectResults();
    }
    /** Does the tasks of all places' queues, and all that come of them. */
    public def runParallel():Rail[R] {
        val before = System.nanoTime();
        val st = workers;
        finish for (p in Place.places()) async at (p) st().main(st, ()=>{ });
        crunchTime = System.nanoTime() - before;
        return collectResults();
    }

    private def shows(flag:Int):Boolean = (parameters.v & flag) != 0n;
    private def collectResults():Rail[R] {
        val before = System.nanoTime();
        val st = workers;
        val home = here;
        val result = GlobalRef[Cell[Rail[R]]](new Cell[Rail[R]](null));
        finish for (p in Place.places()) async at (p) {
            val mine = st().queue.getResult();
            val own = mine.getResult();
            val all = Unsafe.uninitialised[R](own.size);
            Team.WORLD.allreduce(own, 0, all, 0, own.size, mine.getReduceOperator());
            if (here == home) (result as GlobalRef[Cell[Rail[R]]]{self.home==here})()() = all;
        }
        collectTime = System.nanoTime() - before;
        val all = result()();
        if (shows(GLBParameters.SHOW_RESULT_FLAG)) taskQueue().getResult().display(all);
        if (shows(GLBParameters.SHOW_TIMING_FLAG)) {
            Console.OUT.println("Setup time (s): " + setupTime / 1e9);
            Console.OUT.println("Process time (s): " + crunchTime / 1e9);
            Console.OUT.println("Result reduce time (s): " + collectTime / 1e9);
        }
        if (shows(GLBParameters.SHOW_TASKFRAME_LOG_FLAG)) printLogs();
        if (shows(GLBParameters.SHOW_GLB_FLAG)) {
            val logs = new Rail[Logger](Place.numPlaces());
            for (p in Place.places()) logs(p.id) = at (p) {
                val own = st();
                own.logger.nodesCount = own.queue.count();
                own.logger.get(false)
            };
            val sum = new Logger(false);
            sum.collect(logs);
            sum.stats();
        }
        return all;
    }
    private def printLogs():void {
        val st = workers;
        for (p in Place.places()) at (p) st().queue.printLog();
    }
}
