#pragma once

// What does the engine still owe the outside world? The actions of the current step, writes without an outcome, and
// bind calls without an answer.
//
// Pure: nothing is sent here; the runner carries the actions out. Not thread-safe.

#include "base/text.hpp"
#include "engine/action.hpp"
#include "model/facts/group.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace echelon::engine {

// What a write in flight is for.
struct WriteTarget {
    enum class Purpose : std::uint8_t {
        nominate,
        ungate,
        kick,
        clear_nomination,
        bind,
        read,
        record,
        check,
        delete_record,
        plain_bind,
        plain_read,
        event,
        score,
        evict,
        condition
    };
    Purpose purpose = Purpose::bind;
    model::GroupKey root;  // Unused for plain pods and `delete_record`.
    // UID of the pod: for `evict` the victim; for `condition` the group's object instead. Unused for `record`, `check`,
    // `delete_record` and `event`.
    base::Text uid;
};

// The pod that a bind call is about.
struct Caller {
    model::GroupKey root;  // An empty name: the pod belongs to no gang.
    base::Text uid;

    [[nodiscard]] bool is_member() const { return !root.name.empty(); }
};

class Outbox {
public:
    // `message_bytes`: longer errors are cut (`Limits::message_bytes`).
    explicit Outbox(std::size_t message_bytes) : message_bytes_(message_bytes) {}

    // `gang`: an empty name for a note about no gang.
    void note(Note::Level level, const model::GroupKey& gang, std::string sentence);
    void note(Note note);
    // That many writes follow.
    void expect(std::size_t writes);
    // Returns the number of the write, with which its outcome comes back.
    std::uint64_t write(WriteTarget target, model::Write what);
    void search(std::uint64_t number, std::shared_ptr<LongSearch> task);
    void answer(std::uint64_t call, BindResult result, std::string error);

    // The call of this pod waits for its answer. If the call is known already, its pod is replaced.
    void await(std::uint64_t call, Caller caller);
    // The call needs no answer any more. Returns its pod, if it was open.
    std::optional<Caller> withdraw(std::uint64_t call);
    // The outcome of a write has come. Returns the purpose of the write, once.
    [[nodiscard]] std::optional<WriteTarget> finish(std::uint64_t write);
    // Turns bindings and reads of a member that are in flight into those of a plain pod. False: there are none.
    bool detach(const model::GroupKey& root, const base::Text& uid);

    [[nodiscard]] bool has_calls() const { return !calls_.empty(); }
    // Calls of members of gangs.
    [[nodiscard]] std::size_t member_calls() const { return member_calls_; }
    // By gang; gangs without calls are left out.
    [[nodiscard]] const std::map<model::GroupKey, std::size_t>& calls_by_gang() const { return calls_by_gang_; }
    [[nodiscard]] std::vector<Action> take();

private:
    std::size_t message_bytes_;
    std::vector<Action> actions_;
    std::uint64_t first_write_ = 1;                  // Number of the first one in `writes_`.
    std::deque<std::optional<WriteTarget>> writes_;  // [number - first_write_] nullopt: its outcome has come.
    std::map<std::uint64_t, Caller> calls_;
    std::size_t member_calls_ = 0;
    std::map<model::GroupKey, std::size_t> calls_by_gang_;
};

}  // namespace echelon::engine
