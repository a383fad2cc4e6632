import x10.compiler.*;
import x10.util.*;

// places: 1
// status: 1
// stderr: slot 0 (at Place(0)) waits for
// stderr: in recv of at most 1 element from slot 1

/** A kernel that ends while an activity still waits for a message of its block. */
public class slots_forgotten {
    public static def main(Rail[String]) {
        val group = SlotGroup.make(1, 1);
        val place = SlotGroup.kernelPlaces(here)(0);
        val blocks = group.blocks(place);
        val me = group.activities(here)(0);
        val data = GlobalRail.allocate[Int](place, 1);
        finish {
            async at (place) @CUDA {
                finish for (block in 0n..0n) async {
                    clocked finish for (thread in 0n..31n) clocked async {
                        blocks(block).send(me.rank, data, 0, 1);
                    }
                }
            }
            me.recv(blocks.firstRank(), new Rail[Int](1), 0, 1);
            me.recv(blocks.firstRank(), new Rail[Int](1), 0, 1);
        }
        Console.OUT.println("not reached");
    }
}
