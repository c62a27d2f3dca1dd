#include "kube/topology/topograph.hpp"

#include "kube/json/field.hpp"
#include "kube/json/input_text.hpp"
#include "kube/json/json_documents.hpp"
#include "kube/json/quoted_text.hpp"
#include "kube/json/yaml_documents.hpp"
#include "kube/topology/topograph_instances.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {

namespace {

using Events = std::vector<model::Event>;

constexpr std::size_t most_flaws = 32;  // Further ones share an entry.
constexpr std::string_view region_key = "topology.kubernetes.io/region";
constexpr std::string_view zone_key = "topology.kubernetes.io/zone";
constexpr std::string_view domain_key = "accelerator.topograph.run/domain";
constexpr std::string_view sub_domain_key = "accelerator.topograph.run/sub-domain";

std::string tier_key(std::size_t tier) {
    return fmt::format("fabric.topograph.run/tier-{}", tier);
}

// The name of a switch as one part of a domain's path: "/" is escaped, and "-" means no domain.
std::string path_part(const std::string& name) {
    if (name == "-")
        return {};
    std::string part;
    for (const char c : name) {
        if (c == '/') {
            part += "%2F";
        } else {
            part += c;
        }
    }
    return part;
}

// One level, and the domain of an instance in it.
struct ReportedLevel {
    std::string key;
    std::function<std::string(const ReportedInstance&)> part;
};

ReportedLevel attribute_level(std::string_view key, std::string ReportedAttributes::* attribute) {
    return {std::string(key),
            [attribute](const ReportedInstance& instance) { return path_part(instance.attributes.*attribute); }};
}

bool is_stated(const ReportedInstances& reported, std::string ReportedAttributes::* attribute) {
    return std::ranges::any_of(reported.instances,
                               [&](const ReportedInstance& each) { return !(each.attributes.*attribute).empty(); });
}

// True if all nodes below one widest switch have the same value of the attribute.
bool nests(const ReportedInstances& reported, std::string ReportedAttributes::* attribute) {
    std::map<std::pair<std::size_t, std::string_view>, std::string_view> around;
    return is_stated(reported, attribute) && std::ranges::all_of(reported.instances, [&](const ReportedInstance& each) {
               if (each.layers.empty())
                   return true;
               const std::string_view value = each.attributes.*attribute;
               return around.try_emplace({each.layers.size(), each.layers.back()}, value).first->second == value;
           });
}

std::vector<ReportedLevel> fabric_levels(const ReportedInstances& reported) {
    std::size_t tiers = 0;
    for (const ReportedInstance& each : reported.instances)
        tiers = std::max(tiers, each.layers.size());
    std::vector<ReportedLevel> levels;
    if (tiers == 0)
        return levels;
    if (nests(reported, &ReportedAttributes::region))
        levels.push_back(attribute_level(region_key, &ReportedAttributes::region));
    if (nests(reported, &ReportedAttributes::zone))
        levels.push_back(attribute_level(zone_key, &ReportedAttributes::zone));
    for (std::size_t tier = tiers; tier-- > 0;) {
        levels.push_back({tier_key(tier), [tier](const ReportedInstance& instance) {
                              return tier < instance.layers.size() ? path_part(instance.layers[tier]) : std::string();
                          }});
    }
    return levels;
}

std::vector<ReportedLevel> accelerator_levels(const ReportedInstances& reported) {
    std::vector<ReportedLevel> levels;
    if (is_stated(reported, &ReportedAttributes::domain))
        levels.push_back(attribute_level(domain_key, &ReportedAttributes::domain));
    if (is_stated(reported, &ReportedAttributes::sub_domain))
        levels.push_back(attribute_level(sub_domain_key, &ReportedAttributes::sub_domain));
    return levels;
}

void sort_and_deduplicate(std::vector<std::string>& texts) {
    std::ranges::sort(texts);
    const auto doubles = std::ranges::unique(texts);
    texts.erase(doubles.begin(), doubles.end());
}

std::string in_file(const TopographSource& source, std::string_view sentence) {
    return source.file.empty() ? std::string(sentence) : fmt::format("{}: {}", source.file, sentence);
}

std::vector<model::TopologyFault> flaws_of(const ReportedInstances& reported, const std::vector<ReportedLevel>& fabric,
                                           const std::vector<ReportedLevel>& accelerators,
                                           const TopographSource& source) {
    std::vector<model::TopologyFault> flaws;
    for (const ReportedFault& each : reported.flaws) {
        // Further flaws share the last entry, since each entry costs a look-up among all nodes.
        if (flaws.size() < most_flaws)
            flaws.push_back({.sentence = in_file(source, each.sentence), .levels = {}, .nodes = {}});
        model::TopologyFault& flaw = flaws.back();
        flaw.nodes.insert(flaw.nodes.end(), each.names.begin(), each.names.end());
        // A flaw with a known last tier also names tiers that no other node has.
        const bool has_no_last_tier = each.last_tier >= most_layers;
        const std::size_t last = has_no_last_tier ? fabric.size() : each.last_tier + 1;
        for (std::size_t tier = each.first_tier; tier < std::min(last, most_layers); ++tier)
            flaw.levels.push_back(tier_key(tier));
        for (const ReportedLevel& level : accelerators) {
            if (each.lacks_accelerators)
                flaw.levels.push_back(level.key);
        }
    }
    if (reported.flaws.size() > most_flaws)
        flaws.back().sentence += fmt::format(", and {} more faults", reported.flaws.size() - most_flaws);
    for (model::TopologyFault& flaw : flaws) {
        sort_and_deduplicate(flaw.levels);
        sort_and_deduplicate(flaw.nodes);
    }
    return flaws;
}

std::string accelerators_of(const TopographSource& source) {
    return source.name + "/accelerators";
}

model::Topology empty_topology(const TopographSource& source, std::string name) {
    model::Topology topology;
    topology.name = std::move(name);
    topology.source = source.source;
    topology.api_kind = topograph_kind;
    topology.precedence = UINT8_MAX - 1;  // Only HyperNodes have a larger number.
    return topology;
}

model::Topology topology_of(const ReportedInstances& reported, const std::vector<ReportedLevel>& levels,
                            const TopographSource& source, std::string name) {
    model::Topology topology = empty_topology(source, std::move(name));
    for (const ReportedLevel& level : levels)
        topology.levels.push_back(level.key);
    for (const ReportedInstance& each : reported.instances) {
        std::vector<std::string> row;
        row.reserve(levels.size());
        for (const ReportedLevel& level : levels)
            row.push_back(level.part(each));
        for (const std::string& called : each.names)
            topology.places.try_emplace(called, row);
    }
    return topology;
}

model::Event gone(const TopographSource& source, std::string name) {
    return model::TopologyGone{source.source, std::string(topograph_kind), std::move(name)};
}

}  // namespace

bool is_topograph(const Value& document) {
    if (!document.is_object() || document.has("kind") || document.has("apiVersion"))
        return false;
    return document.has("instances") || document.has("blocks") || document.has("switches");
}

std::string topology_name_of(std::string_view file) {
    const auto name = file.substr(file.rfind('/') + 1);
    const auto dot = name.rfind('.');
    return std::string(dot == 0 ? name : name.substr(0, dot));
}

base::Result<Events> read_topograph(const Value& document, const TopographSource& source) {
    FieldFault fault(source.limits);
    const Field root(document, fault);
    if (!document.is_object())
        return base::failure(in_file(source, fmt::format("must be an object, not {}", shown(document))));
    ReportedInstances reported = document.has("instances") ? read_graph(root) : read_model(root);
    if (fault.found())
        return base::failure(in_file(source, fault.sentence()));
    const auto fabric = fabric_levels(reported);
    const auto accelerators = accelerator_levels(reported);
    if (fabric.empty() && accelerators.empty()) {
        if (!reported.flaws.empty())
            return base::failure(in_file(source, reported.flaws.front().sentence));
        return base::failure(
            in_file(source, reported.instances.empty() ? "lists no node" : "has no switch and no accelerator domain"));
    }
    auto flaws = flaws_of(reported, fabric, accelerators, source);
    Events events;
    const auto add_topology = [&](const std::vector<ReportedLevel>& levels, std::string name) {
        if (levels.empty()) {
            events.push_back(gone(source, std::move(name)));
            return;
        }
        auto topology = topology_of(reported, levels, source, std::move(name));
        topology.flaws = std::exchange(flaws, {});  // On the first topology only.
        events.emplace_back(model::TopologySeen{std::move(topology)});
    };
    add_topology(fabric, source.name);
    add_topology(accelerators, accelerators_of(source));
    return events;
}

base::Result<Events> read_topograph_text(std::string_view text, const TopographSource& source) {
    std::optional<base::Result<Events>> found;
    const auto take = [&](const Value& document) -> base::Result<void> {
        if (found)
            return base::failure("there is a second document");
        found = read_topograph(document, source);
        return {};
    };
    const InputText input(text);
    if (looks_like_json(input.text())) {
        const ReadObject read = [&](const Value& document, const std::string&) -> KeepObject {
            return [taken = take(document)] { return taken; };
        };
        const auto length = read_json_document(input.text(), 1, read);
        if (!length)
            return base::failure(in_file(source, length.error().sentence));
        constexpr std::string_view white_space = " \t\r\n";
        if (input.text().find_first_not_of(white_space, *length) != std::string_view::npos)
            return base::failure(in_file(source, "something follows the document"));
    } else {
        const TakeDocument take_document = [&](const nlohmann::json& document, std::size_t) {
            return document.is_null() ? base::Result<void>() : take(document);
        };
        if (const auto taken = read_yaml_documents(input.text(), 1, 0, take_document); !taken)
            return base::failure(in_file(source, taken.error().sentence));
    }
    return found ? std::move(*found) : base::failure(in_file(source, "is empty"));
}

Events faulty_topograph(const TopographSource& source, const base::Error& fault) {
    model::Topology topology = empty_topology(source, source.name);
    topology.problem = fault.sentence;
    Events events;
    events.emplace_back(model::TopologySeen{std::move(topology)});
    events.push_back(gone(source, accelerators_of(source)));
    return events;
}

Events topograph_gone(const TopographSource& source) {
    Events events;
    events.push_back(gone(source, source.name));
    events.push_back(gone(source, accelerators_of(source)));
    return events;
}

}  // namespace echelon::kube
