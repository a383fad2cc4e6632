import x10.util.CUDATeam;
import x10.util.CUDAUtilities;
import x10.util.RailUtils;
import x10.util.Team;

/** Sums of Floats of all accelerators of this host, for all of them: medians of 21. Its peer is cuda/collectives.cu. Argument: the longest, in bytes. */
public class collectives {
    public static def main(args:Rail[String]) {
        val longest = args.size > 0 ? Long.parse(args(0)) : 1 << 30;
        val topology = PlaceTopology.getTopology();
        val count = topology.numChildren(here);
        val places = count > 0 ? new Rail[Place](count, (i:Long)=>topology.getChild(here, i)) : [here as Place, here];
        val begin = System.nanoTime();
        val team = new CUDATeam(places);
        Console.OUT.printf("%s made in %.1f ms\n", team, (System.nanoTime() - begin) / 1.0E6);
        for (var bytes:Long = 4096; bytes <= longest; bytes *= 64) {
            val n = bytes / 4;
            val from = new Rail[GlobalRail[Float]](places.size, (i:Long)=>CUDAUtilities.makeGlobalRail[Float](places(i), n, (e:Long)=>(e % 100 + i) as Float) as GlobalRail[Float]);
            val to = new Rail[GlobalRail[Float]](places.size, (i:Long)=>CUDAUtilities.makeGlobalRail[Float](places(i), n) as GlobalRail[Float]);
            val times = new Rail[Long](21);
            for (i in -3..20) {
                val start = System.nanoTime();
                team.allreduce(from, 0, to, 0, n, Team.ADD);
                if (i >= 0) times(i) = System.nanoTime() - start;
            }
            RailUtils.sort(times);
            val took = times(10) / 1000.0;
            Console.OUT.printf("allreduce, %d bytes: median %.1f us, %.1f GB/s\n", bytes, took, bytes / took / 1000.0 * 2 * (places.size - 1) / places.size);
            val sums = new Rail[Float](n);
            finish Rail.asyncCopy(to(places.size - 1), 0, sums, 0, n);
            for (e in sums.range)
                if (sums(e) != ((e % 100) * places.size + places.size * (places.size - 1) / 2) as Float)
                    throw new Exception("element " + e + " is " + sums(e));
            for (it in from) CUDAUtilities.deleteGlobalRail(it);
            for (it in to) CUDAUtilities.deleteGlobalRail(it);
        }
        team.delete();
    }
}
