# SPDX-License-Identifier: MIT
"""Railroad diagrams of the grammars that stand in docs/.

A grammar is of rules `name = alternatives`, in the ABNF of RFC 5234 as far as docs/ have it:

    alternatives  = sequence *( "/" sequence )
    sequence      = 1*( element )
    element       = [ "*" / "1*" ] ( name / quoted / "(" alternatives ")" ) / "[" alternatives "]"
"""

import html
import io
import re
from collections.abc import Iterator

import railroad

TOKEN = re.compile(r'\s*(1?\*|"[^"]*"|[A-Za-z][\w-]*|[()\[\]/])')
RULE = re.compile(r"^([a-z][a-z-]*) +=", re.MULTILINE)


class Grammar:
    """The words of a rule, read from the left."""

    def __init__(self, text: str) -> None:
        """Splits a rule into its words."""
        self.tokens = list(tokens_of(text))

    def take(self, *words: str) -> str | None:
        """The next word, if it is one of these."""
        return self.tokens.pop(0) if self.tokens and self.tokens[0] in words else None

    def alternatives(self) -> railroad.DiagramItem:
        """One of several ways."""
        ways = [self.sequence()]
        while self.take("/"):
            ways.append(self.sequence())
        return ways[0] if len(ways) == 1 else railroad.Choice(0, *ways)

    def sequence(self) -> railroad.DiagramItem:
        """One thing after another."""
        parts = []
        while self.tokens and self.tokens[0] not in {"/", ")", "]"}:
            parts.append(self.element())
        return parts[0] if len(parts) == 1 else railroad.Sequence(*parts)

    def element(self) -> railroad.DiagramItem:
        """A word, a group or a repetition."""
        repeated = self.take("*", "1*")
        if repeated:
            kind = railroad.OneOrMore if repeated == "1*" else railroad.ZeroOrMore
            return kind(self.element())
        word = self.tokens.pop(0)
        if word in "[(":
            within = self.alternatives()
            self.tokens.pop(0)
            return railroad.Optional(within) if word == "[" else within
        if word.startswith('"'):
            return railroad.Terminal(word[1:-1])
        return railroad.Terminal(word) if word.isupper() else railroad.NonTerminal(word)


def tokens_of(text: str) -> Iterator[str]:
    """The words of a rule, without its comments: an unknown one is a mistake of the page."""
    bare = "\n".join(re.sub(r'^((?:[^";]|"[^"]*")*);.*$', r"\1", line) for line in text.split("\n"))
    at = 0
    while bare[at:].strip():
        token = TOKEN.match(bare, at)
        if token is None:
            raise ValueError(f"a grammar: expected a name, a text or an operator at {bare[at:]!r}")
        yield token[1]
        at = token.end()


def drawn(name: str, right: str) -> str:
    """The diagram of a rule."""
    grammar = Grammar(right)
    diagram = railroad.Diagram(grammar.alternatives())
    if grammar.tokens:
        raise ValueError(f"a grammar: nothing closes {grammar.tokens[0]} in {name}")
    svg = io.StringIO()
    diagram.attrs |= {"role": "img", "aria-label": f"Diagram of {html.escape(name)}"}
    diagram.writeSvg(svg.write)
    lines = " ".join(svg.getvalue().split("\n"))
    return f"<figure><figcaption><code>{name}</code></figcaption>{lines}</figure>"


def diagrams_of(grammar: str) -> str:
    """A diagram for each rule of a grammar, as HTML."""
    _, *parts = RULE.split(grammar)
    figures = [drawn(name, right) for name, right in zip(parts[::2], parts[1::2], strict=True)]
    return f'<div class="railroad">{"".join(figures)}</div>'
