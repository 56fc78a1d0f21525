// SPDX-License-Identifier: MIT

// Reads AIP-160 filters by einride/aip-go, one a line of standard input; the texts are JSON.
//
//	answer parse "a = 1"     ok {"tree": ...}, or ok {"position": 2} if a filter is refused
//	time 100 parse "a = 1"   ok NANOSECONDS, for all 100
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode"

	"go.einride.tech/aip/filtering"
	expr "google.golang.org/genproto/googleapis/api/expr/v1alpha1"
)

func parse(text string) (*expr.ParsedExpr, error) {
	var parser filtering.Parser
	parser.Init(text)
	return parser.Parse()
}

// tree returns an expression as CQL2's JSON has them: an operator and its arguments.
func tree(e *expr.Expr) any {
	switch {
	case e.GetCallExpr() != nil:
		args := []any{}
		for _, arg := range e.GetCallExpr().GetArgs() {
			args = append(args, tree(arg))
		}
		return map[string]any{"op": e.GetCallExpr().GetFunction(), "args": args}
	case e.GetSelectExpr() != nil:
		inner := tree(e.GetSelectExpr().GetOperand()).(map[string]any)
		return map[string]any{"property": fmt.Sprint(inner["property"], ".", e.GetSelectExpr().GetField())}
	case e.GetIdentExpr() != nil:
		return map[string]any{"property": e.GetIdentExpr().GetName()}
	}
	switch constant := e.GetConstExpr().GetConstantKind().(type) {
	case *expr.Constant_Int64Value:
		return constant.Int64Value
	case *expr.Constant_DoubleValue:
		return constant.DoubleValue
	case *expr.Constant_StringValue:
		return constant.StringValue
	}
	panic(e.String())
}

// position returns the byte of the innermost error.
func position(text string, err error) int {
	offset := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	last := 0
	for ; err != nil; err = errors.Unwrap(err) {
		if placed, ok := err.(interface{ Position() filtering.Position }); ok {
			last = int(placed.Position().Offset)
		}
	}
	return offset + last
}

func reply(line string) (string, error) {
	var text string
	if argument, ok := strings.CutPrefix(line, "answer parse "); ok {
		if err := json.Unmarshal([]byte(argument), &text); err != nil {
			return "", err
		}
		answer := map[string]any{}
		if parsed, err := parse(text); err == nil {
			answer["tree"] = tree(parsed.GetExpr())
		} else {
			answer["position"] = position(text, err)
		}
		written, err := json.Marshal(answer)
		return string(written), err
	}
	var repetitions int
	if _, err := fmt.Sscanf(line, "time %d parse %q", &repetitions, &text); err != nil {
		return "", err
	}
	begin := time.Now()
	for range repetitions {
		if _, err := parse(text); err != nil {
			return "", err
		}
	}
	return fmt.Sprint(time.Since(begin).Nanoseconds()), nil
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if text, err := reply(lines.Text()); err == nil {
			fmt.Println("ok", text)
		} else {
			fmt.Println("error", err)
		}
	}
}
