#pragma once

// Who may call over TLS: one server certificate, one CA for callers, and the names that are let in.
//
// TLS 1.2 or newer, client certificate required, resumption off (a resumed session would skip the certificate). Files
// are read when the context is made and by reload(); connections stay with what they were accepted under. Thread-safe.

#include "base/result.hpp"
#include "config/settings.hpp"
#include "server/http/socket.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace echelon::server {

class TlsContext {
public:
    // A sentence names the file that can't be read or doesn't fit.
    [[nodiscard]] static base::Result<std::unique_ptr<TlsContext>> load(const config::Tls& tls);
    // For callers of whom nothing is demanded unless a CA for them is named.
    [[nodiscard]] static base::Result<std::unique_ptr<TlsContext>> load(const config::Webhook& webhook);

    // Looks at the files again. False: they are what was tried last. True: they were changed, and new connections go by
    // them. An error says why changed files can't be used; what was there stays, and the same content isn't tried
    // again.
    [[nodiscard]] base::Result<bool> reload();

    // A new session of the server's side; null when memory is short.
    [[nodiscard]] SslHandle session() const;
    // True when the certificate of a finished handshake bears one of the allowed names.
    [[nodiscard]] bool admits(const SSL* ssl) const;

private:
    struct EndContext {
        void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    };
    using Context = std::unique_ptr<SSL_CTX, EndContext>;
    using Digest = std::array<unsigned char, 32>;  // SHA-256 over all files; that of a missing file is that of none.

    TlsContext(config::Tls tls, bool is_open);
    [[nodiscard]] static base::Result<std::unique_ptr<TlsContext>> load(const config::Tls& tls, bool is_open);
    [[nodiscard]] static base::Result<Context> make(const config::Tls& tls, bool is_open);
    [[nodiscard]] Digest digest() const;

    const config::Tls tls_;
    const bool is_open_;  // Anybody may call.
    mutable std::mutex mutex_;
    // Protected by mutex_.
    Context context_;
    Digest tried_{};  // Of the files that were tried last, good or not.
};

// Common names and subject alternative names (DNS, e-mail, URI) of a certificate, byte for byte.
[[nodiscard]] std::vector<std::string> names_of(X509* certificate);

}  // namespace echelon::server
