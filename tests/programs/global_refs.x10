// options: --heap 64M
/**
 * What GlobalRefs keep alive: an object lives while any place, or a message, has a reference to it, and no longer.
 * Without that, each of these loops needs many times the heap.
 */
public class global_refs {
    static class Payload {
        val numbers = new Rail[Long](16 * 1024);
        def this(n:Long) { numbers(7) = n; }
    }

    static class Holder {
        var ref:GlobalRef[Payload] = GlobalRef[Payload](null);
    }

    /** Refers to itself, as remote objects do. */
    static class Remote {
        private val root = GlobalRef[Remote](this);
        val numbers = new Rail[Long](16 * 1024);
        var sum:Long = 0;
        def add(n:Long) { at (root) atomic (root as GlobalRef[Remote]{self.home == here})().sum += n; }
    }

    static def at7(ref:GlobalRef[Payload]) = at (ref) (ref as GlobalRef[Payload]{self.home == here})().numbers(7);

    static def next(p:Place) = Place.places().next(p);

    /** Sent, used where it arrives, not used any more. */
    static def sent(times:Long) {
        var sum:Long = 0;
        for (i in 1..times) {
            val ref = GlobalRef[Payload](new Payload(i));
            sum += at (next(here)) at7(ref);
        }
        Console.OUT.println("sent: " + sum);
    }

    /** On its way through all places, each of which gives it to the next one. */
    static def handedOn(ref:GlobalRef[Payload], left:Long):Long {
        if (left == 0) return at7(ref);
        return at (next(here)) handedOn(ref, left - 1);
    }

    /** Another place keeps it while this one has forgotten it. */
    static def kept(times:Long) {
        val holders = PlaceLocalHandle.make[Holder](Place.places(), ()=>new Holder());
        var sum:Long = 0;
        for (i in 1..times) {
            val far = next(next(here));
            at (next(here)) {
                val ref = GlobalRef[Payload](new Payload(i));
                at (far) holders().ref = ref;
            }
            // Rubbish, so that all collect.
            finish for (p in Place.places()) at (p) async new Payload(i);
            sum += at (far) at7(holders().ref);
        }
        finish for (p in Place.places()) at (p) async holders().ref = GlobalRef[Payload](null);
        Console.OUT.println("kept: " + sum);
    }

    static def remotes(times:Long) {
        var sum:Long = 0;
        for (i in 1..times) {
            val r = new Remote();
            finish for (p in Place.places()) at (p) async r.add(i);
            sum += r.sum / Place.numPlaces();
        }
        Console.OUT.println("remotes: " + sum);
    }

    static def equality() {
        val p = new Payload(1);
        val a = GlobalRef[Payload](p);
        val b = GlobalRef[Payload](p);
        val c = GlobalRef[Payload](new Payload(1));
        Console.OUT.println((a == b) + " " + a.equals(b) + " " + (a == c) + " " + (a.hashCode() == b.hashCode()));
        val same = at (next(here)) {
            val rail = [a, b, c];
            val back = at (a) (a == b && (a as GlobalRef[Payload]{self.home == here})() == (b as GlobalRef[Payload]{self.home == here})());
            back && rail(0) == rail(1) && rail(1) != rail(2)
        };
        Console.OUT.println(same);
        val hash = a.hashCode();
        Console.OUT.println((at (next(here)) a.hashCode()) == hash);
        Console.OUT.println((at (next(here)) at (a) a) == a);
        Console.OUT.println(GlobalRef[Payload](null).isNull() + " " + (at (next(here)) GlobalRef[Payload](null).isNull()));
    }

    static def forgotten() {
        val a = GlobalRef[Payload](new Payload(3));
        Console.OUT.println(at (next(here)) at7(a));
        a.forget();
        try {
            at (next(here)) at7(a);
            Console.OUT.println("still there");
        } catch (e:IllegalArgumentException) {
            Console.OUT.println("forgotten");
        }
    }

    public static def main(args:Rail[String]) {
        sent(3000);
        var sum:Long = 0;
        for (i in 1..1000) sum += handedOn(GlobalRef[Payload](new Payload(i)), 9);
        Console.OUT.println("handed on: " + sum);
        kept(500);
        remotes(500);
        equality();
        forgotten();
    }
}
