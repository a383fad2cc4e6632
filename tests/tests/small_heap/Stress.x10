import x10.util.*;

/**
 * Allocates objects of random sizes in a small heap of which little is alive at any time: no OutOfMemoryError is justified, and what is
 * alive keeps its contents. Arguments: seed, bytes of the heap, activities, rounds.
 */
public class Stress {
    /** An activity and what it keeps. */
    static class Worker {
        val random:Random;
        /** Bytes that may be alive here at a time. */
        val share:Long;
        /** What survives the rounds: a ring of at most a tenth of the share. */
        val kept = new Rail[Rail[Long]](4096);
        var keptBytes:Long = 0;
        var oldest:Long = 0;
        var next:Long = 0;
        var failures:Long = 0;
        var damages:Long = 0;

        def this(seed:Long, share:Long) {
            random = new Random(seed);
            this.share = share;
        }

        static def filled(length:Long):Rail[Long] {
            val rail = new Rail[Long](length);
            if (length > 0) { rail(0) = length; rail(length - 1) = length; }
            return rail;
        }
        def check(rail:Rail[Long]) {
            val length = rail.size;
            if (length > 0 && (rail(0) != length || rail(length - 1) != length)) damages++;
        }

        /** Keeps the rail, and no longer what was kept first. */
        def keep(rail:Rail[Long]) {
            while (next - oldest == kept.size || (oldest < next && keptBytes > share / 10)) {
                val gone = kept(oldest % kept.size);
                check(gone);
                keptBytes -= gone.size * 8 + 16;
                kept(oldest % kept.size) = null;
                oldest++;
            }
            kept(next % kept.size) = rail;
            keptBytes += rail.size * 8 + 16;
            next++;
        }

        /** Many small objects of one size, of which few stay. */
        def scatter() {
            val length = random.nextLong(64), stays = 20 + random.nextLong(200);
            for (i in 1..(share / (length * 8 + 16))) {
                val rail = filled(length);
                if (i % stays == 0) keep(rail);
            }
        }
        /** Objects of some hundred bytes to some hundred kilobytes. */
        def middle() {
            for (i in 1..200) {
                val rail = filled(random.nextLong(Math.min(40000, share / 80)));
                if (i % 50 == 0) keep(rail);
                check(rail);
            }
        }
        /** Half of the share in one object. */
        def large() {
            val rail = filled(share / 32 + random.nextLong(share / 32));
            check(rail);
        }
        def alternate() {
            for (i in 1..20) {
                check(filled(share / 32));
                val small = filled(random.nextLong(10));
                if (i % 10 == 0) keep(small);
            }
        }
        def string() {
            var text:String = "0123456789";
            while (text.length() < share / 8) text = text + text;
            if (text.charAt(text.length() - 1n) != '9') damages++;
        }
        def list() {
            val list = new ArrayList[Long]();
            for (i in 0..(share / 64)) list.add(i);
            if (list(share / 64) != share / 64) damages++;
        }
        def linked() {
            var chain:Link = null;
            for (i in 1..(share / 200)) chain = new Link(i, chain);
            var length:Long = 0;
            for (var link:Link = chain; link != null; link = link.next) length++;
            if (length != share / 200) damages++;
        }

        def round() {
            switch (random.nextInt(7n)) {
                case 0n: scatter(); break;
                case 1n: middle(); break;
                case 2n: large(); break;
                case 3n: alternate(); break;
                case 4n: string(); break;
                case 5n: list(); break;
                default: linked();
            }
        }
    }

    static class Link {
        val value:Long;
        val next:Link;
        def this(value:Long, next:Link) { this.value = value; this.next = next; }
    }

    public static def main(args:Rail[String]) {
        val seed = Long.parse(args(0)), heap = Long.parse(args(1)), activities = Long.parse(args(2)), rounds = Long.parse(args(3));
        val failures = new Cell[Long](0), damages = new Cell[Long](0);
        finish for (a in 1..activities) async {
            val worker = new Worker(seed * 1000 + a, heap / 2 / activities);
            for (i in 1..rounds) {
                try { worker.round(); }
                catch (e:OutOfMemoryError) {
                    if (worker.failures++ == 0) Console.ERR.println(e.getMessage());
                }
            }
            for (i in worker.oldest..(worker.next - 1)) worker.check(worker.kept(i % worker.kept.size));
            atomic { failures() = failures() + worker.failures; damages() = damages() + worker.damages; }
        }
        Console.OUT.println("OutOfMemoryErrors " + failures() + ", damaged objects " + damages());
    }
}
