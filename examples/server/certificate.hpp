// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_CERTIFICATE_HPP
#define SLUICE_EXAMPLES_SERVER_CERTIFICATE_HPP

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <tl/expected.hpp>

#include "file_descriptor.hpp"
#include "openssl_pointer.hpp"

namespace server {

using x509 = openssl_pointer<X509, X509_free>;
using private_key = openssl_pointer<EVP_PKEY, EVP_PKEY_free>;

/// Where a certificate and its key lie, in PEM.
struct certificate_files {
    std::filesystem::path certificate;
    std::filesystem::path key;
};

namespace detail {

inline constexpr int days_valid = 90;

/// A number of 159 random bits, which nobody can foresee.
inline bool set_random_serial(X509* certificate) {
    const openssl_pointer<BIGNUM, BN_free> number(BN_new());
    return number != nullptr &&
           BN_rand(number.get(), 159, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
           BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

inline bool set_names(X509* certificate) {
    X509_NAME* const subject = X509_get_subject_name(certificate);
    const auto* const name = reinterpret_cast<const unsigned char*>("localhost");
    return X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, name, -1, -1, 0) == 1 &&
           X509_set_issuer_name(certificate, subject) == 1;
}

/// From an hour before, for clocks that are late.
inline bool set_validity(X509* certificate, std::time_t now) {
    return X509_time_adj_ex(X509_getm_notBefore(certificate), 0, -3'600, &now) != nullptr &&
           X509_time_adj_ex(X509_getm_notAfter(certificate), days_valid, 0, &now) != nullptr;
}

/// What the certificate is for: this machine by its three names, as a server and nothing else, so
/// that to trust it is to trust nothing else.
inline bool add_extensions(X509* certificate) {
    constexpr std::array extensions{
        std::pair{NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1"},
        std::pair{NID_basic_constraints, "critical,CA:FALSE"},
        std::pair{NID_key_usage, "critical,digitalSignature"},
        std::pair{NID_ext_key_usage, "serverAuth"}, std::pair{NID_subject_key_identifier, "hash"}};
    X509V3_CTX context;
    X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
    for (const auto& [kind, value] : extensions) {
        const openssl_pointer<X509_EXTENSION, X509_EXTENSION_free> made(
            X509V3_EXT_conf_nid(nullptr, &context, kind, value));
        if (!made || X509_add_ext(certificate, made.get(), -1) != 1) return false;
    }
    return true;
}

/// A certificate for localhost that is signed with its own key; null where OpenSSL fails.
inline x509 make_certificate(EVP_PKEY* key, std::time_t now) {
    x509 made(X509_new());
    const bool well = made != nullptr && X509_set_version(made.get(), X509_VERSION_3) == 1 &&
                      set_random_serial(made.get()) && set_names(made.get()) &&
                      set_validity(made.get(), now) && X509_set_pubkey(made.get(), key) == 1 &&
                      add_extensions(made.get()) && X509_sign(made.get(), key, EVP_sha256()) > 0;
    if (!well) made.reset();
    return made;
}

/// Replaces a file at once. `mode` says who may read it, from its first byte on.
template <class Write>
tl::expected<void, std::string> write_file(const std::filesystem::path& path, mode_t mode,
                                           Write write) {
    const std::string partial = path.string() + ".partial";
    ::unlink(partial.c_str());
    const int opened = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    const openssl_pointer<std::FILE, std::fclose> file(opened < 0 ? nullptr : fdopen(opened, "w"));
    const bool well = file != nullptr && write(file.get()) == 1 && std::fflush(file.get()) == 0 &&
                      std::rename(partial.c_str(), path.c_str()) == 0;
    if (well) return {};
    return tl::unexpected(path.string() + ": " + std::strerror(errno));
}

template <class Object, class Read>
Object read_pem(const std::filesystem::path& path, Read read) {
    const openssl_pointer<std::FILE, std::fclose> file(std::fopen(path.c_str(), "re"));
    const auto no_passphrase = [](char*, int, int, void*) { return 0; };
    return Object(file ? read(file.get(), nullptr, no_passphrase, nullptr) : nullptr);
}

/// Whether the files hold a certificate and its key, for a day more at least, the key for its owner
/// only.
inline bool are_usable(const certificate_files& files, std::time_t now) {
    struct stat key_file{};
    const bool is_private =
        ::stat(files.key.c_str(), &key_file) == 0 && (key_file.st_mode & (S_IRWXG | S_IRWXO)) == 0;
    const auto certificate = read_pem<x509>(files.certificate, PEM_read_X509);
    const auto key = read_pem<private_key>(files.key, PEM_read_PrivateKey);
    std::time_t tomorrow = now + 24 * 3'600;
    return is_private && certificate && key &&
           X509_check_private_key(certificate.get(), key.get()) == 1 &&
           X509_cmp_time(X509_get0_notAfter(certificate.get()), &tomorrow) > 0;
}

/// Makes a new key and its certificate.
inline tl::expected<void, std::string> make_files(const certificate_files& files, std::time_t now) {
    const private_key key(EVP_EC_gen("P-256"));
    const x509 certificate = key ? make_certificate(key.get(), now) : x509();
    if (!certificate) return tl::unexpected("no certificate: " + openssl_failure());
    const auto write_key = [&](std::FILE* file) {
        return PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    };
    const auto write_certificate = [&](std::FILE* file) {
        return PEM_write_X509(file, certificate.get());
    };
    return write_file(files.key, 0600, write_key).and_then([&] {
        return write_file(files.certificate, 0644, write_certificate);
    });
}

/// Where programs keep what they make for themselves: empty where the environment does not say.
inline std::filesystem::path state_folder() {
    const auto variable = [](const char* name) {
        const char* const value = std::getenv(name);
        return std::filesystem::path(value != nullptr ? value : "");
    };
    const std::filesystem::path state = variable("XDG_STATE_HOME");
    if (state.is_absolute()) return state;  // the XDG specification ignores others
    const std::filesystem::path home = variable("HOME");
    return home.is_absolute() ? home / ".local" / "state" : std::filesystem::path();
}

}  // namespace detail

/// A certificate for localhost, 127.0.0.1 and ::1, for development: the one made before, or a new
/// one where there is none, or it ends within a day. Says why where there is none to be had.
[[nodiscard]] inline tl::expected<certificate_files, std::string> development_certificate(
    std::time_t now) {
    const std::filesystem::path state = detail::state_folder();
    if (state.empty()) return tl::unexpected(std::string("neither XDG_STATE_HOME nor HOME is set"));
    const std::filesystem::path folder = state / "sluice";
    const certificate_files files{folder / "localhost.cert.pem", folder / "localhost.key.pem"};
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    const file_descriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!lock.is_open()) return tl::unexpected(folder.string() + ": " + std::strerror(errno));
    ::flock(lock.number(), LOCK_EX);  // of servers that start at once, one makes it
    if (detail::are_usable(files, now)) return files;
    return detail::make_files(files, now).map([&] { return files; });
}

}  // namespace server

#endif
