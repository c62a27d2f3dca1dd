#pragma once

// How does a test get files? In a folder that is removed after the test.

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <unistd.h>

namespace echelon::cli::testing {

class Folder {
public:
    Folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "echelon-cli-XXXXXX").string();
        path_ = mkdtemp(pattern.data());
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] std::string write(const std::string& name, std::string_view text) const {
        const auto file = path_ / name;
        std::ofstream(file) << text;
        return file.string();
    }
    [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

}  // namespace echelon::cli::testing
