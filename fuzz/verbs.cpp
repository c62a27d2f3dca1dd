#include "server/extender/verbs.hpp"

#include "fuzz/sentence.hpp"
#include "fuzz/targets.hpp"
#include "kube/decode.hpp"
#include "server/extender/extender_args.hpp"
#include "server/http/request.hpp"

#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::fuzz {
namespace {

using nlohmann::json;

// A body with the padding of a connection's buffer, and unreadable memory behind it.
class Body {
public:
    explicit Body(std::string_view bytes)
        : size_(bytes.size()), bytes_(std::make_unique<char[]>(size_ + server::body_padding)) {
        std::memcpy(bytes_.get(), bytes.data(), size_);
    }
    [[nodiscard]] std::string_view view() const { return {bytes_.get(), size_}; }

private:
    std::size_t size_;
    std::unique_ptr<char[]> bytes_;
};

// Pods "u1" and "u2" are known: one has a seat on n1, the other none.
std::shared_ptr<const engine::PublishedState> published() {
    auto made = std::make_shared<engine::PublishedState>();
    using Kind = engine::Verdict::Kind;
    made->verdicts.put("u1", {.kind = Kind::pinned, .node = "n1", .text = {}, .gang = "default/train"});
    made->verdicts.put("u2", {.kind = Kind::refused, .node = {}, .text = "echelon: no room", .gang = "default/train"});
    return made;
}

server::Backend backend() {
    server::Backend backend;
    backend.published = [shown = published()] { return shown; };
    backend.push_input = [](const engine::Input&) {};
    backend.is_ours = [](std::string_view name) { return name == "ours"; };
    backend.named_gang = [](std::string_view pod) { return kube::named_gang(pod); };
    return backend;
}

// Every string in the body, also under repeated keys; empty if the body isn't valid JSON.
std::set<std::string> strings_of(std::string_view body) {
    std::set<std::string> strings;
    const auto collect = [&strings](int depth, json::parse_event_t event, json& value) {
        if ((event == json::parse_event_t::key || event == json::parse_event_t::value) && value.is_string())
            strings.insert(value.get<std::string>());
        return depth <= 64;
    };
    return json::parse(body, collect, false).is_discarded() ? std::set<std::string>{} : strings;
}

struct Said {
    json answer;
    std::string broken;
};

Said said(const server::VerbAnswer& spoken) {
    Said result{json::parse(spoken.body, nullptr, false), {}};
    if (result.answer.is_discarded())
        result.broken = "the answer is no JSON: " + spoken.body;
    return result;
}

}  // namespace

std::string filter(std::string_view bytes) {
    const Body body(bytes);
    const server::Backend behind = backend();
    const auto [answer, broken] = said(server::Verbs(behind).filter(body.view()));
    if (!broken.empty())
        return broken;
    if (!answer.is_object() || !answer.contains("Error"))
        return "the answer isn't that of filter";
    const auto given = strings_of(bytes);
    for (const char* key : {"NodeNames", "FailedAndUnresolvableNodes"}) {
        const auto part = answer.find(key);
        if (part == answer.end() || given.empty())
            continue;
        for (const auto& [name, value] : part->items()) {
            const std::string node = part->is_array() ? value.get<std::string>() : name;
            if (!given.contains(node))
                return fmt::format("filter names {}, which it wasn't given", node);
        }
    }
    return {};
}

std::string prioritize(std::string_view bytes) {
    const Body body(bytes);
    const server::Backend behind = backend();
    const auto [answer, broken] = said(server::Verbs(behind).prioritize(body.view()));
    return broken.empty() && !answer.is_array() ? "the answer isn't that of prioritize" : broken;
}

std::string preempt(std::string_view bytes) {
    const Body body(bytes);
    const server::Backend behind = backend();
    const auto [answer, broken] = said(server::Verbs(behind).preempt(body.view()));
    if (!broken.empty())
        return broken;
    if (!answer.is_object() || !answer.contains("NodeNameToMetaVictims"))
        return "the answer isn't that of preempt";
    const auto given = strings_of(bytes);
    for (const auto& [node, victims] : answer.at("NodeNameToMetaVictims").items()) {
        if (!given.empty() && !given.contains(node))
            return fmt::format("preempt names node {}, which it wasn't given", node);
        for (const json& pod : victims.at("Pods")) {
            if (!given.empty() && !given.contains(pod.at("UID").get<std::string>()))
                return "preempt names a victim that it wasn't given";
        }
    }
    return {};
}

std::string bind(std::string_view bytes) {
    const Body body(bytes);
    const auto args = server::parse_bind_args(body.view());
    if (!args) {
        const auto error = json::parse(server::error_body(args.error().sentence), nullptr, false);
        return error.is_discarded() ? "the error of bind is no JSON" : sentence_fault(args.error().sentence);
    }
    const auto given = strings_of(bytes);
    for (const auto* part : {&args->pod.ns.str(), &args->pod.name.str(), &args->pod.uid.str(), &args->node}) {
        if (part->empty())
            return "bind takes an empty name";
        if (!given.empty() && !given.contains(*part))
            return fmt::format("bind reads {}, which doesn't stand there", *part);
    }
    return {};
}

}  // namespace echelon::fuzz
