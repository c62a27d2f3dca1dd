#pragma once

// What does a member of a JSON object say, if it is there?
//
// Pure and thread-safe. For answers of the API server, of which only a few members matter.

#include <string>

#include <nlohmann/json.hpp>

namespace echelon::kube {

// Nullptr: the parent is no object, or has no such member.
[[nodiscard]] inline const nlohmann::json* member_of(const nlohmann::json& parent, const char* key) {
    if (!parent.is_object())
        return nullptr;
    const auto value = parent.find(key);
    return value == parent.end() ? nullptr : &*value;
}

// "" unless it is a string.
[[nodiscard]] inline std::string text_of(const nlohmann::json& parent, const char* key) {
    const nlohmann::json* value = member_of(parent, key);
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

// The string metadata.KEY of an object; "" unless there is one.
[[nodiscard]] inline std::string metadata_of(const nlohmann::json& object, const char* key) {
    const nlohmann::json* metadata = member_of(object, "metadata");
    return metadata == nullptr ? std::string() : text_of(*metadata, key);
}

}  // namespace echelon::kube
