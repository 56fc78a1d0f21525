// SPDX-License-Identifier: MIT
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/query/where_builder.hpp>

using namespace sluice;

namespace {

constexpr column status{.name = "status"};

leaf leaf_of(int number) { return {status, text_test{filter({std::to_string(number)})}}; }

/// Makes random trees twice: by where::all() and its kin, and in a builder.
class random_trees {
public:
    explicit random_trees(unsigned seed) : random_(seed) {}

    where append_to(where_builder& tree, int levels) {
        const std::size_t first = tree.size();
        const unsigned kind = levels == 0 ? 0 : random_() % 4;
        if (kind == 0) {
            const leaf condition = leaf_of(static_cast<int>(random_() % 1000));
            tree.append(condition);
            return where(condition);
        }
        std::vector<where> operands;
        const std::size_t count = kind == 1 ? 1 : random_() % 4;
        while (operands.size() < count) operands.push_back(append_to(tree, levels - 1));
        const auto group = static_cast<where_kind>(kind);
        tree.wrap(group, first);
        if (group == where_kind::negation) return where::negation(std::move(operands[0]));
        return group == where_kind::conjunction ? where::all(std::move(operands))
                                                : where::any(std::move(operands));
    }

private:
    std::mt19937 random_;
};

}  // namespace

TEST_CASE("a builder makes the trees that all, any and negation make") {
    for (unsigned seed = 0; seed < 500; ++seed) {
        CAPTURE(seed);
        random_trees random(seed);
        where_builder tree;
        const where first = random.append_to(tree, 4);
        CHECK(tree.kind_at(0) == first.nodes()[0].kind);
        CHECK(tree.leaves_from(0).size() == first.leaves().size());

        const std::size_t next = tree.size();
        const where second = random.append_to(tree, 4);
        CHECK(tree.leaves_from(next).size() == second.leaves().size());
        CHECK(tree.take(next) == second);
        tree.append(second);
        tree.wrap(where_kind::disjunction, 0);
        CHECK(tree.size() == 1 + first.nodes().size() + second.nodes().size());
        CHECK(tree.take(0) == where::any({first, second}));
        CHECK(tree.size() == 0);
    }
}

TEST_CASE("a builder's leaves change and go until the tree is taken") {
    where_builder tree;
    tree.append(leaf_of(1));
    tree.append(leaf_of(2));
    tree.leaf_at(0) = leaf_of(3);
    tree.remove_last();
    tree.wrap(where_kind::conjunction, tree.size());
    tree.wrap(where_kind::disjunction, 0);
    tree.wrap(where_kind::negation, 0);
    tree.unwrap(0);
    CHECK(tree.take(0) == where::any({where(leaf_of(3)), where()}));
}
