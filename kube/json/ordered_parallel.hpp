#pragma once

// How do several threads do pieces of work whose results one thread consumes in order?
//
// The workers run ahead of the consumer by a bounded number of pieces, which bounds memory. The destructor waits for
// the pieces under way.

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace echelon::kube {

template <typename Piece>
class OrderedParallelReader {
public:
    // Makes a piece. Called by several threads at once, each piece once; `thread` counts from 0.
    using Make = std::function<Piece(std::size_t thread, std::size_t piece)>;

    // No threads: `next` makes the piece itself, as thread 0.
    OrderedParallelReader(std::size_t pieces, std::size_t threads, Make make)
        : pieces_(pieces), make_(std::move(make)), done_(ahead * threads) {
        threads_.reserve(threads);
        for (std::size_t thread = 0; thread < threads; ++thread) {
            threads_.emplace_back([this, thread](const std::stop_token& stop) { run(thread, stop); });
        }
    }
    // Stops all threads before any is joined, so that none begins another piece meanwhile.
    ~OrderedParallelReader() {
        for (std::jthread& thread : threads_) {
            thread.request_stop();
        }
    }
    OrderedParallelReader(const OrderedParallelReader&) = delete;
    OrderedParallelReader& operator=(const OrderedParallelReader&) = delete;

    // The next piece. Requires: one is left.
    [[nodiscard]] Piece next() {
        if (threads_.empty())
            return make_(0, taken_++);
        std::unique_lock lock(mutex_);
        auto& slot = done_[taken_ % done_.size()];
        finished_.wait(lock, [&slot] { return slot.has_value(); });
        Piece piece = std::move(*slot);
        slot.reset();
        ++taken_;
        lock.unlock();
        room_.notify_one();
        return piece;
    }

private:
    static constexpr std::size_t ahead = 4;  // Pieces per thread.

    void run(std::size_t thread, const std::stop_token& stop) {
        while (const auto number = claim(stop)) {
            Piece piece = make_(thread, *number);
            {
                const std::lock_guard lock(mutex_);
                done_[*number % done_.size()] = std::move(piece);
            }
            finished_.notify_one();
        }
    }

    std::optional<std::size_t> claim(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        const auto has_room = [this] { return claimed_ == pieces_ || claimed_ < taken_ + done_.size(); };
        if (!room_.wait(lock, stop, has_room) || claimed_ == pieces_ || stop.stop_requested())
            return std::nullopt;
        return claimed_++;
    }

    const std::size_t pieces_;
    const Make make_;
    std::mutex mutex_;
    std::condition_variable finished_;
    std::condition_variable_any room_;
    std::vector<std::optional<Piece>> done_;  // A ring buffer.
    std::size_t claimed_ = 0;
    std::size_t taken_ = 0;
    std::vector<std::jthread> threads_;  // Last member: joined before the others are destroyed.
};

}  // namespace echelon::kube
