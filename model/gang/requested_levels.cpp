#include "model/gang/requested_levels.hpp"

#include "base/quoted.hpp"
#include "model/gang/unusable_parts.hpp"
#include "model/topology/presets.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

namespace echelon::model {

bool is_single_label(const Tree& tree) {
    return tree.keys.size() == 2 && tree.name == tree.keys.front();
}

namespace {

// Compares keys: a copy of a topology, as Grove makes for KAI, is no ambiguity to warn about.
bool is_same_level(const Tree& a, const Tree& b, std::uint32_t depth_in_a, std::uint32_t depth_in_b) {
    return depth_in_a == depth_in_b &&
           std::ranges::equal(std::span(a.keys).first(depth_in_a + 1), std::span(b.keys).first(depth_in_b + 1));
}

bool shares_nodes(const std::vector<std::uint32_t>& one, const std::vector<std::uint32_t>& other) {
    for (std::size_t node = 0; node < one.size(); ++node) {
        if (one[node] != nowhere && other[node] != nowhere)
            return true;
    }
    return false;
}

class Lookup {
public:
    Lookup(const Group& group, const Snapshot& snapshot, std::span<const Topology* const> faulty)
        : group_(group), snapshot_(snapshot), faulty_(faulty) {}

    RequestedLevels run() {
        for (const auto& key : group_.required) {
            if (is_everywhere(key))
                continue;
            if (key == zone_level) {
                require_zone();
            } else if (const auto level = promised(key)) {
                insert(out_.required, *level);
            }
        }
        for (const auto& [key, multiple] : group_.multiples) {
            if (multiple < 2) {
                if (multiple == 1 && !is_everywhere(key))
                    static_cast<void>(promised(key));  // m = 1 is no rule, but the level must exist.
                continue;
            }
            if (is_everywhere(key)) {
                fail("a multiple of " + std::to_string(multiple) + " in the whole cluster can't be kept");
            } else if (const auto level = promised(key)) {
                out_.multiples.emplace_back(*level, multiple);
            }
        }
        for (const auto& [key, most] : group_.most_per_domain) {
            if (is_everywhere(key)) {
                fail("at most " + std::to_string(most) + " in the whole cluster can't be kept");
            } else if (const auto level = promised(key)) {
                out_.most_per_domain.emplace_back(*level, most);
            }
        }
        if (!group_.paired.empty() && !is_everywhere(group_.paired))
            out_.paired = promised(group_.paired);
        for (const auto& key : group_.preferred) {
            wish(key);
        }
        note_left_out();
        return std::move(out_);
    }

private:
    static void insert(std::vector<LevelRef>& levels, LevelRef level) {
        if (std::ranges::find(levels, level) == levels.end())
            levels.push_back(level);
    }

    void warn(const std::string& text) {
        out_.warnings.push_back("group " + base::quoted(group_.key.name) + ": " + text);
    }

    void fail(const std::string& text) {
        if (out_.fault.empty())
            out_.fault = "group " + base::quoted(group_.key.name) + ": " + text;
    }

    void require_zone() {
        if (snapshot_.zoned.empty()) {
            fail("required level " + base::quoted(zone_level) +
                 " needs nodes whose topology manager has the policy single-numa-node; no NodeResourceTopology shows "
                 "one");
        } else if (const auto host = snapshot_.level(host_level)) {
            out_.is_in_one_zone = true;
            insert(out_.required, *host);
        }
    }

    // True for the whole cluster, which constrains nothing; a tier above all others means it too (Z6).
    bool is_everywhere(std::string_view key) const {
        const auto tier = tier_in(key);
        const auto all = known_tiers();
        return key == whole_cluster_level || (tier && !all.empty() && *tier > *all.rbegin());
    }

    // Tiers of all HyperNodes, including those that are left out.
    std::set<std::int64_t> known_tiers() const {
        std::set<std::int64_t> tiers;
        for (const auto& tree : snapshot_.trees) {
            tiers.insert(tree.tiers.begin(), tree.tiers.end());
        }
        for (const auto& part : snapshot_.left_out) {
            tiers.insert(part.tiers.begin(), part.tiers.end());
        }
        return tiers;
    }

    // The widest existing tier that is at most `most`, as a level text.
    std::string present_tier(std::int64_t most) const {
        const auto all = known_tiers();
        const auto above = all.upper_bound(most);
        return above == all.begin() ? std::string() : tier_level(*std::prev(above));
    }

    void note_left_out() {
        for (const auto& part : snapshot_.left_out) {
            const auto lacks = [&](LevelRef level) { return affects_group(part, snapshot_, level); };
            if (std::ranges::any_of(out_.required, lacks))
                out_.left_out.push_back(part.sentence);
        }
    }

    std::optional<LevelRef> promised(const std::string& key) {
        if (key == zone_level) {
            fail("level " + base::quoted(key) + " can only be required, it takes no multiple, limit or pair");
            return std::nullopt;
        }
        const auto level = find(key);
        if (!level) {
            fail("required level " + base::quoted(key) + " " + why_not(key));
            return level;
        }
        warn_if_ambiguous(key, *level);
        if (const auto* faulty = warn_if_faulty(key))
            out_.left_out.push_back(title_of(*faulty) + ": " + faulty->problem);
        return level;
    }

    void wish(const std::string& key) {
        if (is_everywhere(key))
            return;
        const auto level = find(key);
        if (!level)
            return warn("preferred level " + base::quoted(key) + " is dropped, it " + why_not(key));
        const auto covers = [&](LevelRef required) {
            return required.tree == level->tree && required.depth >= level->depth;
        };
        if (std::ranges::any_of(out_.required, covers))
            return warn("preferred level " + base::quoted(key) + " has no effect beside the required one");
        warn_if_ambiguous(key, *level);
        static_cast<void>(warn_if_faulty(key));
        insert(out_.preferred, *level);
    }

    std::optional<LevelRef> find(const std::string& key) const {
        if (key == node_layer)
            return snapshot_.level(host_level);
        const auto level = snapshot_.level(key, group_.topology, group_.topology_group);
        if (!level)
            return level;
        if (is_single_label(snapshot_.trees[level->tree]) &&
            (fault_around(key) != nullptr || unusable_parts_of(snapshot_, key) != nullptr)) {
            return std::nullopt;
        }
        // A tier that exists only in unusable parts isn't replaced by the next lower one (Z7).
        if (const auto tier = tier_in(key); tier && !snapshot_.trees[level->tree].tiers.empty() &&
                                            snapshot_.trees[level->tree].keys[level->depth] != present_tier(*tier)) {
            return std::nullopt;
        }
        return level;
    }

    const Topology* fault_around(std::string_view key) const {
        const auto found = std::ranges::find_if(faulty_, [&](const Topology* topology) {
            return (group_.topology.empty() || topology->name == group_.topology) &&
                   (std::ranges::find(topology->levels, key) != topology->levels.end() ||
                    topology->aliases.contains(key));
        });
        return found == faulty_.end() ? nullptr : *found;
    }

    std::string why_not(std::string_view key) const {
        if (key == zone_level)
            return "can only be required";
        if (const auto tier = tier_in(key); tier || key == narrowest_tier_level) {
            if (known_tiers().empty())
                return "can't be looked up, there is no HyperNode";
            const auto present = tier ? present_tier(*tier) : tier_level(*known_tiers().begin());
            if (present.empty())
                return "is below every tier";
            if (const auto* part = unusable_parts_of(snapshot_, present))
                return "exists only in parts that are left out: " + part->sentence;
        }
        if (const auto* part = unusable_parts_of(snapshot_, key))
            return "exists only in parts that are left out: " + part->sentence;
        if (const auto* faulty = fault_around(key))
            return "is in topology " + base::quoted(faulty->name) + ", which can't be used: " + faulty->problem;
        if (group_.topology.empty())
            return "is in no topology, and no node has a value for it";
        // A topology that can't be read at all lists no levels.
        const auto is_meant = [&](const Topology* topology) { return topology->name == group_.topology; };
        if (const auto named = std::ranges::find_if(faulty_, is_meant); named != faulty_.end())
            return "can't be looked up, topology " + base::quoted(group_.topology) +
                   " can't be used: " + (*named)->problem;
        const bool exists = std::ranges::find(snapshot_.trees, group_.topology, &Tree::name) != snapshot_.trees.end();
        return (exists ? "isn't in topology " : "can't be looked up, there is no topology ") +
               base::quoted(group_.topology);
    }

    // A topology that would place nodes at this level, too, if it could be used: its domains may be narrower (Z7).
    const Topology* warn_if_faulty(std::string_view key) {
        if (key == host_level || key == node_layer)
            return nullptr;
        const auto* faulty = fault_around(key);
        if (faulty != nullptr) {
            warn("level " + base::quoted(key) + " is also in topology " + base::quoted(faulty->name) +
                 ", which can't be used: " + faulty->problem);
        }
        return faulty;
    }

    // Trees of labels are used together (Z24). Of two declared trees that both place a node, the first is used.
    void warn_if_ambiguous(std::string_view key, LevelRef used) {
        const auto is_declared = [](const Tree& tree) { return !tree.name.empty() && tree.name != presets_tree_name; };
        const auto& first = snapshot_.trees[used.tree];
        if (!group_.topology.empty() || key == host_level || key == node_layer || !is_declared(first))
            return;
        for (std::size_t tree = 0; tree < snapshot_.trees.size(); ++tree) {
            const auto& other = snapshot_.trees[tree];
            const auto depth = tree == used.tree ? std::nullopt : other.depth_of(key);
            if (depth && is_declared(other) && !is_same_level(first, other, used.depth, *depth) &&
                shares_nodes(first.domain_of[used.depth], other.domain_of[*depth])) {
                return warn("level " + base::quoted(key) + " is in topologies " + base::quoted(first.name) + " and " +
                            base::quoted(other.name) + ", the first is used");
            }
        }
    }

    const Group& group_;
    const Snapshot& snapshot_;
    std::span<const Topology* const> faulty_;
    RequestedLevels out_;
};

}  // namespace

RequestedLevels look_up(const Group& group, const Snapshot& snapshot, std::span<const Topology* const> faulty) {
    return Lookup(group, snapshot, faulty).run();
}

}  // namespace echelon::model
