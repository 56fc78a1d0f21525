// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_FUZZ_BODIES_HPP
#define SLUICE_TESTS_FUZZ_BODIES_HPP

#include <array>

#include "answers.hpp"
#include "body.hpp"
#include "cursors.hpp"
#include "limiters.hpp"
#include "masks.hpp"
#include "parsers.hpp"
#include "service.hpp"
#include "snapshots.hpp"
#include "statements.hpp"
#include "wasm_calls.hpp"
#include "zones.hpp"

// What must hold for any bytes. The fuzzer feeds these bodies made-up inputs, the tests the corpus;
// a body aborts where its property fails.

namespace sluice_fuzz {

inline constexpr std::array fuzz_bodies{
    fuzz_body{"filter", fuzz_filter},
    fuzz_body{"expr", fuzz_metadata_query},
    fuzz_body{"time", fuzz_time_expression},
    fuzz_body{"pairs", fuzz_query_string},
    fuzz_body{"query", fuzz_events_query},
    fuzz_body{"record", fuzz_records},
    fuzz_body{"algorithm", fuzz_algorithms},
    fuzz_body{"limiter", fuzz_keyed_limiter},
    fuzz_body{"zone", fuzz_zones},
    fuzz_body{"keys", fuzz_key_file},
    fuzz_body{"pages", fuzz_pages},
    fuzz_body{"handler", fuzz_handler},
    fuzz_body{"mask", fuzz_masks},
    fuzz_body{"tree", fuzz_list_query},
    fuzz_body{"sql", fuzz_statements},
    fuzz_body{"cursor", fuzz_cursors},
    fuzz_body{"redis", fuzz_redis_reply},
    fuzz_body{"answer", fuzz_clickhouse_answer},
    fuzz_body{"snapshot", fuzz_snapshot},
    fuzz_body{"wasm", fuzz_wasm_calls},
    fuzz_body{"aip160", fuzz_expression<sluice::grammar::aip160>},
    fuzz_body{"odata", fuzz_expression<sluice::grammar::odata>},
    fuzz_body{"rsql", fuzz_expression<sluice::grammar::rsql>},
    fuzz_body{"cql2", fuzz_expression<sluice::grammar::cql2>},
    fuzz_body{"scim", fuzz_expression<sluice::grammar::scim>},
    fuzz_body{"postgrest", fuzz_expression<sluice::grammar::postgrest>},
    fuzz_body{"cql2_json", fuzz_expression<sluice::grammar::cql2_json>},
};

}  // namespace sluice_fuzz

#endif
