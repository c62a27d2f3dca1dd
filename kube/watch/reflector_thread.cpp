#include "kube/watch/reflector_thread.hpp"

#include "kube/client/stoppable_sleep.hpp"
#include "kube/decode.hpp"
#include "kube/json/foreign_json.hpp"
#include "kube/json/quoted_text.hpp"
#include "kube/watch/broken_kinds.hpp"
#include "kube/watch/incoming_stream.hpp"

#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <pthread.h>

namespace echelon::kube {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// An API group may disappear for a moment while its server restarts. Its objects are gone only if a second discovery
// doesn't find it either.
constexpr int discoveries_before_gone = 2;
// RBAC rules may arrive just after the start.
constexpr int refusals_before_forbidden = 2;

// A kind that echelon may not list, or not ask for, counts as listed. Pods that name its objects wait, all others go
// on.
bool is_done_without(const WatchedKind& kind, int refusals) {
    return refusals >= refusals_before_forbidden && !kind.is_needed;
}

// "namespace/name"; empty: it has no name.
std::string name_in(const nlohmann::json& object) {
    const std::string ns = metadata_of(object, "namespace");
    const std::string name = metadata_of(object, "name");
    return ns.empty() || name.empty() ? name : ns + "/" + name;
}

// The object without anything but its identity.
nlohmann::json identity_in(const nlohmann::json& object) {
    nlohmann::json out = {{"metadata", nlohmann::json::object()}};
    for (const char* key : {"apiVersion", "kind"}) {
        if (const auto found = object.find(key); found != object.end())
            out[key] = *found;
    }
    for (const char* key : {"name", "namespace", "uid"}) {
        if (std::string value = metadata_of(object, key); !value.empty())
            out["metadata"][key] = std::move(value);
    }
    return out;
}

}  // namespace

ReflectorThread::ReflectorThread(const WatchedKind& kind, std::shared_ptr<Credentials> credentials, WatchPace pace,
                                 Watcher::Sink sink, Watcher::Log log, ServedKinds& served, const model::Limits& limits,
                                 Read read, std::shared_ptr<const NodeHealth> health)
    : kind_(kind),
      name_(full_name(kind)),
      pace_(pace),
      sink_(std::move(sink)),
      log_(log, name_),
      object_log_(std::move(log), "unreadable " + name_),
      limits_(limits),
      health_(std::move(health)),
      read_(std::move(read)),
      served_(served),
      client_(std::move(credentials)),
      generator_(std::random_device{}()),
      discovery_backoff_(pace.backoff_first, pace.backoff_limit, pace.backoff_quiet) {
    status_.what = name_;
    status_.needed = kind.is_needed;
    status_.trouble = "not asked yet";
}

void ReflectorThread::run(const std::stop_token& stop) {
    constexpr std::size_t longest = 15;  // More is refused.
    ::pthread_setname_np(::pthread_self(), ("watch " + name_).substr(0, longest).c_str());
    while (!stop.stop_requested()) {
        if (path_.empty()) {
            discover_kind(stop);
            continue;
        }
        read_anew_if_needed();
        const ListWatchState::Step step = state_->next(Clock::now());
        switch (step.kind) {
            case ListWatchState::Step::Kind::wait:
                sleep_unless_stopped(stop, step.wait);
                continue;
            case ListWatchState::Step::Kind::list:
                list(step.query);
                break;
            case ListWatchState::Step::Kind::watch:
                watch(step.query);
                break;
        }
        if (state_->kind_was_missing() && !kind_.group.empty())
            path_.clear();
        publish();
    }
}

void ReflectorThread::discover_kind(const std::stop_token& stop) {
    const Discovery found = discover(client_, kind_);
    refusals_in_a_row_ = found.kind == Discovery::Kind::forbidden ? refusals_in_a_row_ + 1 : 0;
    if (found.kind != Discovery::Kind::served)  // Its lists show whether it is broken.
        note_broken(found.is_broken, found.sentence);
    switch (found.kind) {
        case Discovery::Kind::served:
            unserved_in_a_row_ = 0;
            served_.report(kind_, true);
            if (reads_pods() && !state_) {
                served_.wait_for_all(stop, pace_.first_discovery);
                unserved_ = served_.unserved();
            }
            served_as(found.version);
            break;
        case Discovery::Kind::unserved:
        case Discovery::Kind::unknown:
            unserved(found);
            sleep_unless_stopped(stop, pace_.rediscovery);
            break;
        case Discovery::Kind::forbidden:
        case Discovery::Kind::failed:
            if (!stop.stop_requested())
                ask_again(stop, found);
            break;
    }
}

void ReflectorThread::ask_again(const std::stop_token& stop, const Discovery& found) {
    log_(found.sentence);
    {
        const std::lock_guard lock(status_mutex_);
        status_.trouble = found.sentence;
        status_.forbidden = found.kind == Discovery::Kind::forbidden;
    }
    if (is_done_without(kind_, refusals_in_a_row_))
        report_synced();
    const milliseconds wait = discovery_backoff_.next(Clock::now(), random());
    sleep_unless_stopped(
        stop,
        std::max(wait, std::chrono::duration_cast<milliseconds>(found.retry_after.value_or(std::chrono::seconds(0)))));
}

void ReflectorThread::served_as(const std::string& version) {
    path_ = list_path(kind_, version);
    is_back_ = synced_;
    shape_ = read_ ? nullptr : shape_of(api_version(kind_, version), kind_.kind);
    if (state_) {
        state_->served_as(version);
    } else {
        state_.emplace(
            kind_, version, pace_, [this] { return random(); },
            [this](const Value& object, Change change) { deliver(object, change); },
            [this](const nlohmann::json& outline, const std::string& fault) {
                const std::string name = name_in(outline);
                report_unreadable(outline,
                                  {name.empty() ? fmt::format("{}: {}", name_, fault)
                                                : fmt::format("{} {}: {}", kind_.kind, shown_bare(name), fault)});
            },
            [this](const std::string& sentence) { log_(sentence); });
    }
    const std::lock_guard lock(status_mutex_);
    status_.served = true;
    status_.listed = synced_;
}

void ReflectorThread::unserved(const Discovery& found) {
    const bool is_gone = ++unserved_in_a_row_ >= discoveries_before_gone || !state_;
    if (is_gone && state_)
        state_->unserved();
    // In an unknown version the objects exist: pods wait for them.
    if (is_gone)
        served_.report(kind_, found.kind == Discovery::Kind::unknown);
    bool is_new = false;  // The same trouble is logged once.
    {
        const std::lock_guard lock(status_mutex_);
        status_.served = false;
        status_.listed = true;
        is_new = std::exchange(status_.trouble, found.sentence) != found.sentence;
        status_.objects = state_ ? state_->objects() : 0;
        status_.last_event = Clock::now();
    }
    if (is_new && !found.sentence.empty())
        log_(found.sentence);
    report_synced();
}

void ReflectorThread::list(const std::string& query) {
    state_->list_began(Clock::now());
    IncomingList incoming(*state_, shape_);
    const HttpRequest request{
        .target = path_ + query, .accept = accepted(shape_), .compressed = true, .silence = pace_.list_silence};
    HttpAnswer answer = client_.stream(
        request, [&](std::string_view data) { return incoming.feed(data); },
        [&](std::string_view content_type) { incoming.opened(content_type); });
    // The reader stopped at bytes that aren't a list; the HTTP answer itself was fine.
    if (answer.ending == HttpAnswer::Ending::declined)
        answer.ending = HttpAnswer::Ending::complete;
    state_->list_ended(answer, incoming.complete(), Clock::now());
    const ListWatchState::Figures& figures = state_->figures();
    if (figures.listed && state_->has_read_every_name())
        unreadable_.remove("");
    note_broken(answer.ending == HttpAnswer::Ending::complete && answer.status >= 500, figures.trouble);
    if (figures.listed || is_done_without(kind_, figures.forbidden))
        report_synced();
    // What the API server lost with the kind is written anew.
    if (kind_.is_record && figures.trouble.empty() && std::exchange(is_back_, false))
        sink_(model::Synced{name_});
}

void ReflectorThread::watch(const std::string& query) {
    state_->watch_began(Clock::now());
    IncomingWatch incoming(*state_, shape_, Clock::now);
    const HttpRequest request{.target = path_ + query, .accept = accepted(shape_), .silence = pace_.watch_silence};
    const HttpAnswer answer = client_.stream(
        request,
        [&](std::string_view data) {
            const bool more = incoming.feed(data);
            publish();
            return more;
        },
        [&](std::string_view content_type) {
            incoming.opened(content_type);
            state_->watch_opened(Clock::now());
            publish();
        });
    state_->watch_ended(answer, incoming.is_inside_event(), Clock::now());
}

// When a kind comes or goes, pods that name its objects change their group, so all pods are read again.
void ReflectorThread::read_anew_if_needed() {
    if (!reads_pods() || unserved_ == served_.unserved())
        return;
    unserved_ = served_.unserved();
    state_->read_anew();
}

void ReflectorThread::deliver(const Value& object, Change change) {
    base::Result<std::vector<model::Event>> events = events_of(object, change);
    if (!events && change == Change::gone) {
        const nlohmann::json identity = identity_in(object.tree());  // A deletion needs only the name.
        events = events_of(identity, change);
    }
    if (!events) {
        ++undecoded_;
        report_unreadable(object.tree(), events.error());
        return;
    }
    if (!unreadable_.is_empty())
        unreadable_.remove(name_in(object.tree()));
    for (model::Event& event : *events) {
        if (const auto* seen = std::get_if<model::NodeSeen>(&event); seen != nullptr && !seen->node.faults.empty()) {
            ++undecoded_;
            note_fault(object.tree(), fmt::format("{} {}: {}", kind_.kind, seen->node.name, seen->node.faults.front()));
        }
        sink_(std::move(event));
    }
}

base::Result<std::vector<model::Event>> ReflectorThread::events_of(const Value& object, Change change) const {
    if (read_)
        return read_(object.tree(), change);
    return decode(object, change, {unserved_, limits_, health_});
}

void ReflectorThread::note_fault(const nlohmann::json& object, const std::string& sentence) {
    const bool is_new = unreadable_.note({.name = name_in(object),
                                          .version = metadata_of(object, "resourceVersion"),
                                          .sentence = sentence,
                                          .since = Clock::now()});
    if (is_new)
        object_log_(sentence);
}

void ReflectorThread::report_unreadable(const nlohmann::json& object, const base::Error& fault) {
    note_fault(object, fault.sentence);
    if (auto event = event_of_unreadable(object, fault, limits_))
        sink_(std::move(*event));
}

// Such a kind must not keep all pods waiting. Pods that name its objects wait, as if it were forbidden.
void ReflectorThread::note_broken(bool is_broken, const std::string& sentence) {
    if (!is_broken)
        return broken_since_.reset();
    const auto now = Clock::now();
    broken_since_ = broken_since_.value_or(now);
    if (synced_ || !may_be_broken(kind_) || now - *broken_since_ < pace_.broken)
        return;
    log_(fmt::format("from now on {} holds up only gangs that need its objects: {}", name_, sentence));
    report_synced();
}

void ReflectorThread::report_synced() {
    if (std::exchange(synced_, true))
        return;
    {
        // Set before the event, so that a receiver of the event finds it in the status.
        const std::lock_guard lock(status_mutex_);
        status_.listed = true;
        status_.trouble = state_ ? state_->figures().trouble : status_.trouble;
    }
    sink_(model::Synced{name_});
}

void ReflectorThread::publish() {
    const ListWatchState::Figures& now = state_->figures();
    const std::lock_guard lock(status_mutex_);
    status_.listed = synced_;
    status_.trouble = now.trouble.empty() && !now.listed ? "not listed yet" : now.trouble;
    status_.forbidden = now.forbidden > 0;
    status_.objects = state_->objects();
    status_.last_event = now.last_event;
    status_.added = now.added;
    status_.modified = now.modified;
    status_.deleted = now.deleted;
    status_.bookmarks = now.bookmarks;
    status_.restarts_eof = now.restarts_eof;
    status_.restarts_expired = now.restarts_expired;
    status_.restarts_stall = now.restarts_stall;
    status_.restarts_error = now.restarts_error;
    status_.relists = now.relists;
    status_.unreadable = now.unreadable + undecoded_;
    if (status_.unreadable_objects != unreadable_.entries())
        status_.unreadable_objects = unreadable_.entries();
}

bool ReflectorThread::reads_pods() const {
    return kind_.group.empty() && kind_.resource == "pods";
}

WatchStatus ReflectorThread::status() const {
    const std::lock_guard lock(status_mutex_);
    return status_;
}

}  // namespace echelon::kube
