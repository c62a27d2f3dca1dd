#pragma once

// Do two clusters give the same answers? Compared as text, so that a difference can be read.

#include "model/cluster/cluster.hpp"

#include <algorithm>
#include <string>

namespace echelon::model::facts {

inline void write(std::string& out, const std::string& text) {
    out.append(text).append(" ");
}

template <typename Rows>
void write_rows(std::string& out, const char* title, const Rows& rows) {
    out.append(title).append(":");
    for (const auto& row : rows) {
        for (const auto value : row) {
            write(out, std::to_string(value));
        }
        out.append("|");
    }
    out.append("\n");
}

inline std::string written(const Snapshot& snapshot) {
    std::string out;
    for (const auto& name : snapshot.node_names)
        write(out, name);
    for (const auto usable : snapshot.usable)
        write(out, std::to_string(usable));
    for (const auto& name : snapshot.node_names)
        write(out, std::to_string(snapshot.node(name).value()));
    write(out, std::to_string(snapshot.rows.size()));
    for (const auto& resource : snapshot.resources)
        write(out, resource);
    write_rows(out, "\nroom", snapshot.room);
    write_rows(out, "capacity", snapshot.capacity);
    write_rows(out, "need", snapshot.need);
    write_rows(out, "eligible", snapshot.eligible);
    for (const auto& [node, zoned] : snapshot.zoned) {
        write(out, "zones of " + std::to_string(node));
        for (const auto& zone : zoned.zones->zones) {
            for (const auto& [resource, amount] : zone.available.entries())
                write(out, resource + "=" + std::to_string(amount));
        }
        for (const auto& [parts, pods] : zoned.unreported)
            write(out, std::to_string(parts.size()) + "*" + std::to_string(pods));
    }
    for (const auto& part : snapshot.left_out) {
        write(out, part.sentence);
        write_rows(out, "tiers", std::vector<std::vector<std::int64_t>>{part.tiers});
        write_rows(out, "nodes", std::vector<std::vector<NodeId>>{part.nodes});
    }
    for (const auto& tree : snapshot.trees) {
        write(out, tree.name);
        for (const auto& key : tree.keys)
            write(out, key);
        write_rows(out, "order", std::vector<std::vector<NodeId>>{tree.order});
        write_rows(out, "domain_of", tree.domain_of);
        for (std::size_t depth = 0; depth < tree.domains.size(); ++depth) {
            for (std::uint32_t index = 0; index < tree.domains[depth].size(); ++index) {
                const auto& domain = tree.domains[depth][index];
                write(out, tree.path_of(depth, index) + "[" + std::to_string(domain.first) + "," +
                               std::to_string(domain.last) + "," + std::to_string(domain.parent) + ")");
            }
        }
        out.append("\n");
    }
    return out;
}

inline std::string written(const Gang& gang) {
    std::string out = gang.root.kind + " " + gang.root.name + " " + std::to_string(gang.priority) + " " +
                      std::to_string(gang.created) + "\n";
    for (const auto& group : gang.groups) {
        out += "  " + group.key.name + " " + std::to_string(group.parent) + " " + std::to_string(group.minimum) + " " +
               std::to_string(group.first_member) + ".." + std::to_string(group.last_member) + " ";
        for (const auto& level : group.required)
            write(out, "r" + std::to_string(level.tree) + "." + std::to_string(level.depth));
        for (const auto& level : group.preferred)
            write(out, "p" + std::to_string(level.tree) + "." + std::to_string(level.depth));
        out += "\n";
    }
    for (const auto& member : gang.members) {
        out += "  " + member.uid + " " + std::to_string(member.pod_class) + " " +
               std::to_string(static_cast<int>(member.state)) + " " + std::to_string(member.node) + "\n";
    }
    if (gang.problem)
        out += "  " + std::string(to_string(gang.problem->reason)) + " " + gang.problem->sentence + "\n";
    for (const auto& warning : gang.warnings)
        out += "  " + warning + "\n";
    return out;
}

inline std::string written(const Cluster& cluster) {
    const auto snapshot = cluster.snapshot();
    auto out = written(snapshot) + std::to_string(cluster.node_count()) + " nodes, " +
               std::to_string(cluster.pod_count()) + " pods, " + std::to_string(cluster.group_count()) + " groups\n";
    for (const auto& root : cluster.roots()) {
        out += written(cluster.gang(root, snapshot));
        auto members = cluster.members_of(root);
        std::ranges::sort(members, {}, [](const Pod* pod) { return pod->uid; });
        for (const auto* pod : members)
            write(out, pod->uid);
        out += "\n";
    }
    return out;
}

}  // namespace echelon::model::facts
