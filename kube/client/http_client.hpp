#pragma once

// One kept-alive connection to the API server: send a request, take the answer whole or as a stream, give up when told
// to.
//
// A client is used by one thread at a time; only `cancel` may be called from any other. The calling thread has SIGPIPE
// blocked from its first request on. Certificates are verified unless the endpoint says `insecure`; a connection that
// can't be verified is no connection. Nothing is sent twice, except once more after a 401 with the token read again.

#include "kube/client/credentials.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace httplib {
class ClientImpl;
struct Request;
}  // namespace httplib

namespace echelon::kube {

struct HttpRequest {
    std::string method = "GET";
    std::string target = {};  // Path and query, percent-encoded already.
    std::string body = {};
    std::string content_type = {};                 // Of `body`; empty: none.
    std::string_view accept = "application/json";  // Of the answer; a constant. JSON is always among it.
    bool compressed = false;  // Ask for gzip. Not for watches: events would wait in the compressor.
    std::chrono::milliseconds connect = std::chrono::seconds(3);  // Longest time for the connection, TLS handshake too.
    std::chrono::milliseconds silence = std::chrono::seconds(10);  // Longest pause between two pieces of the answer.
    // A connection that was idle for longer isn't used again: the server may be about to close it, and a write that
    // meets the closing has an unknown outcome.
    std::chrono::milliseconds reuse = std::chrono::seconds(45);
};

// What came back. That something went wrong is an ordinary answer: the caller owns retries and backoff.
struct HttpAnswer {
    enum class Ending : std::uint8_t {
        complete,     // To its last byte. `status` tells the rest.
        unreachable,  // No connection, or a certificate that doesn't fit: nothing was sent.
        silent,       // No byte for `silence`: a stalled server.
        broken,       // The connection ended inside the answer, or before it.
        declined,     // The receiver wanted no more.
        cancelled,
    };
    Ending ending = Ending::unreachable;
    int status = 0;                 // 0: no status line was read.
    std::string body = {};          // Up to 32 MiB; of a stream only when its status isn't 200.
    std::string content_type = {};  // Of `body`.
    std::optional<std::chrono::seconds> retry_after = {};
    std::string sentence = {};  // Why it isn't complete; empty when it is.

    [[nodiscard]] bool succeeded() const { return ending == Ending::complete && status >= 200 && status < 300; }
};

// The next piece of a stream, cut anywhere. False: no more.
using Receive = std::function<bool(std::string_view)>;
// Status 200 is in, and so is the type of what follows.
using Opened = std::function<void(std::string_view content_type)>;

class HttpClient {
public:
    explicit HttpClient(std::shared_ptr<Credentials> credentials);
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    // No request is begun from then on: it ends as unreachable, and nothing was sent.
    void send_until(std::chrono::steady_clock::time_point end) { end_ = end; }

    [[nodiscard]] HttpAnswer send(const HttpRequest& request);
    // `opened` runs before the first piece.
    [[nodiscard]] HttpAnswer stream(const HttpRequest& request, const Receive& receive, const Opened& opened = {});

    // Ends the request under way, in whatever state it is, and refuses all later ones. Takes 1 s at most.
    void cancel();
    // Ends the request under way as cancelled; when there is none, the next one. Takes 1 s at most.
    void interrupt();

private:
    [[nodiscard]] HttpAnswer attempt(const HttpRequest& request, const Receive* receive, const Opened& opened);
    [[nodiscard]] HttpAnswer exchange(const HttpRequest& request, const Receive* receive, const Opened& opened);
    [[nodiscard]] httplib::Request prepared(const HttpRequest& request);
    [[nodiscard]] bool connect(std::string& problem);
    void adopt(int socket);
    void forget_socket();
    [[nodiscard]] bool is_cancelled();
    void end_request(bool& reason);

    const std::shared_ptr<Credentials> credentials_;
    std::unique_ptr<httplib::ClientImpl> connection_;  // Used by the sending thread alone.
    std::chrono::steady_clock::time_point used_at_{};  // Likewise: when its last request ended.
    std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::time_point::max();  // Likewise.
    bool json_alone_ = false;                                                                   // Likewise.

    std::mutex mutex_;
    std::condition_variable idle_;
    bool cancelled_ = false;    // Guarded by mutex_.
    bool interrupted_ = false;  // Guarded by mutex_.
    bool busy_ = false;         // Guarded by mutex_.
    // Guarded by mutex_. A duplicate of the connection's: it stays ours when the library closes its own.
    int socket_ = -1;
};

// One segment of a path, or a value of a query: everything but letters, digits and "-._~" as %XX.
[[nodiscard]] std::string percent_encoded(std::string_view text);

}  // namespace echelon::kube
