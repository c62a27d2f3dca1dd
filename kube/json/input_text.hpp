#pragma once

// How is a large manifest file held in memory? A file or standard input, whose memory is released piece by piece while
// it is read. The text of a whole cluster and its decoded form are never in memory together.
//
// Files are read, not mapped: a file that shrinks meanwhile is only cut off. Not thread-safe.

#include "base/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace echelon::kube {

class InputText {
public:
    // Reads to the end; "-" is standard input. `source` names it in errors.
    [[nodiscard]] static base::Result<InputText> read(const std::string& path, const std::string& source);

    // A copy of a text.
    explicit InputText(std::string_view text);
    ~InputText();
    InputText(InputText&& other) noexcept;
    InputText& operator=(InputText&& other) noexcept;

    // Followed by as many zeros as simdjson may read beyond the end.
    [[nodiscard]] std::string_view text() const { return {start_, size_}; }
    // Releases memory before `offset`, which may read as zeros from then on.
    void give_back(std::size_t offset);

private:
    InputText() = default;
    [[nodiscard]] bool grow(std::size_t room);
    void release();

    char* start_ = nullptr;
    std::size_t size_ = 0;
    std::size_t mapped_ = 0;
    std::size_t released_ = 0;
};

}  // namespace echelon::kube
