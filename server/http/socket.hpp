#pragma once

// The bytes of one connection, plain or TLS, without ever waiting.
//
// Owns the socket. Every call returns at once and says what the poller should wait for. Not thread-safe: whoever serves
// the connection holds its lock. SIGPIPE is never raised (MSG_NOSIGNAL; TLS through a BIO of our own socket needs it
// ignored, see TlsContext).

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include <openssl/ssl.h>

namespace echelon::server {

enum class Progress : unsigned char {
    done,         // Something was transferred (see `count`), or the handshake is over.
    wants_read,   // Nothing now; call again when the socket is readable.
    wants_write,  // Nothing now; call again when the socket is writable.
    ended,        // The peer has closed its side.
    failed,       // The connection is broken.
};

struct Transfer {
    Progress progress = Progress::failed;
    std::size_t count = 0;  // Bytes, when `done`.
};

struct EndSsl {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
};
using SslHandle = std::unique_ptr<SSL, EndSsl>;

class Socket {
public:
    // Takes a non-blocking socket. `ssl` null: plain.
    Socket(int socket, SslHandle ssl);
    ~Socket();
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;

    [[nodiscard]] int socket() const { return socket_; }
    [[nodiscard]] bool is_tls() const { return ssl_ != nullptr; }
    [[nodiscard]] SSL* ssl() const { return ssl_.get(); }

    // TLS only; `done` ends it.
    [[nodiscard]] Progress handshake();
    [[nodiscard]] Transfer read(std::span<char> to);
    // Both pieces in this order, as one segment where possible. Repeat what wasn't taken.
    [[nodiscard]] Transfer write(std::string_view first, std::string_view second);
    // Bytes that were received already but not read: the poller wouldn't report them.
    [[nodiscard]] bool has_buffered() const;
    // No more will be written; the peer reads what it was sent and then the end.
    void end_writing();

private:
    [[nodiscard]] Transfer explain(int result) const;

    int socket_;
    SslHandle ssl_;
};

}  // namespace echelon::server
