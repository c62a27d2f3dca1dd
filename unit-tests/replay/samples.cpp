#include "unit-tests/replay/samples.hpp"

#include "kube/decode.hpp"
#include "replay/recording.hpp"

#include <cstddef>
#include <fstream>
#include <string_view>

#include <doctest/doctest.h>

namespace echelon::replay::samples {

namespace {

std::string bytes_in(std::string_view base64) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    unsigned bits = 0;
    unsigned count = 0;
    for (const char c : base64) {
        const std::size_t digit = digits.find(c);
        if (digit == std::string_view::npos)
            break;
        bits = bits << 6U | static_cast<unsigned>(digit);
        count += 6;
        if (count >= 8) {
            count -= 8;
            out += static_cast<char>(bits >> count & 0xFFU);
        }
    }
    return out;
}

}  // namespace

std::filesystem::path file_of(const std::string& name) {
    return std::filesystem::path(ECHELON_SOURCE_DIR) / "unit-tests/kube/protobuf/samples" / name;
}

std::vector<Sample> in(const std::filesystem::path& file) {
    std::vector<Sample> samples;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        nlohmann::json sample = nlohmann::json::parse(line);
        samples.push_back({sample["json"], bytes_in(sample["protobuf"].get<std::string>())});
    }
    return samples;
}

std::string recorded(const nlohmann::json& object) {
    auto events = kube::decode(object, kube::Change::seen);
    if (!events)
        return "unreadable: " + events.error().sentence;
    RecordedBatch batch;
    for (model::Event& event : *events)
        batch.inputs.emplace_back(engine::Observed{std::move(event)});
    return to_line(batch);
}

const kube::ObjectShape& shape_of(const Sample& sample) {
    const auto version = sample.object["apiVersion"].get<std::string>();
    const kube::ObjectShape* shape = kube::shape_of(version, sample.object["kind"].get<std::string>());
    REQUIRE(shape != nullptr);
    return *shape;
}

}  // namespace echelon::replay::samples
