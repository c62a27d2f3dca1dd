#include "kube/client/tls_connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>

namespace echelon::kube {

namespace {

constexpr std::size_t largest_record = 16'384;  // Of TLS.

// The stream of one request and its answer. What is written is sent when the answer is read.
class RecordStream final : public httplib::Stream {
public:
    RecordStream(SSL* ssl, int socket, int read_milliseconds, int write_milliseconds)
        : ssl_(ssl), socket_(socket), read_milliseconds_(read_milliseconds), write_milliseconds_(write_milliseconds) {
        ERR_clear_error();  // What another connection of this thread left would be taken for a failure of this one.
        if (SSL_get_read_ahead(ssl_) != 0)
            return;
        // The first request of the connection. The library has made the socket blocking after the handshake.
        SSL_set_read_ahead(ssl_, 1);  // The header and content of a record in one call.
        BIO_socket_nbio(socket_, 1);  // A call that blocks would wait for the rest of a record without a limit.
    }

    [[nodiscard]] bool has_unread() const { return first_ < last_ || SSL_has_pending(ssl_) != 0; }

    bool is_readable() const override { return has_unread() || wait_for(POLLIN, read_milliseconds_); }
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

    // False: not in time.
    [[nodiscard]] bool wait_for(short event, int milliseconds) const {
        pollfd polled{.fd = socket_, .events = event, .revents = 0};
        int ready = -1;
        do {
            ready = ::poll(&polled, 1, milliseconds);
        } while (ready < 0 && errno == EINTR);
        return ready > 0;
    }

    // Waits until a call that gave `result` may go on. False: not in time, or it has failed.
    [[nodiscard]] bool wait_after(int result) const {
        switch (SSL_get_error(ssl_, result)) {
            case SSL_ERROR_WANT_READ:
                return wait_for(POLLIN, read_milliseconds_);
            case SSL_ERROR_WANT_WRITE:
                return wait_for(POLLOUT, write_milliseconds_);
            default:
                return false;
        }
    }

    // 0: the end of the stream; negative: a failure. What is pending may be a part of a record, or a record without
    // content, such as a session ticket.
    ssize_t receive() {
        bool may_go_on = SSL_has_pending(ssl_) != 0 || wait_for(POLLIN, read_milliseconds_);
        while (may_go_on) {
            const int size = SSL_read(ssl_, in_.data(), static_cast<int>(in_.size()));
            if (size > 0) {
                first_ = 0;
                last_ = static_cast<std::size_t>(size);
                return size;
            }
            if (SSL_get_error(ssl_, size) == SSL_ERROR_ZERO_RETURN)
                return 0;
            may_go_on = wait_after(size);
        }
        return -1;
    }

    [[nodiscard]] bool send_written() {
        std::size_t sent = 0;
        while (sent < out_.size()) {
            const auto size = static_cast<int>(std::min(out_.size() - sent, largest_record));
            const int written = SSL_write(ssl_, out_.data() + sent, size);
            if (written > 0) {
                sent += static_cast<std::size_t>(written);
            } else if (!wait_after(written)) {
                return false;
            }
        }
        out_.clear();
        return true;
    }

    SSL* ssl_;
    int socket_;
    int read_milliseconds_;   // Longest wait for the next bytes from the server.
    int write_milliseconds_;  // Longest wait until the server takes more.
    std::string out_;         // Not sent yet.
    std::array<char, largest_record> in_{};
    std::size_t first_ = 0;  // What is unread of `in_`.
    std::size_t last_ = 0;
};

int milliseconds_of(time_t seconds, time_t microseconds) {
    return static_cast<int>(seconds * 1000 + microseconds / 1000);
}

}  // namespace

bool TlsConnection::process_socket(const Socket& socket, std::function<bool(httplib::Stream&)> exchange) {
    RecordStream stream(socket.ssl, socket.sock, milliseconds_of(read_timeout_sec_, read_timeout_usec_),
                        milliseconds_of(write_timeout_sec_, write_timeout_usec_));
    const bool is_whole = exchange(stream);
    if (stream.has_unread())
        ::shutdown(socket.sock, SHUT_RDWR);  // More than the answer: the connection isn't used again.
    return is_whole;
}

void TlsConnection::require_name(const std::string& name) {
    X509_VERIFY_PARAM* wanted = SSL_CTX_get0_param(ssl_context());
    X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (X509_VERIFY_PARAM_set1_ip_asc(wanted, name.c_str()) != 1)
        X509_VERIFY_PARAM_set1_host(wanted, name.c_str(), name.size());
    ERR_clear_error();
}

}  // namespace echelon::kube
