#include "app/recorder.hpp"

#include "app/version.hpp"
#include "base/time_text.hpp"
#include "server/extender/metric_families.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <pthread.h>

namespace echelon::app {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view file_prefix = "echelon-";
constexpr std::string_view file_suffix = ".jsonl";

struct RecordingFile {
    fs::path path;
    std::uint64_t bytes = 0;
};

bool is_recording_name(std::string_view name) {
    return name.starts_with(file_prefix) && name.ends_with(file_suffix);
}

// The oldest first: names begin with the time.
std::vector<RecordingFile> recordings_in(const fs::path& folder, std::error_code& problem) {
    std::vector<RecordingFile> recordings;
    for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
        std::error_code gone;
        const auto bytes = at->is_regular_file(gone) ? at->file_size(gone) : 0;
        if (!gone && is_recording_name(at->path().filename().native()))
            recordings.push_back({at->path(), bytes});
    }
    std::ranges::sort(recordings, {}, &RecordingFile::path);
    return recordings;
}

// Until the rest has at most `most` bytes.
void drop_oldest(const fs::path& folder, std::uint64_t most, std::error_code& problem) {
    const auto recordings = recordings_in(folder, problem);
    std::uint64_t bytes = 0;
    for (const auto& recording : recordings)
        bytes += recording.bytes;
    for (const auto& recording : recordings) {
        if (problem || bytes <= most)
            return;
        fs::remove(recording.path, problem);
        bytes -= recording.bytes;
    }
}

}  // namespace

base::Result<std::unique_ptr<Recorder>> Recorder::start(RecorderOptions options, const engine::Options& engine,
                                                        engine::Time at, OnEnd on_end) {
    const auto began = std::chrono::system_clock::now();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(began);
    const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(began - seconds).count();
    const fs::path folder = options.directory;
    std::error_code problem;
    fs::create_directories(folder, problem);
    if (!problem)
        drop_oldest(folder, options.most_bytes / 2, problem);
    if (problem)
        return base::failure(fmt::format("\"{}\": {}", options.directory, problem.message()));
    const auto file =
        (folder / fmt::format("{}{:%Y%m%dT%H%M%S}.{:03}Z{}", file_prefix, fmt::gmtime(seconds), millis, file_suffix))
            .native();
    Stream stream(std::fopen(file.c_str(), "wbx"));
    if (!stream)
        return base::failure(fmt::format("\"{}\": {}", file, std::strerror(errno)));
    auto recorder =
        std::unique_ptr<Recorder>(new Recorder(std::move(options), file, std::move(stream), std::move(on_end)));
    const replay::RecordingHead head{version_line(), base::time_text(seconds), at, engine};
    if (!recorder->write(replay::to_line(head)))
        return base::failure(fmt::format("\"{}\": {}", file, recorder->ended_));
    recorder->thread_ = std::jthread([self = recorder.get()](const std::stop_token& stop) { self->run(stop); });
    return recorder;
}

Recorder::Recorder(RecorderOptions options, std::string file, Stream stream, OnEnd on_end)
    : options_(std::move(options)), file_(std::move(file)), stream_(std::move(stream)), on_end_(std::move(on_end)) {}

Recorder::~Recorder() {
    {
        const std::lock_guard lock(mutex_);  // The writer may not be between its test and its sleep.
        thread_.request_stop();
    }
    has_batch_.notify_all();
}

void Recorder::add(engine::Time at, std::vector<engine::Input> inputs, std::vector<engine::Action> actions) {
    {
        const std::lock_guard lock(mutex_);
        if (!ended_.empty())
            return;
        waiting_ += inputs.size();
        if (waiting_ <= options_.most_waiting)
            batches_.push_back({at, std::move(inputs), std::move(actions)});
    }
    has_batch_.notify_one();
}

bool Recorder::is_recording() const {
    const std::lock_guard lock(mutex_);
    return ended_.empty();
}

std::uint64_t Recorder::bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

void Recorder::run(const std::stop_token& stop) {
    ::pthread_setname_np(::pthread_self(), "recorder");
    std::vector<Batch> batches;
    replay::RecordingCompressor shortened;
    for (bool is_last = false; !is_last;) {
        bool is_behind = false;
        {
            std::unique_lock lock(mutex_);
            has_batch_.wait(lock, stop, [this] { return !batches_.empty() || waiting_ > options_.most_waiting; });
            is_last = stop.stop_requested();
            is_behind = waiting_ > options_.most_waiting;
            batches.swap(batches_);
            if (!is_behind)
                waiting_ = 0;
        }
        for (auto& batch : batches) {
            replay::RecordedBatch recorded{batch.at, std::move(batch.inputs), {}};
            shortened.shorten(recorded);
            for (const auto& action : batch.actions)
                recorded.actions.push_back(replay::compact(action));
            if (!write(replay::to_line(recorded)))
                return;
        }
        batches.clear();
        if (is_behind)
            return end("the writer can't keep up");
        if (std::fflush(stream_.get()) != 0)
            return end(std::strerror(errno));
    }
}

bool Recorder::write(const std::string& line) {
    const auto left = options_.most_bytes / 2;
    if (bytes() + line.size() > left) {
        end("the file has reached its size limit");
        return false;
    }
    if (std::fwrite(line.data(), 1, line.size(), stream_.get()) != line.size()) {
        end(std::strerror(errno));
        return false;
    }
    const std::lock_guard lock(mutex_);
    bytes_ += line.size();
    return true;
}

void Recorder::end(const std::string& why) {
    const auto last = replay::to_line(replay::RecordingEnd{why});
    std::fwrite(last.data(), 1, last.size(), stream_.get());
    std::fflush(stream_.get());
    {
        const std::lock_guard lock(mutex_);
        ended_ = why;
        batches_.clear();
        batches_.shrink_to_fit();
    }
    on_end_(
        fmt::format("recording to \"{}\" has ended: {}; the next start of the service begins another one", file_, why));
}

std::unique_ptr<Recorder> recorder_of(const config::Settings& settings, const engine::Options& engine, engine::Time at,
                                      Recorder::OnEnd on_end) {
    if (!settings.recording)
        return nullptr;
    const auto& wanted = *settings.recording;
    auto recorder = Recorder::start({.directory = wanted.directory, .most_bytes = wanted.most_megabytes * 1'000'000},
                                    engine, at, on_end);
    if (recorder)
        return std::move(*recorder);
    on_end("nothing is recorded: " + recorder.error().sentence);
    return nullptr;
}

std::vector<prometheus::MetricFamily> recording_metrics(const Recorder* recorder) {
    const bool is_recording = recorder != nullptr && recorder->is_recording();
    const auto bytes = static_cast<double>(recorder != nullptr ? recorder->bytes() : 0);
    return {server::gauge_family("echelon_recording", {{{}, is_recording ? 1.0 : 0.0}}),
            server::gauge_family("echelon_recording_bytes", {{{}, bytes}})};
}

}  // namespace echelon::app
