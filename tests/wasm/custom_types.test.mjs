// SPDX-License-Identifier: MIT
// Custom types and rules, and checks of several parameters.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const api = await import(pathToFileURL(`${process.env.SLUICE_PACKAGE}/dist/index.js`).href);
await api.load();

const checkDigit = new api.Rule("check_digit", "a wrong check digit", "expected an ISBN-13");
const reversedRange = new api.Rule("reversed_range", "more than its upper bound", "give a smaller one");

class Isbn {
  constructor(digits) {
    this.digits = digits;
  }
}

/** Reads an ISBN-13, with or without dashes. */
function parseIsbn(text) {
  const digits = text.replaceAll("-", "");
  if (!/^\d{13}$/.test(digits)) throw new RangeError("not thirteen digits");
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (at % 2 ? 3 : 1), 0);
  if (sum % 10 !== 0) throw checkDigit.error({ offset: new TextEncoder().encode(text).length - 1, length: 1 });
  return new Isbn(digits);
}

const books = api.defineParams(
  {
    isbn: api.value(parseIsbn, { accepts: "expected thirteen digits", form: "isbn", format: ({ digits }) => digits }),
    shelf: api.value((text) => Number.parseInt(text, 16), { type: "integer", format: (shelf) => String(shelf), required: true }),
    price: api.decimal({ operators: [">=", "<="] }),
    page: api.page(),
  },
  {
    checks: [
      ({ price: { gte, lte } }) => {
        if (gte !== null && lte !== null && Number(gte) > Number(lte)) throw reversedRange.error({ param: "price[gte]" });
      },
      ({ page: { number } }) => {
        if (number === 13) throw new Error("a mistake of the program");
      },
    ],
  },
);
const VALID = "isbn=978-3-16-148410-0&shelf=1f";

test("a value is what its function makes, and compared by its canonical text", () => {
  const query = books.parse(VALID);
  assert.deepEqual(query.values.isbn, new Isbn("9783161484100"));
  assert.equal(query.values.shelf, 31);
  assert.deepEqual(query.tree().where.all, [
    { column: "isbn", any_of: ["9783161484100"] }, { column: "shelf", gte: 31, lte: 31 },
  ]);
  assert.equal(query.toQueryString(), "isbn=9783161484100&shelf=31");
  assert.deepEqual([query.matches({ isbn: "9783161484100", shelf: 31 }), query.matches({ isbn: "x", shelf: 31 })], [true, false]);
  assert.equal(books.parse("shelf=a").values.isbn, null);
  assert.equal(api.toQueryString({ isbn: query.values.isbn }), "isbn=9783161484100");
  assert.equal(books.openapiParameters.find(({ name }) => name === "isbn").schema.format, "isbn");
});

const ERRORS = [
  // query, the rule, parameter, offset and length of each error, and the message of the first
  ["shelf=1&isbn=978", [["value_malformed", "isbn", 0, 3]], "isbn: not a value of this type, expected thirteen digits"],
  ["shelf=1&isbn=978-3-16-148410-1", [["check_digit", "isbn", 16, 1]],
    "isbn: a wrong check digit (at byte 16), expected an ISBN-13"],
  ["isbn=978&limit=0", [["value_malformed", "isbn", 0, 3], ["parameter_missing", "shelf", 0, 0], ["number_too_small", "limit", 0, 1]]],
  ["shelf=1&price[gte]=2&price[lte]=1", [["reversed_range", "price[gte]", 0, 0]], "price[gte]: more than its upper bound, give a smaller one"],
  ["price[gte]=2&price[lte]=1", [["parameter_missing", "shelf", 0, 0]]],
];
for (const [text, expected, message] of ERRORS) {
  test(`refused: ${text}`, () => {
    const errors = books.errors(text);
    assert.deepEqual(errors.map(({ rule, param, offset, length }) => [rule, param, offset, length]), expected);
    if (message !== undefined) assert.equal(errors[0].message, message);
    assert.throws(() => books.parse(text), { name: "ApiError", message: errors[0].message });
    const field = { isbn: "isbn", shelf: "shelf", "price[gte]": "price", limit: "page" };
    assert.deepEqual(Object.keys(books.fieldErrors(text)), expected.map(([, param]) => field[param]));
    assert.equal(books["~standard"].validate(text).issues.length, expected.length);
  });
}

test("what a check throws besides is a mistake of the program", () => {
  assert.throws(() => books.errors("shelf=1&page=13"), /^Error: a mistake of the program$/);
});

test("a type may parse requests itself", () => {
  const inner = api.value((text) => books.parse(text).values.shelf);
  const outer = api.defineParams({ a: inner, b: inner, c: api.text() });
  const { a, b, c } = outer.parse(`a=${encodeURIComponent(VALID)}&b=shelf%3Dff&c=é`).values;
  assert.deepEqual([a, b, c], [31, 255, "é"]);
  assert.equal(outer.errors("a=shelf%3D1&b=isbn%3D1")[0].param, "b");
  assert.equal(outer.errors("a=limit%3D0")[0].rule, "parameter_missing");
});

const MISTAKES = [
  [() => new api.Rule("No name", "x", "expected y").error(), /^TypeError: No name: its name is of a-z/],
  [() => new api.Rule("filter_dash", "x", "expected y").error(), /the library has a rule of this name/],
  [() => new api.Rule("check_digit", "other", "expected y").error(), /^TypeError: check_digit: another rule has this name/],
  [() => new api.Rule("fine", "x", "because").error(), /begins with a verb/],
  [() => new api.Rule("fine", "x", "expected y", "nope").error(), /^TypeError: code: expected an error code/],
  [() => checkDigit.error({ ofset: 1 }), /^TypeError: error: unknown option 'ofset'/],
  [() => checkDigit.error({ offset: 0.5 }), /^TypeError: offset: expected a whole number/],
  [() => checkDigit.error({ length: -1 }), /^TypeError: length: expected a number of bytes/],
  [() => api.value(parseIsbn, { formats: String }), /^TypeError: value: unknown option 'formats'/],
  [() => api.defineParams({}, { check: [] }), /^TypeError: defineParams: unknown option 'check'/],
];
for (const [act, message] of MISTAKES) {
  test(`a mistake: ${message}`, () => {
    assert.throws(act, (thrown) => {
      assert.match(String(thrown), message);
      return thrown instanceof TypeError;
    });
  });
}

test("the error of a rule", () => {
  const error = checkDigit.error({ param: "isbn", offset: 12, length: 1 });
  assert.ok(error instanceof api.ApiError);
  assert.deepEqual([error.status, error.code, error.rule, error.param], [422, "unprocessable_entity", "check_digit", "isbn"]);
  assert.equal(error.message, "isbn: a wrong check digit (at byte 12), expected an ISBN-13");
  assert.equal(new api.Rule("gone", "x", "take y", "not_found").error().status, 404);
});
