#pragma once

// What does a manifest file say, byte by byte? A file of any kind or standard input, in memory that can be given back
// piece by piece, so that the text of a whole cluster and what is made of it never stand side by side.
//
// Reads files: into memory rather than mapped, so that one that shrinks meanwhile is only cut off. Not thread-safe.

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

    // Zeros stand behind its end, as many as simdjson likes to read.
    [[nodiscard]] std::string_view text() const { return {start_, size_}; }
    // What stands before `offset` isn't needed any more: it may read as zeros from now on.
    void give_back(std::size_t offset);

private:
    InputText() = default;
    [[nodiscard]] bool grow(std::size_t room);
    void release();

    char* start_ = nullptr;
    std::size_t size_ = 0;
    std::size_t mapped_ = 0;
    std::size_t given_back_ = 0;
};

}  // namespace echelon::kube
