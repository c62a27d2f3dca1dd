#include "kube/json/input_text.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

namespace echelon::kube {
namespace {

TEST_CASE("a text is whole after it has grown and moved, and is followed by zeros") {
    const auto path = std::filesystem::temp_directory_path() / ("input-text-" + std::to_string(::getpid()));
    std::string written(5'000'000, 'x');
    written[4'321'000] = 'y';
    std::ofstream(path, std::ios::binary) << written;
    auto read = InputText::read(path.string(), "f");
    std::filesystem::remove(path);
    REQUIRE(read);
    const InputText text = std::move(*read);
    CHECK(text.text() == written);
    for (std::size_t behind = 0; behind < 32; ++behind)
        CHECK(text.text().data()[text.text().size() + behind] == '\0');
    CHECK(InputText("").text().empty());
}

TEST_CASE("a long file is read whole, and standard input from the current position") {
    const auto path = std::filesystem::temp_directory_path() / ("input-text-long-" + std::to_string(::getpid()));
    std::string written(21'000'001, 'x');
    for (std::size_t at = 0; at < written.size(); at += 4'099)
        written[at] = static_cast<char>('a' + at % 23);
    std::ofstream(path, std::ios::binary) << written;
    const auto read = InputText::read(path.string(), "f");
    REQUIRE(read);
    CHECK(read->text() == written);
    for (const int start : {0, 5}) {
        CAPTURE(start);
        const int earlier = ::dup(STDIN_FILENO);
        const int file = ::open(path.c_str(), O_RDONLY);
        REQUIRE(file >= 0);
        REQUIRE(::lseek(file, start, SEEK_SET) == start);
        REQUIRE(::dup2(file, STDIN_FILENO) == STDIN_FILENO);
        const auto rest = InputText::read("-", "standard input");
        ::dup2(earlier, STDIN_FILENO);
        ::close(file);
        ::close(earlier);
        REQUIRE(rest);
        CHECK(rest->text() == std::string_view(written).substr(static_cast<std::size_t>(start)));
    }
    std::filesystem::remove(path);
}

TEST_CASE("what is given back takes no part of what follows") {
    const std::string written(40U << 20U, 'x');
    InputText text(written);
    text.give_back((36U << 20U) + 5);
    CHECK(text.text().substr((36U << 20U) + 5) == std::string_view(written).substr((36U << 20U) + 5));
    text.give_back(7);
    text.give_back(written.size() + 99);
    CHECK(text.text().size() == written.size());
}

TEST_CASE("a directory and a missing file can't be read") {
    CHECK(InputText::read("/", "f").error().sentence.starts_with("f: can't be read: "));
    CHECK(InputText::read("/nonexistent/x", "f").error().sentence == "f: can't be read: No such file or directory");
}

}  // namespace
}  // namespace echelon::kube
