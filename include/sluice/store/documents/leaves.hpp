// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_DOCUMENTS_LEAVES_HPP
#define SLUICE_STORE_DOCUMENTS_LEAVES_HPP

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/store/documents/conditions.hpp>

namespace sluice::store {

/// The metadata expressions of a list query; owns the data that their conditions refer to.
class metadata_leaves {
public:
    /// Returns an expression of the rows that meet `query`, which must outlive it. See
    /// metadata_conditions.
    [[nodiscard]] expression add(const metadata_columns& columns, std::size_t first_column,
                                 std::string_view param, row_documents documents,
                                 const metadata_query& query) {
        leaves_.push_back({param, std::make_unique<metadata_conditions>(columns, first_column,
                                                                        param, documents, query)});
        return leaves_.back().conditions->rows();
    }
    /// Points a scan's error about a metadata test at the test's costliest condition.
    [[nodiscard]] error pointed_at_test(error why) const {
        const auto at_fault = std::ranges::find(leaves_, why.param, &leaf::param);
        if (at_fault == leaves_.end() || why.length > 0) return why;
        const condition_source source = at_fault->conditions->costliest_test();
        why.offset = source.offset;
        why.length = source.length;
        return why;
    }

private:
    struct leaf {
        std::string_view param;
        std::unique_ptr<metadata_conditions> conditions;
    };

    std::vector<leaf> leaves_;
};

}  // namespace sluice::store

#endif
