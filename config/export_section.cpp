#include "config/export_section.hpp"

#include "base/kubernetes_names.hpp"
#include "config/scalars.hpp"

#include <cstddef>
#include <string_view>

#include <fmt/format.h>

namespace echelon::config {

namespace {

constexpr std::string_view of_koordinator = "ClusterNetworkTopology";
constexpr std::string_view name_of_koordinator = "default";  // It reads no other.

constexpr std::size_t longest_label_value = 63;  // The name labels the object, too.

}  // namespace

bool exports_alone(const Settings& settings) {
    return settings.profiles.empty() && settings.topology_export.has_value();
}

void read_export(const Value& value, Settings& out, Faults& faults) {
    Section section(value, "export", {"kind", "name", "from"}, faults);
    TopologyExport& wanted = out.topology_export.emplace();
    if (section.require("kind") != nullptr)
        section.read_word("kind", {"HyperNode", "KueueTopology", "ClusterNetworkTopology", "KaiTopology"}, wanted.kind);
    const Value::Entry* name = section.require("name");
    section.read_text(name, wanted.name);
    section.read_text(section.find("from"), wanted.from);
    if (name == nullptr || wanted.name.empty())
        return;
    if (!base::is_dns_subdomain(wanted.name) || wanted.name.size() > longest_label_value) {
        section.complain(*name, "must be lower case letters, digits, \"-\" and \".\", at most 63");
    } else if (wanted.kind == of_koordinator && wanted.name != name_of_koordinator) {
        section.complain(*name, fmt::format("must be {}: Koordinator reads no other", name_of_koordinator));
    }
}

}  // namespace echelon::config
