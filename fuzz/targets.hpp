#pragma once

// What must hold for any bytes whatsoever? One function per door through which foreign bytes come in.
//
// A target takes bytes and answers with the first promise that they broke; empty: none. It must not crash, must not
// read what isn't there, and must end soon. Clang's libFuzzer drives each target (`./dev fuzz`), and unit-tests/fuzz
// feeds the committed inputs to the same functions. Thread-safe: nothing is shared.

#include <array>
#include <string>
#include <string_view>

namespace echelon::fuzz {

// Texts of resource amounts: both units agree, and are never negative.
[[nodiscard]] std::string quantity(std::string_view bytes);
// YAML and JSON through decoders, cluster, solver: plans pass the referee, and the order of the objects is irrelevant.
[[nodiscard]] std::string manifest(std::string_view bytes);
// One object of a group or a topology, whatever it says: it has a reading, and no gang beside it has another one.
[[nodiscard]] std::string adapter(std::string_view bytes);
// Objects of every dialect that nest, repeat and enlarge beyond what is allowed: the same promise.
[[nodiscard]] std::string grown(std::string_view bytes);
// Node selector, affinity and tolerations of a pod: the order of wishes is irrelevant.
[[nodiscard]] std::string selector(std::string_view bytes);
// A selector of devices in CEL: what is understood has one answer, and its negation the other.
[[nodiscard]] std::string cel(std::string_view bytes);
// Bodies of kube-scheduler's calls: every body has an answer in JSON, with names that it gave itself.
[[nodiscard]] std::string filter(std::string_view bytes);
[[nodiscard]] std::string prioritize(std::string_view bytes);
[[nodiscard]] std::string preempt(std::string_view bytes);
[[nodiscard]] std::string bind(std::string_view bytes);
// A watch: pieces don't depend on how the stream was cut, and an empty list afterwards leaves nothing behind.
[[nodiscard]] std::string watch(std::string_view bytes);
// A page of a list: its pieces are those of the whole text, however it was cut.
[[nodiscard]] std::string list(std::string_view bytes);
// A watch and a list in protobuf: pieces don't depend on how the stream was cut, texts are JSON and not much longer,
// and an empty list afterwards leaves nothing behind.
[[nodiscard]] std::string protobuf(std::string_view bytes);
// The configuration file: every fault is on a line of the file, and what is good is good again.
[[nodiscard]] std::string config(std::string_view bytes);
// The head of a request: judged equally in one piece and byte by byte, and parsed as it was framed.
[[nodiscard]] std::string header(std::string_view bytes);

struct Target {
    std::string_view name;  // Of the function, and of its folder in fuzz/corpus.
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
