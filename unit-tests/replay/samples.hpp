#pragma once

// Objects that have every field of k8s.io/api, each encoded both ways by the API server's own code (e2e/samples), and
// what a recording keeps of one.

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
