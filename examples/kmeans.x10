import x10.compiler.CUDA;
import x10.util.CUDAUtilities;
import x10.util.Option;
import x10.util.OptionsParser;
import x10.util.Random;
import x10.util.Team;

/**
 * Lloyd's algorithm over places and GPUs. Each host place has a share of the points and divides it among its accelerators, or
 * works itself where it has none. A kernel finds the nearest cluster of each point, with the clusters in shared memory; the host
 * averages the points of each cluster, each activity into sums of its own so that none races with another; the places add up
 * their sums with Team.allreduce. The result does not depend on the number of places.
 *
 * Try: apg run examples/kmeans.x10 --places 2 -- --points 1000000 --clusters 32
 */
public class kmeans {
    static DIMENSIONS = 4;

    /** A device, or the host itself, with its share of the points. */
    static class Worker {
        val place:Place;
        val offset:Long;
        val count:Long;
        /** Dimension after dimension, so that neighbouring threads read neighbouring elements. */
        val points:GlobalRail[Float]{self.home() == this.place};
        val nearest:GlobalRail[Int]{self.home() == this.place};

        def this(place:Place, offset:Long, count:Long, hostPoints:Rail[Float], hostCount:Long) {
            this.place = place;
            this.offset = offset;
            this.count = count;
            points = CUDAUtilities.makeGlobalRail[Float](place, count * DIMENSIONS);
            nearest = CUDAUtilities.makeGlobalRail[Int](place, count);
            finish for (d in 0..(DIMENSIONS - 1)) {
                Rail.asyncCopy(hostPoints, d * hostCount + offset, points, d * count, count);
            }
        }

        /** The nearest cluster of each point, into hostNearest from `offset` on. */
        def classify(clusters:Rail[Float], numClusters:Int, hostNearest:Rail[Int]) {
            val points = this.points;
            val nearest = this.nearest;
            val count = this.count;
            val dimensions = DIMENSIONS;
            finish async at (place) @CUDA {
                val blocks = CUDAUtilities.autoBlocks();
                val threads = CUDAUtilities.autoThreads();
                finish for (block in 0n..(blocks - 1n)) async {
                    val cache = new Rail[Float](clusters);
                    clocked finish for (thread in 0n..(threads - 1n)) clocked async {
                        for (var p:Long = block * threads + thread; p < count; p += blocks * threads) {
                            var closest:Int = -1n;
                            var closestDistance:Float = Float.MAX_VALUE;
                            for (k in 0n..(numClusters - 1n)) {
                                var distance:Float = 0.0f;
                                for (d in 0..(dimensions - 1)) {
                                    val difference = points(p + d * count) - cache(k * dimensions + d);
                                    distance += difference * difference;
                                }
                                if (distance < closestDistance) {
                                    closestDistance = distance;
                                    closest = k;
                                }
                            }
                            nearest(p) = closest;
                        }
                    }
                }
            }
            finish Rail.asyncCopy(nearest, 0, hostNearest, offset, count);
        }

        def delete() {
            CUDAUtilities.deleteGlobalRail(points);
            CUDAUtilities.deleteGlobalRail(nearest);
        }
    }

    /** The points of clusters around given centres that this place holds; the same for any number of places. */
    static def makePoints(first:Long, count:Long, numClusters:Int):Rail[Float] {
        val points = new Rail[Float](count * DIMENSIONS);
        for (i in 0..(count - 1)) {
            val random = new Random(first + i);
            val cluster = (first + i) % numClusters;
            for (d in 0..(DIMENSIONS - 1)) {
                val centre = ((cluster * 7 + d * 13) % 23) as Float;
                points(d * count + i) = centre + random.nextFloat();
            }
        }
        return points;
    }

    /** Adds up the points of each cluster and counts them: `activities` parts at once, each into sums of its own. */
    static def sum(points:Rail[Float], count:Long, nearest:Rail[Int], sums:Rail[Double], counts:Rail[Long]) {
        val activities = 8;
        val partialSums = new Rail[Rail[Double]](activities, (Long)=>new Rail[Double](sums.size));
        val partialCounts = new Rail[Rail[Long]](activities, (Long)=>new Rail[Long](counts.size));
        finish for (a in 0..(activities - 1)) async {
            val mySums = partialSums(a);
            val myCounts = partialCounts(a);
            for (p in (count * a / activities)..(count * (a + 1) / activities - 1)) {
                val cluster = nearest(p);
                myCounts(cluster)++;
                for (d in 0..(DIMENSIONS - 1)) mySums(cluster * DIMENSIONS + d) += points(d * count + p);
            }
        }
        for (a in 0..(activities - 1)) {
            for (i in sums.range) sums(i) += partialSums(a)(i);
            for (i in counts.range) counts(i) += partialCounts(a)(i);
        }
    }

    public static def main(args:Rail[String]) {
        val options = new OptionsParser(args, [Option("v", "verbose", "print the clusters of each iteration")], [
            Option("p", "points", "number of points (200000)"),
            Option("k", "clusters", "number of clusters (16)"),
            Option("i", "iterations", "number of iterations (20)")
        ]);
        val numPoints = options("-p", 200000);
        val numClusters = options("-k", 16n);
        val iterations = options("-i", 20);
        val verbose = options("-v");
        val start = System.nanoTime();

        finish for (host in Place.places()) at (host) async {
            val hostOffset = numPoints * here.id / Place.numPlaces();
            val hostCount = numPoints * (here.id + 1) / Place.numPlaces() - hostOffset;
            val points = makePoints(hostOffset, hostCount, numClusters);
            val nearest = new Rail[Int](hostCount);

            val topology = PlaceTopology.getTopology();
            val numGPUs = topology.numChildren(here);
            val numWorkers = numGPUs == 0 ? 1 : numGPUs;
            val workers = new Rail[Worker](numWorkers, (w:Long)=> {
                val offset = hostCount * w / numWorkers;
                val place = numGPUs == 0 ? here : topology.getChild(here, w);
                return new Worker(place, offset, hostCount * (w + 1) / numWorkers - offset, points, hostCount);
            });
            for (worker in workers) {
                Console.OUT.println("points " + (hostOffset + worker.offset) + ".." + (hostOffset + worker.offset + worker.count - 1)
                    + " at " + worker.place + (worker.place.isCUDA() ? " (GPU)" : " (CPU)"));
            }

            // The first clusters are the first points, the same at every place.
            val first = makePoints(0, numClusters, numClusters);
            val clusters = new Rail[Float](numClusters * DIMENSIONS, (i:Long)=>first((i % DIMENSIONS) * numClusters + i / DIMENSIONS));

            for (iteration in 1..iterations) {
                finish for (worker in workers) async worker.classify(clusters, numClusters, nearest);
                val sums = new Rail[Double](numClusters * DIMENSIONS);
                val counts = new Rail[Long](numClusters);
                sum(points, hostCount, nearest, sums, counts);
                Team.WORLD.allreduce(sums, 0, sums, 0, sums.size, Team.ADD);
                Team.WORLD.allreduce(counts, 0, counts, 0, counts.size, Team.ADD);
                for (i in clusters.range) {
                    val size = counts(i / DIMENSIONS);
                    if (size > 0) clusters(i) = (sums(i) / size) as Float;
                }
                if (verbose && here.id == 0) print(iteration, clusters);
            }
            if (here.id == 0) print(iterations, clusters);
            for (worker in workers) worker.delete();
        }
        Console.OUT.printf("%d points, %d clusters, %d iterations: %.3f s\n", numPoints, numClusters, iterations,
            (System.nanoTime() - start) / 1.0E9);
    }

    static def print(iteration:Long, clusters:Rail[Float]) {
        Console.OUT.println("after iteration " + iteration + ":");
        for (k in 0..(clusters.size / DIMENSIONS - 1)) {
            Console.OUT.printf("  %2d: %7.3f %7.3f %7.3f %7.3f\n", k, clusters(k * DIMENSIONS), clusters(k * DIMENSIONS + 1),
                clusters(k * DIMENSIONS + 2), clusters(k * DIMENSIONS + 3));
        }
    }
}
