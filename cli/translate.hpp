#pragma once

// `echelon translate`: writes the gangs of manifests in another dialect, as YAML, with their pods. What the dialect
// cannot express goes to standard error.

#include "config/settings.hpp"
#include "kube/manifests.hpp"
#include "translate/translation.hpp"

#include <string>
#include <vector>

namespace echelon::cli {

struct TranslateArguments {
    std::vector<std::string> files;  // FILE, DIR or "-".
    std::string config_file;         // Empty: none.
    std::string to;                  // One of `target_names`.
    std::string scheduler_name;      // For the pods; empty: the usual name of the target.
};

[[nodiscard]] std::vector<std::string> target_names();

struct Translated {
    std::string documents;                // Gang by gang in the order of their names: objects, then pods.
    std::vector<std::string> complaints;  // Sentences about what was lost or refused, in the same order.
};

// Requires: manifests that were read with their texts.
[[nodiscard]] Translated translated(const kube::Manifests& manifests, const config::Settings& settings,
                                    translate::Dialect target, const std::string& scheduler_name = {});

// Exit status: 0 everything is translated, 3 something was lost or refused, 2 bad input or arguments, 1 an error of
// ours.
[[nodiscard]] int translate(const TranslateArguments& arguments);

}  // namespace echelon::cli
