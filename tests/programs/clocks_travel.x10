// places: 1 2 4
import x10.util.ArrayList;

/** An activity's registrations go with it through `at`, and a clock can be used at every place. */
public class clocks_travel {
    static class Log {
        private val lines = new ArrayList[Long]();
        def add(value:Long) { atomic lines.add(value); }
        def count():Long { var count:Long; atomic count = lines.size(); return count; }
    }

    static val n = Place.numPlaces();
    static def next(p:Place):Place = Place((p.id + 1) % Place.numPlaces());

    /** The specification's example: every activity has called before(count) before any calls after(count). */
    static def spawnedInside(log:GlobalRef[Log]) {
        clocked finish {
            for (p in Place.places()) {
                at (p) clocked async {
                    for (count in 1..3) {
                        at (log.home) log().add(count);
                        Clock.advanceAll();
                        val seen = at (log.home) log().count();
                        if (seen < count * n) Console.OUT.println("phase " + count + " too early: " + seen);
                        Clock.advanceAll();
                    }
                }
            }
        }
    }

    /** One activity goes through all places, and another waits for it. */
    static def journey() {
        finish async {
            val c = Clock.make();
            val steps = GlobalRef[Log](new Log());
            async clocked (c) {
                for (p in Place.places()) at (p) {
                    at (steps.home) steps().add(p.id);
                    if (!c.registered() || c.dropped()) Console.OUT.println("not registered at " + here);
                    c.advance();
                    if (c.phase() != (p.id + 2) as Int) Console.OUT.println("phase " + c.phase() + " at " + here);
                }
                if (c.phase() != (n + 1) as Int) Console.OUT.println("phase " + c.phase() + " at home");
            }
            for (i in 1..n) {
                c.advance();
                if (steps().count() < i) Console.OUT.println("phase " + i + " too early");
            }
            Console.OUT.println(c.phase() == (n + 1) as Int);
        }
    }

    /** Half a phase at one place, half at another; what was resumed elsewhere is resumed here. */
    static def splitPhases() {
        finish async {
            val c = Clock.make();
            val d = Clock.make("d");
            async clocked (c, d) {
                at (next(here)) { c.resume(); at (next(here)) d.resume(); c.resume(); }
                Clock.advanceAll();
                at (next(here)) Clock.advanceAll();
                Console.OUT.println(c.phase() + " " + d.phase());
                at (next(here)) Clock.resumeAll();
            }
            at (next(here)) { Clock.advanceAll(); Clock.advanceAll(); }
            c.advance();
            d.advance();
            Console.OUT.println(c.phase() + " " + d.phase() + " " + d);
        }
    }

    /** What is left elsewhere is left. */
    static def leave() {
        finish async {
            val c = Clock.make();
            async clocked (c) {
                c.advance();
                at (next(here)) { c.drop(); if (c.registered()) Console.OUT.println("still there"); }
                Console.OUT.println("dropped " + c.dropped());
                try { c.advance(); } catch (e:ClockUseException) { Console.OUT.println("advance"); }
                try { at (next(here)) c.resume(); } catch (e:ClockUseException) { Console.OUT.println("resume"); }
                try { at (next(here)) c.drop(); } catch (e:ClockUseException) { Console.OUT.println("drop"); }
                try { at (next(here)) c.phase(); } catch (e:ClockUseException) { Console.OUT.println("phase"); }
                try { at (next(here)) async clocked (c) {} } catch (e:ClockUseException) { Console.OUT.println("async"); }
            }
            for (i in 1..4) c.advance();
        }
    }

    /** An activity that ends at another place leaves its clocks there, with an exception too. */
    static def endElsewhere() {
        try {
            finish async {
                val c = Clock.make();
                for (p in Place.places()) at (p) async clocked (c) {
                    c.advance();
                    if (p.id % 2 == 1) throw new IllegalArgumentException("odd");
                }
                for (i in 1..3) c.advance();
                Console.OUT.println(c.phase());
            }
        } catch (e:MultipleExceptions) {
            if (e.exceptions().size != n / 2) Console.OUT.println(e.exceptions());
        }
        finish async {
            val c = Clock.make();
            try {
                at (next(here)) { c.advance(); throw new IllegalArgumentException("after " + c.phase()); }
            } catch (e:IllegalArgumentException) {
                Console.OUT.println(e.getMessage() + ", registered " + c.registered() + " in phase " + c.phase());
            }
        }
    }

    /** A clock that is made elsewhere is this activity's when it is back. */
    static def madeElsewhere() {
        finish async {
            val c = at (next(here)) Clock.make();
            Console.OUT.println("registered " + c.registered() + ", phase " + c.phase());
            async clocked (c) { c.advance(); at (next(next(here))) c.advance(); }
            c.advance();
            at (next(here)) c.advance();
            val phase = at (next(next(here))) c.phase();
            Console.OUT.println(phase);
            val same = at (next(here)) c.equals(c);
            Console.OUT.println(same);
        }
    }

    /** A clocked finish inside of an `at` inside of one: each `clocked async` is on the inner one's clock. */
    static def nested(log:GlobalRef[Log]) {
        clocked finish {
            for (p in Place.places()) at (p) clocked async {
                Clock.advanceAll();
                at (next(here)) clocked finish {
                    for (q in Place.places()) at (q) clocked async {
                        at (log.home) log().add(1);
                        Clock.advanceAll();
                        at (log.home) log().add(1);
                    }
                }
                Clock.advanceAll();
                val seen = at (log.home) log().count();
                if (seen != 2 * n * n) Console.OUT.println("only " + seen);
            }
        }
        Console.OUT.println(log().count() == 2 * n * n);
    }

    /** The finish of one place may wait at another. */
    static def finishInside() {
        finish async {
            val c = Clock.make();
            async clocked (c) at (next(here)) {
                for (i in 1..2) c.advance();
            }
            at (next(here)) {
                c.advance();
                finish { for (p in Place.places()) async at (p) { val unused = here; } }
                c.advance();
                Console.OUT.println(c.phase());
            }
        }
    }

    public static def main(args:Rail[String]) {
        val log = new Log();
        spawnedInside(GlobalRef[Log](log));
        Console.OUT.println(log.count() == 3 * n);
        journey();
        splitPhases();
        leave();
        endElsewhere();
        madeElsewhere();
        nested(GlobalRef[Log](new Log()));
        finishInside();
        val total = GlobalRef[Log](new Log());
        clocked finish for (p in Place.places()) at (p) clocked async {
            for (q in Place.places()) at (q) {
                at (total.home) total().add(1);
                Clock.advanceAll();
                val seen = at (total.home) total().count();
                if (seen != (q.id + 1) * n) Console.OUT.println("round " + q.id + ": " + seen);
                Clock.advanceAll();
            }
        }
        Console.OUT.println(total().count() == n * n);
    }
}
