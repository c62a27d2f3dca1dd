#include "server/extender/bind_calls.hpp"

#include "base/json_strings.hpp"
#include "server/extender/extender_args.hpp"
#include "server/extender/verbs.hpp"

namespace echelon::server {

std::optional<std::string> BindCalls::reason_to_refuse(const engine::PublishedState& published) const {
    if (has_lost_lead(backend_))
        return std::string(lead_is_lost);
    if (published.draining)
        return "shutting down";
    if (!published.is_synced())
        return not_synced(published);
    return std::nullopt;
}

std::uint64_t BindCalls::add(const Waiting& coming) {
    if (waiting_.size() >= room_.all || (coming.is_member && members_ >= room_.members))
        return 0;
    const auto call = next_call_++;
    waiting_.emplace(call, coming);
    calls_.emplace(coming.ticket, call);
    members_ += coming.is_member ? 1 : 0;
    return call;
}

BindCalls::Waiting BindCalls::remove(std::uint64_t call) {
    auto ended = std::move(waiting_.extract(call).mapped());
    calls_.erase(ended.ticket);
    members_ -= ended.is_member ? 1 : 0;
    return ended;
}

std::optional<std::string> BindCalls::begin(const Request& request) {
    auto now = std::chrono::steady_clock::now();
    metrics_.began(Verb::bind);
    auto args = parse_bind_args(request.body);
    Waiting coming{request.ticket, args ? args->pod.ns + "/" + args->pod.name : std::string(), now};
    auto end_at_once = [&](CallResult result, std::string_view sentence) {
        count(coming, result);
        return error_body(sentence);
    };
    if (!args)
        return end_at_once(CallResult::bad_request, "bind: " + args.error().sentence);
    const auto published = backend_.published();
    if (auto sentence = reason_to_refuse(*published))
        return end_at_once(CallResult::error, *sentence);
    coming.is_member = published->verdict(args->pod.uid) != nullptr;
    std::uint64_t call = 0;
    {
        std::lock_guard lock(mutex_);
        call = add(coming);
    }
    if (call == 0)
        return end_at_once(CallResult::overload, "too many bind calls wait already");
    backend_.push_input(engine::BindCalled{.call = call, .pod = std::move(args->pod), .node = std::move(args->node)});
    return std::nullopt;
}

std::optional<std::pair<Ticket, std::string>> BindCalls::answer(const engine::AnswerBind& answer) {
    Waiting ended;
    {
        std::lock_guard lock(mutex_);
        if (!waiting_.contains(answer.call))
            return std::nullopt;
        ended = remove(answer.call);
    }
    count(ended, to_result(answer.result));
    std::string body = R"({"Error":)";
    base::append_json_string(body, answer.error);
    body += '}';
    return std::pair{ended.ticket, std::move(body)};
}

void BindCalls::gone(const Ticket& ticket) {
    std::uint64_t call = 0;
    Waiting ended;
    {
        std::lock_guard lock(mutex_);
        auto found = calls_.find(ticket);
        if (found == calls_.end())
            return;
        call = found->second;
        ended = remove(call);
    }
    count(ended, CallResult::client_gone);
    backend_.push_input(engine::CallerGone{call});
}

void BindCalls::count(const Waiting& call, CallResult result) {
    const auto took = std::chrono::steady_clock::now() - call.since;
    metrics_.ended(Verb::bind, result, took);
    if (ended_)
        ended_(call.ticket, call.pod, result, took);
}

std::size_t BindCalls::waiting() const {
    std::lock_guard lock(mutex_);
    return waiting_.size();
}

}  // namespace echelon::server
