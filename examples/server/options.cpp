// SPDX-License-Identifier: MIT
#include "options.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <arpa/inet.h>

#include <sluice/errors/message.hpp>
#include <sluice/reference/service/cors.hpp>
#include <sluice/reference/service/key_ring.hpp>

namespace server {

namespace {

/// A value, or the error of the command line.
template <class T>
using option = tl::expected<T, std::string>;

constexpr const char* description =
    "Serves events and other records, of a folder of JSON lines or in ClickHouse, over HTTPS\n"
    "until Ctrl-C or SIGTERM. Each request is a line on standard output.\n";

/// The networks that --behind-proxy trusts without a value.
constexpr const char* loopback_networks = "127.0.0.0/8,::1";

/// The token as given on the command line, which is never part of a message.
struct token_source {
    std::string text;
    std::string file;
};

// --- Definitions of the options ----------------------------------------------------------------

/// Accepts numbers from `least` to `most`.
template <class Number>
CLI::Validator in_range(Number least, Number most) {
    const auto check = [least, most](const std::string& text) {
        Number number{};
        const bool is_number = CLI::detail::lexical_cast(text, number);
        if (is_number && number >= least && number <= most) return std::string();
        std::ostringstream why;
        why << std::setprecision(12) << "expected a number from " << least << " to " << most;
        return why.str();
    };
    return {check, ""};
}

/// Adds an option that sets `target`. `value` names its value in the help, `what` describes it.
template <class T>
CLI::Option* add(CLI::App& app, const std::string& name, const std::string& value, T& target,
                 const std::string& what) {
    return app.add_option(name, target, what)->type_name(value)->option_text(value);
}

/// Adds an option for a number of at least 1, and documents its default.
void add_count(CLI::App& app, const std::string& name, std::size_t& target,
               const std::string& what) {
    add(app, name, "N", target, what + " (" + std::to_string(target) + ')')
        ->check(in_range(1, 1'000'000));
}

/// Adds an option for a number of bytes, and documents its default.
void add_bytes(CLI::App& app, const std::string& name, std::size_t& target,
               const std::string& what) {
    add(app, name, "BYTES", target, what + " (" + std::to_string(target) + ')')
        ->check(in_range<std::size_t>(0, std::size_t{1} << 40));
}

/// Adds an option for a time from `least` units to a day, in units of `unit`, and documents its
/// default.
template <class Unit>
void add_time(CLI::App& app, const std::string& name, const std::string& value,
              std::chrono::milliseconds& target, Unit unit, double least, const std::string& what) {
    using count = std::chrono::duration<double, typename Unit::period>;
    const auto set = [&target, unit](double amount) {
        target = std::chrono::round<std::chrono::milliseconds>(amount * count(unit));
    };
    const auto preset = std::to_string(std::chrono::duration_cast<Unit>(target) / unit);
    app.add_option_function<double>(name, set, what + " (" + preset + ')')
        ->type_name(value)
        ->option_text(value)
        ->check(in_range(least, count(std::chrono::days(1)) / unit));
}

void add_place(CLI::App& app, server_options& read) {
    add(app, "--host", "HOST", read.host, "name or address to listen on (127.0.0.1)");
    add(app, "--port", "PORT", read.port, "port to listen on; 0: a free one (8443)")
        ->check(in_range(0, 65'535));
    auto* const certfile =
        add(app, "--certfile", "FILE", read.certfile, "certificate chain in PEM");
    auto* const keyfile = add(app, "--keyfile", "FILE", read.keyfile,
                              "its key in PEM, without a passphrase.\n"
                              "Without these two: a certificate for localhost, made at\n"
                              "the first start, kept in $XDG_STATE_HOME/sluice\n"
                              "(~/.local/state/sluice)");
    certfile->needs(keyfile);
    keyfile->needs(certfile);
    const auto set_networks = [&read](const CLI::results_t& values) {
        const bool has_value = !values.front().empty() && values.front() != "true";
        auto trusted = parse_networks(has_value ? values.front() : loopback_networks);
        if (!trusted) {
            throw CLI::ValidationError("--behind-proxy",
                                       "expected networks such as 10.0.0.0/8,fd00::/8");
        }
        read.trusted_proxies = *std::move(trusted);
        return true;
    };
    certfile->excludes(app.add_option("--behind-proxy", set_networks,
                                      "plain HTTP for proxies of these networks, which send\n"
                                      "X-Forwarded-Proto and X-Forwarded-For: other schemes than\n"
                                      "https are refused (127.0.0.0/8,::1)")
                           ->option_text("[NETWORKS]")
                           ->expected(0, 1));
}

void add_inputs(CLI::App& app, server_options& read, token_source& token) {
    add(app, "--data", "FOLDER", read.data,
        "tags, customers, links, clicks, leads and sales, each a\n"
        ".ndjson file")
        ->excludes(app.get_option("--store"));
    add(app, "--snapshot", "FILE", read.snapshot,
        "snapshot of --data: opened instead of loading the folder,\n"
        "unless a file of the folder is newer; written after a load")
        ->needs(app.get_option("--data"));
    add(app, "--keys", "FILE", read.keys,
        "accepted keys: a JSON list of {\"sha256\",\n"
        "\"workspaceId\", \"plan\", \"permissions\", \"expiresAt\"?, \"limits\"?}");
    auto* const file = add(app, "--token-file", "FILE", token.file,
                           "one more key, of the Business plan with all permissions:\n"
                           "first line of a file (default: environment variable\n"
                           "SLUICE_TOKEN)");
    add(app, "--token", "TOKEN", token.text, "the key itself; ps may show it, prefer --token-file")
        ->excludes(file);
}

void add_store(CLI::App& app, server_options& read) {
    auto* const url = add(app, "--store", "URL", read.store.url,
                          "ClickHouse servers of events and tags, instead of --data:\n"
                          "clickhouse://user@host:8123,host2/database, or\n"
                          "clickhouses:// for TLS; password: environment variable\n"
                          "SLUICE_STORE_PASSWORD");
    add(app, "--store-ca", "FILE", read.store.ca_file,
        "CA bundle for clickhouses:// servers, PEM (default: system)")
        ->needs(url);
    add(app, "--store-timeout", "S", read.store.timeout,
        "seconds for a statement, on all hosts together (5)")
        ->check(in_range(1, 86'400));
    add_count(app, "--store-statements", read.store.statements, "statements at a time");
}

void add_limits(CLI::App& app, server_options& read) {
    constexpr std::chrono::milliseconds ms(1);
    constexpr std::chrono::seconds second(1);
    add_time(app, "--deadline", "MS", read.deadline, ms, 0,
             "milliseconds of processor time for a request; 0: no limit");
    add_count(app, "--threads", read.threads, "threads that answer requests, at most two a key");
    add_count(app, "--max-connections", read.connections.in_all, "connections at a time");
    add_count(app, "--max-connections-per-address", read.connections.per_address,
              "connections at a time from one address; proxies have no limit");
    add_time(app, "--handshake-timeout", "S", read.times.handshake, second, 0.001,
             "seconds for the TLS handshake");
    add_time(app, "--head-timeout", "S", read.times.head, second, 0.001,
             "seconds for a request's head, and again for its body");
    add_time(app, "--idle-timeout", "S", read.times.idle, second, 0.001,
             "seconds until a request begins");
    add_time(app, "--write-timeout", "S", read.times.write, second, 0.001,
             "seconds for a client to receive an answer");
    add_bytes(app, "--answer-rate", read.times.least_rate,
              "bytes a second at which a client has to receive an answer,\n"
              "measured over 10 seconds; 0: no minimum");
    add_bytes(app, "--answer-bytes", read.connections.unread,
              "bytes of answers that clients have not received yet;\n"
              "beyond them the oldest answers are cut off");
    add_bytes(app, "--answer-bytes-per-key", read.unread_per_key,
              "of these, those of one key; beyond them its requests wait");
}

void add_sharing(CLI::App& app, server_options& read) {
    auto* const url = add(app, "--limits", "URL", read.sharing.url,
                          "Redis in which all servers that name it count requests:\n"
                          "redis[s]://[[user]:password@]host[:port][/database]\n"
                          "(default: environment variable SLUICE_LIMITS, hidden from ps)");
    url->envname("SLUICE_LIMITS");
    const auto set_on_error = [&read](const std::string& name) {
        read.sharing.on_error = *sluice::parse_on_error(name);
    };
    app.add_option_function<std::string>(
           "--limits-on-error", set_on_error,
           "while Redis fails: local, each server admits its share of a\n"
           "limit; refuse; or allow (local)")
        ->option_text("HOW")
        ->check(CLI::IsMember(std::vector<std::string>(sluice::on_error_names.begin(),
                                                       sluice::on_error_names.end())));
    add(app, "--limits-nodes", "N", read.sharing.nodes, "servers that share the limits (1)")
        ->check(in_range(1, 1'000'000));
}

void add_operation(CLI::App& app, server_options& read) {
    const auto set_origins = [&read](const std::string& list) {
        auto origins = sluice::reference::parse_origins(list);
        if (!origins) throw CLI::ValidationError("--cors", sluice::message(origins.error()));
        read.cors_origins = *std::move(origins);
    };
    app.add_option_function<std::string>("--cors", set_origins,
                                         "origins allowed by CORS, such as https://app.example,\n"
                                         "comma-separated, or * (none)")
        ->option_text("ORIGINS");
    const auto set_format = [&read](const std::string& name) {
        read.log = *sluice::reference::parse_log_format(name);
    };
    app.add_option_function<std::string>(
           "--log", set_format, "format of the log: text, or json with an object a line (text)")
        ->option_text("HOW")
        ->check(CLI::IsMember(std::vector<std::string>(sluice::reference::log_format_names.begin(),
                                                       sluice::reference::log_format_names.end())));
    add(app, "--metrics", "PORT", read.metrics_port,
        "port for Prometheus, with /metrics over plain HTTP;\n"
        "0: a free one (none)")
        ->check(in_range(0, 65'535));
    const auto set_hosts = [&read](const std::string& list) {
        std::istringstream names(list);
        std::getline(names, read.metrics_host, ',');
        for (std::string name; std::getline(names, name, ',');) read.metrics_names.push_back(name);
        if (read.metrics_host.empty()) {
            throw CLI::ValidationError("--metrics-host", "expected a name or address first");
        }
    };
    app.add_option_function<std::string>(
           "--metrics-host", set_hosts,
           "name or address to listen on for metrics, then other names\n"
           "that are accepted in Host headers (127.0.0.1)")
        ->option_text("HOST[,NAME...]")
        ->needs(app.get_option("--metrics"));
}

// --- Checks and secrets ------------------------------------------------------------------------

/// Returns true if a host is the loopback interface of this machine.
bool is_loopback(const std::string& host) {
    in_addr four{};
    in6_addr six{};
    if (::inet_pton(AF_INET, host.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
    if (::inet_pton(AF_INET6, host.c_str(), &six) == 1) return IN6_IS_ADDR_LOOPBACK(&six);
    return host == "localhost";
}

bool is_of_loopback(const network& one) { return one.first.is_loopback(); }

/// The token if requests can carry it, or an error.
option<std::string> checked_token(const std::string& from, const std::string& text) {
    if (sluice::reference::bearer_token("Bearer " + text) == text) return text;
    return tl::unexpected(from +
                          ": cannot be sent as a bearer token, expected one or more letters, "
                          "digits and -._~+/=");
}

/// The token in the first line of a file, or an error.
option<std::string> read_token_file(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    if (!file.is_open() || !std::getline(file, line)) {
        return tl::unexpected("--token-file: " + path + ": " +
                              (file.is_open() ? "empty" : std::strerror(errno)));
    }
    if (line.ends_with('\r')) line.pop_back();
    return checked_token("--token-file: " + path, line);
}

/// The token; empty if there is none. SLUICE_TOKEN is removed from the environment, so that child
/// processes don't inherit it.
option<std::string> token_of(const CLI::App& app, const token_source& source) {
    if (app.count("--token") != 0) return checked_token("--token", source.text);
    if (app.count("--token-file") != 0) return read_token_file(source.file);
    const char* const variable = std::getenv("SLUICE_TOKEN");
    if (variable == nullptr) return std::string();
    const std::string text = variable;
    ::unsetenv("SLUICE_TOKEN");
    return checked_token("SLUICE_TOKEN", text);
}

/// The store's password from the environment, which is removed there, so that child processes don't
/// inherit it.
std::string store_password() {
    const char* const variable = std::getenv("SLUICE_STORE_PASSWORD");
    const std::string text = variable == nullptr ? "" : variable;
    ::unsetenv("SLUICE_STORE_PASSWORD");
    return text;
}

/// Replaces all bytes of a text by `*`.
void overwrite(char* text) {
    for (; *text != '\0'; ++text) *text = '*';
}

/// Overwrites the value of an option in a command line.
void hide(std::string_view name, int count, char** words) {
    for (int at = 1; at < count; ++at) {
        const std::string_view word = words[at];
        if (word.starts_with(name) && word.substr(name.size()).starts_with('='))
            overwrite(words[at] + name.size() + 1);
        if (word == name && at + 1 < count) overwrite(words[at + 1]);
    }
}

/// Checks stray words and combinations of options. Errors don't quote values, one of which may be a
/// misplaced key.
option<void> check(const CLI::App& app, const server_options& read) {
    const auto unknown = app.remaining();
    if (!unknown.empty() && unknown[0].starts_with('-')) {
        return tl::unexpected("unknown option " + unknown[0].substr(0, unknown[0].find('=')));
    }
    if (!unknown.empty()) return tl::unexpected(std::string("a word that belongs to no option"));
    if (read.data.empty() && read.store.url.empty()) {
        return tl::unexpected(std::string("--data is missing, expected a folder, or --store"));
    }
    const bool trusts_this_machine =
        read.is_behind_proxy() && std::ranges::all_of(read.trusted_proxies, is_of_loopback);
    if (trusts_this_machine && !is_loopback(read.host)) {
        return tl::unexpected(
            std::string("--behind-proxy: plain HTTP to other machines, expected a --host such as "
                        "127.0.0.1, ::1 or localhost, or the networks of proxies"));
    }
    return {};
}

}  // namespace

option<server_options> parse_options(int count, char** words) try {
    server_options read;
    token_source token;
    CLI::App app(description, "server");
    app.allow_extras()->footer("Exit codes: 0 stopped, 1 not started, 2 wrong arguments.");
    app.set_help_flag("--help", "prints this text");
    app.set_version_flag("--version", "sluice " SLUICE_VERSION "\n", "prints the version");
    add_place(app, read);
    add_store(app, read);
    add_inputs(app, read, token);
    add_limits(app, read);
    add_sharing(app, read);
    add_operation(app, read);
    try {
        app.parse(count, words);
    } catch (const CLI::CallForHelp&) {
        read.help = app.help();
        return read;
    } catch (const CLI::CallForVersion&) {
        read.help = app.version();
        return read;
    }
    if (auto checked = check(app, read); !checked) return tl::unexpected(checked.error());
    auto checked = token_of(app, token);
    read.store.password = store_password();
    for (const char* const secret : {"--token", "--store", "--limits"}) hide(secret, count, words);
    return checked.map([&](const std::string& text) {
        read.token = text;
        read.token_file = token.file;
        return read;
    });
} catch (const CLI::ParseError& wrong) {
    return tl::unexpected(std::string(wrong.what()));
}

}  // namespace server
