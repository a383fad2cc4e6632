// Mistakes with activities: what nobody waits for, and clocks.
public class activities {
    static def work(n:Long):Long {
        val sum = new Rail[Long](1);
        finish {
            async {
                if (n < 0) return;
                sum(0) = n;
                if (n == 3) { sum(0) = 4; return; }
                sum(0) += 1;
            }
        }
        return sum(0);
    }

    static def phases():Long {
        val a = new Rail[Long](4);
        finish for (i in 0..3) clocked async {
            a(i) = i;
            Clock.advanceAll();
            val next = a((i + 1) % 4);
            Clock.advanceAll();
            a(i) = next;
        }
        return a(0) + 10 * a(1) + 100 * a(2) + 1000 * a(3);
    }

    static def first(r:Rail[Long]):Long {
        async { r(0) = 17; }
        return r(0);
    }

    static def both(r:Rail[Long]):Long {
        cobegin { r(1) = 1; r(2) = 2; }
        return r(1) + r(2);
    }

    public static def main(Rail[String]) {
        Console.OUT.println(work(-1) + " " + work(2) + " " + work(3));
        Console.OUT.println(phases());
        val r = new Rail[Long](4);
        finish Console.OUT.println(first(r) + both(r));
    }
}
