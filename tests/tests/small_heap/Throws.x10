/** Many activities throw and catch while another one collects; handlers are delayed from outside. */
public class Throws {
    static class Tagged extends Exception {
        val tag:Long;
        val copies:Rail[Long];
        def this(tag:Long) {
            this.tag = tag;
            copies = new Rail[Long](6, tag);
        }
        def isWhole(expected:Long):Boolean {
            for (copy in copies) if (copy != expected) return false;
            return tag == expected;
        }
    }

    static def toss(tag:Long) { throw new Tagged(tag); }

    public static def main(Rail[String]) {
        val wrong = new Cell[Long](0), left = new Cell[Long](8);
        finish {
            for (a in 1..8) async {
                var bad:Long = 0;
                for (i in 1..400) {
                    val tag = a * 1000000 + i;
                    try { toss(tag); }
                    catch (e:Tagged) { if (!e.isWhole(tag)) bad++; }
                    catch (e:CheckedThrowable) { bad++; }
                }
                atomic { wrong() = wrong() + bad; left() = left() - 1; }
            }
            async {
                var last:Any = null;
                while (left() > 0) {
                    System.gc();
                    for (i in 1..2000) last = new Rail[Long](1 + i % 12, 0x7777777777777777);
                }
                if (last == null) Console.OUT.println("nothing");
            }
        }
        Console.OUT.println("wrong " + wrong());
    }
}
