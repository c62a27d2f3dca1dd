// Graph JSON: one entry for each instance.

#include "kube/json/quoted_text.hpp"
#include "kube/topology/topograph_instances.hpp"

#include <utility>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

// Topograph says so of a model's nodes that are in no region.
constexpr std::string_view no_region = "none";

ReportedInstance read_instance(const Field& entry) {
    ReportedInstance told;
    told.names = {entry.required_text("id")};
    for (const Field& layer : entry.at("network_layers").items())
        told.layers.push_back(layer.text());
    if (told.layers.size() > most_layers) {
        entry.wrong("network_layers",
                    fmt::format("has {} entries, at most {} are allowed", told.layers.size(), most_layers));
    }
    const Field labels = entry.at("labels");
    told.attributes = {.region = labels.text("topology.kubernetes.io/region"),
                       .zone = labels.text("topology.kubernetes.io/zone"),
                       .domain = labels.text("accelerator.topograph.run/domain"),
                       .sub_domain = labels.text("accelerator.topograph.run/sub-domain")};
    if (told.attributes.region == no_region)
        told.attributes.region.clear();
    return told;
}

}  // namespace

ReportedInstances read_graph(const Field& document) {
    ReportedInstances out;
    for (const Field& entry : document.at("instances").items(node_bound(document.limits()))) {
        if (out.instances.size() == most_told_nodes) {
            entry.wrong(fmt::format("is one too many, at most {} are read", most_told_nodes));
            break;
        }
        if (!entry.value().is_object()) {
            out.flaws.push_back(
                {.sentence = fmt::format("{}: must be an object, not {}", entry.path(), shown(entry.value()))});
            continue;
        }
        FieldFault own;  // Of this one alone.
        ReportedInstance told = read_instance(Field(entry.value(), own));
        if (!own.found()) {
            out.instances.push_back(std::move(told));
            continue;
        }
        ReportedFault& flaw = out.flaws.emplace_back();
        flaw.sentence = fmt::format("{}.{}", entry.path(), own.sentence());
        if (!told.names.front().empty())
            flaw.names = std::move(told.names);
    }
    out.drop_duplicates("instances");
    return out;
}

}  // namespace echelon::kube
