//! Strongly connected components (Tarjan, 1972).

/// The strongly connected component of each node, by Tarjan's algorithm without recursion.
pub(crate) fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let count = edges.len();
    let (mut order, mut low, mut component) = (vec![NONE; count], vec![0; count], vec![NONE; count]);
    let (mut next, mut components) = (0, 0);
    let mut open = Vec::new();
    for root in 0..count {
        if order[root] != NONE {
            continue;
        }
        // A node and the number of its visited edges.
        let mut path = vec![(root, 0)];
        while let Some((node, followed)) = path.last_mut() {
            let node = *node;
            if order[node] == NONE {
                (order[node], low[node]) = (next, next);
                next += 1;
                open.push(node);
            }
            if let Some(&target) = edges[node].get(*followed) {
                *followed += 1;
                if order[target] == NONE {
                    path.push((target, 0));
                } else if component[target] == NONE {
                    low[node] = low[node].min(order[target]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == order[node] {
                while let Some(member) = open.pop() {
                    component[member] = components;
                    if member == node {
                        break;
                    }
                }
                components += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn nodes_of_a_cycle_share_a_component() {
        let found = components(&[vec![1], vec![2], vec![0, 3], vec![4], vec![], vec![5, 0]]);
        assert_eq!((found[0], found[1]), (found[2], found[2]));
        assert!(found[3] != found[0] && found[3] != found[4] && found[5] != found[0]);
    }
}
