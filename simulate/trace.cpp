#include "simulate/trace.hpp"

#include "base/ascii.hpp"
#include "base/counted.hpp"
#include "simulate/csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace echelon::simulate {

namespace {

constexpr std::string_view usual_gpu = "nvidia.com/gpu";
constexpr std::int64_t whole_device = 1000;
constexpr std::int64_t mebibyte = 1024 * 1024;
constexpr std::int64_t most_pods = 1'000'000;
constexpr std::int64_t most_amount = 1'000'000'000'000;

// The columns that mean something, in the order of `Row::cells`.
enum class Column : std::uint8_t {
    submit,
    duration,
    name,
    pods,
    cpu,
    memory,
    gpu,
    gpu_resource,
    gpu_share,
    gpu_model,
    required,
    preferred,
    priority,
    owner,
    gang,
    limit,
};
constexpr std::array<std::string_view, 16> column_names = {
    "submit",    "duration",  "name",     "pods",      "cpu",      "memory", "gpu",  "gpu-resource",
    "gpu-share", "gpu-model", "required", "preferred", "priority", "owner",  "gang", "limit"};

std::string_view name_of(Column column) {
    return column_names[static_cast<std::size_t>(column)];
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The parts of "a|b", sorted and each once.
std::vector<std::string> parts_of(std::string_view text) {
    std::set<std::string> parts;
    while (!text.empty()) {
        const auto end = std::min(text.find('|'), text.size());
        if (const auto part = trimmed(text.substr(0, end)); !part.empty())
            parts.emplace(part);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return {parts.begin(), parts.end()};
}

// One row, by column. The first thing that is wrong with it is kept.
class Row {
public:
    Row(const std::array<std::optional<std::size_t>, column_names.size()>& places,
        const std::vector<std::string>& fields)
        : places_(places), fields_(fields) {}

    [[nodiscard]] std::string_view text(Column column) const {
        const auto place = places_[static_cast<std::size_t>(column)];
        return place ? trimmed(fields_[*place]) : std::string_view{};
    }

    std::optional<Seconds> seconds(Column column) {
        const auto word = text(column);
        if (word.empty())
            return std::nullopt;
        const auto number = parsed(word);
        if (!number || *number < 0) {
            complain(column, "must be a number of seconds, 0 or more");
            return std::nullopt;
        }
        return number;
    }

    std::int64_t whole(Column column, std::int64_t usual, std::int64_t least, std::int64_t most) {
        const auto word = text(column);
        if (word.empty())
            return usual;
        const auto number = parsed(word);
        if (!number || *number != std::floor(*number) || *number < static_cast<double>(least) ||
            *number > static_cast<double>(most)) {
            complain(column, fmt::format("must be a whole number from {} to {}", least, most));
            return usual;
        }
        return static_cast<std::int64_t>(*number);
    }

    bool flag(Column column, bool usual) {
        std::string word(text(column));
        std::ranges::transform(word, word.begin(), base::to_lower);
        if (word == "true" || word == "false")
            return word == "true";
        if (!word.empty())
            complain(column, "must be true or false");
        return usual;
    }

    void complain(Column column, std::string_view what) {
        if (fault_.empty())
            fault_ = fmt::format("{} {}, not \"{}\"", name_of(column), what, text(column));
    }
    void complain(std::string what) {
        if (fault_.empty())
            fault_ = std::move(what);
    }
    [[nodiscard]] const std::string& fault() const { return fault_; }

private:
    static std::optional<double> parsed(std::string_view word) {
        double value = 0;
        if (word.starts_with('+'))
            word.remove_prefix(1);
        const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
        if (read.ec != std::errc{} || read.ptr != word.data() + word.size() || !std::isfinite(value))
            return std::nullopt;
        return value;
    }

    const std::array<std::optional<std::size_t>, column_names.size()>& places_;
    const std::vector<std::string>& fields_;
    std::string fault_;
};

PodRequest request_of(Row& row) {
    PodRequest request;
    request.cpu_milli = row.whole(Column::cpu, 0, 0, most_amount);
    request.memory_bytes = row.whole(Column::memory, 0, 0, most_amount) * mebibyte;
    const auto gpus = row.whole(Column::gpu, -1, 0, most_amount);
    request.gpu_share = row.whole(Column::gpu_share, 0, 0, whole_device);
    if (request.gpu_share > 0 && gpus != -1 && gpus != 1)
        row.complain(Column::gpu, "must be 1 or empty beside a gpu-share");
    request.gpus = request.gpu_share > 0 ? 0 : std::max<std::int64_t>(gpus, 0);
    if (request.gpus > 0 || request.gpu_share > 0) {
        const auto resource = row.text(Column::gpu_resource);
        request.gpu_resource = resource.empty() ? usual_gpu : resource;
        request.gpu_models = parts_of(row.text(Column::gpu_model));
    }
    return request;
}

class Reader {
public:
    explicit Reader(std::string_view text) : csv_(text) {}

    std::expected<Trace, TraceFault> read() {
        if (!csv_.next())
            return fault(1, csv_.fault().empty() ? "there is no header" : csv_.fault());
        if (auto what = read_header(); !what.empty())
            return fault(csv_.line(), std::move(what));
        while (csv_.next()) {
            if (auto what = read_job(); !what.empty())
                return fault(csv_.line(), std::move(what));
        }
        if (!csv_.fault().empty())
            return fault(csv_.line(), csv_.fault());
        std::ranges::stable_sort(trace_.jobs, {}, &Job::submit);
        return std::move(trace_);
    }

private:
    static std::unexpected<TraceFault> fault(std::size_t line, std::string what) {
        return std::unexpected(TraceFault{line, std::move(what)});
    }

    std::string read_header() {
        columns_ = csv_.fields().size();
        for (std::size_t i = 0; i < columns_; ++i) {
            const auto known = std::ranges::find(column_names, trimmed(csv_.fields()[i]));
            if (known == column_names.end())
                continue;
            auto& place = places_[static_cast<std::size_t>(known - column_names.begin())];
            if (place)
                return fmt::format("there are two columns \"{}\"", *known);
            place = i;
        }
        return places_[static_cast<std::size_t>(Column::submit)] ? "" : "there is no column \"submit\"";
    }

    std::string read_job() {
        if (csv_.fields().size() != columns_)
            return fmt::format("there {} {}, and the header has {}", csv_.fields().size() == 1 ? "is" : "are",
                               base::counted(csv_.fields().size(), "field"), columns_);
        Row row(places_, csv_.fields());
        Job job;
        job.line = csv_.line();
        const auto submit = row.seconds(Column::submit);
        if (!submit)
            row.complain("submit is missing");
        job.submit = submit.value_or(0);
        job.duration = row.seconds(Column::duration);
        job.limit = row.seconds(Column::limit);
        job.pods = static_cast<std::uint32_t>(row.whole(Column::pods, 1, 1, most_pods));
        job.priority = row.whole(Column::priority, 0, -most_amount, most_amount);
        job.is_gang = row.flag(Column::gang, true);
        job.owner = row.text(Column::owner);
        job.request = number_of(request_of(row), requests_, trace_.requests);
        job.levels = number_of({parts_of(row.text(Column::required)), parts_of(row.text(Column::preferred))}, levels_,
                               trace_.levels);
        job.name = row.text(Column::name);
        if (job.name.empty())
            job.name = fmt::format("job-{}", job.line - 1);
        if (const auto [known, is_new] = names_.emplace(job.name, job.line); !is_new)
            row.complain(fmt::format("name \"{}\" is that of line {}", job.name, known->second));
        trace_.jobs.push_back(std::move(job));
        return row.fault();
    }

    template <typename Value>
    static std::uint32_t number_of(Value value, std::map<Value, std::uint32_t>& known, std::vector<Value>& all) {
        const auto [found, is_new] = known.emplace(std::move(value), static_cast<std::uint32_t>(all.size()));
        if (is_new)
            all.push_back(found->first);
        return found->second;
    }

    CsvReader csv_;
    std::size_t columns_ = 0;
    std::array<std::optional<std::size_t>, column_names.size()> places_;
    std::map<PodRequest, std::uint32_t> requests_;
    std::map<LevelRequest, std::uint32_t> levels_;
    std::map<std::string, std::size_t> names_;
    Trace trace_;
};

}  // namespace

std::optional<Seconds> Job::run_time() const {
    if (!limit)
        return duration;
    return duration ? std::min(*duration, *limit) : *limit;
}

std::expected<Trace, TraceFault> read_trace(std::string_view text) {
    return Reader(text).read();
}

}  // namespace echelon::simulate
