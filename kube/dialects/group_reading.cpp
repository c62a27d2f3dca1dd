#include "kube/dialects/group_reading.hpp"

#include "base/kubernetes_names.hpp"
#include "base/whole_number.hpp"
#include "kube/json/quoted_text.hpp"
#include "model/topology/presets.hpp"

#include <utility>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

std::string not_a_level(std::string_view key, std::string_view level) {
    return fmt::format("the annotation {} is {}, which isn't a label key", key, shown(level));
}

}  // namespace

void read_identity(const Field& object, const Metadata& metadata, model::Group& group) {
    group.uid = metadata.uid;
    group.api_version = object.text("apiVersion");
    group.api_kind = object.text("kind");
    group.generation = metadata.generation;
    group.created = metadata.created;
}

model::Group supplement_to(model::GroupKey key) {
    model::Group group;
    group.key = std::move(key);
    group.only_supplements = true;
    return group;
}

void complain(model::Group& group, std::string sentence) {
    if (group.problem.empty())
        group.problem = std::move(sentence);
}

bool is_part_of_name(std::string_view text) {
    return !text.contains('/') && base::is_label_key(text);
}

bool is_level_key(std::string_view text) {
    return text == model::clique_cluster_level || base::is_label_key(text);
}

std::optional<std::string> level_in(const Field& annotations, std::string_view key, model::Group& group,
                                    bool (*is_key)(std::string_view)) {
    if (!annotations.has(key))
        return std::nullopt;
    std::string level = annotations.text(key);
    if (is_key(level))
        return level;
    complain(group, not_a_level(key, level));
    return std::nullopt;
}

void read_required_level(const Field& annotations, std::string_view key, model::Group& group,
                         bool (*is_key)(std::string_view)) {
    if (std::optional<std::string> level = level_in(annotations, key, group, is_key))
        group.required.push_back(std::move(*level));
}

void read_preferred_level(const Field& annotations, std::string_view key, model::Group& group) {
    if (!annotations.has(key))
        return;
    std::string level = annotations.text(key);
    if (is_level_key(level)) {
        group.preferred.push_back(std::move(level));
    } else {
        group.warnings.push_back(not_a_level(key, level));
    }
}

std::optional<std::int64_t> count_in(std::string_view text, std::int64_t least) {
    const auto value = base::whole_number<std::int32_t>(text);
    return value && *value >= least ? value : std::nullopt;
}

std::optional<std::int64_t> read_count(const Field& texts, std::string_view key, std::int64_t least,
                                       model::Group& group) {
    if (!texts.has(key))
        return std::nullopt;
    const std::string text = texts.text(key);
    const std::optional<std::int64_t> count = count_in(text, least);
    if (!count)
        complain(group, fmt::format("{} is {}, which isn't a number from {} on", key, shown(text), least));
    if (const Bound bound = member_bound(texts.limits()); count && *count > bound.most) {
        complain(group, fmt::format("{}: {}", key, beyond(*count, bound)));
        return std::nullopt;
    }
    return count;
}

void read_timeout(const Field& spec, model::Group& group) {
    const auto seconds = spec.integer("scheduleTimeoutSeconds", least_int32, most_int32);
    if (seconds && *seconds > 0)
        set_timeout(*seconds, "spec.scheduleTimeoutSeconds", spec.limits(), group);
}

void set_timeout(std::int64_t seconds, std::string_view stated_by, const model::Limits& limits, model::Group& group) {
    if (const Bound bound = hold_bound(limits); seconds > bound.most) {
        group.warnings.push_back(
            fmt::format("{}: {}, and is taken for {}", stated_by, beyond(seconds, bound), bound.most));
        seconds = bound.most;
    }
    group.timeout = seconds;
}

}  // namespace echelon::kube
