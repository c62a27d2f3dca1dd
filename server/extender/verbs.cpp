#include "server/extender/verbs.hpp"

#include "base/json_strings.hpp"
#include "engine/publish/node_scores.hpp"
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

// The texts of a list of scores: what comes between a node's name and the next one, by score.
class ScoreTexts {
public:
    static constexpr std::string_view host = R"({"Host":")";
    static constexpr std::size_t longest = 23;

    ScoreTexts() {
        for (std::size_t score = 0; score < texts_.size(); ++score) {
            auto& [text, size] = texts_[score];
            const auto end = fmt::format_to(text.begin(), R"(","Score":{}}},{})", score, host);
            size = static_cast<std::size_t>(end - text.begin());
        }
    }
    // Followed by readable bytes, as TextWriter::put_padded needs them.
    [[nodiscard]] std::string_view of(std::uint8_t score) const {
        const auto& [text, size] = texts_[std::min<std::size_t>(score, texts_.size() - 1)];
        return {text.data(), size};
    }

private:
    struct Text {
        std::array<char, longest + TextWriter::padding> text{};
        std::size_t size = 0;
    };
    std::array<Text, 11> texts_;
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
        return verdict == nullptr ? std::string{} : verdict->node.str();
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

// The pod's requests are read only if there is promised room. A pod from the API server is always readable.
VerbAnswer Verbs::offer(const FilterArgs& args, const engine::PublishedState& published) const {
    const auto protection =
        backend_.protection ? backend_.protection(args.pod.scheduler_name) : engine::Protection::none;
    const auto& promises = published.promises;
    if (protection == engine::Protection::none || promises.empty() || args.count == 0)
        return pass(args);
    std::optional<model::PlainPod> pod;
    std::optional<engine::PodOnPromises> judge;
    bool is_free = false;  // The pod may go anywhere.
    std::vector<std::string_view> kept;
    for_each_name(args.names_json, [&](engine::NameHash hash, std::string_view name) {
        const auto found = is_free ? engine::Promises::Found{} : promises.find(hash, name);
        if (found.shard == nullptr)
            return;
        if (!judge) {
            pod = backend_.plain_pod(args.pod.json);
            is_free = !pod || pod->is_exempt;
            if (is_free)
                return;
            judge.emplace(*pod, protection, backend_.now());
            kept.reserve(std::min<std::size_t>(args.count, promises.size()));
        }
        if (judge->keep_out(found))
            kept.push_back(name);
    });
    if (is_free)
        return pass(args, pod.has_value());
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
    const auto sentence_size = sentence.size();
    sentence.append(TextWriter::padding, ' ');
    // Each name is in one of the two lists, including its quotes.
    const auto most =
        begin.size() + middle.size() + end.size() + args.names_json.size() + 2 + names.size() * sentence_size;
    auto body = written(most, [&](TextWriter& to) {
        to.put(begin);
        put_without(to, args.names_json, names);
        to.put(middle);
        for (const auto name : names) {
            to.put_padded({name.data() - 1, name.size() + 2});  // With its quotes.
            to.put_padded({sentence.data(), sentence_size});
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
    static const ScoreTexts texts;
    const auto most = args.names_json.size() + args.count * ScoreTexts::longest + ScoreTexts::host.size() + 2;
    return written(most, [&](TextWriter& to) {
        to.put('[');
        to.put(ScoreTexts::host);
        for_each_name(args.names_json, [&](engine::NameHash hash, std::string_view name) {
            to.put_padded(name);
            to.put_padded(texts.of(published.scores->score(*scores, hash)));
        });
        to.drop_last(ScoreTexts::host.size() + 1);  // The last name has none behind it.
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
    if (!backend_.may_evict)
        return {grant(args->candidates), CallResult::ok};
    std::vector<std::vector<std::string>> victims;
    for (const auto& node : args->candidates)
        victims.push_back(node.uids);
    const auto may_go = backend_.may_evict(std::move(victims));
    if (!may_go)
        return {std::string(no_candidates), CallResult::error};
    std::vector<Victims> allowed;
    for (std::size_t at = 0; at < args->candidates.size(); ++at) {
        if ((*may_go)[at])
            allowed.push_back(std::move(args->candidates[at]));
    }
    return {grant(allowed), CallResult::ok};
}

// A single member must never evict other pods (R6).
bool Verbs::belongs_to_gang(const PodFacts& pod, const engine::PublishedState& published) const {
    return published.verdict(pod.uid) != nullptr || backend_.named_gang(pod.json).has_value();
}

}  // namespace echelon::server
