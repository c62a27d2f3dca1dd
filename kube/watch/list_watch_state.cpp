#include "kube/watch/list_watch_state.hpp"

#include "base/quoted.hpp"
#include "kube/json/foreign_json.hpp"
#include "kube/json/splitter.hpp"
#include "kube/protobuf/answer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {

namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr int page_size = 500;
constexpr int shortest_timeout_seconds = 300;
constexpr int failures_before_list = 5;
constexpr int silent_before_list = 2;

// True if the server's cache is older than the requested version. Only the cause in the Status shows it.
bool is_too_large_version(const json& status) {
    const json* details = part_of(status, "details");
    const json* causes = details == nullptr ? nullptr : part_of(*details, "causes");
    if (causes == nullptr || !causes->is_array())
        return false;
    return std::ranges::any_of(*causes,
                               [](const json& each) { return text_in(each, "reason") == "ResourceVersionTooLarge"; });
}

// A whole number from 0 to `most`.
std::optional<std::int64_t> number_of(const json& parent, const char* key, std::int64_t most) {
    const json* found = part_of(parent, key);
    if (found == nullptr || !found->is_number_integer())
        return std::nullopt;
    const auto number = found->get<std::int64_t>();
    return number < 0 || number > most ? std::nullopt : std::optional(number);
}

int code_of(const json& status) {
    return static_cast<int>(number_of(status, "code", 999).value_or(0));
}

// The Status object in the body of a refusal; null when there is none.
json status_in(const HttpAnswer& answer) {
    return read_answer(answer.content_type, answer.body).value_or(json());
}

std::string message_of(const json& status) {
    return base::on_one_line(text_in(status, "message"), 300);
}

std::string explain(std::string_view verb, const std::string& what, const HttpAnswer& answer, const json& status) {
    if (answer.ending != HttpAnswer::Ending::complete)
        return fmt::format("{} {}: {}", verb, what, answer.sentence);
    const std::string message = message_of(status);
    return fmt::format("{} {} was answered with {}{}{}", verb, what, answer.status, message.empty() ? "" : ": ",
                       message);
}

}  // namespace

ListWatchState::ListWatchState(const WatchedKind& kind, std::string_view version, WatchPace pace, Random random,
                               ObjectStore::Deliver deliver, Unreadable unreadable, Log log)
    : kind_(kind),
      name_(full_name(kind)),
      pace_(pace),
      random_(std::move(random)),
      unreadable_(std::move(unreadable)),
      log_(std::move(log)),
      store_(api_version(kind, version), std::string(kind.kind), kind.keeps_spec, std::move(deliver)),
      backoff_(pace.backoff_first, pace.backoff_limit, pace.backoff_quiet),
      mode_(kind.is_record ? ListMode::newest : ListMode::cached) {}

ListWatchState::Step ListWatchState::next(Instant now) {
    if (now < wait_until_)
        return {.kind = Step::Kind::wait, .wait = std::chrono::ceil<milliseconds>(wait_until_ - now)};
    std::string query = "?";
    if (!must_list_) {
        const int timeout = shortest_timeout_seconds + static_cast<int>(random_() * shortest_timeout_seconds);
        query += fmt::format("watch=true&allowWatchBookmarks=true&timeoutSeconds={}&resourceVersion={}", timeout,
                             percent_encoded(version_));
    } else if (!continue_.empty()) {
        query += fmt::format("limit={}&continue={}", page_size, percent_encoded(continue_));
    } else {
        switch (mode_) {
            case ListMode::cached:
                query += fmt::format("limit={}&resourceVersion=0", page_size);
                break;
            case ListMode::known:
                query += fmt::format("resourceVersion={}", percent_encoded(version_));
                break;
            case ListMode::newest:
                query += fmt::format("limit={}", page_size);
                break;
            case ListMode::whole:
                break;
        }
    }
    if (!kind_.field_selector.empty())
        query += fmt::format("{}fieldSelector={}", query.size() > 1 ? "&" : "", percent_encoded(kind_.field_selector));
    if (query.size() == 1)
        query.clear();
    return {.kind = must_list_ ? Step::Kind::list : Step::Kind::watch, .query = std::move(query)};
}

void ListWatchState::list_began(Instant now) {
    if (continue_.empty()) {
        store_.begin_round();
        list_began_ = now;
        nameless_ = 0;
    }
    list_version_.clear();
    list_continue_.clear();
}

void ListWatchState::list_member(std::string_view key, std::string_view member) {
    if (key != "metadata")
        return;
    const base::Result<json> parsed = parse_object(member);
    if (!parsed)
        return;
    list_version_ = text_in(*parsed, "resourceVersion");
    list_continue_ = text_in(*parsed, "continue");
}

void ListWatchState::list_ended(const HttpAnswer& answer, bool complete, Instant now) {
    if (answer.ending == HttpAnswer::Ending::cancelled)
        return;
    if (!answer.succeeded()) {
        list_failed(answer, now);
        return;
    }
    if (!complete || list_version_.empty()) {
        continue_.clear();
        fail(fmt::format("the list of {} isn't readable: {}", name_,
                         complete ? "it has no metadata.resourceVersion" : "it isn't whole"),
             {}, now);
        return;
    }
    figures_.last_event = now;
    // Otherwise a long list would wait longer with each page that is refused once.
    if (std::exchange(is_page_asked_again_, false))
        backoff_ = base::Backoff(pace_.backoff_first, pace_.backoff_limit, pace_.backoff_quiet);
    continue_ = list_continue_;
    if (!continue_.empty())
        return;
    // Objects that seem to be missing may be the ones whose names couldn't be read.
    if (nameless_ == 0)
        store_.end_round();
    version_ = list_version_;
    mode_ = ListMode::known;
    must_list_ = false;
    watch_failures_ = 0;
    figures_.listed = true;
    figures_.forbidden = 0;
    figures_.trouble.clear();
    figures_.relists.add(now - list_began_);
}

void ListWatchState::list_failed(const HttpAnswer& answer, Instant now) {
    const bool was_continued = !continue_.empty();
    const bool is_answer = answer.ending == HttpAnswer::Ending::complete;
    const json status = is_answer ? status_in(answer) : json();
    const std::string sentence = explain("the list of", name_, answer, status);
    const Trouble trouble = is_answer ? classify(answer.status, status) : Trouble::other;
    figures_.forbidden = is_answer && answer.status == 403 ? figures_.forbidden + 1 : 0;
    // A busy server wants the same request again. Starting over would ask it for every page before this one, too.
    const bool is_asked_again = trouble == Trouble::throttled || answer.retry_after || !is_answer;
    if (!is_asked_again || trouble == Trouble::expired)
        continue_.clear();
    is_page_asked_again_ = !continue_.empty();
    if (mode_ == ListMode::whole)
        mode_ = ListMode::newest;  // It may be too large for one answer.
    switch (trouble) {
        case Trouble::expired:
            // Normal once. If the newest version is refused, too, the next list waits.
            if (was_continued) {
                mode_ = ListMode::whole;
                return;
            }
            if (mode_ == ListMode::cached || mode_ == ListMode::known) {
                mode_ = ListMode::newest;
                return;
            }
            break;
        case Trouble::missing:
            missing_ = true;
            break;
        case Trouble::throttled:
        case Trouble::other:
            break;
    }
    fail(sentence, answer.retry_after, now);
}

void ListWatchState::watch_began(Instant now) {
    watch_began_ = now;
    watch_was_opened_ = false;
    watch_had_event_ = false;
    watch_error_was_handled_ = false;
}

void ListWatchState::watch_opened(Instant now) {
    figures_.trouble.clear();
    watch_was_opened_ = true;
    figures_.last_event = now;  // An accepted watch proves that nothing newer is missing.
}

void ListWatchState::watch_ended(const HttpAnswer& answer, bool inside_line, Instant now) {
    using Ending = HttpAnswer::Ending;
    if (answer.ending == Ending::cancelled || watch_error_was_handled_)
        return;
    expired_at_once_ = expired_at_once_ && was_short(now);
    // A new watch sends that event again. Cut a second time, it would be cut every time.
    if (inside_line && cut_at_ == version_) {
        cut_at_.reset();
        must_list_ = true;
        ++figures_.restarts_error;
        fail(fmt::format("the watch of {} ended twice inside the same line", name_), {}, now);
        return;
    }
    cut_at_ = inside_line ? std::optional(version_) : std::nullopt;
    const bool is_answer = answer.ending == Ending::complete;
    if (is_answer && answer.status == 200) {
        ++figures_.restarts_eof;
        if (was_short(now) && !watch_had_event_) {
            watch_failed(fmt::format("the watch of {} ended at once", name_), now);
        } else if (was_short(now)) {
            wait_until_ = now + pace_.breath;
        }
        return;
    }
    // An API server sends no bookmarks for a resource without events since the server's start.
    const bool has_nothing_to_say = watch_was_opened_ && !watch_had_event_ && !was_short(now);
    if (answer.ending == Ending::silent && has_nothing_to_say) {
        ++figures_.restarts_eof;
        // After a restore of etcd the server accepts a watch from a version that it hasn't reached, and says nothing. A
        // list of that version is refused at once.
        must_list_ = ++silent_watches_ % silent_before_list == 0;
        return;
    }
    if (answer.ending == Ending::silent) {
        ++figures_.restarts_stall;
        const std::string sentence = explain("the watch of", name_, answer, json());
        if (was_short(now)) {
            watch_failed(sentence, now);
        } else {
            log_(figures_.trouble = sentence);
        }
        return;
    }
    // A proxy that ends connections after a time cuts them off, or the server has gone: the next watch shows which.
    if (answer.ending == Ending::broken && watch_was_opened_ && !was_short(now)) {
        ++figures_.restarts_error;
        wait_until_ = now + pace_.breath;
        return;
    }
    const json status = is_answer ? status_in(answer) : json();
    const std::string sentence = explain("the watch of", name_, answer, status);
    const Trouble trouble = is_answer ? classify(answer.status, status) : Trouble::other;
    if (trouble == Trouble::expired) {
        expired(now);
        return;
    }
    ++figures_.restarts_error;
    missing_ = trouble == Trouble::missing;
    if (trouble == Trouble::throttled || answer.ending == Ending::unreachable) {
        fail(sentence, answer.retry_after, now);
    } else {
        watch_failed(sentence, now);
    }
}

void ListWatchState::error_event(const json& status, Instant now) {
    const int code = code_of(status);
    const Trouble trouble = classify(code, status);
    if (trouble == Trouble::expired) {
        expired(now);
        return;
    }
    ++figures_.restarts_error;
    std::optional<std::chrono::seconds> wait;
    if (const json* details = part_of(status, "details"); details != nullptr) {
        if (const auto seconds = number_of(*details, "retryAfterSeconds", 3600))
            wait = std::min(std::chrono::seconds(*seconds), longest_retry_after);
    }
    const std::string sentence =
        fmt::format("the watch of {} was ended by error {}: {}", name_, code, message_of(status));
    if (trouble == Trouble::throttled) {
        fail(sentence, wait, now);
    } else {
        watch_failed(sentence, now);
    }
}

// The server no longer has our version. Normal, also at once after an outage, unless the next watch expires at once,
// too.
void ListWatchState::expired(Instant now) {
    ++figures_.restarts_expired;
    must_list_ = true;
    mode_ = ListMode::newest;
    const bool is_at_once = was_short(now) && !watch_had_event_;
    if (std::exchange(expired_at_once_, is_at_once) && is_at_once)
        fail(fmt::format("the watch of {} expired at once", name_), {}, now);
}

void ListWatchState::watch_failed(const std::string& sentence, Instant now) {
    if (++watch_failures_ >= failures_before_list) {
        watch_failures_ = 0;
        must_list_ = true;
    }
    fail(sentence, {}, now);
}

void ListWatchState::fail(const std::string& sentence, std::optional<std::chrono::seconds> retry_after, Instant now) {
    figures_.trouble = sentence;
    log_(sentence);
    const milliseconds wait = backoff_.next(now, random_());
    wait_until_ =
        now + std::max(wait, std::chrono::duration_cast<milliseconds>(retry_after.value_or(std::chrono::seconds(0))));
}

bool ListWatchState::was_short(Instant now) const {
    return now - watch_began_ < pace_.shortest_watch;
}

ListWatchState::Trouble ListWatchState::classify(int code, const json& status) {
    const std::string reason = text_in(status, "reason");
    if (code == 410 || reason == "Expired" || reason == "Gone" || is_too_large_version(status))
        return Trouble::expired;
    if (code == 429)
        return Trouble::throttled;
    return code == 404 ? Trouble::missing : Trouble::other;
}

bool ListWatchState::kind_was_missing() {
    return std::exchange(missing_, false);
}

void ListWatchState::served_as(std::string_view version) {
    store_.rename(api_version(kind_, version));
    must_list_ = true;
    continue_.clear();
    mode_ = ListMode::newest;
}

void ListWatchState::unserved() {
    store_.forget_all();
    must_list_ = true;
    continue_.clear();
    mode_ = ListMode::newest;
    figures_.trouble.clear();
}

void ListWatchState::read_anew() {
    store_.deliver_anew();
    must_list_ = true;
    continue_.clear();
}

}  // namespace echelon::kube
