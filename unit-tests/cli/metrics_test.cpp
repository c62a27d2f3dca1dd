// The metrics of a whole service, compared with the table of metrics.

#include "app/recorder.hpp"
#include "app/watch_metrics.hpp"
#include "engine/engine.hpp"
#include "server/extender/extender.hpp"
#include "server/extender/metric_table.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <httplib.h>

using namespace echelon;

namespace {

// One family of a scrape: what the text says of it.
struct Scraped {
    std::string help;
    std::string type;
    std::map<std::string, std::set<std::string>> labels;  // Without `le`.
    std::size_t samples = 0;
};

// Reads `name{a="x",b="y"} 1` into the labels of the family.
void read_sample(const std::string& line, std::map<std::string, Scraped>& families) {
    auto name = line.substr(0, line.find_first_of("{ "));
    for (const std::string end : {"_bucket", "_sum", "_count"}) {
        const auto stem = name.substr(0, name.size() - std::min(name.size(), end.size()));
        if (name.ends_with(end) && families.contains(stem) && families.at(stem).type == "histogram")
            name = stem;
    }
    CAPTURE(line);
    REQUIRE(families.contains(name));
    auto& family = families.at(name);
    ++family.samples;
    auto rest = line.find('{') == std::string::npos ? std::string() : line.substr(line.find('{') + 1);
    while (rest.find("=\"") != std::string::npos && rest.front() != '}') {
        const auto key = rest.substr(0, rest.find('='));
        const auto begin = rest.find('"') + 1;
        const auto end = rest.find('"', begin);
        if (key != "le")
            family.labels[key].insert(rest.substr(begin, end - begin));
        rest = rest.substr(end + 1);
        if (rest.front() == ',')
            rest.erase(0, 1);
    }
}

std::map<std::string, Scraped> read_scrape(const std::string& text) {
    std::map<std::string, Scraped> families;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string hash, what, name, rest;
        if (line.starts_with("# ")) {
            words >> hash >> what >> name >> std::ws;
            std::getline(words, rest);
            auto& family = families[name];
            auto& field = what == "HELP" ? family.help : family.type;
            CAPTURE(line);
            CHECK(field.empty());  // Each family is listed once.
            field = rest;
        } else {
            read_sample(line, families);
        }
    }
    return families;
}

// A server over an engine that has seen a little: one node, one gang that is refused.
std::string scrape() {
    engine::Options options;
    options.profiles["default-scheduler"] = {};
    engine::Engine engine(options);
    model::Node node;
    node.name = "n0";
    node.labels["topology.kubernetes.io/rack"] = "r0";
    node.allocatable = {{"gpu", 1}, {"pods", 10}};
    model::Group group;
    group.key = {"podgroup", "default/train"};
    group.minimum = 2;
    engine::Time now{1};
    for (const engine::Input& input : std::vector<engine::Input>{
             engine::Observed{model::NodeSeen{node}}, engine::Observed{model::GroupSeen{group}}, engine::Ticked{}}) {
        static_cast<void>(engine.step(input, now));
        now += engine::Time{20'000};
    }
    std::shared_ptr<const engine::PublishedState> published = engine.published();
    kube::WatchStatus pods;
    pods.what = "pods";
    pods.last_event = std::chrono::steady_clock::now();

    server::Backend backend;
    backend.published = [published] { return published; };
    backend.more_metrics = [pods] {
        return app::joined({{app::lead_metric(true), app::topology_metrics({}, {})},
                            app::reload_metrics({}),
                            app::bind_metrics({}),
                            {app::write_metrics({})},
                            app::recording_metrics(nullptr),
                            app::watch_metrics({pods})});
    };
    config::Settings settings;
    settings.extender.port = settings.bind.port = settings.admin.port = 0;
    auto server = server::Server::start(settings, std::move(backend));
    REQUIRE(server);
    httplib::Client client("127.0.0.1", (*server)->ports()[2]);
    const auto answer = client.Get("/metrics");
    REQUIRE(answer);
    REQUIRE(answer->status == 200);
    return answer->body;
}

}  // namespace

TEST_CASE("a scrape has every metric of the table, with its help, type and labels, and no other") {
    const auto families = read_scrape(scrape());
    for (const auto& [name, family] : families) {
        CAPTURE(name);
        CHECK(server::metric_row(name) != nullptr);
    }
    for (const auto& row : server::metric_table()) {
        CAPTURE(row.name);
        const auto found = families.find(std::string(row.name));
        REQUIRE(found != families.end());
        const auto& family = found->second;
        CHECK(family.help == row.help);
        CHECK(family.type == server::to_string(row.kind));
        CHECK(family.samples > 0);
        std::size_t known = 0;
        for (const auto& label : row.labels) {
            if (label.name.empty())
                continue;
            ++known;
            CAPTURE(label.name);
            const auto has = family.labels.find(std::string(label.name));
            REQUIRE(has != family.labels.end());
            if (!label.values.empty())
                CHECK(has->second == std::set<std::string>(label.values.begin(), label.values.end()));
        }
        CHECK(family.labels.size() == known);
    }
}

TEST_CASE("names and types of metrics go by Prometheus' rules") {
    for (const auto& row : server::metric_table()) {
        CAPTURE(row.name);
        const bool is_counter = row.kind == server::MetricKind::counter;
        CHECK(row.name.ends_with("_total") == is_counter);
        CHECK(row.help.ends_with("."));
        CHECK((row.kind == server::MetricKind::histogram) == !row.buckets.empty());
        for (const auto* forbidden : {"pod", "gang", "node", "namespace", "uid"}) {
            for (const auto& label : row.labels)
                CHECK(label.name != forbidden);
        }
    }
}

TEST_CASE("the codes of binding answers are those that the table lists") {
    const auto* row = server::metric_row("echelon_bind_requests_total");
    REQUIRE(row != nullptr);
    CHECK(std::ranges::equal(row->labels[0].values, kube::BindFigures::codes));
}

TEST_CASE("the kinds of writes and the codes of their answers are those that the table lists") {
    const auto* row = server::metric_row("echelon_writes_total");
    REQUIRE(row != nullptr);
    CHECK(std::ranges::equal(row->labels[0].values, kube::write_kinds));
    CHECK(std::ranges::equal(row->labels[1].values, kube::answer_codes));
}

TEST_CASE("docs/metrics.md is what `echelon print-metrics` prints") {
    std::ostringstream text;
    text << std::ifstream(ECHELON_SOURCE_DIR "/docs/metrics.md").rdbuf();
    CHECK(text.str() == server::metrics_document());
}
