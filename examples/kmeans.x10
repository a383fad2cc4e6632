import x10.compiler.CUDA;
import x10.compiler.StackAllocate;
import x10.util.CUDAAtomic;
import x10.util.CUDAUtilities;
import x10.util.Option;
import x10.util.OptionsParser;
import x10.util.Random;
import x10.util.Team;

/**
 * Lloyd's algorithm over places and GPUs. Each host place has a share of the points and divides it among its accelerators, or
 * works itself where it has none. A kernel finds the nearest cluster of each point, with the clusters in shared memory, and adds
 * the points of each cluster up, per block in shared memory and then for the device: only the sums come back. They are whole
 * numbers, so that no order of adding matters. The places add up their sums with Team.allreduce. The result does not depend on
 * the number of places and devices.
 *
 * Try: apg run examples/kmeans.x10 --places 2 -- --points 1000000 --clusters 32
 */
public class kmeans {
    static DIMENSIONS = 4;
    /** What is added for a cluster: its points' coordinates and their number. */
    static PARTS = DIMENSIONS + 1;
    /** Coordinates are added in these parts of one. */
    static FINE = 1048576.0f;

    /** A device, or the host itself, with its share of the points. */
    static class Worker {
        val place:Place;
        val offset:Long;
        val count:Long;
        /** Dimension after dimension, so that neighbouring threads read neighbouring elements. */
        val points:GlobalRail[Float]{self.home() == this.place};
        val sums:GlobalRail[Long]{self.home() == this.place};
        /** What the next pass adds to: each pass clears the sums of the one before, so that nothing need be sent for that. */
        val others:GlobalRail[Long]{self.home() == this.place};
        var passes:Long = 0;

        def this(place:Place, offset:Long, count:Long, hostPoints:Rail[Float], hostCount:Long, numClusters:Int) {
            this.place = place;
            this.offset = offset;
            this.count = count;
            points = CUDAUtilities.makeGlobalRail[Float](place, count * DIMENSIONS);
            sums = CUDAUtilities.makeGlobalRail[Long](place, numClusters * PARTS);
            others = CUDAUtilities.makeGlobalRail[Long](place, numClusters * PARTS);
            finish for (d in 0..(DIMENSIONS - 1)) {
                Rail.asyncCopy(hostPoints, d * hostCount + offset, points, d * count, count);
            }
        }

        /** The sums of the points nearest to each cluster. */
        def classify(clusters:Rail[Float], numClusters:Int):Rail[Long] {
            val points = this.points;
            val isOdd = passes++ % 2 == 1;
            val sums = isOdd ? this.others : this.sums;
            val next = isOdd ? this.sums : this.others;
            val count = this.count;
            val numSums = numClusters * PARTS;
            val result = new Rail[Long](numSums);
            finish async at (place) @CUDA {
                val blocks = CUDAUtilities.autoBlocks();
                val threads = CUDAUtilities.autoThreads();
                finish for (block in 0n..(blocks - 1n)) async {
                    val cache = new Rail[Float](clusters);
                    val part = new Rail[Long](numSums, 0);
                    clocked finish for (thread in 0n..(threads - 1n)) clocked async {
                        if (block == 0n) for (var i:Int = thread; i < numSums; i += threads) next(i) = 0;
                        for (var p:Long = block * threads + thread; p < count; p += blocks * threads) {
                            @StackAllocate val point = @StackAllocate new Rail[Float](DIMENSIONS);
                            for (d in 0..(DIMENSIONS - 1)) point(d) = points(p + d * count);
                            var closest:Int = 0n;
                            var closestDistance:Float = Float.MAX_VALUE;
                            for (k in 0n..(numClusters - 1n)) {
                                var distance:Float = 0.0f;
                                for (d in 0..(DIMENSIONS - 1)) {
                                    val difference = point(d) - cache(k * DIMENSIONS + d);
                                    distance += difference * difference;
                                }
                                if (distance < closestDistance) {
                                    closestDistance = distance;
                                    closest = k;
                                }
                            }
                            for (d in 0..(DIMENSIONS - 1))
                                CUDAAtomic.add(part, closest * PARTS + d, (point(d) * FINE) as Long);
                            CUDAAtomic.add(part, closest * PARTS + DIMENSIONS, 1);
                        }
                        Clock.advanceAll();
                        for (var i:Int = thread; i < numSums; i += threads) CUDAAtomic.add(sums, i, part(i));
                    }
                }
            }
            finish Rail.asyncCopy(sums, 0, result, 0, result.size);
            return result;
        }

        def delete() {
            CUDAUtilities.deleteGlobalRail(points);
            CUDAUtilities.deleteGlobalRail(sums);
            CUDAUtilities.deleteGlobalRail(others);
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

            val topology = PlaceTopology.getTopology();
            val numGPUs = topology.numChildren(here);
            val numWorkers = numGPUs == 0 ? 1 : numGPUs;
            val workers = new Rail[Worker](numWorkers, (w:Long)=> {
                val offset = hostCount * w / numWorkers;
                val place = numGPUs == 0 ? here : topology.getChild(here, w);
                return new Worker(place, offset, hostCount * (w + 1) / numWorkers - offset, points, hostCount, numClusters);
            });
            for (worker in workers) {
                Console.OUT.println("points " + (hostOffset + worker.offset) + ".." + (hostOffset + worker.offset + worker.count - 1)
                    + " at " + worker.place + (worker.place.isCUDA() ? " (GPU)" : " (CPU)"));
            }

            // The first clusters are the first points, the same at every place.
            val first = makePoints(0, numClusters, numClusters);
            val clusters = new Rail[Float](numClusters * DIMENSIONS, (i:Long)=>first((i % DIMENSIONS) * numClusters + i / DIMENSIONS));

            // The first launch compiles the kernel; its sums are not used.
            finish for (worker in workers) async worker.classify(clusters, numClusters);
            Team.WORLD.barrier();
            val begin = System.nanoTime();
            for (iteration in 1..iterations) {
                val parts = new Rail[Rail[Long]](workers.size);
                finish for (w in workers.range()) async parts(w) = workers(w).classify(clusters, numClusters);
                val sums = new Rail[Long](numClusters * PARTS, (i:Long) => { var all:Long = 0; for (part in parts) all += part(i); return all; });
                Team.WORLD.allreduce(sums, 0, sums, 0, sums.size, Team.ADD);
                for (i in clusters.range) {
                    val k = i / DIMENSIONS;
                    val size = sums(k * PARTS + DIMENSIONS);
                    if (size > 0) clusters(i) = (sums(k * PARTS + i % DIMENSIONS) as Double / FINE / size) as Float;
                }
                if (verbose && here.id == 0) print(iteration, clusters);
            }
            val end = System.nanoTime();
            if (here.id == 0) {
                print(iterations, clusters);
                Console.OUT.printf("%d iterations: %.4f s\n", iterations, (end - begin) / 1.0E9);
            }
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
