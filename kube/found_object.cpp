#include "kube/found_object.hpp"

#include "base/split.hpp"
#include "kube/decode.hpp"
#include "kube/json/compact_text.hpp"
#include "kube/json/json_documents.hpp"
#include "kube/json/list_outline.hpp"
#include "kube/json/quoted_text.hpp"
#include "kube/topology/topograph.hpp"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {

namespace {

using nlohmann::json;

ManifestObject fault_at(const std::string& place, std::string_view what) {
    ManifestObject found;
    found.place = place;
    found.fault = base::Error{fmt::format("{}: {}", place, what)};
    return found;
}

// The model doesn't need this kind, but translations do.
bool is_known_to_translators(const std::string& kind, const std::string& group) {
    return kind == "PodCliqueSet" && group == "grove.io";
}

ManifestObject named_object(const Value& object, const std::string& kind, const std::string& group,
                            const std::string& place) {
    ManifestObject found;
    const Value metadata = object.find("metadata");
    std::string_view ns = metadata.text_of("namespace");
    found.place = place;
    found.name = metadata.text_of("name");
    found.title = ns.empty() ? fmt::format("{} {}", kind, found.name) : fmt::format("{} {}/{}", kind, ns, found.name);
    if (ns.empty())
        ns = "default";
    found.identity = fmt::format("{}.{} {}/{}", kind, group, ns, found.name);
    found.uid = metadata.text_of("uid");
    found.version = base::split_at_slash(object.text_of("apiVersion")).behind;
    return found;
}

// Requires: a kind that is known.
ManifestObject read_object(const Value& object, const std::string& kind, const std::string& group,
                           const std::string& place, const Reading& reading) {
    base::Result<std::vector<model::Event>> events = decode(object, Change::seen, reading);
    if (!events) {
        std::optional<model::Event> excessive = event_of_excess(object, events.error(), reading);
        if (!excessive)
            return fault_at(place, events.error().sentence);
        events.emplace().push_back(*std::move(excessive));
    }
    ManifestObject found = named_object(object, kind, group, place);
    found.events = std::move(*events);
    if (kind == "Pod") {
        const Value spec = object.find("spec");
        const auto name = std::string(spec.text_of("priorityClassName"));
        found.has_priority = spec.is_object() && !spec.find("priority").is_null();
        if (!found.has_priority || (!name.empty() && spec.find("preemptionPolicy").is_null()))
            found.priority_class = name;
    }
    return found;
}

ManifestObject read_topograph_object(const Value& object, const std::string& source, const std::string& place,
                                     const model::Limits& limits) {
    ManifestObject found;
    found.place = place;
    found.name = topology_name_of(source);
    found.title = "topology " + found.name;
    found.identity = std::string(topograph_kind) + " " + found.name;
    auto events =
        read_topograph(object, {.name = found.name, .source = model::TopologySource::object, .limits = limits});
    if (!events)
        return fault_at(place, events.error().sentence);
    found.events = std::move(*events);
    return found;
}

// Documents are at most 64 deep, and so is this recursion.
void find_nested(const Value& list, const std::string& source, const std::string& place,
                 std::vector<ManifestObject>& found, bool keeps_text, const Reading& reading) {
    const Value items = list.find("items");
    if (items.is_null())
        return;
    if (!items.is_list()) {
        found.push_back(fault_at(place, fmt::format("items: must be a list, not {}", shown(items))));
        return;
    }
    std::size_t index = 0;
    for (const Value& item : items.items()) {
        json whole = item.tree();
        complete_item(whole, list.text_of("apiVersion"), list.text_of("kind"));
        find_objects(whole, source, fmt::format("{}, items[{}]", place, index++), found, keeps_text, reading);
        if (!found.empty() && found.back().fault)
            return;
    }
}

}  // namespace

void find_objects(const Value& object, const std::string& source, const std::string& place,
                  std::vector<ManifestObject>& found, bool keeps_text, const Reading& reading) {
    if (is_topograph(object)) {
        found.push_back(read_topograph_object(object, source, place, reading.limits));
        return;
    }
    if (!object.is_object()) {
        found.push_back(fault_at(place, fmt::format("must be an object, not {}", shown(object))));
        return;
    }
    for (const char* key : {"apiVersion", "kind"}) {
        const Value value = object.find(key);
        if (value.is_text() && !value.text().empty())
            continue;
        const bool is_missing = value.is_null() || value.is_text();
        found.push_back(fault_at(place, is_missing ? fmt::format("{} is missing", key)
                                                   : fmt::format("{}: must be a string, not {}", key, shown(value))));
        return;
    }
    const std::string kind(object.text_of("kind"));
    const std::string_view api_version = object.text_of("apiVersion");
    const std::string group(base::split_at_slash(api_version).before);
    if (is_known_kind(api_version, kind)) {
        found.push_back(read_object(object, kind, group, place, reading));
        if (keeps_text && !found.back().fault)
            found.back().text = compact_text(object.tree());
    } else if (keeps_text && is_known_to_translators(kind, group)) {
        found.push_back(named_object(object, kind, group, place));
        found.back().text = compact_text(object.tree());
    } else if (kind == "List" || (is_list_kind(kind) && object.has("items"))) {
        find_nested(object, source, place, found, keeps_text, reading);
    } else {
        found.emplace_back().skipped_kind = shown_bare(group.empty() ? kind : kind + "." + group);
    }
}

}  // namespace echelon::kube
