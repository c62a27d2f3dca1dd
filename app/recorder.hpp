#pragma once

// Where does a recording go? Each run of the service has its own file, written by one thread.
//
// `add` never waits. If the writer can't keep up, the disk is full or a limit is reached, the recording ends. `OnEnd`
// gets the reason, and the service goes on. When a run begins, the files of the oldest runs are deleted. Thread-safe.

#include "base/result.hpp"
#include "config/settings.hpp"
#include "replay/recording.hpp"

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <prometheus/metric_family.h>

namespace echelon::app {

struct RecorderOptions {
    std::string directory;
    std::uint64_t most_bytes = 0;        // Size limit of all files; one run may use half of it.
    std::size_t most_waiting = 200'000;  // Inputs that may wait for the writer.
};

class Recorder {
public:
    // Called on any thread with the reason why a recording ended.
    using OnEnd = std::function<void(const std::string& sentence)>;

    // Begins a file and makes room for it. `at` is the engine's clock.
    [[nodiscard]] static base::Result<std::unique_ptr<Recorder>> start(RecorderOptions options,
                                                                       const engine::Options& engine, engine::Time at,
                                                                       OnEnd on_end);
    // Writes what is left.
    ~Recorder();

    void add(engine::Time at, std::vector<engine::Input> inputs, std::vector<engine::Action> actions);

    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] bool is_recording() const;
    [[nodiscard]] std::uint64_t bytes() const;  // Size of this run's file.

private:
    struct Batch {
        engine::Time at{0};
        std::vector<engine::Input> inputs;
        std::vector<engine::Action> actions;
    };
    struct Close {
        void operator()(std::FILE* stream) const { std::fclose(stream); }
    };
    using Stream = std::unique_ptr<std::FILE, Close>;

    Recorder(RecorderOptions options, std::string file, Stream stream, OnEnd on_end);
    void run(const std::stop_token& stop);
    [[nodiscard]] bool write(const std::string& line);  // False: the recording has ended.
    void end(const std::string& why);

    const RecorderOptions options_;
    const std::string file_;
    const Stream stream_;  // Used by the writer alone, once it runs.
    const OnEnd on_end_;

    mutable std::mutex mutex_;
    std::condition_variable_any has_batch_;
    std::vector<Batch> batches_;  // Guarded by mutex_.
    std::size_t waiting_ = 0;     // Guarded by mutex_: number of queued inputs.
    std::string ended_;           // Guarded by mutex_: the reason; empty: it goes on.
    std::uint64_t bytes_ = 0;     // Guarded by mutex_.
    std::jthread thread_;         // Last: it uses everything above.
};

// Starts a recorder if the settings ask for one. Null: nothing is recorded; `on_end` gets the reason of a failure.
[[nodiscard]] std::unique_ptr<Recorder> recorder_of(const config::Settings& settings, const engine::Options& engine,
                                                    engine::Time at, Recorder::OnEnd on_end);

// For /metrics; null: recording is off.
[[nodiscard]] std::vector<prometheus::MetricFamily> recording_metrics(const Recorder* recorder);

}  // namespace echelon::app
