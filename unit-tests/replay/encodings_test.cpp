// A recording keeps the same of an object, whichever encoding it had. The samples have every field of k8s.io/api,
// written by the API server's own code (e2e/samples). So a field that a decoder reads and the shapes lack makes a
// difference.

#include "kube/json/splitter.hpp"
#include "kube/protobuf/transcoder.hpp"
#include "unit-tests/replay/samples.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::replay {
namespace {

using nlohmann::json;
using samples::recorded;
using samples::Sample;
using samples::shape_of;

json transcoded(const Sample& sample, const kube::ObjectShape& shape) {
    std::string text;
    const auto done = kube::append_answer(sample.message, shape, text);
    REQUIRE_MESSAGE(done, (done ? "" : done.error().sentence));
    const auto parsed = kube::parse_object(text);
    REQUIRE_MESSAGE(parsed, text);
    return *parsed;
}

// Shapes without one of their rows.
class Pruned {
public:
    explicit Pruned(const kube::ObjectShape& whole) : whole_(whole) {}

    // Calls `look` for each row with the shape that lacks it, and with its path.
    template <class Look>
    void each(const Look& look) {
        std::vector<std::size_t> path;
        below(*whole_.message, path, whole_.kind, look);
    }

private:
    template <class Look>
    void below(const kube::MessageShape& message, std::vector<std::size_t>& path, std::string_view place,
               const Look& look) {
        for (std::size_t at = 0; at < message.fields.size(); ++at) {
            const kube::FieldShape& field = message.fields[at];
            path.push_back(at);
            const std::string name = std::string(place) + "." + std::string(field.name);
            rows_.clear();
            messages_.clear();
            kube::ObjectShape less = whole_;
            less.message = without(*whole_.message, path);
            look(less, name);
            if (field.shape != nullptr)
                below(*field.shape, path, name, look);
            path.pop_back();
        }
    }
    const kube::MessageShape* without(const kube::MessageShape& message, std::span<const std::size_t> path) {
        auto& rows = rows_.emplace_back(message.fields.begin(), message.fields.end());
        const auto at = static_cast<std::ptrdiff_t>(path.front());
        if (path.size() == 1) {
            rows.erase(rows.begin() + at);
        } else {
            rows[path.front()].shape = without(*rows[path.front()].shape, path.subspan(1));
        }
        return &messages_.emplace_back(kube::MessageShape{rows});
    }

    const kube::ObjectShape whole_;
    std::deque<std::vector<kube::FieldShape>> rows_;
    std::deque<kube::MessageShape> messages_;
};

}  // namespace

TEST_CASE("an object is recorded alike whether it came as JSON or as protobuf") {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(samples::file_of(""))) {
        CAPTURE(entry.path().string());
        const auto objects = samples::in(entry.path());
        ++files;
        std::size_t readable = 0;
        for (std::size_t at = 0; at < objects.size(); ++at) {
            CAPTURE(at);
            const std::string of_json = recorded(objects[at].object);
            CHECK(of_json == recorded(transcoded(objects[at], shape_of(objects[at]))));
            readable += of_json.starts_with("unreadable") ? 0U : 1U;
        }
        CHECK(!recorded(objects.at(0).object).starts_with("unreadable"));  // The one with every field.
        CHECK(readable > objects.size() / 2);
    }
    CHECK(files == 10);
}

// The metadata have the same rows in all kinds, and a template has the rows that a claim has.
std::string row_of(const std::string& path) {
    constexpr std::string_view of_template = "ResourceClaimTemplate.spec.spec";
    if (path.starts_with(of_template))
        return "ResourceClaim.spec" + path.substr(of_template.size());
    const std::size_t metadata = path.find(".metadata.");
    return metadata == std::string::npos ? path : path.substr(metadata);
}

TEST_CASE("without any one of the rows, some sample is recorded otherwise") {
    std::map<std::string, bool> matters;  // By row.
    for (const auto& entry : std::filesystem::directory_iterator(samples::file_of(""))) {
        const auto objects = samples::in(entry.path());
        Pruned(shape_of(objects.at(0))).each([&](const kube::ObjectShape& less, const std::string& path) {
            bool& row = matters[row_of(path)];
            row = row || std::ranges::any_of(objects, [&](const Sample& sample) {
                      return recorded(sample.object) != recorded(transcoded(sample, less));
                  });
        });
    }
    for (const auto& [row, makes_a_difference] : matters) {
        // The version is read by the watch. Workloads were named by pods up to 1.35, and the samples are of a later
        // one. An owner's UID is read of the controlling Job alone.
        const bool is_of_owner = row == ".metadata.ownerReferences.uid";
        if (row != ".metadata.resourceVersion" && !is_of_owner && !row.starts_with("Pod.spec.workloadRef"))
            CHECK_MESSAGE(makes_a_difference, row);
    }
}

TEST_CASE("the text of a protobuf object has only fields that its JSON has, with the same values") {
    for (const auto& entry : std::filesystem::directory_iterator(samples::file_of(""))) {
        CAPTURE(entry.path().string());
        for (const Sample& sample : samples::in(entry.path())) {
            // A patch that turns the JSON into it: fields may go, nothing may come or change.
            for (const json& step : json::diff(sample.object, transcoded(sample, shape_of(sample))))
                CHECK_MESSAGE(step["op"] == "remove", step.dump());
        }
    }
}

}  // namespace echelon::replay
