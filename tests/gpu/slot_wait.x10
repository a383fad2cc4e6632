// status: 1
// stderr: a slot has waited for 10 s
// stderr: in recv of at most 1 element from slot 1
// stderr: a kernel (
// stderr: they wait for each other: slot 0 -> slot 1 -> slot 0
import x10.compiler.CUDA;
import x10.util.*;

/** Blocks that wait for each other for ever: the program says so and ends, while its kernel waits. */
public class slot_wait {
    public static def main(args:Rail[String]) {
        val p = PlaceTopology.getTopology().getChild(here, 0);
        val group = SlotGroup.make([SlotsAt(p, 0, 2)]);
        val slots = group.blocks(p);
        val data = GlobalRail.allocate[Int](p, 1);
        Console.OUT.println("begins");
        finish async at (p) @CUDA {
            finish for (block in 0n..1n) async {
                clocked finish for (thread in 0n..31n) clocked async {
                    slots(block).recv(1 - block, data, 0, 1);
                }
            }
        }
        Console.OUT.println("never printed");
    }
}
