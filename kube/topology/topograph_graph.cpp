// How is Topograph's graph JSON read? It has one entry per instance.

#include "kube/json/quoted_text.hpp"
#include "kube/topology/topograph_instances.hpp"

#include <utility>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

// Topograph writes this for nodes of a model without a region.
constexpr std::string_view no_region = "none";

ReportedInstance read_instance(const Field& entry) {
    ReportedInstance instance;
    instance.names = {entry.required_text("id")};
    for (const Field& layer : entry.at("network_layers").items())
        instance.layers.push_back(layer.text());
    if (instance.layers.size() > most_layers) {
        entry.wrong("network_layers",
                    fmt::format("has {} entries, at most {} are allowed", instance.layers.size(), most_layers));
    }
    const Field labels = entry.at("labels");
    instance.attributes = {.region = labels.text("topology.kubernetes.io/region"),
                           .zone = labels.text("topology.kubernetes.io/zone"),
                           .domain = labels.text("accelerator.topograph.run/domain"),
                           .sub_domain = labels.text("accelerator.topograph.run/sub-domain")};
    if (instance.attributes.region == no_region)
        instance.attributes.region.clear();
    return instance;
}

}  // namespace

ReportedInstances read_graph(const Field& document) {
    ReportedInstances out;
    for (const Field& entry : document.at("instances").items(node_bound(document.limits()))) {
        if (!entry.value().is_object()) {
            out.flaws.push_back(
                {.sentence = fmt::format("{}: must be an object, not {}", entry.path(), shown(entry.value()))});
            continue;
        }
        FieldFault own;  // Faults of this entry alone.
        ReportedInstance instance = read_instance(Field(entry.value(), own));
        if (!own.found()) {
            out.instances.push_back(std::move(instance));
            continue;
        }
        ReportedFault& flaw = out.flaws.emplace_back();
        flaw.sentence = fmt::format("{}.{}", entry.path(), own.sentence());
        if (!instance.names.front().empty())
            flaw.names = std::move(instance.names);
    }
    out.drop_duplicates("instances");
    return out;
}

}  // namespace echelon::kube
