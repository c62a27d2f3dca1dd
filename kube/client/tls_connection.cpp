#include "kube/client/tls_connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>

#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

namespace echelon::kube {

namespace {

constexpr std::size_t largest_record = 16'384;  // Of TLS.

// The stream of one request and its answer. What is written is sent when the answer is read.
class RecordStream final : public httplib::Stream {
public:
    RecordStream(SSL* ssl, int socket, int read_milliseconds)
        : ssl_(ssl), socket_(socket), read_milliseconds_(read_milliseconds) {
        SSL_set_read_ahead(ssl_, 1);  // The header and content of a record in one call.
    }

    [[nodiscard]] bool has_unread() const { return first_ < last_ || SSL_has_pending(ssl_) != 0; }

    bool is_readable() const override { return has_unread() || wait(); }
    bool is_writable() const override { return true; }

    ssize_t read(char* to, std::size_t size) override {
        if (!send_written())
            return -1;
        if (first_ == last_) {
            if (const auto received = receive(); received <= 0)
                return received;
        }
        const auto taken = std::min(size, last_ - first_);
        std::memcpy(to, in_.data() + first_, taken);
        first_ += taken;
        return static_cast<ssize_t>(taken);
    }

    ssize_t write(const char* text, std::size_t size) override {
        out_.append(text, size);
        if (out_.size() >= largest_record && !send_written())
            return -1;
        return static_cast<ssize_t>(size);
    }

    // The library asks for them only as a server.
    void get_remote_ip_and_port(std::string& ip, int& port) const override { forget(ip, port); }
    void get_local_ip_and_port(std::string& ip, int& port) const override { forget(ip, port); }
    socket_t socket() const override { return socket_; }

private:
    static void forget(std::string& ip, int& port) {
        ip.clear();
        port = 0;
    }

    [[nodiscard]] bool wait() const {
        pollfd polled{.fd = socket_, .events = POLLIN, .revents = 0};
        int ready = -1;
        do {
            ready = ::poll(&polled, 1, read_milliseconds_);
        } while (ready < 0 && errno == EINTR);
        return ready > 0;
    }

    // 0: the end of the stream; negative: a failure.
    ssize_t receive() {
        while (SSL_has_pending(ssl_) != 0 || wait()) {
            const int size = SSL_read(ssl_, in_.data(), static_cast<int>(in_.size()));
            if (size > 0) {
                first_ = 0;
                last_ = static_cast<std::size_t>(size);
                return size;
            }
            // A record without content, such as a session ticket: the next one may have some.
            if (const int error = SSL_get_error(ssl_, size); error != SSL_ERROR_WANT_READ)
                return error == SSL_ERROR_ZERO_RETURN ? 0 : -1;
        }
        return -1;
    }

    // The library has limited how long a call may wait to write.
    [[nodiscard]] bool send_written() {
        std::size_t sent = 0;
        while (sent < out_.size()) {
            const auto size = static_cast<int>(std::min(out_.size() - sent, largest_record));
            const int written = SSL_write(ssl_, out_.data() + sent, size);
            if (written <= 0)
                return false;
            sent += static_cast<std::size_t>(written);
        }
        out_.clear();
        return true;
    }

    SSL* ssl_;
    int socket_;
    int read_milliseconds_;
    std::string out_;  // Not sent yet.
    std::array<char, largest_record> in_{};
    std::size_t first_ = 0;  // What is unread of `in_`.
    std::size_t last_ = 0;
};

int milliseconds_of(time_t seconds, time_t microseconds) {
    return static_cast<int>(seconds * 1000 + microseconds / 1000);
}

}  // namespace

bool TlsConnection::process_socket(const Socket& socket, std::function<bool(httplib::Stream&)> exchange) {
    RecordStream stream(socket.ssl, socket.sock, milliseconds_of(read_timeout_sec_, read_timeout_usec_));
    const bool is_whole = exchange(stream);
    if (stream.has_unread())
        ::shutdown(socket.sock, SHUT_RDWR);  // More than the answer: the connection isn't used again.
    return is_whole;
}

}  // namespace echelon::kube
