/** Places send each other more than any buffer between them holds, all at once: answers must get through all the same. */
public class crossing_copies {
    static val SIZE = 50000;

    static def exchange(worker:Long):Boolean {
        val ours = new GlobalRail[Double](new Rail[Double](SIZE, -1.0));
        at (Place.places().next(here)) {
            val theirs = new Rail[Double](SIZE, (i:Long) => (worker + i) as Double);
            finish Rail.asyncCopy(theirs, 0, ours, 0, SIZE);
        }
        val back = new Rail[Double](SIZE);
        at (Place.places().next(here)) {
            at (ours.home()) {
                val found = new Rail[Double](SIZE);
                finish Rail.asyncCopy(ours, 0, found, 0, SIZE);
            }
        }
        finish Rail.asyncCopy(ours, 0, back, 0, SIZE);
        for (i in 0..(SIZE - 1)) if (back(i) != (worker + i) as Double) return false;
        return true;
    }

    public static def main(Rail[String]) {
        val wrong = new GlobalRef(new x10.util.concurrent.AtomicLong(0));
        finish for (p in Place.places()) at (p) async {
            finish for (worker in 0..9) async {
                if (!exchange(worker)) at (wrong.home) wrong().incrementAndGet();
            }
        }
        Console.OUT.println("wrong: " + wrong().get());
    }
}
