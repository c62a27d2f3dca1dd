#include "engine/commit/tree_checker.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::engine {

namespace {

using Check = CheckState::Check;

constexpr Time check_retry{50};  // Doubles up to 6.4 s.
constexpr std::uint32_t retry_doublings = 7;

// "namespace/object", perhaps with further parts: groups that are parts of one object begin with its name.
model::ReadGroup read_of(const TreeObject& object, const model::Group& group) {
    const std::string& name = object.key.name;
    const auto slash = name.find('/');
    const auto end = name.find('/', slash + 1);
    return {group.api_version, group.api_kind, name.substr(0, slash), name.substr(slash + 1, end - slash - 1)};
}

std::vector<TreeObject> objects_of(const model::Cluster& cluster, const model::Gang& built) {
    std::vector<TreeObject> objects;
    std::set<std::string_view> seen;
    for (const auto& group : built.groups) {
        const auto* declared = cluster.group(group.key);
        if (declared == nullptr || declared->uid.empty() || declared->api_version.empty())
            continue;
        if (seen.insert(declared->uid).second)
            objects.push_back({group.key, declared->uid, declared->generation});
    }
    return objects;
}

}  // namespace

void TreeChecker::set_objects(GangState& gang, const model::Gang& built) {
    const auto same = [](const TreeObject& a, const TreeObject& b) {
        return a.uid == b.uid && a.generation == b.generation;
    };
    auto objects = objects_of(facts_.cluster, built);
    auto& state = gang.check(Key<TreeChecker>());
    if (std::ranges::equal(state.objects, objects, same))
        return;
    // This change may be what a failed check was waiting for.
    state.objects = std::move(objects);
    state.retry_at = never;
    state.failures = 0;
    reset_check(gang);
}

bool TreeChecker::start_or_confirm_check(GangState& gang) {
    auto& state = gang.check(Key<TreeChecker>());
    if (state.check != Check::needed || state.retry_at != never)
        return state.check == Check::passed;
    state.check = state.objects.empty() ? Check::passed : Check::reading;
    for (const auto& object : state.objects) {
        const auto* group = facts_.cluster.group(object.key);
        if (group == nullptr)
            continue;  // The object has just gone: the gang is about to be planned again, which voids this check.
        const auto id = outbox_.write({WriteTarget::Purpose::check, gang.root(), ""}, read_of(object, *group));
        state.reads.emplace(id, object);
    }
    return state.check == Check::passed;
}

void TreeChecker::reset_check(GangState& gang) {
    auto& state = gang.check(Key<TreeChecker>());
    state.check = Check::needed;
    state.reads.clear();
}

void TreeChecker::allow_retry(GangState& gang) {
    gang.check(Key<TreeChecker>()).retry_at = never;
}

TreeChecker::Answer TreeChecker::on_read(GangState& gang, std::uint64_t write, const model::Outcome& outcome) {
    auto& state = gang.check(Key<TreeChecker>());
    const auto read = state.reads.extract(write);
    if (read.empty())
        return {};
    const auto& object = read.mapped();
    const bool is_same = outcome.kind == model::Outcome::Kind::done && outcome.uid == object.uid;
    // An older generation is an answer that the watch has overtaken.
    if (!is_same || outcome.generation > object.generation)
        return fail(gang, object, outcome);
    if (!state.reads.empty())
        return {};
    state.check = Check::passed;
    state.failures = 0;
    return {Result::passed, ""};
}

TreeChecker::Answer TreeChecker::fail(GangState& gang, const TreeObject& object, const model::Outcome& outcome) {
    using Kind = model::Outcome::Kind;
    auto& state = gang.check(Key<TreeChecker>());
    reset_check(gang);
    const bool is_gone = outcome.kind == Kind::gone || (outcome.kind == Kind::done && outcome.uid != object.uid);
    const bool is_unreadable = !is_gone && outcome.kind != Kind::done;
    if (is_unreadable && state.failures == 0) {
        outbox_.note(Note::Level::warning, gang.root(),
                     fmt::format("nothing is bound before \"{}\" can be read: {}", object.key.name, outcome.sentence));
    }
    state.retry_at = facts_.now + check_retry * (1U << std::min(state.failures++, retry_doublings));
    return {is_gone ? Result::gone : Result::failed, object.key.name};
}

}  // namespace echelon::engine
