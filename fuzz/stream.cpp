#include "fuzz/stream.hpp"

#include "fuzz/sentence.hpp"
#include "kube/client/watched_kind.hpp"

#include <utility>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::fuzz {
namespace {

const kube::WatchedKind& kind_of(unsigned char number) {
    return kube::watched_kinds.at(number % kube::watched_kinds.size());
}

}  // namespace

Stream::Stream(unsigned char kind)
    : cluster_(model::Profiles{{"default-scheduler", {}}}),
      state_(
          kind_of(kind), kind_of(kind).versions[0], {}, [] { return 0.5; },
          [this](const kube::Value& object, kube::Change change) { deliver(object.tree(), change); },
          [this](const nlohmann::json& outline, const std::string& fault) { cannot_read(outline, fault); },
          [this](const std::string& sentence) {
              if (broken_.empty())
                  broken_ = sentence_fault(sentence);
          }) {}

const kube::ObjectShape* Stream::shape_of(unsigned char kind) {
    const kube::WatchedKind& watched = kind_of(kind);
    return kube::shape_of(kube::api_version(watched, watched.versions[0]), watched.kind);
}

void Stream::deliver(const nlohmann::json& object, kube::Change change) {
    auto events = kube::decode(object, change);
    if (!events && change == kube::Change::gone) {
        auto identity = object;
        for (const char* key : {"spec", "status"})
            identity.erase(key);
        events = kube::decode(identity, change);
    }
    if (!events)
        return cannot_read(object, events.error().sentence);
    for (const model::Event& event : *events)
        static_cast<void>(cluster_.apply(event));
}

void Stream::cannot_read(const nlohmann::json& object, const std::string& fault) {
    if (broken_.empty())
        broken_ = sentence_fault(fault);
    if (auto event = kube::event_of_unreadable(object, base::Error{fault}))
        static_cast<void>(cluster_.apply(*event));
}

// Lists twice if the list under way had nameless items, since such a list deletes nothing.
void Stream::list_nothing() {
    do {
        state_.list_began(now());
        state_.list_member("metadata", R"({"resourceVersion":"9"})");
        state_.list_ended({.ending = kube::HttpAnswer::Ending::complete, .status = 200}, true, now());
    } while (!state_.has_read_every_name());
}

std::string Stream::remains() const {
    if (!broken_.empty())
        return broken_;
    if (state_.objects() != 0)
        return fmt::format("{} objects are known after an empty list", state_.objects());
    const auto left = cluster_.node_count() + cluster_.pod_count() + cluster_.group_count() + cluster_.roots().size();
    return left == 0 ? ""
                     : fmt::format("{} nodes, {} pods, {} groups, {} gangs are left after an empty list",
                                   cluster_.node_count(), cluster_.pod_count(), cluster_.group_count(),
                                   cluster_.roots().size());
}

}  // namespace echelon::fuzz
