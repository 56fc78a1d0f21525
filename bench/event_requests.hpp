// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_EVENT_REQUESTS_HPP
#define SLUICE_BENCH_EVENT_REQUESTS_HPP

#include <chrono>
#include <string_view>

#include <sluice/time/instant.hpp>

namespace sluice_bench {

/// The time of the requests below.
inline constexpr sluice::instant now{std::chrono::milliseconds{1'787'279'415'123}};

inline constexpr std::string_view six_parameters =
    "event=clicks&country=US,CA&device=-Mobile&interval=7d&limit=50&page=2";

inline constexpr std::string_view forty_parameters =
    "event=sales&domain=smcp.link&key=W-q_3t4&linkId=link_1,link_2&externalId=ext_1&tenantId=t_1"
    "&tagId=tag_1,tag_2&folderId=f_1&partnerTagId=p_1&groupId=g_1&partnerId=pn_1&customerId=c_1"
    "&interval=30d&start=2026-08-01&end=2026-08-20T12:00:00Z&timezone=UTC&country=-US,CA"
    "&city=Paris&region=US-CA&continent=EU&device=Desktop&browser=Chrome&os=iOS&trigger=qr"
    "&referer=example.com&refererUrl=https://example.com/a&url=https://example.com/b"
    "&utm_source=google&utm_medium=cpc&utm_campaign=launch&utm_term=shoes&utm_content=a&root=false"
    "&saleType=new&query=metadata['plan']:'pro'&page=2&limit=50&sortOrder=asc&sortBy=timestamp"
    "&order=desc";

}  // namespace sluice_bench

#endif
