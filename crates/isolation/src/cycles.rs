//! Searches for short cycles of each class, within the strongly connected components.
//!
//! At a weak level, one component can contain nearly all transactions. The search is therefore bounded: breadth-first,
//! with a limit for each start and for each class. A class whose search ends at its limit without a result is reported
//! as undecided.

use std::collections::HashSet;

use crate::Class;
use crate::anomaly::EXAMPLES_MAX;
use crate::components::Components;
use crate::graph::{ALL, Edge, FLOW, Graph, Kind, WRITES};
use crate::index::Index;
use crate::versions::NONE;

/// Maximum number of edges followed for one class, and from one start.
const CLASS_STEPS: u64 = 40_000_000;
const START_STEPS: u64 = 200_000;
/// Number of states in which a walk can reach a node, one for each combination of the two bits below. The search visits
/// each node once per state.
const STATES: u32 = 4;

/// The cycles of one class.
pub(crate) struct Cycles {
    pub(crate) class: Class,
    /// Number of edges that close a cycle.
    pub(crate) count: u64,
    /// True if the search ended at a limit.
    pub(crate) is_limited: bool,
    /// The shortest cycles found.
    pub(crate) shortest: Vec<Vec<Edge>>,
}

/// The cycles that belong to a class.
#[derive(Clone, Copy)]
struct Rule {
    class: Class,
    /// Kind of the edge that closes a cycle.
    closing: Kind,
    /// Kinds of the other edges.
    others: u8,
    /// Two flags: whether a cycle needs several anti-dependencies, and whether no two of them may be adjacent.
    needs_another: bool,
    is_spread: bool,
}

const RULES: [Rule; 5] = [
    rule(Class::DirtyWrite, Kind::Write, WRITES),
    rule(Class::CircularFlow, Kind::Read, FLOW),
    rule(Class::ReadSkew, Kind::Anti, FLOW),
    Rule { needs_another: true, is_spread: true, ..rule(Class::NonadjacentSkew, Kind::Anti, ALL) },
    Rule { needs_another: true, ..rule(Class::WriteSkew, Kind::Anti, ALL) },
];

const fn rule(class: Class, closing: Kind, others: u8) -> Rule {
    Rule { class, closing, others, needs_another: false, is_spread: false }
}

/// The bit of a walk's state that is set if the walk's last edge is an anti-dependency.
const AFTER_ANTI: u32 = 1;
/// The bit that is set if the walk contains an anti-dependency in addition to the edge that closes the cycle.
const ANOTHER: u32 = 2;

impl Rule {
    fn first_state(self) -> u32 {
        if self.is_spread { AFTER_ANTI } else { 0 }
    }

    /// Returns the walk's state after one more edge, or `None` if the rule does not allow this edge.
    fn step(self, state: u32, kind: Kind) -> Option<u32> {
        if self.others & kind.bit() == 0 {
            return None;
        }
        let is_anti = kind == Kind::Anti;
        if self.is_spread && is_anti && state & AFTER_ANTI != 0 {
            return None;
        }
        let another = if is_anti && self.needs_another { ANOTHER } else { state & ANOTHER };
        Some(another | if is_anti && self.is_spread { AFTER_ANTI } else { 0 })
    }

    fn accepts(self, state: u32) -> bool {
        let is_apart = !self.is_spread || state & AFTER_ANTI == 0;
        is_apart && (!self.needs_another || state & ANOTHER != 0)
    }

    /// Returns true if the edges of a cycle satisfy this rule, so that the cycle belongs to the class.
    fn fits(self, cycle: &[Edge]) -> bool {
        let is_anti = |edge: &Edge| edge.kind == Kind::Anti;
        let antis = cycle.iter().filter(|edge| is_anti(edge)).count();
        let mut next = cycle.iter().cycle().skip(1);
        let is_spread = cycle.iter().all(|edge| {
            let adjacent = next.next().is_some_and(is_anti);
            !(is_anti(edge) && adjacent)
        });
        (!self.needs_another || antis > 1) && (!self.is_spread || is_spread)
    }
}

/// Finds the cycles of all classes.
pub(crate) fn cycles(index: &Index<'_>, graph: &Graph) -> Vec<Cycles> {
    let all = Components::new(graph, ALL);
    if !all.has_cycle() {
        return Vec::new();
    }
    let flow = Components::new(graph, FLOW);
    let writes = Components::new(graph, WRITES);
    let flows_forward = flows_forward(index, graph, &flow);
    let mut search = Search::new(graph);
    let mut found = Vec::new();
    for rule in RULES {
        let components = match rule.class {
            Class::DirtyWrite => &writes,
            Class::CircularFlow => &flow,
            _ => &all,
        };
        if !components.has_cycle() {
            continue;
        }
        let windowed = flows_forward && rule.others == FLOW;
        let window = windowed.then_some(index);
        let cycles = search.class(rule, components, window);
        if cycles.count > 0 || cycles.is_limited {
            found.push(cycles);
        }
    }
    found
}

/// Returns true if no transaction depends, directly or indirectly, on a transaction that began after the first one had
/// ended. When the search looks for a way back to a transaction, it can then skip all transactions that began after the
/// end of that one.
fn flows_forward(index: &Index<'_>, graph: &Graph, flow: &Components) -> bool {
    let transactions = index.history.transactions();
    let mut begun = vec![0; flow.sizes.len()];
    for (node, transaction) in transactions.iter().enumerate() {
        let latest: &mut u64 = &mut begun[flow.of[node] as usize];
        *latest = transaction.begun.max(*latest);
    }
    let mut order: Vec<u32> = (0..graph.nodes() as u32).collect();
    order.sort_unstable_by_key(|node| std::cmp::Reverse(flow.of[*node as usize]));
    for node in order {
        let before = begun[flow.of[node as usize] as usize];
        for edge in graph.edges(node).filter(|edge| FLOW & edge.kind.bit() != 0) {
            let latest = &mut begun[flow.of[edge.to as usize] as usize];
            *latest = before.max(*latest);
        }
    }
    let nodes = transactions.iter().zip(&flow.of);
    nodes
        .into_iter()
        .all(|(transaction, component)| begun[*component as usize] <= transaction.ended)
}

/// The search's buffers, which are reused for every start.
struct Search<'a> {
    graph: &'a Graph,
    /// For each state of each node, the number of the latest search that reached it. This makes it unnecessary to clear
    /// the buffers between searches.
    reached: Vec<u32>,
    /// For each state of each node, the state from which it was reached, and the edge between the two.
    before: Vec<u32>,
    via: Vec<u32>,
    number: u32,
    queue: Vec<u32>,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph) -> Self {
        let states = graph.nodes() * STATES as usize;
        let (reached, before, via) = (vec![0; states], vec![NONE; states], vec![NONE; states]);
        Self { graph, reached, before, via, number: 0, queue: Vec::new() }
    }

    /// Finds the cycles of one class.
    fn class(&mut self, rule: Rule, components: &Components, window: Option<&Index<'_>>) -> Cycles {
        let mut found =
            Cycles { class: rule.class, count: 0, is_limited: false, shortest: Vec::new() };
        let mut known = HashSet::new();
        let mut steps = 0;
        for from in 0..self.graph.nodes() as u32 {
            for position in self.graph.positions(from) {
                let (to, kind) = self.graph.edge(position);
                if kind != rule.closing || !components.join(from, to) {
                    continue;
                }
                if steps >= CLASS_STEPS {
                    found.is_limited = true;
                    return found;
                }
                let until = window
                    .map_or(u64::MAX, |index| index.history.transactions()[from as usize].ended);
                let may_enter = |node: u32| {
                    components.join(from, node)
                        && window.is_none_or(|index| {
                            index.history.transactions()[node as usize].begun <= until
                        })
                };
                let closing = Edge { from, to, kind };
                let (cycle, is_cut) = self.cycle(rule, closing, may_enter, &mut steps);
                found.is_limited |= is_cut;
                if let Some(cycle) = cycle.and_then(|walk| simple(rule, walk)) {
                    found.count += 1;
                    keep(&mut found.shortest, &mut known, cycle);
                }
            }
        }
        found
    }

    /// Returns one of the shortest walks that begin with the edge `closing` and lead back to its start. Also returns
    /// true if the search stopped at its limit.
    fn cycle(
        &mut self,
        rule: Rule,
        closing: Edge,
        may_enter: impl Fn(u32) -> bool,
        steps: &mut u64,
    ) -> (Option<Vec<Edge>>, bool) {
        self.number += 1;
        let start = closing.to * STATES + rule.first_state();
        self.queue.clear();
        self.queue.push(start);
        self.reached[start as usize] = self.number;
        self.before[start as usize] = NONE;
        let limit = *steps + START_STEPS;
        let mut at = 0;
        while let Some(&here) = self.queue.get(at) {
            at += 1;
            let (node, state) = (here / STATES, here % STATES);
            for position in self.graph.positions(node) {
                *steps += 1;
                let (to, kind) = self.graph.edge(position);
                let Some(next) = rule.step(state, kind) else { continue };
                if to == closing.from && rule.accepts(next) {
                    let last = Edge { from: node, to, kind };
                    return (Some(self.walk(closing, here, last)), false);
                }
                let there = to * STATES + next;
                if self.reached[there as usize] == self.number || !may_enter(to) {
                    continue;
                }
                self.reached[there as usize] = self.number;
                self.before[there as usize] = here;
                self.via[there as usize] = position;
                self.queue.push(there);
            }
            if *steps > limit {
                return (None, true);
            }
        }
        (None, false)
    }

    /// Returns the walk from the edge `closing` to the edge `last`, by going back from the state `here` to where the
    /// search began.
    fn walk(&self, closing: Edge, here: u32, last: Edge) -> Vec<Edge> {
        let mut edges = vec![last];
        let mut here = here;
        while self.before[here as usize] != NONE {
            let before = self.before[here as usize];
            let (to, kind) = self.graph.edge(self.via[here as usize]);
            edges.push(Edge { from: before / STATES, to, kind });
            here = before;
        }
        edges.push(closing);
        edges.reverse();
        edges
    }
}

/// Returns a cycle without repeated transactions that is part of the walk and meets the rule.
fn simple(rule: Rule, walk: Vec<Edge>) -> Option<Vec<Edge>> {
    let repeated = (0..walk.len()).find_map(|at| {
        let later = walk[at + 1..].iter().position(|edge| edge.from == walk[at].from)?;
        Some((at, at + 1 + later))
    });
    let Some((first, second)) = repeated else {
        return rule.fits(&walk).then_some(walk);
    };
    let inner = walk[first..second].to_vec();
    let outer = [&walk[..first], &walk[second..]].concat();
    simple(rule, inner).or_else(|| simple(rule, outer))
}

/// Keeps a cycle if it is among the shortest, unless the search has already found it from another of its edges.
fn keep(shortest: &mut Vec<Vec<Edge>>, known: &mut HashSet<Vec<u32>>, cycle: Vec<Edge>) {
    let is_short = shortest.len() < EXAMPLES_MAX
        || shortest.last().is_some_and(|longest| cycle.len() < longest.len());
    if !is_short {
        return;
    }
    let mut nodes: Vec<u32> = cycle.iter().map(|edge| edge.from).collect();
    nodes.sort_unstable();
    if known.insert(nodes) {
        let at = shortest.partition_point(|other| other.len() <= cycle.len());
        shortest.insert(at, cycle);
        shortest.truncate(EXAMPLES_MAX);
    }
}
