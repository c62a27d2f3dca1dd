#include "report/topology_report.hpp"

#include "kube/core/node_health.hpp"
#include "model/devices/request_kinds.hpp"
#include "model/topology/united_levels.hpp"
#include "report/json_text.hpp"
#include "report/name_ranges.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::report {

namespace {

using Json = nlohmann::ordered_json;
using model::nowhere;
using model::Snapshot;
using model::Tree;

// Devices have a vendor's prefix, or come by claims.
bool is_device(std::string_view resource) {
    if (resource.starts_with(model::device_prefix))
        return true;
    return resource.find('/') != std::string_view::npos && !resource.starts_with("kubernetes.io/") &&
           !resource.starts_with("attachable-volumes-") && !resource.starts_with("hugepages-");
}

HostRow host_row(const model::Node& node) {
    HostRow row{.name = node.name, .trouble = {}};
    if (node.deleting) {
        row.trouble = "being deleted";
    } else if (const auto reason = kube::unhealthy_because(node); !reason.empty()) {
        row.trouble = reason;
    } else if (!node.ready) {
        row.trouble = "not ready";
    } else if (node.unschedulable) {
        row.trouble = "cordoned";
    }
    for (const auto& taint : node.taints) {
        if (taint.effect != model::TaintEffect::prefer_no_schedule && !kube::is_reason(taint))
            row.taints.push_back(taint.key);
    }
    return row;
}

// Keys of taints that pods must tolerate there.
std::set<std::string> tainted_by(const model::Node& node) {
    const auto taints = host_row(node).taints;
    return {taints.begin(), taints.end()};
}

class TreeRowBuilder {
public:
    TreeRowBuilder(std::span<const model::Node> nodes, const Snapshot& snapshot, const Tree& tree)
        : nodes_(nodes), snapshot_(snapshot), tree_(tree), host_depth_(tree.host_depth()) {}

    TreeRow run() {
        TreeRow row;
        row.name = tree_.name;
        row.kind = tree_.api_kind.substr(0, tree_.api_kind.find('.'));
        row.levels = tree_.keys;
        row.aliases.resize(tree_.keys.size());
        for (const auto& [alias, depth] : tree_.aliases) {
            row.aliases[depth].push_back(alias);
        }
        for (const auto& domain_of : tree_.domain_of) {
            row.outside.push_back(static_cast<std::size_t>(std::ranges::count(domain_of, nowhere)));
        }
        const auto all = static_cast<std::uint32_t>(tree_.order.size());
        row.cluster = domain_row({0, all, nowhere}, 0, "");
        row.cluster.direct = hosts_directly_in({0, all, nowhere}, nowhere);
        for (std::size_t depth = 0; depth < host_depth_; ++depth) {
            for (std::size_t index = 0; index < tree_.domains[depth].size(); ++index) {
                const auto& path = tree_.paths[depth][index];
                if (is_stand_in(depth, path))
                    continue;
                const auto& domain = tree_.domains[depth][index];
                row.domains.push_back(domain_row(domain, depth, path));
                row.domains.back().direct = hosts_directly_in(domain, static_cast<std::uint32_t>(depth));
                firsts_.push_back(domain.first);
            }
        }
        sort_depth_first(row.domains);
        return row;
    }

private:
    // True if the domain repeats one of the next narrower level, where this level has no real domain.
    bool is_stand_in(std::size_t depth, const std::string& path) const {
        return depth + 1 < tree_.tiers.size() && std::ranges::count(tree_.paths[depth + 1], path) > 0;
    }

    DomainRow domain_row(const model::Domain& domain, std::size_t depth, const std::string& path) const {
        DomainRow row{.depth = depth, .path = path, .hosts = domain.last - domain.first, .room = {}, .direct = {}};
        for (std::size_t resource = 0; resource < snapshot_.resources.size(); ++resource) {
            if (!is_device(snapshot_.resources[resource]))
                continue;
            RoomRow room{.resource = snapshot_.resources[resource]};
            for (auto at = domain.first; at < domain.last; ++at) {
                const auto node = tree_.order[at];
                const auto capacity = snapshot_.capacity[resource][node];
                room.total += capacity;
                if (snapshot_.usable[node] == 0)
                    continue;
                room.usable += capacity;
                room.free += std::max<std::int64_t>(snapshot_.room[resource][node], 0);
            }
            if (room.total > 0)
                row.room.push_back(std::move(room));
        }
        std::map<std::string, std::size_t> taints;
        for (auto at = domain.first; at < domain.last; ++at) {
            const auto node = tree_.order[at];
            row.usable += snapshot_.usable[node];
            const auto keys = snapshot_.usable[node] != 0 ? tainted_by(nodes_[node]) : std::set<std::string>();
            row.tainted += keys.empty() ? 0U : 1U;
            for (const auto& key : keys)
                ++taints[key];
        }
        for (const auto& [key, hosts] : taints)
            row.taints.push_back({key, hosts});
        return row;
    }

    // The narrowest level above the host at which a node is in a domain.
    std::uint32_t narrowest_of(model::NodeId node) const {
        for (auto depth = static_cast<std::uint32_t>(host_depth_); depth-- > 0;) {
            if (tree_.domain_of[depth][node] != nowhere)
                return depth;
        }
        return nowhere;
    }

    std::vector<HostRow> hosts_directly_in(const model::Domain& domain, std::uint32_t depth) const {
        std::vector<HostRow> rows;
        for (auto at = domain.first; at < domain.last; ++at) {
            const auto node = tree_.order[at];
            if (narrowest_of(node) != depth)
                continue;
            if (const auto* known = &nodes_[node]; !known->name.empty())
                rows.push_back(host_row(*known));
        }
        return rows;
    }

    void sort_depth_first(std::vector<DomainRow>& rows) {
        std::vector<std::size_t> order(rows.size());
        for (std::size_t index = 0; index < order.size(); ++index) {
            order[index] = index;
        }
        std::ranges::stable_sort(order, {},
                                 [&](std::size_t index) { return std::pair(firsts_[index], rows[index].depth); });
        std::vector<DomainRow> sorted;
        sorted.reserve(rows.size());
        for (const auto index : order) {
            sorted.push_back(std::move(rows[index]));
        }
        rows = std::move(sorted);
    }

    std::span<const model::Node> nodes_;
    const Snapshot& snapshot_;
    const Tree& tree_;
    std::size_t host_depth_;
    std::vector<std::uint32_t> firsts_;  // First host of each domain found so far.
};

Json room_of(const DomainRow& domain) {
    Json rows = Json::array();
    for (const auto& room : domain.room) {
        rows.push_back(
            {{"resource", room.resource}, {"free", room.free}, {"usable", room.usable}, {"total", room.total}});
    }
    return rows;
}

Json hosts_of(const DomainRow& domain) {
    Json rows = Json::array();
    for (const auto& host : domain.direct) {
        rows.push_back({{"name", host.name}, {"trouble", host.trouble}, {"taints", host.taints}});
    }
    return rows;
}

Json to_object(const DomainRow& domain, const std::string& level) {
    Json taints = Json::array();
    for (const auto& taint : domain.taints)
        taints.push_back({{"key", taint.key}, {"hosts", taint.hosts}});
    return {{"level", level},
            {"path", domain.path},
            {"hosts", domain.hosts},
            {"usableHosts", domain.usable},
            {"taintedHosts", domain.tainted},
            {"taints", std::move(taints)},
            {"room", room_of(domain)},
            {"directHosts", hosts_of(domain)}};
}

std::string said(const DomainRow& domain) {
    auto text = fmt::format("{} of {} {} usable", domain.usable, domain.hosts, domain.hosts == 1 ? "host" : "hosts");
    if (domain.tainted > 0) {
        text += fmt::format(" ({} only for pods that tolerate ", domain.tainted);
        for (std::size_t at = 0; at < domain.taints.size(); ++at)
            text += (at == 0 ? "" : ", ") + domain.taints[at].key;
        text += ")";
    }
    for (const auto& room : domain.room) {
        text += fmt::format(", {}: {} free of {}", room.resource, room.free, room.usable);
        if (room.usable != room.total)
            text += fmt::format(" usable, {} in all", room.total);
    }
    return text;
}

void say_hosts(const DomainRow& domain, const std::string& indent, std::string& out) {
    std::vector<std::string> usable;
    for (const auto& host : domain.direct) {
        if (host.trouble.empty() && host.taints.empty())
            usable.push_back(host.name);
    }
    if (!usable.empty())
        out += fmt::format("{}{}\n", indent, name_ranges(usable));
    for (const auto& host : domain.direct) {
        if (host.trouble.empty() && host.taints.empty())
            continue;
        auto why = host.trouble;
        for (const auto& taint : host.taints) {
            why += (why.empty() ? "tainted " : ", tainted ") + taint;
        }
        out += fmt::format("{}{} ({})\n", indent, host.name, why);
    }
}

void say_tree(const TreeRow& tree, std::string& out) {
    out += tree.name + (tree.kind.empty() ? "" : " (" + tree.kind + ")") + ":";
    for (std::size_t depth = 0; depth < tree.levels.size(); ++depth) {
        out += (depth == 0 ? " " : " > ") + tree.levels[depth];
        for (const auto& alias : tree.aliases[depth]) {
            out += " = " + alias;
        }
    }
    out += fmt::format("\n  the cluster: {}\n", said(tree.cluster));
    for (const auto& domain : tree.domains) {
        const std::string indent(4 + 2 * domain.depth, ' ');
        out += fmt::format("{}{}: {}\n", indent, domain.path, said(domain));
        say_hosts(domain, indent + "  ", out);
    }
    if (!tree.cluster.direct.empty() && tree.levels.size() > 1) {
        out += fmt::format("    in no domain: {}\n", tree.cluster.direct.size());
        say_hosts(tree.cluster, "      ", out);
    } else {
        say_hosts(tree.cluster, "    ", out);
    }
    for (std::size_t depth = 0; depth < tree.levels.size(); ++depth) {
        if (tree.outside[depth] > 0) {
            out += fmt::format("  {} of {} hosts in no domain of {}\n", tree.outside[depth], tree.cluster.hosts,
                               tree.levels[depth]);
        }
    }
}

}  // namespace

TopologyReport describe_topology(const Snapshot& snapshot, std::span<const model::Node> nodes,
                                 std::vector<std::string> faults) {
    TopologyReport report;
    for (const auto& tree : snapshot.trees) {
        if (tree.name != model::united_tree_name)
            report.trees.push_back(TreeRowBuilder(nodes, snapshot, tree).run());
    }
    report.faults = std::move(faults);
    return report;
}

TopologyReport describe_topology(const model::Cluster& cluster) {
    const auto snapshot = cluster.snapshot();
    std::vector<model::Node> nodes;
    nodes.reserve(snapshot.node_count());
    for (const auto& name : snapshot.node_names) {
        nodes.push_back(cluster.node(name).value_or(model::Node{}));
    }
    return describe_topology(snapshot, nodes, cluster.topology_faults());
}

void add_unreadable(TopologyReport& report, std::span<const std::string> sentences) {
    for (const auto& sentence : sentences) {
        if (std::ranges::find(report.faults, sentence) == report.faults.end())
            report.unreadable.push_back(sentence);
    }
}

std::string to_json(const TopologyReport& report) {
    Json trees = Json::array();
    for (const auto& tree : report.trees) {
        Json levels = Json::array();
        for (std::size_t depth = 0; depth < tree.levels.size(); ++depth) {
            levels.push_back({{"level", tree.levels[depth]},
                              {"aliases", tree.aliases[depth]},
                              {"hostsOutside", tree.outside[depth]}});
        }
        Json domains = Json::array();
        domains.push_back(to_object(tree.cluster, ""));
        for (const auto& domain : tree.domains) {
            domains.push_back(to_object(domain, tree.levels[domain.depth]));
        }
        trees.push_back(
            {{"name", tree.name}, {"kind", tree.kind}, {"levels", std::move(levels)}, {"domains", std::move(domains)}});
    }
    Json document = {{"apiVersion", "echelon.sh/v1alpha1"},
                     {"kind", "TopologyReport"},
                     {"trees", std::move(trees)},
                     {"faults", report.faults}};
    if (!report.unreadable.empty())
        document["unreadable"] = report.unreadable;
    return json_text(document);
}

std::string to_tree(const TopologyReport& report) {
    std::string out;
    for (const auto& tree : report.trees) {
        say_tree(tree, out);
    }
    for (const auto& fault : report.faults) {
        out += fmt::format("fault: {}\n", fault);
    }
    for (const auto& sentence : report.unreadable)
        out += fmt::format("unreadable: {}\n", sentence);
    if (report.faults.empty() && report.unreadable.empty())
        out += "no faults\n";
    return out;
}

}  // namespace echelon::report
