#pragma once

// `echelon replay`: does the engine decide today as it did when the service was recorded? (I14)

#include "base/result.hpp"

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

namespace echelon::cli {

struct Difference {
    std::uint64_t batch = 0;  // From 1.
    std::string time;         // Since the recording began: "12.345 s".
    std::string recorded;     // The action of the service; empty: none.
    std::string replayed;     // The action now; empty: none.
};

struct ReplayReport {
    std::string made_by;
    std::string began;
    std::uint64_t batches = 0;
    std::uint64_t inputs = 0;
    std::uint64_t decisions = 0;           // Actions that were compared.
    std::string ending;                    // Why the recording ended before the service did; empty: it didn't.
    bool is_cut_off = false;               // The last line is half a line: the process was killed.
    std::optional<Difference> difference;  // The first difference; nothing after it is compared.
};

// "line 3: ..." when it is no recording.
[[nodiscard]] base::Result<ReplayReport> replay(std::istream& recording);

// Exit status: 0 the same decisions, 1 different ones, 2 the file is no recording.
[[nodiscard]] int replay_file(const std::string& file);

}  // namespace echelon::cli
