import x10.compiler.CUDA;
import x10.util.*;
/** Calls of slots in static functions that a kernel and an activity call, some under conditions of their parameters. */
public class slots_functions {
    @CUDA static def swap(me:Slot, blocks:Slots, d:GlobalRail[Int], number:Int) {
        if (number % 2n == 0n) me.send(blocks.firstRank() + number + 1n, d, number, 1);
        else me.recv(blocks.firstRank() + number - 1n, d, number, 1);
    }
    @CUDA static def swapSome(blocks:Slots, d:GlobalRail[Int], number:Int, count:Int) {
        if (number < count) swap(blocks(number), blocks, d, number);
    }
    static def take(me:Slot, from:Long) { val r = new Rail[Int](1); me.recv(from, r, 0, 1); return r(0); }
    @CUDA static def give(me:Slot, to:Long, d:GlobalRail[Int], element:Long) { me.send(to, d, element, 1); }
    public static def main(args:Rail[String]) {
        val p = SlotGroup.kernelPlaces(here)(0);
        val group = SlotGroup.make(1, 4);
        val blocks = group.blocks(p);
        val me = group.activities(here)(0);
        val d = CUDAUtilities.makeGlobalRail[Int](p, 8, (i:Long) => (10 * i) as Int);
        finish {
            async at (p) @CUDA {
                finish for (block in 0n..7n) async {
                    clocked finish for (thread in 0n..31n) clocked async {
                        swapSome(blocks, d, block, 4n);
                        if (block < 4n) give(blocks(block), me.rank, d, block);
                    }
                }
            }
            for (i in 0..3) Console.OUT.println(take(me, blocks.firstRank() + i));
        }
        group.delete();
    }
}
