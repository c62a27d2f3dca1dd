#pragma once

// Which events do manifest files become? Reads files, directories and standard input.
//
// Every object goes through the decoder of the watch. The input is untrusted: sizes and nesting are capped. Every error
// is one sentence with file, number of the document and field path.

#include "base/result.hpp"
#include "kube/reading.hpp"
#include "model/facts/event.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::kube {

struct Manifests {
    std::vector<model::Event> events;        // In the order of the input.
    std::vector<std::string> skipped_kinds;  // "Deployment.apps", "ConfigMap": sorted, each once.
    // By UID: pods whose priority follows from a class that isn't in the input; of no name: the cluster's default.
    std::map<std::string, std::string> priority_classes;
    std::vector<std::string> texts;  // With Keep::texts_too: the objects of known kinds as JSON, in order.
};

enum class Keep : std::uint8_t { events, texts_too };

// Each path is a file, a directory (its *.yaml, *.yml and *.json by name, without subdirectories), or "-" for standard
// input. An object that appears twice is an error. If one UID appears in several API versions, the newest counts. JSON
// is fast, up to 4 GB; YAML may have 64 MB.
[[nodiscard]] base::Result<Manifests> read_manifests(const std::vector<std::string>& paths, Keep keep = Keep::events,
                                                     const Reading& reading = {});

// Scanning YAML takes up to 250 bytes of memory for each byte.
inline constexpr std::size_t largest_yaml = 64UL << 20U;

// Reads one text in memory; `source` names it in errors. `most_yaml`: bytes, in whole MB.
[[nodiscard]] base::Result<Manifests> read_manifest_text(std::string_view text, const std::string& source,
                                                         Keep keep = Keep::events, const Reading& reading = {},
                                                         std::size_t most_yaml = largest_yaml);

}  // namespace echelon::kube
