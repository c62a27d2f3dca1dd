#include "kube/write/gangplan.hpp"

#include "base/shortened.hpp"
#include "base/split.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <ranges>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {

namespace {

using base::failure;
using base::Result;
using model::Phase;
using model::PlanRecord;
using nlohmann::json;

constexpr std::size_t longest_text = 131'072;
constexpr const char* scheduler_names_key = "echelon.sh/scheduler-names";  // An annotation; commas between the names.
constexpr std::array phases = {Phase::pending,   Phase::clearing, Phase::held,
                               Phase::committed, Phase::bound,    Phase::degraded};

json identity(const PlanRecord& record) {
    return {{"apiVersion", gangplan_api_version},
            {"kind", "GangPlan"},
            {"metadata", {{"name", record.name}, {"namespace", record.ns}}}};
}

// Reads fields of one object, and keeps the first fault. A wrong field reads as empty.
class FieldReader {
public:
    explicit FieldReader(std::string whose) : whose_(std::move(whose)) {}

    [[nodiscard]] const std::string& complaint() const { return complaint_; }

    const json* find(const json& parent, const char* key) const {
        const auto found = parent.find(key);
        return found == parent.end() || found->is_null() ? nullptr : &*found;
    }
    const json* object(const json& parent, const std::string& path, const char* key) {
        const json* value = find(parent, key);
        return value == nullptr || value->is_object() ? value : complain(path, key, "an object");
    }
    const json* list(const json& parent, const std::string& path, const char* key) {
        const json* value = find(parent, key);
        return value == nullptr || value->is_array() ? value : complain(path, key, "a list");
    }
    std::string text(const json& parent, const std::string& path, const char* key) {
        const json* value = find(parent, key);
        if (value == nullptr)
            return {};
        if (!value->is_string()) {
            complain(path, key, "a string");
            return {};
        }
        const auto& text = value->get_ref<const std::string&>();
        return std::string(base::beginning(text, longest_text));  // echelon never writes more.
    }
    std::int64_t count(const json& parent, const std::string& path, const char* key) {
        const json* value = find(parent, key);
        if (value == nullptr)
            return 0;
        if (!is_number(*value) || value->get<std::int64_t>() < 0) {
            complain(path, key, "a whole number from 0");
            return 0;
        }
        return value->get<std::int64_t>();
    }
    std::int64_t number(const json& parent, const std::string& path, const char* key) {
        const json* value = find(parent, key);
        if (value == nullptr)
            return 0;
        if (!is_number(*value)) {
            complain(path, key, "a whole number");
            return 0;
        }
        return value->get<std::int64_t>();
    }
    bool flag(const json& parent, const std::string& path, const char* key) {
        const json* value = find(parent, key);
        if (value == nullptr)
            return false;
        if (!value->is_boolean()) {
            complain(path, key, "true or false");
            return false;
        }
        return value->get<bool>();
    }
    // Elements of a list must be objects.
    bool is_object(const json& element, const std::string& path) {
        if (!element.is_object())
            complain(path, "", "an object");
        return element.is_object();
    }
    const json* complain(const std::string& path, const char* key, std::string_view wanted) {
        if (complaint_.empty()) {
            const std::string_view dot = *key == '\0' || path.empty() ? "" : ".";
            complaint_ = fmt::format("{}: {}{}{} must be {}", whose_, path, dot, key, wanted);
        }
        return nullptr;
    }

private:
    static bool is_number(const json& value) {
        return value.is_number_integer() &&
               (!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t{INT64_MAX});
    }

    std::string whose_;
    std::string complaint_;
};

void read_owner(FieldReader& reader, const json& metadata, PlanRecord& record) {
    const json* owners = reader.list(metadata, "metadata", "ownerReferences");
    if (owners == nullptr || owners->empty() || !reader.is_object(owners->front(), "metadata.ownerReferences[0]"))
        return;
    const std::string path = "metadata.ownerReferences[0]";
    record.owner_api_version = reader.text(owners->front(), path, "apiVersion");
    record.owner_kind = reader.text(owners->front(), path, "kind");
    record.owner_uid = reader.text(owners->front(), path, "uid");
}

void read_scheduler_names(FieldReader& reader, const json& metadata, PlanRecord& record) {
    const json* annotations = reader.object(metadata, "metadata", "annotations");
    if (annotations == nullptr)
        return;
    const std::string names = reader.text(*annotations, "metadata.annotations", scheduler_names_key);
    for (const auto part : names | std::views::split(',')) {
        if (!part.empty())
            record.scheduler_names.emplace_back(std::string_view(part.begin(), part.end()));
    }
}

void read_root(FieldReader& reader, const json& object, PlanRecord& record) {
    const json* spec = reader.object(object, "", "spec");
    const json* root = spec == nullptr ? nullptr : reader.object(*spec, "spec", "root");
    if (root == nullptr) {
        reader.complain("spec", "root", "an object");
        return;
    }
    record.root.kind = reader.text(*root, "spec.root", "kind");
    const std::string name = reader.text(*root, "spec.root", "name");
    if (record.root.kind.empty())
        reader.complain("spec.root", "kind", "set");
    if (name.empty())
        reader.complain("spec.root", "name", "set");
    record.root.name = record.ns + "/" + name;
}

void read_seats(FieldReader& reader, const json& status, const model::Limits& limits, PlanRecord& record) {
    const json* seats = reader.list(status, "status", "seats");
    if (seats != nullptr && std::cmp_greater(seats->size(), limits.members)) {
        reader.complain("status", "seats", fmt::format("a list of at most {} seats (limits.members)", limits.members));
        return;
    }
    for (std::size_t i = 0; seats != nullptr && i < seats->size(); ++i) {
        const json& seat = (*seats)[i];
        const std::string path = fmt::format("status.seats[{}]", i);
        if (!reader.is_object(seat, path))
            return;
        record.seats.push_back({.pod = reader.text(seat, path, "pod"),
                                .uid = reader.text(seat, path, "uid"),
                                .node = reader.text(seat, path, "node"),
                                .bound = reader.flag(seat, path, "bound"),
                                .ran_before = reader.flag(seat, path, "ranBefore")});
    }
}

void read_groups(FieldReader& reader, const json& status, const model::Limits& limits, PlanRecord& record) {
    const json* groups = reader.list(status, "status", "groups");
    if (groups != nullptr && std::cmp_greater(groups->size(), limits.groups)) {
        reader.complain("status", "groups", fmt::format("a list of at most {} groups (limits.groups)", limits.groups));
        return;
    }
    for (std::size_t i = 0; groups != nullptr && i < groups->size(); ++i) {
        const json& group = (*groups)[i];
        const std::string path = fmt::format("status.groups[{}]", i);
        if (!reader.is_object(group, path))
            return;
        record.groups.push_back({.group = reader.text(group, path, "group"),
                                 .placed = reader.count(group, path, "placed"),
                                 .minimum = reader.count(group, path, "minimum"),
                                 .domain = reader.text(group, path, "domain")});
    }
}

void read_victims(FieldReader& reader, const json& status, const model::Limits& limits, PlanRecord& record) {
    const json* victims = reader.list(status, "status", "victims");
    if (victims != nullptr && std::cmp_greater(victims->size(), limits.members)) {
        reader.complain("status", "victims", fmt::format("a list of at most {} pods (limits.members)", limits.members));
        return;
    }
    for (std::size_t i = 0; victims != nullptr && i < victims->size(); ++i) {
        const json& victim = (*victims)[i];
        const std::string path = fmt::format("status.victims[{}]", i);
        if (!reader.is_object(victim, path))
            return;
        record.victims.push_back({.pod = reader.text(victim, path, "pod"),
                                  .uid = reader.text(victim, path, "uid"),
                                  .node = reader.text(victim, path, "node"),
                                  .gang = reader.text(victim, path, "gang"),
                                  .priority = reader.number(victim, path, "priority")});
    }
}

void read_status(FieldReader& reader, const json& object, const model::Limits& limits, PlanRecord& record) {
    const json* status = reader.object(object, "", "status");
    if (status == nullptr)
        return;
    const std::string phase = reader.text(*status, "status", "phase");
    const auto known = std::ranges::find_if(phases, [&](Phase each) { return to_string(each) == phase; });
    if (known != phases.end()) {
        record.phase = *known;
    } else if (!phase.empty()) {
        reader.complain("status", "phase", "Pending, Clearing, Held, Committed, Bound or Degraded");
    }
    record.reason = reader.text(*status, "status", "reason");
    record.message = reader.text(*status, "status", "message");
    record.epoch = reader.count(*status, "status", "epoch");
    record.holder = reader.text(*status, "status", "holder");
    record.observed_generation = reader.count(*status, "status", "observedGeneration");
    read_seats(reader, *status, limits, record);
    read_groups(reader, *status, limits, record);
    read_victims(reader, *status, limits, record);
}

json victims_of(const PlanRecord& record) {
    json victims = json::array();
    for (const model::RecordedVictim& victim : record.victims) {
        victims.push_back({{"pod", victim.pod},
                           {"uid", victim.uid},
                           {"node", victim.node},
                           {"gang", victim.gang},
                           {"priority", victim.priority}});
    }
    return victims;
}

json conditions(const PlanRecord& record, std::string_view since) {
    // The reason of a condition must not be empty. A placed gang has no reason, so its phase is used.
    const std::string reason = record.reason.empty() ? std::string(to_string(record.phase)) : record.reason;
    return json::array({{{"type", "Placed"},
                         {"status", placed_status(record)},
                         {"reason", reason},
                         {"message", record.message},
                         {"lastTransitionTime", since},
                         {"observedGeneration", record.observed_generation}}});
}

}  // namespace

std::string_view placed_status(const PlanRecord& record) {
    switch (record.phase) {
        case Phase::held:
        case Phase::committed:
        case Phase::bound:
            return "True";
        case Phase::pending:
        case Phase::clearing:
        case Phase::degraded:
            return "False";
    }
    return "False";
}

json gangplan_object(const PlanRecord& record) {
    json object = identity(record);
    if (!record.owner_uid.empty()) {
        object["metadata"]["ownerReferences"] = json::array({{{"apiVersion", record.owner_api_version},
                                                              {"kind", record.owner_kind},
                                                              {"name", base::split_at_slash(record.root.name).behind},
                                                              {"uid", record.owner_uid}}});
    }
    if (!record.scheduler_names.empty()) {
        object["metadata"]["annotations"] = {
            {scheduler_names_key, fmt::format("{}", fmt::join(record.scheduler_names, ","))}};
    }
    object["spec"] = {{"root", {{"kind", record.root.kind}, {"name", base::split_at_slash(record.root.name).behind}}}};
    return object;
}

json gangplan_status(const PlanRecord& record, std::string_view since) {
    json seats = json::array();
    for (const model::RecordedSeat& seat : record.seats) {
        seats.push_back({{"pod", seat.pod}, {"uid", seat.uid}, {"node", seat.node}, {"bound", seat.bound}});
        if (seat.ran_before)
            seats.back()["ranBefore"] = true;
    }
    json groups = json::array();
    for (const model::RecordedGroup& group : record.groups) {
        groups.push_back(
            {{"group", group.group}, {"placed", group.placed}, {"minimum", group.minimum}, {"domain", group.domain}});
    }
    const auto bound = std::ranges::count_if(record.seats, &model::RecordedSeat::bound);
    json object = identity(record);
    object["status"] = {{"phase", to_string(record.phase)},
                        {"reason", record.reason},
                        {"message", record.message},
                        {"epoch", record.epoch},
                        {"observedGeneration", record.observed_generation},
                        {"seats", std::move(seats)},
                        {"groups", std::move(groups)},
                        {"bound", fmt::format("{}/{}", bound, record.seats.size())},
                        {"conditions", conditions(record, since)}};
    if (!record.holder.empty())
        object["status"]["holder"] = record.holder;
    if (!record.victims.empty()) {
        object["status"]["victims"] = victims_of(record);
        object["status"]["victimCount"] = record.victims.size();
    }
    return object;
}

std::optional<PlacedCondition> placed_condition(const json& object) {
    if (!object.is_object())
        return std::nullopt;
    FieldReader reader("GangPlan");
    const json* status = reader.object(object, "", "status");
    const json* list = status == nullptr ? nullptr : reader.list(*status, "status", "conditions");
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        const json& each = (*list)[i];
        if (!each.is_object() || reader.text(each, "", "type") != "Placed")
            continue;
        PlacedCondition found{.status = reader.text(each, "", "status"),
                              .since = reader.text(each, "", "lastTransitionTime")};
        if (!found.status.empty() && !found.since.empty())
            return found;
    }
    return std::nullopt;
}

Result<PlanRecord> decode_gangplan(const json& object, const model::Limits& limits) {
    if (!object.is_object())
        return failure("GangPlan: must be an object");
    FieldReader unnamed("GangPlan");
    PlanRecord record;
    const json* metadata = unnamed.object(object, "", "metadata");
    if (metadata != nullptr) {
        record.name = unnamed.text(*metadata, "metadata", "name");
        record.ns = unnamed.text(*metadata, "metadata", "namespace");
    }
    if (!unnamed.complaint().empty())
        return failure(unnamed.complaint());
    if (record.name.empty() || record.ns.empty())
        return failure("GangPlan: metadata.name and metadata.namespace must be set");
    FieldReader reader(fmt::format("GangPlan {}/{}", record.ns, record.name));
    read_owner(reader, *metadata, record);
    read_scheduler_names(reader, *metadata, record);
    read_root(reader, object, record);
    read_status(reader, object, limits, record);
    if (!reader.complaint().empty())
        return failure(reader.complaint());
    return record;
}

}  // namespace echelon::kube
