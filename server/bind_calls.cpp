#include "server/bind_calls.hpp"

#include "server/extender_args.hpp"
#include "server/json_text.hpp"
#include "server/verbs.hpp"

namespace echelon::server {

std::optional<std::string> BindCalls::objection() const {
    auto picture = doors_.picture();
    if (picture->draining)
        return "shutting down";
    if (!picture->is_synced())
        return not_synced(*picture);
    return std::nullopt;
}

std::optional<std::string> BindCalls::begin(const Request& request) {
    auto now = std::chrono::steady_clock::now();
    tallies_.began(Verb::bind);
    auto args = parse_bind_args(request.body);
    Waiting coming{request.ticket, args ? args->pod.ns + "/" + args->pod.name : std::string(), now};
    auto end_at_once = [&](CallResult result, std::string_view sentence) {
        count(coming, result);
        return error_body(sentence);
    };
    if (!args)
        return end_at_once(CallResult::bad_request, "bind: " + args.error().sentence);
    if (auto sentence = objection())
        return end_at_once(CallResult::error, *sentence);
    std::uint64_t call = 0;
    {
        std::lock_guard lock(mutex_);
        if (waiting_.size() < capacity_) {
            call = next_call_++;
            waiting_.emplace(call, coming);
            calls_.emplace(request.ticket, call);
        }
    }
    if (call == 0)
        return end_at_once(CallResult::overload, "too many bind calls wait already");
    doors_.tell(engine::BindCalled{.call = call, .pod = std::move(args->pod), .node = std::move(args->node)});
    return std::nullopt;
}

std::optional<std::pair<Ticket, std::string>> BindCalls::answer(const engine::AnswerBind& answer) {
    Waiting ended;
    {
        std::lock_guard lock(mutex_);
        auto found = waiting_.find(answer.call);
        if (found == waiting_.end())
            return std::nullopt;
        ended = found->second;
        calls_.erase(ended.ticket);
        waiting_.erase(found);
    }
    count(ended, to_result(answer.result));
    std::string body = R"({"Error":)";
    append_quoted(body, answer.error);
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
        ended = waiting_.at(call);
        waiting_.erase(call);
        calls_.erase(found);
    }
    count(ended, CallResult::client_gone);
    doors_.tell(engine::CallerGone{call});
}

void BindCalls::count(const Waiting& call, CallResult result) {
    const auto took = std::chrono::steady_clock::now() - call.since;
    tallies_.ended(Verb::bind, result, took);
    if (ended_)
        ended_(call.ticket, call.pod, result, took);
}

std::size_t BindCalls::waiting() const {
    std::lock_guard lock(mutex_);
    return waiting_.size();
}

}  // namespace echelon::server
