// SPDX-License-Identifier: MIT
// Rules of custom types and checks.

import { checkOptions, checkWhole } from "./checks.js";
import { ApiError, type ErrorCode } from "./errors.js";
import { answerOf } from "./module.js";

/** The place of an error. */
export interface ErrorPlace {
  /** The parameter at fault; known if a custom type is being parsed. */
  readonly param?: string;
  /** The offset of the first byte at fault, in UTF-8; 0 by default. */
  readonly offset?: number;
  /** The number of bytes at fault; 0 by default. */
  readonly length?: number;
}

/**
 * A rule of your own, declared once in a program.
 *
 * ```
 * const checkDigit = new Rule("check_digit", "a wrong check digit", "expected an ISBN-13");
 * throw checkDigit.error({ offset: 12, length: 1 });
 * ```
 */
export class Rule {
  constructor(
    /** The name for programs, of a-z, 0-9 and _. */
    readonly name: string,
    /** The first half of a message: what is wrong. */
    readonly problem: string,
    /** The second half, beginning with a verb: the accepted values. */
    readonly advice: string,
    readonly code: ErrorCode = "unprocessable_entity",
  ) {}

  /**
   * Returns the error to throw when the rule is broken.
   *
   * @throws TypeError if the rule isn't a rule, or another one has its name.
   */
  error(place: ErrorPlace = {}): ApiError {
    checkOptions("error", place, ["param", "offset", "length"]);
    const { param = null, offset = 0, length = 0 } = place;
    for (const [name, bytes] of [["offset", offset], ["length", length]] as const) {
      if (checkWhole(name, bytes) < 0) throw new TypeError(`${name}: expected a number of bytes`);
    }
    const { name, code, problem, advice } = this;
    const answer = answerOf<never>("rule_error", [name, code, problem, advice, param, offset, length]);
    return new ApiError(answer.errors[0]!);
  }
}
