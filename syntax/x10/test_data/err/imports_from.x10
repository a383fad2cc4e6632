from x10.util import (ArrayList, HashSet)
from x10.util import (
    Pair,
    Random,
)
from x10.util import HashMap as M
from x10.util import Stack, Team;
from x10.util import *

class C {
    def f(x:Long) {
        match x { Some(y) => y, None => 0, }
        match x.rest(1) { 1 | 2 => g(3), _ => { g(4); } }
        match (x) { -1 => 2, _ => 3 }
        match (x) { (y:Long) => y }
        match (x) { g(x); }
    }
    def g(x:Long) {}
}
