#include "server/http/socket.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <utility>

#include <openssl/err.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace echelon::server {
namespace {

// What a failed system call means for a non-blocking socket.
Transfer explain_errno(Progress would_block) {
    if (errno == EAGAIN || errno == EWOULDBLOCK)
        return {would_block, 0};
    return {Progress::failed, 0};
}

int clamp_to_int(std::size_t size) {
    return static_cast<int>(std::min(size, static_cast<std::size_t>(std::numeric_limits<int>::max())));
}

}  // namespace

Socket::Socket(int socket, SslHandle ssl) : socket_(socket), ssl_(std::move(ssl)) {
    if (ssl_)
        SSL_set_fd(ssl_.get(), socket_);
}

Socket::~Socket() {
    ssl_.reset();
    ::close(socket_);
}

Transfer Socket::explain(int result) const {
    switch (SSL_get_error(ssl_.get(), result)) {
        case SSL_ERROR_WANT_READ:
            return {Progress::wants_read, 0};
        case SSL_ERROR_WANT_WRITE:
            return {Progress::wants_write, 0};
        case SSL_ERROR_ZERO_RETURN:
            return {Progress::ended, 0};
        default:
            return {Progress::failed, 0};
    }
}

Progress Socket::handshake() {
    ERR_clear_error();
    int result = SSL_accept(ssl_.get());
    return result == 1 ? Progress::done : explain(result).progress;
}

Transfer Socket::read(std::span<char> to) {
    if (ssl_) {
        ERR_clear_error();
        int got = SSL_read(ssl_.get(), to.data(), clamp_to_int(to.size()));
        return got > 0 ? Transfer{Progress::done, static_cast<std::size_t>(got)} : explain(got);
    }
    ssize_t got = 0;
    do {
        got = ::recv(socket_, to.data(), to.size(), 0);
    } while (got < 0 && errno == EINTR);
    if (got > 0)
        return {Progress::done, static_cast<std::size_t>(got)};
    return got == 0 ? Transfer{Progress::ended, 0} : explain_errno(Progress::wants_read);
}

Transfer Socket::write(std::string_view first, std::string_view second) {
    if (ssl_) {
        auto piece = first.empty() ? second : first;
        ERR_clear_error();
        int put = SSL_write(ssl_.get(), piece.data(), clamp_to_int(piece.size()));
        return put > 0 ? Transfer{Progress::done, static_cast<std::size_t>(put)} : explain(put);
    }
    // sendmsg never writes through these pointers, but its interface predates const.
    std::array<iovec, 2> pieces{iovec{const_cast<char*>(first.data()), first.size()},
                                iovec{const_cast<char*>(second.data()), second.size()}};
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = pieces.size();
    ssize_t put = 0;
    do {
        put = ::sendmsg(socket_, &message, MSG_NOSIGNAL);
    } while (put < 0 && errno == EINTR);
    if (put >= 0)
        return {Progress::done, static_cast<std::size_t>(put)};
    return explain_errno(Progress::wants_write);
}

void Socket::end_writing() {
    if (ssl_ && SSL_is_init_finished(ssl_.get()) == 1) {
        ERR_clear_error();
        SSL_shutdown(ssl_.get());  // Best effort: the alert may find no room.
    }
    ::shutdown(socket_, SHUT_WR);
}

}  // namespace echelon::server
