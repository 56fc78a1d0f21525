# SPDX-License-Identifier: MIT
"""The command `sluice translate`."""

import pytest

from sluice import __main__ as command


@pytest.mark.parametrize(
    ("source", "to", "text", "written"),
    [
        ("odata", "rsql", "total gt 5 and contains(city,'Os')", "total=gt=5;city==*Os*"),
        ("odata", "postgrest", "tags/any(t:t eq 'x')", "(tags.ov.{x})"),
        ("odata", "odata", "$it/total EQ  5", "total eq 5"),
        ("odata", "scim", "a/b eq 'x' or due ge 2026-08-21", 'a.b eq "x" or due ge "2026-08-21"'),
        ("aip160", "odata", "a:x b>5 -c:d", "contains(a,'x') and b gt 5 and not (contains(c,'d'))"),
        ("rsql", "cql2", "paid==true;name==x*", "paid = true AND name LIKE 'x%'"),
        (
            "cql2-json",
            "rsql",
            '{"op":"in","args":[{"property":"a.b"},["x","y"]]}',
            "a.b=in=(x,y)",
        ),
        ("scim", "aip160", 'urn:x:User:userName sw "J"', 'userName = "J*"'),
        ("postgrest", "rsql", "or=(status.eq.open,total.gt.10)", "status==open,total=gt=10"),
        ("odata", "rsql", "", ""),
    ],
)
def test_a_condition_is_translated(
    source: str, to: str, text: str, written: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["translate", "--from", source, "--to", to, text]) == 0
    assert capsys.readouterr().out == written + "\n"


def test_a_condition_is_translated_to_sql(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["translate", "--from", "rsql", "--to", "duckdb", "--column", "n:integer"]
    assert command.main([*words, "n=gt=5;paid==true"]) == 0
    text, parameters = capsys.readouterr().out.splitlines()
    assert '"n" > ' in text
    assert parameters == "-- parameters: [5, true]"


def test_columns_have_the_types_of_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["translate", "--from", "rsql", "--to", "odata"]
    assert command.main([*words, "--column", "a:text", "--column", "b:text[]", "a==5;b==x"]) == 0
    assert capsys.readouterr().out == "a eq '5' and b/any(item:item eq 'x')\n"


@pytest.mark.parametrize(
    ("to", "text", "said"),
    [
        ("rsql", "total gtt 5", "total gtt 5\n      ^^^\n"),
        (
            "rsql",
            "total gt 5 and total eq 'é'",
            "total gt 5 and total eq 'é'\n" + " " * 24 + "^^^\n",
        ),
        ("rsql", "not (a eq 1 or b eq 2)", "translate: not: nothing that the grammar can say"),
        ("duckdb", "length(a) eq 5", "length(a) eq 5\n^^^^^^\n"),
    ],
)
def test_an_error_has_carets_or_the_name_of_the_condition(
    to: str, text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["translate", "--from", "odata", "--to", to, text]) == 1
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("column", ["a", "a:texts", ":text", "a:json[]", "a:records"])
def test_a_wrong_column_is_named(column: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        command.main(["translate", "--from", "odata", "--to", "rsql", "--column", column, "a eq 5"])
    assert caught.value.code == 2
    assert "argument --column: " in capsys.readouterr().err


def test_a_text_that_is_no_utf8_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        command.main(["translate", "--from", "odata", "--to", "rsql", "total eq '\udcff'"])
    assert caught.value.code == 2
    assert "argument TEXT: expected UTF-8" in capsys.readouterr().err
