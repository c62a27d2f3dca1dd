#pragma once

// How does a test decode an object that is as large as its author likes?

#include "kube/decode.hpp"
#include "model/facts/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <malloc.h>
#include <nlohmann/json.hpp>

namespace echelon::kube::hostile {

using nlohmann::json;

inline json object(const std::string& api_version, const std::string& kind, json spec, json annotations = nullptr) {
    return {{"apiVersion", api_version},
            {"kind", kind},
            {"metadata", {{"name", "g"}, {"namespace", "ns"}, {"uid", "u"}, {"annotations", std::move(annotations)}}},
            {"spec", std::move(spec)}};
}

inline json pod(json annotations, json labels = nullptr, json spec = nullptr) {
    json out = object("v1", "Pod", std::move(spec), std::move(annotations));
    out["metadata"]["labels"] = std::move(labels);
    return out;
}

inline json list(std::int64_t size, const std::function<json(std::int64_t)>& entry) {
    json out = json::array();
    for (std::int64_t index = 0; index < size; ++index)
        out.push_back(entry(index));
    return out;
}

inline json named(std::int64_t size) {
    return list(size, [](std::int64_t index) { return json{{"name", "n" + std::to_string(index)}}; });
}

inline json map(std::int64_t size, const json& value) {
    json out = json::object();
    for (std::int64_t index = 0; index < size; ++index)
        out["k" + std::to_string(index)] = value;
    return out;
}

inline std::string text(std::int64_t size, char letter = 'x') {
    return std::string(static_cast<std::size_t>(size), letter);
}

// "[[[]]]"
inline std::string nest(std::int64_t depth) {
    return text(depth, '[') + text(depth, ']');
}

// What is wrong with an object as a whole, and what is left of it.
struct Outcome {
    std::string complaint;  // Empty: nothing.
    bool is_known = false;  // The model gets an event nevertheless.
    std::size_t bytes = 0;  // Heap that it keeps.
};

inline std::size_t heap_in_use() {
    const auto facts = ::mallinfo2();
    return facts.uordblks + facts.hblkhd;
}

inline std::string complaint_in(const model::Event& event) {
    const auto of_groups = [](const std::vector<model::Group>& groups) {
        for (const model::Group& group : groups) {
            if (!group.problem.empty())
                return group.problem;
        }
        return std::string();
    };
    if (const auto* seen = std::get_if<model::GroupSeen>(&event))
        return seen->group.problem;
    if (const auto* seen = std::get_if<model::GroupSetSeen>(&event))
        return of_groups(seen->set.groups);
    if (const auto* seen = std::get_if<model::PodSeen>(&event))
        return seen->pod.membership ? of_groups(seen->pod.membership->declared.values()) : "";
    if (const auto* seen = std::get_if<model::NodeSeen>(&event))
        return seen->node.faults.empty() ? "" : seen->node.faults.front();
    if (const auto* seen = std::get_if<model::TopologySeen>(&event))
        return seen->topology.problem;
    if (const auto* seen = std::get_if<model::DomainSeen>(&event))
        return seen->domain.problem;
    return {};
}

inline Outcome outcome_of(const json& object, const model::Limits& limits = {}) {
    Outcome out;
    const std::size_t before = heap_in_use();
    auto events = decode(object, Change::seen, {{}, limits});
    std::optional<model::Event> instead;
    if (events) {
        out.is_known = !events->empty();
        for (const model::Event& event : *events) {
            if (out.complaint.empty())
                out.complaint = complaint_in(event);
        }
    } else {
        out.complaint = events.error().sentence;
        instead = event_of_unreadable(object, events.error(), limits);
        out.is_known = instead.has_value();
    }
    const std::size_t after = heap_in_use();
    out.bytes = after > before ? after - before : 0;
    return out;
}

// One part of an object that may grow.
struct Row {
    const char* what;
    std::string kind;  // "Kind.group", as the decoder has it.
    std::function<json(std::int64_t)> object;
    std::int64_t most;      // The object is valid up to this.
    std::int64_t hostile;   // Far beyond it.
    std::string complaint;  // A part of the sentence one beyond the bound.
    model::Limits limits = {};
    std::size_t bytes = std::size_t{24} << 20U;  // Heap that even a hostile object may keep.
};

}  // namespace echelon::kube::hostile
