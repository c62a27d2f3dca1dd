#pragma once

// How are bytes read and written on one connection, plain or TLS? Without ever blocking.
//
// Owns the socket. Every call returns at once, and says what to wait for. Not thread-safe: requires the connection's
// lock. SIGPIPE is never raised: plain sockets use MSG_NOSIGNAL, and for TLS it is ignored (TlsContext).

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include <openssl/ssl.h>

namespace echelon::server {

enum class Progress : unsigned char {
    done,         // Bytes were transferred (`count`), or the handshake is complete.
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

    [[nodiscard]] int descriptor() const { return socket_; }
    [[nodiscard]] bool is_tls() const { return ssl_ != nullptr; }
    [[nodiscard]] SSL* ssl() const { return ssl_.get(); }

    // TLS only; `done` ends it.
    [[nodiscard]] Progress handshake();
    [[nodiscard]] Transfer read(std::span<char> to);
    // Writes both texts in this order, in one segment if possible. `count` may be less than their size.
    [[nodiscard]] Transfer write(std::string_view first, std::string_view second);
    // Ends the writing side; the peer reads the sent bytes and then the end.
    void end_writing();

private:
    [[nodiscard]] Transfer explain(int result) const;

    int socket_;
    SslHandle ssl_;
};

}  // namespace echelon::server
