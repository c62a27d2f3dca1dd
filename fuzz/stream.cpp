#include "fuzz/stream.hpp"

#include "fuzz/sentence.hpp"
#include "kube/watched_kind.hpp"

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
      reflector_(
          kind_of(kind), kind_of(kind).versions[0], {}, [] { return 0.5; },
          [this](const nlohmann::json& object, kube::Change change) { deliver(object, change); },
          [this](const std::string& sentence) {
              if (broken_.empty())
                  broken_ = sentence_fault(sentence);
          }) {}

void Stream::deliver(const nlohmann::json& object, kube::Change change) {
    auto events = kube::decode(object, change);
    if (!events) {
        if (broken_.empty())
            broken_ = sentence_fault(events.error().sentence);
        if (auto event = kube::stand_in(object, events.error()); event && change == kube::Change::seen)
            static_cast<void>(cluster_.apply(*event));
        return;
    }
    for (const model::Event& event : *events)
        static_cast<void>(cluster_.apply(event));
}

void Stream::list_nothing() {
    reflector_.list_began(now());
    reflector_.list_member("metadata", R"({"resourceVersion":"9"})");
    reflector_.list_ended({.ending = kube::HttpAnswer::Ending::complete, .status = 200}, true, now());
}

std::string Stream::remains() const {
    if (!broken_.empty())
        return broken_;
    if (reflector_.objects() != 0)
        return fmt::format("{} objects are known after an empty list", reflector_.objects());
    const auto left = cluster_.node_count() + cluster_.pod_count() + cluster_.group_count() + cluster_.roots().size();
    return left == 0 ? ""
                     : fmt::format("{} nodes, {} pods, {} groups, {} gangs are left after an empty list",
                                   cluster_.node_count(), cluster_.pod_count(), cluster_.group_count(),
                                   cluster_.roots().size());
}

}  // namespace echelon::fuzz
