import x10.compiler.*;
import x10.util.*;

// status: 1
// stderr: IllegalArgumentException: a send to slot 99: the slots of the group are 0 to 1
// stderr: (slots_line.x10:21)

/** A wrong call in a block of a kernel: the exception names its line. */
public class slots_line {
    public static def main(args:Rail[String]) {
        val group = SlotGroup.make(new SparsePlaceGroup(here), 0, 2);
        val place = SlotGroup.kernelPlaces(here)(0);
        val blocks = group.blocks(place);
        val to = args.size + 99;
        val data = GlobalRail.allocate[Int](place, 2);
        finish async at (place) @CUDA {
            finish for (block in 0n..1n) async {
                clocked finish for (thread in 0n..31n) clocked async {
                    val me = blocks(block);
                    if (block == 1n) {
                        me.send(to, data, 0, 1);
                    } else {
                        me.recv(1, data, 0, 1);
                    }
                }
            }
        }
    }
}
