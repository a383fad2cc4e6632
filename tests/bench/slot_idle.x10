import x10.compiler.*;
import x10.util.*;

/**
 * A kernel that sends one message to an activity, then computes for some seconds, and sends another: how long the kernel takes. What the
 * process's thread apg-slots0 uses meanwhile is the processor time of a mailbox without calls.
 *
 * apg run slot_idle.x10 --accels 0 [-- STEPS]
 */
public class slot_idle {
    public static def main(args:Rail[String]) {
        val steps = args.size > 0 ? Long.parse(args(0)) : 2000000000;
        val place = SlotGroup.kernelPlaces(here)(0);
        val group = SlotGroup.make([SlotsAt(here, 1, 0), SlotsAt(place, 0, 1)]);
        val blocks = group.blocks(place);
        val me = group.activities(here)(0);
        val data = GlobalRail.allocate[Double](place, 32);
        val own = new Rail[Double](1);
        finish {
            async at (place) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (thread in 0n..31n) clocked async {
                        val mine = blocks(block);
                        mine.send(0, data, 0, 1);
                        var x:Double = data(thread);
                        for (var i:Long = 0; i < steps; ++i) x = x * 0.999999 + 1e-6;
                        data(thread) = x;
                        mine.send(0, data, 0, 1);
                    }
                }
            }
            me.recv(1, own, 0, 1);
            val begun = System.nanoTime();
            Console.OUT.println("the kernel computes");
            me.recv(1, own, 0, 1);
            Console.OUT.println("for " + ((System.nanoTime() - begun) / 1e9) + " s");
        }
        data.free();
        group.delete();
    }
}
