#include "engine/publish/outbox.hpp"

#include "base/shortened.hpp"

#include <algorithm>
#include <utility>

namespace echelon::engine {

void Outbox::note(Note::Level level, const model::GroupKey& gang, std::string sentence) {
    actions_.emplace_back(Note{level, gang.name, std::move(sentence)});
}

void Outbox::note(Note note) {
    actions_.emplace_back(std::move(note));
}

void Outbox::expect(std::size_t writes) {
    if (const auto size = actions_.size() + writes; size > actions_.capacity())
        actions_.reserve(std::max(size, 2 * actions_.capacity()));
}

std::uint64_t Outbox::write(WriteTarget target, model::Write what) {
    const auto number = first_write_ + writes_.size();
    writes_.emplace_back(std::move(target));
    actions_.emplace_back(StartWrite{number, std::move(what)});
    return number;
}

void Outbox::search(std::uint64_t number, std::shared_ptr<LongSearch> task) {
    actions_.emplace_back(StartSearch{number, std::move(task)});
}

void Outbox::answer(std::uint64_t call, BindResult result, std::string error) {
    withdraw(call);
    actions_.emplace_back(AnswerBind{call, result, base::shortened(std::move(error), message_bytes_)});
}

void Outbox::await(std::uint64_t call, Caller caller) {
    withdraw(call);
    if (caller.is_member()) {
        ++member_calls_;
        ++calls_by_gang_[caller.root];
    }
    calls_.emplace(call, std::move(caller));
}

std::optional<Caller> Outbox::withdraw(std::uint64_t call) {
    auto open = calls_.extract(call);
    if (open.empty())
        return std::nullopt;
    if (open.mapped().is_member()) {
        --member_calls_;
        const auto of_gang = calls_by_gang_.find(open.mapped().root);
        if (--of_gang->second == 0)
            calls_by_gang_.erase(of_gang);
    }
    return std::move(open.mapped());
}

std::optional<WriteTarget> Outbox::finish(std::uint64_t write) {
    if (write < first_write_ || write - first_write_ >= writes_.size())
        return std::nullopt;
    auto target = std::exchange(writes_[write - first_write_], std::nullopt);
    for (int most = 2; most > 0 && !writes_.empty() && !writes_.front(); --most, ++first_write_)
        writes_.pop_front();
    return target;
}

bool Outbox::detach(const model::GroupKey& root, const base::Text& uid) {
    using Purpose = WriteTarget::Purpose;
    bool is_writing = false;
    for (auto& write : writes_) {
        const bool is_binding = write && (write->purpose == Purpose::bind || write->purpose == Purpose::read);
        if (!is_binding || write->uid != uid || write->root != root)
            continue;
        *write = {write->purpose == Purpose::bind ? Purpose::plain_bind : Purpose::plain_read, {}, uid};
        is_writing = true;
    }
    return is_writing;
}

std::vector<Action> Outbox::take() {
    return std::exchange(actions_, {});
}

}  // namespace echelon::engine
