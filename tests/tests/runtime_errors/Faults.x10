public class Faults {
    static class Animal {}
    static class Dog extends Animal { var age:Long = 3; }
    static def zero():Long = 0;
    static def nothing():Dog = null;
    // The tests know the numbers of the lines below.

    static def deep(n:Long):Long {
        return deep(n + 1) + n;
    }

    public static def main(args:Rail[String]) {
        val which = args(0);
        if (which.equals("null")) { Console.OUT.println(nothing().age); }
        if (which.equals("index")) { Console.OUT.println(args(7)); }
        if (which.equals("cast")) { val a:Animal = new Animal(); Console.OUT.println((a as Dog).age); }
        if (which.equals("zero")) { Console.OUT.println(7 / zero()); }
        if (which.equals("memory")) { val all = new Rail[Rail[Long]](1000000); for (i in 0..999999) all(i) = new Rail[Long](1000000); }
        if (which.equals("stack")) { Console.OUT.println(grow(new Rail[Long](1)).size + deep(0)); }
        if (which.equals("file")) { for (line in new x10.io.File("/nowhere/at/all").lines()) Console.OUT.println(line); }
        if (which.equals("nested")) {
            finish for (p in Place.places()) at (p) async {
                finish for (i in 0..1) async { at (Place.places().next(here)) {
                    if (i == 1) throw new Exception("from " + here.id);
                } }
            }
        }
        if (which.equals("send")) {
            val large = new Rail[Byte](50 << 20);
            at (Place(1)) { val more = new Rail[Byte](30 << 20); Console.OUT.println(large.size + more.size); }
        }
        if (which.equals("million")) {
            val count = new x10.util.concurrent.AtomicLong(0);
            finish for (i in 1..1000000) async { count.incrementAndGet(); }
            if (count.get() != 1000000) throw new Exception("only " + count.get());
        }
        if (which.equals("wait")) { finish for (p in Place.places()) at (p) async { Console.OUT.println("waits"); System.sleep(1000000); } }
        if (which.equals("talk")) finish for (p in Place.places()) async at (p) talk();
    }

    static def grow(r:Rail[Long]):Rail[Long] {
        return new Rail[Long](grow(new Rail[Long](3)).size + 1);
    }

    static def talk() {
        Console.OUT.println("talks");
        val rail = new Rail[Byte](1000000);
        for (var i:Long = 0; i >= 0; i++) at (Place.places().next(here)) if (rail.size == 0) throw new Exception();
    }
}
