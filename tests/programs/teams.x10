import x10.util.Team;

/** Collective operations of the team of all places, of teams of some, and of the halves that a team is split into. */
public class teams {
    static struct Pair(a:Long, b:Double) implements Arithmetic[Pair] {
        public operator +this:Pair = this;
        public operator -this:Pair = Pair(-a, -b);
        public operator this + (that:Pair):Pair = Pair(a + that.a, b + that.b);
        public operator this - (that:Pair):Pair = Pair(a - that.a, b - that.b);
        public operator this * (that:Pair):Pair = Pair(a * that.a, b * that.b);
        public operator this / (that:Pair):Pair = Pair(a / that.a, b / that.b);
    }

    static def check(condition:Boolean, what:String) {
        if (!condition) throw new Exception(what + " is wrong at " + here);
    }

    static def all(team:Team, members:Rail[Long]) {
        val n = team.size();
        check(n == members.size, "size");
        var role:Long = 0;
        for (i in members.range()) if (members(i) == here.id) role = i;
        val own = here.id;
        val root = Place(members(n - 1));
        team.barrier();

        val names = new Rail[String](n, (i:Long)=>"p" + own + "." + i);
        val mine = new Rail[String](1);
        team.scatter(root, names, 0, mine, 0, 1);
        check(mine(0).equals("p" + root.id + "." + role), "scatter");
        val gathered = new Rail[String](n);
        team.gather(root, mine, 0, gathered, 0, 1);
        if (here == root) for (i in 0..(n - 1)) check(gathered(i).equals(names(i)), "gather");

        val counts = new Rail[Int](n, (i:Long)=>i as Int);
        val part = new Rail[Long](role + 1, -1);
        team.scatterv(root, new Rail[Long](n * n, (i:Long)=>i), 0, part, 0, counts);
        check(part(role) == -1 && (role == 0 || part(0) == role * (role - 1) / 2), "scatterv");
        val whole = new Rail[Long](n * n, -1);
        team.gatherv(root, part, 0, whole, 0, counts);
        if (here == root) for (i in 0..(n * (n - 1) / 2 - 1)) check(whole(i) == i, "gatherv");

        val exchanged = new Rail[Long](n, (i:Long)=>own * 100 + i);
        team.alltoall(exchanged, 0, exchanged, 0, 1);
        for (i in 0..(n - 1)) check(exchanged(i) == members(i) * 100 + role, "alltoall");

        var sum:Long = 0;
        var most:Long = 0;
        for (member in members) { sum += member; most = Math.max(most, member); }
        check(team.allreduce(own, Team.ADD) == sum, "sum");
        check(team.allreduce(own as Double, Team.MAX) == most as Double, "greatest");
        check(team.allreduce(own == most, Team.OR), "or");
        val pair = team.allreduce(Pair(own, 1.0), Team.ADD);
        check(pair.a == sum && pair.b == n as Double, "sum of structs");
        check(team.reduce(root, own as Int, Team.XOR) >= 0n, "xor");
        check(team.indexOfMax(own as Double, role as Int) as Long == indexOf(members, most), "indexOfMax");
        check(team.indexOfMin(own as Double, role as Int) as Long == 0, "indexOfMin");
        check(team.agree(own == root.id ? 1n : 3n) == 1n, "agree");
    }

    static def indexOf(rail:Rail[Long], value:Long):Long {
        for (i in rail.range()) if (rail(i) == value) return i;
        return -1;
    }

    public static def main(args:Rail[String]) {
        val everyone = new Rail[Long](Place.numPlaces(), (i:Long)=>i);
        finish for (p in Place.places()) at (p) async all(Team.WORLD, everyone);
        Console.OUT.println("all places");

        val other = new Team(Place.places());
        check(other.id() != Team.WORLD.id() && other != Team.WORLD, "number");
        finish for (p in Place.places()) at (p) async {
            all(other, everyone);
            val half = other.split((here.id % 2) as Int, -here.id);
            val members = new Rail[Long](half.size(), (i:Long)=>here.id % 2 + 2 * (half.size() - 1 - i));
            // The new roles are in the order of the second argument, so that the last place is the first member.
            check(half.allreduce(1, Team.ADD) == half.size(), "split");
            val first = Place(members(0));
            val told = new Rail[Long](1, here.id);
            half.bcast(first, told, 0, told, 0, 1);
            check(told(0) == first.id, "bcast in a half");
            half.delete();
        }
        Console.OUT.println("halves");

        try {
            at (Place.places().next(here)) Team(Place.places()).bcast(Place(-1), [0], 0, [0], 0, 1);
        } catch (e:BadPlaceException) {
            Console.OUT.println("no such member");
        }
    }
}
