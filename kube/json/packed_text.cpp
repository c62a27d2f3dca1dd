#include "kube/json/packed_text.hpp"

#include <vector>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <zlib.h>

namespace echelon::kube {

namespace {

constexpr int gzip_window = 15 + 16;  // The largest, with a header of gzip.
constexpr int usual_memory = 8;
constexpr std::size_t piece = std::size_t{64} << 10;

Bytef* bytes_of(std::string_view text) {
    return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // NOLINT: zlib only reads what is put in.
}

std::string gzipped(std::string_view text) {
    z_stream stream{};
    deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window, usual_memory, Z_DEFAULT_STRATEGY);
    stream.next_in = bytes_of(text);
    stream.avail_in = static_cast<uInt>(text.size());
    std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
    stream.next_out = bytes_of(out);
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

base::Result<std::string> gunzipped(std::string_view packed, std::size_t most) {
    z_stream stream{};
    if (inflateInit2(&stream, gzip_window) != Z_OK)
        return base::failure("can't be unpacked: there is no memory");
    stream.next_in = bytes_of(packed);
    stream.avail_in = static_cast<uInt>(packed.size());
    std::string out;
    std::vector<char> room(piece);
    int state = Z_OK;
    while (state == Z_OK && out.size() <= most) {
        stream.next_out = bytes_of({room.data(), room.size()});
        stream.avail_out = static_cast<uInt>(room.size());
        state = inflate(&stream, Z_NO_FLUSH);
        out.append(room.data(), room.size() - stream.avail_out);
    }
    inflateEnd(&stream);
    if (out.size() > most)
        return base::failure(fmt::format("is longer than {} bytes", most));
    if (state != Z_STREAM_END)
        return base::failure("isn't gzip");
    return out;
}

}  // namespace

base::Result<std::string> decode_base64(std::string_view text) {
    std::vector<unsigned char> source;
    source.reserve(text.size());
    for (const char c : text) {
        if (c != '\n' && c != '\r' && c != ' ')
            source.push_back(static_cast<unsigned char>(c));
    }
    if (source.empty() || source.size() % 4 != 0)
        return base::failure("isn't base64");
    std::vector<unsigned char> bytes(source.size() / 4 * 3);
    const int size = EVP_DecodeBlock(bytes.data(), source.data(), static_cast<int>(source.size()));
    if (size < 0)
        return base::failure("isn't base64");
    // The padding is counted as zero bytes by the decoder.
    const int padding = source.back() != '=' ? 0 : source[source.size() - 2] == '=' ? 2 : 1;
    return std::string(bytes.begin(), bytes.begin() + (size - padding));
}

std::string encode_base64(std::string_view bytes) {
    std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');  // EVP_EncodeBlock adds a zero byte.
    const int size = EVP_EncodeBlock(bytes_of(out), bytes_of(bytes), static_cast<int>(bytes.size()));
    out.resize(static_cast<std::size_t>(size));
    return out;
}

std::string pack(std::string_view text) {
    return encode_base64(gzipped(text));
}

base::Result<std::string> unpack(std::string_view packed, std::size_t most) {
    const base::Result<std::string> bytes = decode_base64(packed);
    return bytes ? gunzipped(*bytes, most) : bytes;
}

}  // namespace echelon::kube
