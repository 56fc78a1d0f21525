// SPDX-License-Identifier: MIT
#include "certificate.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "command.hpp"
#include "file_descriptor.hpp"
#include "tls_context.hpp"

namespace server {

namespace fs = std::filesystem;
using outcome = tl::expected<void, std::string>;

namespace {

// The certificate is valid only for this machine's three names and only as a server, so that
// trusting it is harmless.
constexpr const char* certificate_request = R"([req]
distinguished_name = subject
x509_extensions = extensions
prompt = no
[subject]
CN = localhost
[extensions]
subjectAltName = DNS:localhost,IP:127.0.0.1,IP:::1
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
)";

/// Returns true if the files hold a certificate that is valid for another day, and its key, which
/// only its owner can read.
bool are_usable(const certificate_files& files) {
    struct stat key{};
    const bool is_private =
        ::stat(files.key.c_str(), &key) == 0 && (key.st_mode & (S_IRWXG | S_IRWXO)) == 0;
    return is_private && make_tls_context(files.certificate, files.key) &&
           run_command("openssl",
                       {"x509", "-checkend", "86400", "-noout", "-in", files.certificate.string()});
}

/// Creates a key and its certificate in a private folder.
outcome make_files(const fs::path& folder, const certificate_files& files) {
    const fs::path settings = folder / "request";
    std::ofstream(settings) << certificate_request;
    return run_command("openssl",
                       {"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                        "-nodes", "-days", "90", "-config", settings.string(), "-keyout",
                        files.key.string(), "-out", files.certificate.string()});
}

/// Moves `source` to `target`, with these permissions. Isn't synced to the disk: a file damaged by
/// a power failure fails are_usable() and is created again.
outcome replace(const fs::path& source, fs::perms permissions, const fs::path& target) {
    std::error_code failed;
    fs::permissions(source, permissions, failed);
    if (!failed) fs::rename(source, target, failed);
    if (!failed) return {};
    return tl::unexpected(target.string() + ": " + failed.message());
}

/// Creates the files in a temporary folder within `folder`, then moves them to their places.
outcome renew(const fs::path& folder, const certificate_files& files) {
    std::string place = folder / "new-XXXXXX";
    if (::mkdtemp(place.data()) == nullptr) {
        return tl::unexpected(place + ": " + std::strerror(errno));
    }
    const certificate_files new_files{fs::path(place) / "certificate", fs::path(place) / "key"};
    constexpr fs::perms owner = fs::perms::owner_read | fs::perms::owner_write;
    constexpr fs::perms all = owner | fs::perms::group_read | fs::perms::others_read;
    auto done =
        make_files(place, new_files)
            .and_then([&] { return replace(new_files.key, owner, files.key); })
            .and_then([&] { return replace(new_files.certificate, all, files.certificate); });
    std::error_code ignored;
    fs::remove_all(place, ignored);
    return done;
}

/// The user's folder for program state; empty if the environment doesn't define it.
fs::path state_folder() {
    const auto variable = [](const char* name) {
        const char* const value = std::getenv(name);
        return fs::path(value != nullptr ? value : "");
    };
    const fs::path state = variable("XDG_STATE_HOME");
    if (state.is_absolute()) return state;  // the XDG specification ignores others
    const fs::path home = variable("HOME");
    return home.is_absolute() ? home / ".local" / "state" : fs::path();
}

}  // namespace

tl::expected<certificate_files, std::string> development_certificate() {
    const fs::path state = state_folder();
    if (state.empty()) return tl::unexpected(std::string("neither XDG_STATE_HOME nor HOME is set"));
    const fs::path folder = state / "sluice";
    certificate_files files{folder / "localhost.cert.pem", folder / "localhost.key.pem"};
    std::error_code failed;
    fs::create_directories(folder, failed);
    const file_descriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!lock.is_open()) return tl::unexpected(folder.string() + ": " + std::strerror(errno));
    ::flock(lock.number(), LOCK_EX);  // servers that start together create it once
    if (are_usable(files)) return files;
    return renew(folder, files).map([&] { return files; });
}

}  // namespace server
