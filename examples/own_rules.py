# SPDX-License-Identifier: MIT
"""A custom type, a custom rule, and a check of two parameters together."""

import sluice

check_digit = sluice.Rule("check_digit", "a wrong check digit", "expected an ISBN-13")
reversed_range = sluice.Rule("reversed_range", "more than its upper bound", "give a smaller one")


def parse_isbn(text: str) -> str:
    """Returns the digits of an ISBN-13."""
    digits = text.replace("-", "")
    if len(digits) != 13 or not digits.isdecimal():
        raise ValueError("not thirteen digits")  # clients see the text of `accepts`
    if sum(int(digit) * (1, 3)[at % 2] for at, digit in enumerate(digits)) % 10:
        raise check_digit.error(offset=len(text) - 1, length=1)
    return digits


class Priced(sluice.ListQuery):
    """Parameters shared by all lists of priced things."""

    price = sluice.decimal(operators=(">=", "<="))
    page = sluice.page()

    @sluice.check
    def is_a_range(self) -> None:
        """Refuses an empty range."""
        low, high = self.price.gte, self.price.lte
        if low is not None and high is not None and low > high:
            raise reversed_range.error("price[gte]")


class Books(Priced):
    """Books of a shop."""

    isbn = sluice.value(parse_isbn, accepts="expected thirteen digits", form="isbn")


print(Books.parse("isbn=978-3-16-148410-0&price[lte]=30").isbn)
for text in ("isbn=978", "isbn=978-3-16-148410-1", "price[gte]=2&price[lte]=1"):
    print(*Books.errors(text))
