#include "server/extender/metrics.hpp"

#include "server/extender/metric_families.hpp"
#include "server/extender/metric_table.hpp"
#include "server/http/http_connection.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace echelon::server {
namespace {

prometheus::Histogram::BucketBoundaries doubling(double first, int steps) {
    prometheus::Histogram::BucketBoundaries bounds;
    for (int step = 0; step <= steps; ++step, first *= 2)
        bounds.push_back(first);
    return bounds;
}

std::string help_of(std::string_view name) {
    const auto* row = metric_row(name);
    return row == nullptr ? std::string() : std::string(row->help);
}

prometheus::Labels label(std::string name, std::string_view value) {
    return {{std::move(name), std::string(value)}};
}

}  // namespace

std::string_view to_string(Verb verb) {
    switch (verb) {
        case Verb::filter:
            return "filter";
        case Verb::prioritize:
            return "prioritize";
        case Verb::preempt:
            return "preempt";
        case Verb::bind:
            return "bind";
    }
    return "";
}

std::string_view to_string(CallResult result) {
    switch (result) {
        case CallResult::ok:
            return "ok";
        case CallResult::rejected:
            return "rejected";
        case CallResult::error:
            return "error";
        case CallResult::bad_request:
            return "bad_request";
        case CallResult::deadline:
            return "deadline";
        case CallResult::client_gone:
            return "client_gone";
        case CallResult::overload:
            return "overload";
    }
    return "";
}

CallResult to_result(engine::BindResult result) {
    switch (result) {
        case engine::BindResult::ok:
            return CallResult::ok;
        case engine::BindResult::rejected:
            return CallResult::rejected;
        case engine::BindResult::error:
            return CallResult::error;
        case engine::BindResult::deadline:
            return CallResult::deadline;
        case engine::BindResult::client_gone:
            return CallResult::client_gone;
        case engine::BindResult::overload:
            return CallResult::overload;
    }
    return CallResult::error;
}

struct Metrics::State {
    prometheus::Registry registry;
    // References that live as long as the registry.
    std::array<std::array<prometheus::Counter*, result_count>, verb_count> requests{};
    std::array<prometheus::Histogram*, verb_count> durations{};
    std::array<prometheus::Gauge*, verb_count> inflight{};
    std::array<prometheus::Counter*, 2> reloads{};  // Refused, loaded.
};

Metrics::Metrics() : state_(std::make_unique<State>()) {
    auto& requests = prometheus::BuildCounter()
                         .Name("echelon_extender_requests_total")
                         .Help(help_of("echelon_extender_requests_total"))
                         .Register(state_->registry);
    auto& durations = prometheus::BuildHistogram()
                          .Name("echelon_extender_request_duration_seconds")
                          .Help(help_of("echelon_extender_request_duration_seconds"))
                          .Register(state_->registry);
    auto& inflight = prometheus::BuildGauge()
                         .Name("echelon_extender_inflight_requests")
                         .Help(help_of("echelon_extender_inflight_requests"))
                         .Register(state_->registry);
    for (std::size_t at = 0; at < verb_count; ++at) {
        auto verb = static_cast<Verb>(at);
        auto name = label("verb", to_string(verb));
        for (std::size_t result = 0; result < result_count; ++result) {
            auto labels = name;
            labels.emplace("result", to_string(static_cast<CallResult>(result)));
            state_->requests[at][result] = &requests.Add(labels);
        }
        state_->durations[at] = &durations.Add(name, verb == Verb::bind ? doubling(0.001, 16) : doubling(0.0001, 13));
        state_->inflight[at] = &inflight.Add(name);
    }
    auto& reloads = prometheus::BuildCounter()
                        .Name("echelon_tls_reloads_total")
                        .Help(help_of("echelon_tls_reloads_total"))
                        .Register(state_->registry);
    state_->reloads = {&reloads.Add(label("result", "error")), &reloads.Add(label("result", "ok"))};
}

Metrics::~Metrics() = default;

void Metrics::began(Verb verb) {
    state_->inflight[static_cast<std::size_t>(verb)]->Increment();
}

void Metrics::ended(Verb verb, CallResult result, std::chrono::steady_clock::duration took) {
    auto at = static_cast<std::size_t>(verb);
    state_->requests[at][static_cast<std::size_t>(result)]->Increment();
    state_->durations[at]->Observe(std::chrono::duration<double>(took).count());
    state_->inflight[at]->Decrement();
}

void Metrics::reloaded(bool is_good) {
    state_->reloads[is_good ? 1 : 0]->Increment();
}

std::string Metrics::text(const engine::PublishedState& published, const PortCounts& ports,
                          std::vector<prometheus::MetricFamily> more) const {
    auto families = state_->registry.Collect();
    for (auto& family : published_families(published))
        families.push_back(std::move(family));
    families.push_back(gauge_family("echelon_http_connections", {{{}, static_cast<double>(ports.connections)}}));
    std::vector<Sample> rejected;
    rejected.reserve(ports.rejections.size());
    for (std::size_t at = 0; at < ports.rejections.size(); ++at) {
        rejected.push_back({{{"reason", std::string(to_string(static_cast<Rejection>(at)))}},
                            static_cast<double>(ports.rejections[at])});
    }
    families.push_back(counter_family("echelon_http_connections_rejected_total", rejected));
    for (auto& family : process_families())
        families.push_back(std::move(family));
    std::ranges::move(more, std::back_inserter(families));
    return prometheus::TextSerializer{}.Serialize(families);
}

}  // namespace echelon::server
