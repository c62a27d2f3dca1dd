#include "unit-tests/server/edge.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::server::test {
namespace {

// Replaces the dialects: a pod names its gang by a label.
std::optional<std::string> gang_of(std::string_view pod_json) {
    auto pod = nlohmann::json::parse(pod_json, nullptr, false);
    if (!pod.is_object())
        return std::nullopt;
    nlohmann::json::json_pointer label("/metadata/labels/gang");
    if (!pod.contains(label) || !pod[label].is_string())
        return std::nullopt;
    return "default/" + pod[label].get<std::string>();
}

template <typename Kind>
std::vector<Kind> all_of_kind(const std::vector<engine::Input>& inputs) {
    std::vector<Kind> found;
    for (const auto& input : inputs) {
        if (const auto* one = std::get_if<Kind>(&input))
            found.push_back(*one);
    }
    return found;
}

}  // namespace

FakeBackend::FakeBackend() : published_(published_with({})) {}

Backend FakeBackend::as_backend() {
    Backend callbacks;
    callbacks.published = [this] {
        std::lock_guard lock(mutex_);
        return published_;
    };
    callbacks.push_input = [this](engine::Input input) {
        {
            std::lock_guard lock(mutex_);
            told_.push_back(std::move(input));
        }
        told_more_.notify_all();
    };
    callbacks.is_ours = [](std::string_view scheduler) { return scheduler == our_scheduler; };
    callbacks.named_gang = gang_of;
    callbacks.has_lost_lead = [this] { return has_lost_lead_.load(); };
    callbacks.ready_checks = [this] {
        std::lock_guard lock(mutex_);
        return troubles_;
    };
    callbacks.live_checks = [] { return std::vector<Check>{{"loop", ""}}; };
    callbacks.explain = [this](const model::GroupKey& root, bool has_colour,
                               const Backend::ExplainReply& reply) -> base::Result<void> {
        const std::lock_guard lock(mutex_);
        asked_ = {root, has_colour};
        if (!explained_ && explained_.error().sentence == "busy")
            return base::failure("busy");
        replier_ = std::jthread([reply, explained = explained_] { reply(explained); });
        return {};
    };
    callbacks.more_metrics = [this] {
        std::lock_guard lock(mutex_);
        return metrics_;
    };
    return callbacks;
}

void FakeBackend::show(std::shared_ptr<const engine::PublishedState> published) {
    std::lock_guard lock(mutex_);
    published_ = std::move(published);
}

void FakeBackend::explain(base::Result<Explained> explained) {
    std::lock_guard lock(mutex_);
    explained_ = std::move(explained);
}

std::pair<model::GroupKey, bool> FakeBackend::explained_last() {
    std::lock_guard lock(mutex_);
    return asked_;
}

void FakeBackend::finish_replies() {
    std::jthread last;
    std::lock_guard lock(mutex_);
    last.swap(replier_);
}

void FakeBackend::trouble(std::vector<Check> checks) {
    std::lock_guard lock(mutex_);
    troubles_ = std::move(checks);
}

void FakeBackend::add_metrics(std::vector<prometheus::MetricFamily> families) {
    std::lock_guard lock(mutex_);
    metrics_ = std::move(families);
}

bool FakeBackend::await(const std::function<bool(const std::vector<engine::Input>&)>& enough) {
    std::unique_lock lock(mutex_);
    return told_more_.wait_for(lock, std::chrono::seconds(20), [&] { return enough(told_); });
}

std::vector<std::uint64_t> FakeBackend::calls() {
    std::lock_guard lock(mutex_);
    std::vector<std::uint64_t> numbers;
    for (const auto& call : all_of_kind<engine::BindCalled>(told_))
        numbers.push_back(call.call);
    return numbers;
}

std::vector<engine::Filtered> FakeBackend::filtered() {
    std::lock_guard lock(mutex_);
    return all_of_kind<engine::Filtered>(told_);
}

std::size_t FakeBackend::gone() {
    std::lock_guard lock(mutex_);
    return all_of_kind<engine::CallerGone>(told_).size();
}

bool FakeBackend::await_calls(std::size_t count) {
    return await([count](const auto& told) { return all_of_kind<engine::BindCalled>(told).size() >= count; });
}

bool FakeBackend::await_gone(std::size_t count) {
    return await([count](const auto& told) { return all_of_kind<engine::CallerGone>(told).size() >= count; });
}

std::shared_ptr<engine::PublishedState> published_with(
    const std::vector<std::pair<std::string, engine::Verdict>>& verdicts) {
    auto published = std::make_shared<engine::PublishedState>();
    for (const auto& [uid, verdict] : verdicts)
        published->verdicts.put(uid, verdict);
    return published;
}

engine::Verdict pinned(std::string node, std::string gang) {
    return {.kind = engine::Verdict::Kind::pinned, .node = std::move(node), .text = "", .gang = std::move(gang)};
}

engine::Verdict refused(std::string text, std::string gang) {
    return {.kind = engine::Verdict::Kind::refused, .node = "", .text = std::move(text), .gang = std::move(gang)};
}

Edge::Edge(std::optional<config::Tls> tls) {
    config::Settings settings;
    settings.extender = settings.bind = settings.admin = {"127.0.0.1", 0};
    settings.tls = std::move(tls);
    auto started = Server::start(settings, backend.as_backend());
    if (!started)
        FAIL(started.error().sentence);
    server = std::move(*started);
}

std::string filter_args(const std::string& uid, std::string_view names_json, std::string_view scheduler,
                        std::string_view more_metadata) {
    return fmt::format(
        R"({{"Pod":{{"metadata":{{"name":"train-0","namespace":"default","uid":"{}"{}}},"spec":{{"containers":null,)"
        R"("schedulerName":"{}"}},"status":{{}}}},"Nodes":null,"NodeNames":{}}})",
        uid, more_metadata, scheduler, names_json);
}

std::string bind_args(const std::string& uid, const std::string& node) {
    return fmt::format(R"({{"PodName":"train-0","PodNamespace":"default","PodUID":"{}","Node":"{}"}})", uid, node);
}

std::string names(int count) {
    std::string json = "[";
    for (int at = 0; at < count; ++at)
        json += fmt::format("{}\"n{}\"", at == 0 ? "" : ",", at);
    return json + "]";
}

}  // namespace echelon::server::test
