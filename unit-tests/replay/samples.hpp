#pragma once

// Which objects have every field of k8s.io/api? The API server's own code encodes each both ways (e2e/samples). Also:
// what a recording keeps of an object.

#include "kube/protobuf/message_shape.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace echelon::replay::samples {

struct Sample {
    nlohmann::json object;
    std::string message;
};

// "pod.jsonl"; "": the folder of all.
[[nodiscard]] std::filesystem::path file_of(const std::string& name);
// The first one has every field.
[[nodiscard]] std::vector<Sample> in(const std::filesystem::path& file);

// The recorded events of an object, or why it can't be read.
[[nodiscard]] std::string recorded(const nlohmann::json& object);

[[nodiscard]] const kube::ObjectShape& shape_of(const Sample& sample);

}  // namespace echelon::replay::samples
