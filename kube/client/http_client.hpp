#pragma once

// How is a request sent to the API server? Over one kept-alive connection; the answer comes whole or as a stream, and
// another thread may cancel it.
//
// A client is used by one thread at a time; `cancel` and `interrupt` may be called from any thread. SIGPIPE is blocked
// in the calling thread from its first request on. Certificates are verified unless the endpoint is `insecure`. A
// request is sent once more after a 401 (with the token and the client certificate read again), or as JSON if the
// server refuses protobuf; otherwise never.

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
    std::string content_type = {};                 // The type of `body`; empty: no body.
    std::string_view accept = "application/json";  // Media types of the answer, always including JSON; a literal.
    bool compressed = false;  // Asks for gzip. Not for watches: events would wait in the compressor.
    std::chrono::milliseconds connect = std::chrono::seconds(3);  // Longest time for the connection, TLS handshake too.
    std::chrono::milliseconds silence = std::chrono::seconds(10);  // Longest pause between two pieces of the answer.
    // A connection that was idle for longer isn't used again. The server may be closing it, and a write at that moment
    // has an unknown outcome.
    std::chrono::milliseconds reuse = std::chrono::seconds(45);
};

// What came back. A failure is an answer like any other: the caller retries and backs off.
// The API server asks for seconds; a proxy may ask for any time.
inline constexpr std::chrono::seconds longest_retry_after{60};

struct HttpAnswer {
    enum class Ending : std::uint8_t {
        complete,     // Received to its last byte; `status` may still be an error.
        unreachable,  // No connection, or an invalid certificate: nothing was sent.
        silent,       // No byte for `silence`: a stalled server.
        broken,       // The connection ended before or inside the answer.
        declined,     // The receiver returned false, or the body is larger than 32 MiB.
        cancelled,
    };
    Ending ending = Ending::unreachable;
    int status = 0;                 // 0: no status line was read.
    std::string body = {};          // Up to 32 MiB; of a stream only when its status isn't 200.
    std::string content_type = {};  // The type of `body`.
    std::optional<std::chrono::seconds> retry_after = {};
    std::string sentence = {};  // Why it isn't complete; empty if it is.

    [[nodiscard]] bool succeeded() const { return ending == Ending::complete && status >= 200 && status < 300; }
};

// Gets the next chunk of a stream, of any size. False: end the stream.
using Receive = std::function<bool(std::string_view)>;
// Called after the header of a 200, before the first chunk.
using Opened = std::function<void(std::string_view content_type)>;

class HttpClient {
public:
    explicit HttpClient(std::shared_ptr<Credentials> credentials);
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    // Requests that begin at `end` or later are not sent, and end as unreachable.
    void send_until(std::chrono::steady_clock::time_point end) { end_ = end; }

    [[nodiscard]] HttpAnswer send(const HttpRequest& request);
    // Streams the body of a 200; other bodies are in the answer.
    [[nodiscard]] HttpAnswer stream(const HttpRequest& request, const Receive& receive, const Opened& opened = {});

    // Ends the request under way in any state, and refuses all later ones. Takes 1 s at most.
    void cancel();
    // Ends the request under way as cancelled, or else the next one. Takes 1 s at most.
    void interrupt();

private:
    [[nodiscard]] HttpAnswer attempt(const HttpRequest& request, const Receive* receive, const Opened& opened);
    [[nodiscard]] HttpAnswer exchange(const HttpRequest& request, const Receive* receive, const Opened& opened);
    struct Reception;  // What one call has received so far.
    void receive_into(Reception& reception, httplib::Request& call, const Receive* receive, const Opened& opened);
    [[nodiscard]] bool begin_call();
    [[nodiscard]] bool end_call();
    void drop_connection();
    [[nodiscard]] httplib::Request prepared(const HttpRequest& request);
    [[nodiscard]] bool connect(std::string& problem);
    void adopt(int socket);
    void forget_socket();
    [[nodiscard]] bool is_cancelled();
    void end_request(bool& reason);

    const std::shared_ptr<Credentials> credentials_;
    std::unique_ptr<httplib::ClientImpl> connection_;  // Used by the sending thread alone.
    std::chrono::steady_clock::time_point used_at_{};  // Likewise; when the last request ended.
    std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::time_point::max();  // Likewise.
    std::size_t next_address_ = 0;  // Likewise; of the host's addresses, where the library doesn't try them itself.
    bool json_alone_ = false;       // Likewise; true once the server has refused protobuf.

    std::mutex mutex_;
    std::condition_variable idle_;
    bool cancelled_ = false;    // Guarded by mutex_.
    bool interrupted_ = false;  // Guarded by mutex_.
    bool busy_ = false;         // Guarded by mutex_.
    // Guarded by mutex_. A duplicate of the connection's descriptor, which stays valid when the library closes its own.
    int socket_ = -1;
};

// One segment of a path, or a value of a query: everything but letters, digits and "-._~" as %XX.
[[nodiscard]] std::string percent_encoded(std::string_view text);

}  // namespace echelon::kube
