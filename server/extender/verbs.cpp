#include "server/extender/verbs.hpp"

#include "base/json_strings.hpp"
#include "engine/publish/node_scores.hpp"
#include "engine/publish/shield.hpp"
#include "engine/texts.hpp"
#include "server/extender/name_list.hpp"
#include "server/extender/text_writer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace echelon::server {
namespace {

constexpr std::string_view no_candidates = R"({"NodeNameToMetaVictims":{}})";

std::string nodes_body(std::string_view names_json) {
    std::string body;
    constexpr std::string_view begin = R"({"NodeNames":)";
    constexpr std::string_view end = R"(,"Error":""})";
    body.reserve(begin.size() + names_json.size() + end.size());
    body.append(begin).append(names_json).append(end);
    return body;
}

// The unchanged candidates as NodeNameToMetaVictims.
std::string grant(const std::vector<Victims>& candidates) {
    std::string body = R"({"NodeNameToMetaVictims":{)";
    bool first_node = true;
    for (const auto& victims : candidates) {
        if (!std::exchange(first_node, false))
            body += ',';
        base::append_json_string(body, victims.node);
        body += R"(:{"Pods":[)";
        bool first_pod = true;
        for (const auto& uid : victims.uids) {
            if (!std::exchange(first_pod, false))
                body += ',';
            body += R"({"UID":)";
            base::append_json_string(body, uid);
            body += '}';
        }
        body += fmt::format(R"(],"NumPDBViolations":{}}})", victims.pdb_violations);
    }
    body += "}}";
    return body;
}

// Must a pod stay off a node? Computed once for nodes with the same promised room.
class KeepsOut {
public:
    KeepsOut(const model::PlainPod& pod, engine::Protection protection, engine::Time now)
        : pod_(pod), protection_(protection), now_(now) {}

    bool operator()(const engine::PromisedRoom& room) {
        auto& known = known_[reinterpret_cast<std::uintptr_t>(&room) / sizeof(room) % known_.size()];
        if (known.first != &room)
            known = {&room, room.keep_out(pod_, protection_, now_)};
        return known.second;
    }

private:
    const model::PlainPod& pod_;
    const engine::Protection protection_;
    const engine::Time now_;
    std::array<std::pair<const engine::PromisedRoom*, bool>, 64> known_{};
};

}  // namespace

bool has_lost_lead(const Backend& backend) {
    return backend.has_lost_lead && backend.has_lost_lead();
}

std::string error_body(std::string_view sentence) {
    std::string body = R"({"Error":)";
    base::append_json_string(body, fmt::format("echelon: {}", sentence));
    body += '}';
    return body;
}

std::string not_synced(const engine::PublishedState& published) {
    return fmt::format("cache not synced: {}", fmt::join(published.unsynced, ", "));
}

VerbAnswer Verbs::filter(std::string_view body) const {
    auto published = backend_.published();
    auto args = parse_filter_args(body, [&published](const PodFacts& pod) {
        const auto* verdict = published->verdict(pod.uid);
        return verdict == nullptr ? std::string{} : verdict->node;
    });
    if (!args)
        return {error_body("filter: " + args.error().sentence), CallResult::bad_request};
    if (args->has_node_list) {
        return {error_body("filter: Nodes came instead of NodeNames, the extender entry needs nodeCacheCapable: true"),
                CallResult::bad_request};
    }
    VerbAnswer reply = decide(*args, *published);
    reply.pod.append(args->pod.ns).append("/").append(args->pod.name);
    return reply;
}

VerbAnswer Verbs::decide(const FilterArgs& args, const engine::PublishedState& published) const {
    if (!backend_.is_ours(args.pod.scheduler_name))
        return offer(args, published);
    if (has_lost_lead(backend_))
        return {error_body(lead_is_lost), CallResult::error};
    if (!published.is_synced())
        return {error_body(not_synced(published)), CallResult::error};
    return filter_ours(args, published);
}

VerbAnswer Verbs::filter_ours(const FilterArgs& args, const engine::PublishedState& published) const {
    if (const auto* verdict = published.verdict(args.pod.uid)) {
        if (verdict->kind == engine::Verdict::Kind::pinned)
            return pin_to_plan(args, *verdict);
        report_filtered(args, engine::Filtered::Answer::refused, verdict->node);
        return refuse(args, verdict->text);
    }
    // Not in the published state: in no gang, or newer than the state. The pod itself shows which.
    if (auto gang = backend_.named_gang(args.pod.json)) {
        report_filtered(args, engine::Filtered::Answer::refused, {});
        return refuse(args, fmt::format("echelon: gang {}: waiting for members", *gang));
    }
    return offer(args, published);
}

VerbAnswer Verbs::pin_to_plan(const FilterArgs& args, const engine::Verdict& verdict) const {
    if (args.offers(verdict.node)) {
        report_filtered(args, engine::Filtered::Answer::pinned, verdict.node);
        std::string name = "[";
        base::append_json_string(name, verdict.node);
        name += ']';
        return {nodes_body(name), CallResult::ok};
    }
    // An empty list doesn't show that the planned node was filtered out.
    if (args.count > 0)
        report_filtered(args, engine::Filtered::Answer::missing, verdict.node);
    return refuse(args, fmt::format("echelon: gang {}: planned node isn't offered", verdict.gang));
}

// One entry suffices for the text on the pod; the nodes that stay unlisted are unresolvable anyway.
VerbAnswer Verbs::refuse(const FilterArgs& args, std::string_view text) const {
    if (args.count == 0)
        return {nodes_body("[]"), CallResult::rejected};
    std::string body = R"({"NodeNames":[],"FailedAndUnresolvableNodes":{)";
    body.append(args.first).append(":");
    base::append_json_string(body, text);
    body += R"(},"Error":""})";
    return {std::move(body), CallResult::rejected};
}

VerbAnswer Verbs::pass(const FilterArgs& args, bool is_exempt) const {
    report_filtered(args, engine::Filtered::Answer::passed, {}, is_exempt);
    return {nodes_body(args.names_json), CallResult::ok};
}

std::vector<Verbs::Promised> Verbs::promised_among(const FilterArgs& args, const engine::Promises& promises,
                                                   engine::Protection protection) const {
    std::vector<Promised> found;
    if (protection == engine::Protection::none || promises.empty() || args.count == 0)
        return found;
    found.reserve(std::min<std::size_t>(args.count, promises.size()));
    for_each_name(args.names_json, [&](engine::NameHash hash, std::string_view name) {
        if (const auto* what = promises.on(hash, name))
            found.push_back({name, what->room.get()});
    });
    return found;
}

// The pod's requests are read only if there is promised room. A pod from the API server is always readable.
VerbAnswer Verbs::offer(const FilterArgs& args, const engine::PublishedState& published) const {
    const auto protection =
        backend_.protection ? backend_.protection(args.pod.scheduler_name) : engine::Protection::none;
    const auto promised = promised_among(args, published.promises, protection);
    const auto pod = promised.empty() ? std::nullopt : backend_.plain_pod(args.pod.json);
    if (!pod || pod->is_exempt)
        return pass(args, pod.has_value());
    KeepsOut keeps_out(*pod, protection, backend_.now());
    std::vector<std::string_view> kept;
    kept.reserve(promised.size());
    for (const auto& [name, room] : promised) {
        if (keeps_out(*room))
            kept.push_back(name);
    }
    return kept.empty() ? pass(args) : leave_out(args, kept);
}

VerbAnswer Verbs::leave_out(const FilterArgs& args, const std::vector<std::string_view>& names) const {
    report_filtered(args, engine::Filtered::Answer::passed, {});
    constexpr std::string_view begin = R"({"NodeNames":)";
    constexpr std::string_view middle = R"(,"FailedAndUnresolvableNodes":{)";
    constexpr std::string_view end = R"(},"Error":""})";
    std::string sentence = ":";
    base::append_json_string(sentence, engine::texts::promised_room);
    sentence += ',';
    // Each name is in one of the two lists, including its quotes.
    const auto most =
        begin.size() + middle.size() + end.size() + args.names_json.size() + 2 + names.size() * sentence.size();
    auto body = written(most, [&](TextWriter& to) {
        to.put(begin);
        put_without(to, args.names_json, names);
        to.put(middle);
        for (const auto name : names) {
            to.put({name.data() - 1, name.size() + 2});  // With its quotes.
            to.put(sentence);
        }
        to.drop_last();
        to.put(end);
    });
    return {std::move(body), names.size() < args.count ? CallResult::ok : CallResult::rejected};
}

// bind acts on plain pods only after a filter call for their UID, so the engine learns of every pod.
void Verbs::report_filtered(const FilterArgs& args, engine::Filtered::Answer answer, std::string_view node,
                            bool is_exempt) const {
    if (args.pod.uid.empty())
        return;
    backend_.push_input(engine::Filtered{
        .uid = args.pod.uid, .answer = answer, .names = args.count, .node = std::string(node), .is_exempt = is_exempt});
}

// A planned pod has one node; for others nodes are scored if their profile requests it (SC1). Every body gets an
// answer. HostPriorityList has no field for an error, so an error is another status.
VerbAnswer Verbs::prioritize(std::string_view body) const {
    const auto published = backend_.published();
    const bool is_lost = has_lost_lead(backend_);
    if (!is_lost && !published->scores)
        return {"[]", CallResult::ok};
    const auto args = parse_filter_args(body);
    if (is_lost && (!args || backend_.is_ours(args->pod.scheduler_name)))
        return {error_body(lead_is_lost), CallResult::error, 503};
    if (!args)
        return {"[]", CallResult::bad_request};
    return {is_lost || !published->scores ? "[]" : scored(*args, *published), CallResult::ok};
}

std::string Verbs::scored(const FilterArgs& args, const engine::PublishedState& published) const {
    const bool packs = backend_.packs && backend_.packs(args.pod.scheduler_name);
    if (!packs || args.count == 0 || belongs_to_gang(args.pod, published))
        return "[]";
    const auto pod = backend_.plain_pod(args.pod.json);
    const auto* scores = pod ? published.scores->of(pod->requests) : nullptr;
    if (scores == nullptr)
        return "[]";
    constexpr std::string_view host = R"({"Host":")";
    constexpr std::string_view value = R"(","Score":)";
    const auto most = args.names_json.size() + args.count * (host.size() + value.size() + 4) + 2;
    return written(most, [&](TextWriter& to) {
        to.put('[');
        for_each_name(args.names_json, [&](engine::NameHash hash, std::string_view name) {
            const auto score = published.scores->score(*scores, hash);
            to.put(host);
            to.put(name);
            to.put(value);
            if (score >= 10)
                to.put('1');
            to.put(static_cast<char>('0' + score % 10));
            to.put("},");
        });
        to.drop_last();
        to.put(']');
    });
}

VerbAnswer Verbs::preempt(std::string_view body) const {
    auto args = parse_preempt_args(body);
    if (!args)
        return {std::string(no_candidates), CallResult::bad_request};
    const auto published = backend_.published();
    const bool is_ours = backend_.is_ours(args->pod.scheduler_name);
    if (is_ours && (has_lost_lead(backend_) || !published->is_synced()))
        return {std::string(no_candidates), CallResult::error};
    if (is_ours && belongs_to_gang(args->pod, *published))
        return {std::string(no_candidates), CallResult::rejected};
    // Gangs are protected from every preemptor (PR6).
    if (published->shield)
        std::erase_if(args->candidates, [&](const Victims& node) { return !published->shield->allows(node.uids); });
    return {grant(args->candidates), CallResult::ok};
}

// A single member must never evict other pods (R6).
bool Verbs::belongs_to_gang(const PodFacts& pod, const engine::PublishedState& published) const {
    return published.verdict(pod.uid) != nullptr || backend_.named_gang(pod.json).has_value();
}

}  // namespace echelon::server
