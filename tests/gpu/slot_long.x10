import x10.compiler.CUDA;
import x10.util.*;

/** Messages of a gibibyte and of one element more: from block to block, to an activity, and back. */
public class slot_long {
    static COUNT = (1 << 27) + 1;

    public static def main(args:Rail[String]) {
        val p = PlaceTopology.getTopology().getChild(here, 0);
        val group = SlotGroup.make([SlotsAt(here, 1, 0), SlotsAt(p, 0, 2)]);
        val slots = group.blocks(p);
        val me = group.activities(here)(0);
        val sent = GlobalRail.allocate[Long](p, COUNT);
        val found = GlobalRail.allocate[Long](p, COUNT);
        finish {
            async at (p) @CUDA {
                finish for (block in 0n..1n) async {
                    clocked finish for (thread in 0n..255n) clocked async {
                        val mine = slots(block);
                        if (block == 0n) {
                            for (var i:Long = thread; i < COUNT; i += 256) sent(i) = i * 31 + 7;
                            mine.send(2, sent, 0, COUNT);
                        } else {
                            mine.recv(1, found, 0, COUNT);
                            mine.send(0, found, 0, COUNT);
                            mine.recv(0, found, 0, COUNT);
                        }
                    }
                }
            }
            val own = new Rail[Long](COUNT);
            me.recv(2, own, 0, COUNT);
            var wrong:Long = 0;
            for (i in own.range) {
                if (own(i) != i * 31 + 7) wrong++;
                own(i) = i;
            }
            Console.OUT.println(wrong + " elements from the blocks are wrong");
            me.send(2, own, 0, COUNT);
        }
        val back = new Rail[Long](COUNT);
        finish Rail.asyncCopy(found, 0, back, 0, COUNT);
        var wrong:Long = 0;
        for (i in back.range) if (back(i) != i) wrong++;
        Console.OUT.println(wrong + " elements from the activity are wrong");
        sent.free();
        found.free();
        group.delete();
    }
}
