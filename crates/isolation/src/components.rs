//! The strongly connected components of a graph, by Tarjan's algorithm without recursion.

use crate::graph::Graph;

/// The strongly connected components.
pub(crate) struct Components {
    /// The number of each node's component. An edge from one component to another leads to the one
    /// with the smaller number.
    pub(crate) of: Vec<u32>,
    /// The number of nodes of each component.
    pub(crate) sizes: Vec<u32>,
}

/// A node that is being visited, and the position of its next edge.
struct Visit {
    node: u32,
    next: u32,
}

/// The state of the search.
struct Search<'a> {
    graph: &'a Graph,
    kinds: u8,
    /// For each node, its position in the order of visits, counted from 1. The position is 0 if the node has not been
    /// visited.
    order: Vec<u32>,
    /// For each node, the order of the earliest visited node that it can reach.
    lowest: Vec<u32>,
    open: Vec<u32>,
    visits: Vec<Visit>,
    found: Components,
}

const NO_COMPONENT: u32 = u32::MAX;

impl Components {
    /// Finds the components of the graph that contains only edges of these kinds.
    pub(crate) fn new(graph: &Graph, kinds: u8) -> Self {
        let nodes = graph.nodes();
        let mut search = Search {
            graph,
            kinds,
            order: vec![0; nodes],
            lowest: vec![0; nodes],
            open: Vec::new(),
            visits: Vec::new(),
            found: Self { of: vec![NO_COMPONENT; nodes], sizes: Vec::new() },
        };
        let mut count = 0;
        for root in 0..nodes as u32 {
            if search.order[root as usize] == 0 {
                search.enter(root, &mut count);
                search.run(&mut count);
            }
        }
        search.found
    }

    /// Returns true if an edge between these nodes would be part of a cycle.
    pub(crate) fn join(&self, one: u32, other: u32) -> bool {
        self.of[one as usize] == self.of[other as usize]
    }

    /// Returns true if there is a cycle.
    pub(crate) fn has_cycle(&self) -> bool {
        self.sizes.iter().any(|size| *size > 1)
    }
}

impl Search<'_> {
    fn enter(&mut self, node: u32, count: &mut u32) {
        *count += 1;
        self.order[node as usize] = *count;
        self.lowest[node as usize] = *count;
        self.open.push(node);
        self.visits.push(Visit { node, next: self.graph.positions(node).start });
    }

    fn run(&mut self, count: &mut u32) {
        while let Some(visit) = self.visits.last_mut() {
            let node = visit.node;
            if visit.next == self.graph.positions(node).end {
                self.visits.pop();
                self.leave(node);
                continue;
            }
            let (to, kind) = self.graph.edge(visit.next);
            visit.next += 1;
            if self.kinds & kind.bit() == 0 {
                continue;
            }
            if self.order[to as usize] == 0 {
                self.enter(to, count);
            } else if self.found.of[to as usize] == NO_COMPONENT {
                let order = self.order[to as usize];
                let lowest = &mut self.lowest[node as usize];
                *lowest = order.min(*lowest);
            }
        }
    }

    /// Ends the visit of a node. If the node can reach no earlier one, it completes a component.
    fn leave(&mut self, node: u32) {
        let lowest = self.lowest[node as usize];
        if let Some(visit) = self.visits.last() {
            let before = &mut self.lowest[visit.node as usize];
            *before = lowest.min(*before);
        }
        if lowest != self.order[node as usize] {
            return;
        }
        let component = self.found.sizes.len() as u32;
        let mut size = 0;
        while let Some(member) = self.open.pop() {
            self.found.of[member as usize] = component;
            size += 1;
            if member == node {
                break;
            }
        }
        self.found.sizes.push(size);
    }
}
