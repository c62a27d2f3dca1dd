#include "model/topology/domain_graph.hpp"

#include "base/quoted.hpp"
#include "model/facts/eligibility.hpp"
#include "model/topology/cycles.hpp"
#include "model/topology/presets.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace echelon::model {

namespace {

template <typename Value>
void make_set(std::vector<Value>& values) {
    std::ranges::sort(values);
    const auto rest = std::ranges::unique(values);
    values.erase(rest.begin(), rest.end());
}

// "HyperNode" of "HyperNode.topology.volcano.sh".
std::string title_of(const DeclaredDomain& domain) {
    return domain.api_kind.substr(0, domain.api_kind.find('.')) + " " + base::quoted(domain.name);
}

}  // namespace

DomainGraph::DomainGraph(const Domains& domains, const NamesOf& names_of, std::span<const NodeView> nodes)
    : domains_(domains), names_of_(names_of), nodes_(nodes), vertices_(domains.size()) {
    by_name_.reserve(domains_.size());
    Index index = 0;
    for (const auto& [name, domain] : domains_) {
        auto& vertex = vertices_[index];
        vertex.domain = &domain;
        vertex.name = domain.tier_name;
        by_name_.insert(std::hash<std::string_view>{}(name), index++);
    }
}

DeclaredTrees DomainGraph::trees() {
    for (Index index = 0; index < vertices_.size(); ++index) {
        link(index);
    }
    list_declarers();
    drop_unusable();
    join();
    number_tiers();
    drop_ambiguous_tier_names();
    place_nodes();
    DeclaredTrees out;
    out.topology.name = domain_forest_name;
    out.topology.api_kind = vertices_.empty() ? std::string() : vertices_.front().domain->api_kind;
    out.topology.precedence = UINT8_MAX;
    for (const auto tier : tiers_) {
        out.topology.levels.push_back(tier_level(tier));
    }
    out.tiers = tiers_;
    out.places = places();
    name_levels(out);
    std::ranges::sort(left_out_, {}, &UnusablePart::sentence);
    out.left_out = std::move(left_out_);
    return out;
}

// Of a member that chooses nothing.
std::string DomainGraph::absence(const DomainMember& member) {
    if (!member.problem.empty())
        return member.problem;
    const bool is_domain = member.kind == DomainMember::Kind::domain;
    return std::string(is_domain ? "its member " : "its node ") + base::quoted(member.name) + " doesn't exist";
}

// The same node is often looked up again, and then the next one.
NodeId DomainGraph::node_named(std::string_view name) {
    for (const auto near : {found_last_, found_last_ + 1}) {
        if (near < nodes_.size() && nodes_[near].name() == name)
            return found_last_ = near;
    }
    const auto at = std::ranges::lower_bound(nodes_, name, {}, &NodeView::name);
    return at != nodes_.end() && at->name() == name ? found_last_ = static_cast<NodeId>(at - nodes_.begin()) : nowhere;
}

DomainGraph::Index DomainGraph::domain_named(std::string_view name) const {
    const auto* found = by_name_.find(std::hash<std::string_view>{}(name),
                                      [&](Index index) { return vertices_[index].domain->name == name; });
    return found != nullptr ? *found : nowhere;
}

void DomainGraph::link(Index index) {
    auto& vertex = vertices_[index];
    const auto& members = vertex.domain->members;
    if (!members.empty() && members.front().kind == DomainMember::Kind::domain)
        vertex.children.reserve(members.size());
    chosen_.clear();
    std::size_t absences = 0;
    for (const auto& member : members) {
        const bool is_there = member.problem.empty() && choose(member, vertex);
        if (!is_there && ++absences == 1)
            vertex.absence = absence(member);
    }
    make_set(vertex.children);
    make_set(chosen_);
    vertex.nodes.first = static_cast<std::uint32_t>(members_.size());
    members_.insert(members_.end(), chosen_.begin(), chosen_.end());
    vertex.nodes.last = static_cast<std::uint32_t>(members_.size());
    if (absences > 1)
        vertex.absence += ", and " + std::to_string(absences - 1) + " more of its members are empty";
}

// A counting sort: each vertex's declarers in order of names.
void DomainGraph::list_declarers() {
    for (const auto& vertex : vertices_) {
        for (const auto child : vertex.children)
            ++vertices_[child].declarers.last;
    }
    std::uint32_t end = 0;
    for (auto& vertex : vertices_) {
        end += std::exchange(vertex.declarers.last, end);
        vertex.declarers.first = vertex.declarers.last;
    }
    declarers_.resize(end);
    for (Index index = 0; index < vertices_.size(); ++index) {
        for (const auto child : vertices_[index].children)
            declarers_[vertices_[child].declarers.last++] = index;
    }
}

bool DomainGraph::choose(const DomainMember& member, Vertex& vertex) {
    const auto add = [](std::vector<std::uint32_t>& members, std::uint32_t found) {
        if (found != nowhere)
            members.push_back(found);
        return found != nowhere;
    };
    if (!member.name.empty()) {
        const bool is_domain = member.kind == DomainMember::Kind::domain;
        return is_domain ? add(vertex.children, domain_named(member.name)) : add(chosen_, node_named(member.name));
    }
    if (member.kind == DomainMember::Kind::domain)
        return true;
    if (const auto known = names_of_.find(member.pattern.text); known != names_of_.end()) {
        for (const auto& name : known->second)
            add(chosen_, node_named(name));
    } else {
        choose_by_label(member.labels);
    }
    return true;
}

// If the term lists values, tests only nodes that have the first listed label with such a value.
void DomainGraph::choose_by_label(const NodeTerm& term) {
    const auto add = [&](NodeId node) {
        if (matches(nodes_[node], term))
            chosen_.push_back(node);
    };
    const auto listed = std::ranges::find(term.labels, Requirement::Operator::in, &Requirement::op);
    if (listed == term.labels.end()) {
        for (NodeId node = 0; node < nodes_.size(); ++node) {
            add(node);
        }
        return;
    }
    const auto [known, is_new] = by_label_.try_emplace(listed->key);
    for (NodeId node = 0; is_new && node < nodes_.size(); ++node) {
        if (const auto value = nodes_[node].labels.value_of(listed->key))
            known->second[*value].push_back(node);
    }
    for (const auto& value : listed->values) {
        if (const auto carriers = known->second.find(value); carriers != known->second.end())
            std::ranges::for_each(carriers->second, add);
    }
}

// Drops domains that are unusable by themselves, and domains on cycles.
void DomainGraph::drop_unusable() {
    const Cycles::Children children = [this](Index index) -> const std::vector<Index>& {
        return vertices_[index].children;
    };
    const Cycles cycles(vertices_.size(), children);
    std::map<std::uint32_t, std::vector<Index>> circles;
    for (Index index = 0; index < vertices_.size(); ++index) {
        auto& vertex = vertices_[index];
        if (!vertex.domain->problem.empty()) {
            vertex.is_domain = false;
            leave_out(index, vertex.domain->problem, with_all_above({index}), nodes_below(index));
            continue;
        }
        if (!vertex.absence.empty())
            leave_out(index, vertex.absence, with_all_above({index}), {});
        if (cycles.holds(index)) {
            vertex.is_domain = false;
            circles[cycles.component(index)].push_back(index);
        }
    }
    for (const auto& [component, circle] : circles) {
        leave_out(circle.front(), "it is below itself" + others_of(circle), with_all_above({circle.front()}),
                  nodes_below(circle.front()));
    }
}

// The other domains of a cycle, for the one sentence about it.
std::string DomainGraph::others_of(const std::vector<Index>& circle) const {
    if (circle.size() == 1)
        return {};
    auto text = ", through " + base::quoted(vertices_[circle[1]].domain->name);
    if (circle.size() > 2)
        text += " and " + std::to_string(circle.size() - 2) + " more";
    return text;
}

// Gives each domain its parent.
void DomainGraph::join() {
    for (Index index = 0; index < vertices_.size(); ++index) {
        const auto& vertex = vertices_[index];
        if (!vertex.is_domain)
            continue;
        for (const auto child : vertex.children) {
            const auto& below = vertices_[child];
            if (!below.is_domain || below.domain->tier < vertex.domain->tier)
                continue;
            leave_out(index,
                      "its member " + base::quoted(below.domain->name) + " is of tier " +
                          std::to_string(below.domain->tier) + ", which isn't below its own tier " +
                          std::to_string(vertex.domain->tier),
                      with_all_above({index}), nodes_below(child));
        }
    }
    for (Index child = 0; child < vertices_.size(); ++child) {
        if (vertices_[child].is_domain)
            adopt(child);
    }
}

void DomainGraph::adopt(Index child) {
    std::vector<Index> parents;
    std::ranges::copy_if(vertices_[child].declarers.of(declarers_), std::back_inserter(parents), [&](Index parent) {
        const auto& above = vertices_[parent];
        return above.is_domain && above.domain->tier > vertices_[child].domain->tier;
    });
    if (parents.size() == 1)
        vertices_[child].parent = parents.front();
    if (parents.size() < 2)
        return;
    auto what = "it is a member of " + base::quoted(vertices_[parents[0]].domain->name) + " and " +
                base::quoted(vertices_[parents[1]].domain->name);
    if (parents.size() > 2)
        what += " and " + std::to_string(parents.size() - 2) + " more";
    leave_out(child, what + ", so it is below neither", with_all_above(parents), nodes_below(child));
}

void DomainGraph::number_tiers() {
    for (const auto& vertex : vertices_) {
        if (vertex.is_domain)
            tiers_.push_back(vertex.domain->tier);
    }
    make_set(tiers_);
    std::ranges::reverse(tiers_);
    for (auto& vertex : vertices_) {
        const auto tier = std::ranges::lower_bound(tiers_, vertex.domain->tier, std::ranges::greater{});
        const bool is_known = tier != tiers_.end() && *tier == vertex.domain->tier;
        vertex.depth = static_cast<std::uint32_t>(is_known ? tier - tiers_.begin() : std::ssize(tiers_));
    }
}

// A tier name at two tiers of one tree names neither.
void DomainGraph::drop_ambiguous_tier_names() {
    std::map<std::pair<Index, std::string_view>, std::vector<Index>> bearers;  // By root and name.
    for (Index index = 0; index < vertices_.size(); ++index) {
        if (!vertices_[index].is_domain || vertices_[index].name.empty())
            continue;
        auto root = index;
        while (vertices_[root].parent != nowhere) {
            root = vertices_[root].parent;
        }
        bearers[{root, vertices_[index].name}].push_back(index);
    }
    for (const auto& [at, all] : bearers) {
        const auto depth = [this](Index index) { return vertices_[index].depth; };
        const auto [widest, narrowest] = std::ranges::minmax_element(all, {}, depth);
        if (depth(*widest) == depth(*narrowest))
            continue;
        leave_out(*narrowest,
                  "its tierName " + base::quoted(at.second) + " is that of tier " +
                      std::to_string(vertices_[*widest].domain->tier) + " in the same tree, too (" +
                      base::quoted(vertices_[*widest].domain->name) + ")",
                  {}, nodes_below(at.first));
        left_out_.back().names = {std::string(at.second)};
        for (const auto index : all) {
            vertices_[index].name = {};
        }
    }
}

void DomainGraph::place_nodes() {
    at_.assign(nodes_.size() * tiers_.size(), nowhere);
    is_disputed_.assign(at_.size(), 0);
    std::map<ConflictingDomains, std::vector<NodeId>> conflicts;
    for (Index index = 0; index < vertices_.size(); ++index) {
        if (!vertices_[index].is_domain)
            continue;
        for (const auto node : vertices_[index].nodes.of(members_)) {
            place(node, index, conflicts);
        }
    }
    for (std::size_t cell = 0; cell < at_.size(); ++cell) {
        if (is_disputed_[cell] != 0)
            at_[cell] = nowhere;
    }
    for (auto& [both, nodes] : conflicts) {
        make_set(nodes);
        auto what = "its node " + base::quoted(nodes_[nodes.front()].name());
        if (nodes.size() > 1)
            what += " and " + std::to_string(nodes.size() - 1) + " more";
        what += nodes.size() > 1 ? " are in " : " is in ";
        leave_out(both.first,
                  what + base::quoted(vertices_[both.second].domain->name) + " of the same tier, too, so " +
                      (nodes.size() > 1 ? "they are in neither" : "it is in neither"),
                  {both.first, both.second}, nodes);
    }
}

// Puts a node into a domain and all domains above it.
void DomainGraph::place(NodeId node, Index lowest, std::map<ConflictingDomains, std::vector<NodeId>>& conflicts) {
    for (auto index = lowest; index != nowhere; index = vertices_[index].parent) {
        const auto cell = node * tiers_.size() + vertices_[index].depth;
        if (at_[cell] == nowhere) {
            at_[cell] = index;
        } else if (at_[cell] != index) {
            is_disputed_[cell] = 1;
            conflicts[std::minmax(at_[cell], index)].push_back(node);
        }
    }
}

void DomainGraph::leave_out(Index index, std::string_view what, const std::set<Index>& losers,
                            std::vector<NodeId> lost) {
    UnusablePart part;
    part.sentence = title_of(*vertices_[index].domain) + ": " + std::string(what);
    for (const auto loser : losers) {
        part.tiers.push_back(vertices_[loser].domain->tier);
        if (!vertices_[loser].domain->tier_name.empty())
            part.names.push_back(vertices_[loser].domain->tier_name);
    }
    make_set(part.tiers);
    make_set(part.names);
    part.nodes = std::move(lost);
    left_out_.push_back(std::move(part));
}

std::set<DomainGraph::Index> DomainGraph::with_all_above(const std::vector<Index>& from) const {
    std::set<Index> found(from.begin(), from.end());
    auto waiting = from;
    while (!waiting.empty()) {
        const auto index = waiting.back();
        waiting.pop_back();
        for (const auto above : vertices_[index].declarers.of(declarers_)) {
            if (found.insert(above).second)
                waiting.push_back(above);
        }
    }
    return found;
}

std::vector<NodeId> DomainGraph::nodes_below(Index index) const {
    std::set<Index> found = {index};
    std::vector<Index> waiting = {index};
    std::vector<NodeId> nodes;
    while (!waiting.empty()) {
        const auto& vertex = vertices_[waiting.back()];
        waiting.pop_back();
        std::ranges::copy(vertex.nodes.of(members_), std::back_inserter(nodes));
        for (const auto below : vertex.children) {
            if (found.insert(below).second)
                waiting.push_back(below);
        }
    }
    make_set(nodes);
    return nodes;
}

}  // namespace echelon::model
