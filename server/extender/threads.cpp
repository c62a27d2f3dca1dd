#include "server/extender/threads.hpp"

#include "base/json_strings.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace echelon::server {

namespace {

struct ThreadRow {
    int id = 0;
    std::string name;
    char state = '?';
    double cpu_seconds = 0;
};

// Reads a line such as "7 (name) S 1 ..."; the name may contain blanks and parentheses. Nothing: the thread has ended.
std::optional<ThreadRow> row_of(const std::filesystem::path& task) {
    std::ifstream file(task / "stat");
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const auto begin = text.find('(');
    const auto end = text.rfind(')');
    if (begin == std::string::npos || end == std::string::npos)
        return std::nullopt;
    ThreadRow row;
    std::from_chars(text.data(), text.data() + begin, row.id);
    row.name = text.substr(begin + 1, end - begin - 1);
    std::istringstream fields(text.substr(end + 1));
    fields >> row.state;
    constexpr int before_times = 10;  // Fields between the state and the two times.
    std::string skipped;
    for (int at = 0; at < before_times; ++at)
        fields >> skipped;
    double user = 0;
    double system = 0;
    fields >> user >> system;
    row.cpu_seconds = (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
    return row;
}

}  // namespace

std::string threads_json() {
    std::vector<ThreadRow> rows;
    std::error_code error;
    for (std::filesystem::directory_iterator at("/proc/self/task", error), end; !error && at != end;
         at.increment(error)) {
        if (auto row = row_of(at->path()))
            rows.push_back(std::move(*row));
    }
    std::ranges::sort(rows, {}, &ThreadRow::id);
    std::string out = "{\n  \"threads\": [";
    for (const auto& row : rows) {
        out += fmt::format("{}\n    {{\"id\": {}, \"name\": ", &row == &rows.front() ? "" : ",", row.id);
        base::append_json_string(out, row.name);
        out += fmt::format(", \"state\": \"{}\", \"cpuSeconds\": {:.2f}}}", row.state, row.cpu_seconds);
    }
    return out + "\n  ]\n}\n";
}

}  // namespace echelon::server
