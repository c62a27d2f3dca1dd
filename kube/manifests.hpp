#pragma once

// What do manifest files tell of a cluster? Files, directories and standard input, as events for the model.
//
// Reads files, and decides nothing: every object goes through the decoder of the watch. The input is foreign: sizes and
// nesting are capped, and every error is one sentence with file, number of the document and field path.

#include "base/result.hpp"
#include "kube/reading.hpp"
#include "model/facts/event.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::kube {

struct Manifests {
    std::vector<model::Event> events;        // In the order of the input.
    std::vector<std::string> skipped_kinds;  // "Deployment.apps", "ConfigMap": sorted, each once.
    std::vector<std::string> texts;          // The objects of known kinds as JSON, if they are kept: in their order.
};

enum class Keep : std::uint8_t { events, texts_too };

// Each path is a file, a directory (its *.yaml, *.yml and *.json by name, not deeper), or "-" for standard input. An
// object that stands twice in the input is an error, unless one UID is there in several versions: then the newest
// counts. JSON is read fast; YAML is for up to 64 MB.
[[nodiscard]] base::Result<Manifests> read_manifests(const std::vector<std::string>& paths, Keep keep = Keep::events,
                                                     const Reading& reading = {});

// The same from one text in memory; `source` names it in errors.
[[nodiscard]] base::Result<Manifests> read_manifest_text(std::string_view text, const std::string& source,
                                                         Keep keep = Keep::events, const Reading& reading = {});

}  // namespace echelon::kube
