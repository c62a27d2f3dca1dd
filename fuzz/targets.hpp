#pragma once

// What must hold for any bytes? One function for each way by which foreign bytes enter echelon.
//
// A target takes bytes and returns a sentence about the first broken promise; empty: none. It must not crash, must not
// read out of bounds, and must end soon. Clang's libFuzzer drives each target (`./dev fuzz`), and unit-tests/fuzz
// feeds the committed inputs to the same functions. Thread-safe: nothing is shared.

#include <array>
#include <string>
#include <string_view>

namespace echelon::fuzz {

// Texts of resource amounts: both units agree, and are never negative.
[[nodiscard]] std::string quantity(std::string_view bytes);
// Manifests through decoders, cluster and solver: plans pass the referee, and the order of objects doesn't matter.
[[nodiscard]] std::string manifest(std::string_view bytes);
// One object of a group or a topology, with any content: it can be read, and no other gang changes.
[[nodiscard]] std::string adapter(std::string_view bytes);
// Objects of every dialect that nest, repeat and grow beyond the limits: the same promise.
[[nodiscard]] std::string grown(std::string_view bytes);
// Node selector, affinity and tolerations of a pod: their order doesn't matter.
[[nodiscard]] std::string selector(std::string_view bytes);
// A device selector in CEL: if it is understood, its negation has the opposite result.
[[nodiscard]] std::string cel(std::string_view bytes);
// Bodies of kube-scheduler's calls: every body gets an answer in JSON, with only names from the body.
[[nodiscard]] std::string filter(std::string_view bytes);
[[nodiscard]] std::string prioritize(std::string_view bytes);
[[nodiscard]] std::string preempt(std::string_view bytes);
[[nodiscard]] std::string bind(std::string_view bytes);
// A watch: the pieces don't depend on the chunks of the stream, and an empty list afterwards removes everything.
[[nodiscard]] std::string watch(std::string_view bytes);
// A page of a list: the pieces don't depend on the chunks of the text.
[[nodiscard]] std::string list(std::string_view bytes);
// A watch and a list in protobuf: the pieces don't depend on the chunks. Each text is JSON, and not much longer than
// the message. An empty list afterwards removes everything.
[[nodiscard]] std::string protobuf(std::string_view bytes);
// The configuration file: every fault names a line of the file, and a valid file is valid when it is read again.
[[nodiscard]] std::string config(std::string_view bytes);
// The header of a request: the verdict is the same for one piece and byte by byte, and the parser agrees with it.
[[nodiscard]] std::string header(std::string_view bytes);

struct Target {
    std::string_view name;  // The name of the function, and of the folder in fuzz/corpus.
    std::string (*feed)(std::string_view bytes);
};
inline constexpr std::array targets{
    Target{"quantity", quantity},
    Target{"manifest", manifest},
    Target{"selector", selector},
    Target{"filter", filter},
    Target{"prioritize", prioritize},
    Target{"preempt", preempt},
    Target{"bind", bind},
    Target{"watch", watch},
    Target{"list", list},
    Target{"config", config},
    Target{"header", header},
    Target{"adapter", adapter},
    Target{"grown", grown},
    Target{"cel", cel},
    Target{"protobuf", protobuf},
};

}  // namespace echelon::fuzz
