// SPDX-License-Identifier: MIT
// A custom type, a custom rule, and a check of two parameters together.
import { decimal, defineParams, load, page, Rule, value } from "@sluice/sluice";

await load();

const checkDigit = new Rule("check_digit", "a wrong check digit", "expected an ISBN-13");
const reversedRange = new Rule("reversed_range", "more than its upper bound", "give a smaller one");

/** Returns the digits of an ISBN-13. */
function parseIsbn(text: string): string {
  const digits = text.replaceAll("-", "");
  if (!/^\d{13}$/.test(digits)) throw new RangeError("not thirteen digits"); // clients see `accepts`
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 1 : 3), 0);
  if (sum % 10 !== 0) throw checkDigit.error({ offset: text.length - 1, length: 1 });
  return digits;
}

const books = defineParams(
  {
    isbn: value(parseIsbn, { accepts: "expected thirteen digits", form: "isbn" }),
    price: decimal({ operators: [">=", "<="] }),
    page: page(),
  },
  {
    checks: [
      ({ price: { gte, lte } }) => {
        if (gte !== null && lte !== null && Number(gte) > Number(lte)) throw reversedRange.error({ param: "price[gte]" });
      },
    ],
  },
);

console.log(books.parse("isbn=978-3-16-148410-0&price[lte]=30").values.isbn);
for (const text of ["isbn=978", "isbn=978-3-16-148410-1", "price[gte]=2&price[lte]=1"]) {
  for (const error of books.errors(text)) console.log(error.rule, error.message);
}
