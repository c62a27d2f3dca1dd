#pragma once

// How does a test run a Writer? On an API server with scripted answers, with all reports recorded.

#include "kube/write/writer.hpp"
#include "unit-tests/kube/fake_apiserver.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace echelon::kube::desk {

using model::Outcome;

struct Report {
    std::uint64_t id;
    Outcome outcome;
};

inline model::PodRef pod(const std::string& name) {
    return {.ns = "team", .name = name, .uid = "u-" + name};
}
inline model::BindPod binding(const std::string& name) {
    return {.pod = pod(name), .node = "n1", .plan = "p"};
}
inline model::EmitGangEvent planned() {
    model::EmitGangEvent event;
    event.ns = "team";
    event.plan = "train";
    event.reason = "Held";
    event.sentence = "planned";
    return event;
}
inline model::ApplyPlan plan(model::Phase phase, std::int64_t epoch = 1) {
    model::ApplyPlan write;
    write.record.ns = "team";
    write.record.name = "train";
    write.record.root = {.kind = "podgroup", .name = "team/train"};
    write.record.phase = phase;
    write.record.epoch = epoch;
    return write;
}

// A writer on a scripted server, and what it reported.
struct Desk {
    explicit Desk(FakeApiServer::Handler handler, const WriterOptions& options = {}, const std::string& token_file = "")
        : server(std::move(handler)),
          writer(std::make_unique<Writer>(
              server.credentials("", token_file), options,
              [this](std::uint64_t id, const Outcome& outcome) { reports.add({id, outcome}); },
              [this](const std::string& sentence) { warnings.add(sentence); })) {}
    ~Desk() { writer.reset(); }
    Desk(const Desk&) = delete;
    Desk& operator=(const Desk&) = delete;

    // One write and what came of it.
    Outcome carried_out(const model::Write& write) {
        const std::uint64_t id = ++last_;
        writer->submit(id, write);
        CHECK(reports.wait(
            [id](const std::vector<Report>& all) { return std::ranges::count(all, id, &Report::id) == 1; }));
        for (const Report& report : reports.all()) {
            if (report.id == id)
                return report.outcome;
        }
        return {};
    }

    Happenings<Report> reports;
    Happenings<std::string> warnings;
    FakeApiServer server;
    std::unique_ptr<Writer> writer;

private:
    std::uint64_t last_ = 0;
};

inline void answer(httplib::Response& response, int status, const std::string& body = "{}") {
    response.status = status;
    response.set_content(body, "application/json");
}

}  // namespace echelon::kube::desk
