"""What queries read as, sentence by sentence of spec/queries.md."""

from __future__ import annotations

import pytest

from wakeful_grammar.nodes import (
    Absent,
    After,
    And,
    Compare,
    Count,
    Directive,
    Distinct,
    Everything,
    Fields,
    Limit,
    Node,
    Not,
    Or,
    Order,
    Path,
    Present,
    PropertyOperand,
    QueryTree,
    Range,
    Request,
    Scalar,
    Tally,
)
from wakeful_grammar.problems import QueryError, Span
from wakeful_grammar.query import DIRECTIVE_WORDS, parse_query

A, B, C = Present(Path(("a",))), Present(Path(("b",))), Present(Path(("c",)))


def word(text: str) -> Scalar:
    return Scalar(text)


def where(text: str) -> Node:
    node = parse_query(text).where
    assert node is not None
    return node


def values(text: str) -> tuple[object, ...]:
    node = where(text)
    assert isinstance(node, Compare)
    return node.items


def code(text: str) -> str:
    with pytest.raises(QueryError) as caught:
        parse_query(text)
    (problem,) = caught.value.problems
    return problem.code


@pytest.mark.parametrize("text", ["", " ", " \t\n\r\f\v"])
def test_blank_text_is_the_empty_query(text: str) -> None:
    assert parse_query(text) == QueryTree(None, ())
    assert parse_query(text).empty


@pytest.mark.parametrize(
    ("text", "node"),
    [
        (".a", A),
        (".a.b", Present(Path(("a", "b")))),
        ("!a", Absent(Path(("a",)))),
        ("?a.b", Request(Path(("a", "b")))),
        ("*", Everything()),
        (".RECIPE", Present(Path(("RECIPE",)))),
        (".task2.x9", Present(Path(("task2", "x9")))),
        (".a.b.c.d", Present(Path(("a", "b", "c", "d")))),
        (".a.b=1", Compare(Path(("a", "b")), "=", (word("1"),))),
        ("a.b=1", Compare(Path(("a", "b")), "=", (word("1"),))),
        ("a.Minutes<=1", Compare(Path(("a", "Minutes")), "<=", (word("1"),))),
        (".a.b!=x", Compare(Path(("a", "b")), "!=", (word("x"),))),
        (".a.b~=x", Compare(Path(("a", "b")), "~=", (word("x"),))),
        ("!(.a)", Not(A)),
        ("!(.a|.b)", Not(Or((A, B)))),
        ("( .a )", A),
    ],
)
def test_clauses(text: str, node: Node) -> None:
    assert where(text) == node


@pytest.mark.parametrize("text", [".a .b", ".a&.b", ".a,.b", ".a, .b", ".a & .b", "  .a\t\n.b  ", ".a ,.b"])
def test_separators_all_mean_and(text: str) -> None:
    assert where(text) == And((A, B))


def test_a_blank_never_joins_two_paths() -> None:
    assert where(".plant .wake") == And((Present(Path(("plant",))), Present(Path(("wake",)))))
    assert where(".plant.wake") == Present(Path(("plant", "wake")))


def test_or_binds_loosest_and_parentheses_group() -> None:
    assert where(".a .b|.c") == Or((And((A, B)), C))
    assert where(".a (.b|.c)") == And((A, Or((B, C))))


def test_parentheses_that_change_nothing_leave_no_trace() -> None:
    assert where(".a (.b .c)") == where("((.a) .b) .c") == And((A, B, C))
    assert where(".a|(.b|.c)") == Or((A, B, C))


def test_the_dot_may_be_left_out_only_before_an_operator() -> None:
    undotted = where("a=1")
    assert isinstance(undotted, Compare)
    assert not undotted.dotted
    assert undotted == where(".a=1")
    assert code("a") == "syntax-bare-word"


@pytest.mark.parametrize(
    ("text", "items"),
    [
        (".a=thai,british", (word("thai"), word("british"))),
        (".a='thai',\"british\"", (Scalar("thai", True), Scalar("british", True))),
        ('.a="x, y|z .. (w) & .b=1"', (Scalar("x, y|z .. (w) & .b=1", True),)),
        (r'.a="\"\\\'"', (Scalar("\"\\'", True),)),
        (r".a='\n\r\t\''", (Scalar("\n\r\t'", True),)),
        ('.a=""', (Scalar("", True),)),
        (".a=it's", (word("it's"),)),
        ('.a=5"', (word('5"'),)),
        (".a=x\\y", (word("x\\y"),)),
        (".a=20.0", (word("20.0"),)),
        (".a=.5", (word(".5"),)),
        (".a=a.b", (word("a.b"),)),
        (".a=-1", (word("-1"),)),
        (".a=*", (word("*"),)),
        (".a=2026-09-20T09:00:00+02:00", (word("2026-09-20T09:00:00+02:00"),)),
        (".a=http://x.org/?q=1", (word("http://x.org/?q=1"),)),
        (".a=+watered", (word("+watered"),)),
        (".a=.b.c", (PropertyOperand(Path(("b", "c"))),)),
        (".a='.b.c'", (Scalar(".b.c", True),)),
        (".a=1..5", (Range(word("1"), word("5")),)),
        (".a=1...5", (Range(word("1"), word("5"), True),)),
        (".a=1..5,9", (Range(word("1"), word("5")), word("9"))),
        (".a!=1..5", (Range(word("1"), word("5")),)),
        (".a='x'..\"y\"", (Range(Scalar("x", True), Scalar("y", True)),)),
        (".a=0.5..1.5", (Range(word("0.5"), word("1.5")),)),
        (".a=2026-01-01..2026-02-01", (Range(word("2026-01-01"), word("2026-02-01")),)),
        (".a=1-week-ago..now", (Range(word("1-week-ago"), word("now")),)),
        (".a~=%,_", (word("%"), word("_"))),
        (".a>=٣", (word("٣"),)),
    ],
)
def test_values(text: str, items: tuple[object, ...]) -> None:
    assert values(text) == items


def test_a_comma_belongs_to_the_value_until_a_blank_and_a_clause_follow() -> None:
    one = Compare(Path(("a",)), "=", (word("1"),))
    assert where(".a=1, .b=1") == where(".a=1 , .b=1") == where(".a=1, b=1")
    assert where(".a=1, .b") == And((one, B))
    assert where(".a=1, (.b|.c)") == And((one, Or((B, C))))
    assert where(".a=1,b") == Compare(Path(("a",)), "=", (word("1"), word("b")))


@pytest.mark.parametrize(
    ("text", "directives"),
    [
        (".order=a.b", (Order(Path(("a", "b"))),)),
        (".order=-a.b.c.d", (Order(Path(("a", "b", "c", "d")), True),)),
        (".order=minutes", (Order(Path(("minutes",))),)),
        (".limit=0", (Limit(0),)),
        (".limit=9223372036854775807", (Limit(2**63 - 1),)),
        (".limit=007", (Limit(7),)),
        (".after=250", (After(250, None),)),
        ('.after="250"', (After(None, "250"),)),
        (".after=0190a0c4-7b1e", (After(None, "0190a0c4-7b1e"),)),
        (".count", (Count(),)),
        (".distinct=a.b", (Distinct(Path(("a", "b"))),)),
        (".tally=a.b", (Tally(Path(("a", "b"))),)),
        (".fields=a.b,c", (Fields((Path(("a", "b")), Path(("c",)))),)),
        (".limit=5 .order=a.b", (Order(Path(("a", "b"))), Limit(5))),
    ],
)
def test_directives_in_their_fixed_order(text: str, directives: tuple[Directive, ...]) -> None:
    assert parse_query(text) == QueryTree(None, directives)


@pytest.mark.parametrize("text", [".limit=1 .a|.b", ".a .limit=1|.b", ".a|.b, .limit=1"])
def test_a_directive_applies_to_the_whole_query_wherever_it_stands(text: str) -> None:
    assert parse_query(text) == QueryTree(Or((A, B)), (Limit(1),))


def test_a_directive_is_a_whole_word_with_its_equals_sign() -> None:
    for name in DIRECTIVE_WORDS:
        if name != "count":
            assert parse_query(f".{name}") == QueryTree(Present(Path((name,))))
            assert where(f".{name}.total=1") == Compare(Path((name, "total")), "=", (word("1"),))
            assert where(f".{name}!=1") == Compare(Path((name,)), "!=", (word("1"),))
    assert where(".orders=1") == Compare(Path(("orders",)), "=", (word("1"),))
    assert where(".count.x") == Present(Path(("count", "x")))
    assert where("!count") == Absent(Path(("count",)))


def test_a_directive_without_its_dot_is_left_to_the_compiler() -> None:
    node = where("limit=1")
    assert node == Compare(Path(("limit",)), "=", (word("1"),))
    assert isinstance(node, Compare)
    assert not node.dotted


def test_spans_point_into_the_text() -> None:
    text = "  .recipe.minutes>=20 (a.b=x,'y'|!c)"
    tree = parse_query(text)
    assert isinstance(tree.where, And)
    first, group = tree.where.terms
    assert isinstance(first, Compare) and isinstance(group, Or)

    def of(span: Span) -> str:
        return text[span.start : span.end]

    assert of(first.span) == ".recipe.minutes>=20"
    assert of(first.path.span) == "recipe.minutes"
    assert of(first.items[0].span) == "20"
    compare, absent = group.terms
    assert isinstance(compare, Compare)
    assert of(compare.span) == "a.b=x,'y'"
    assert of(compare.items[1].span) == "'y'"
    assert of(absent.span) == "!c"
    assert of(tree.where.span) == ".recipe.minutes>=20 (a.b=x,'y'|!c"


@pytest.mark.parametrize(
    ("text", "expected", "figures"),
    [
        (".a=" + "x" * 3_998, "limit-query-length", ("4,001", "4,000")),
        (".a " * 101, "limit-clauses", ("101", "100")),
        ("(" * 9 + ".a" + ")" * 9, "limit-nesting", ("9", "8")),
        ("!(" * 300 + ".a" + ")" * 300, "limit-nesting", ("300", "8")),
        (".a=" + ",".join("x" * 1_001), "limit-list-values", ("1,001", "1,000")),
        ("." + ".".join("a" * 12), "limit-hops", ("5", "4")),
        (".limit=9223372036854775808", "limit-rows", ("9223372036854775808", "9,223,372,036,854,775,807")),
    ],
)
def test_each_limit_names_itself_and_the_actual_figure(text: str, expected: str, figures: tuple[str, str]) -> None:
    with pytest.raises(QueryError) as caught:
        parse_query(text)
    (problem,) = caught.value.problems
    assert problem.code == expected
    assert all(figure in problem.message for figure in figures)


def test_what_just_fits_is_taken() -> None:
    assert parse_query(".a=" + "x" * 3_997).where
    assert parse_query(".a " * 100).where
    assert parse_query("(" * 8 + ".a" + ")" * 8).where == A
    assert len(values(".a=" + ",".join("x" * 1_000))) == 1_000
    assert parse_query("." + ".".join("a" * 10)).where


@pytest.mark.parametrize("character", ["\0", "\ud800", "\udfff"])
def test_characters_that_no_stored_text_has_are_refused_even_in_quotes(character: str) -> None:
    assert code(f'.a="x{character}"') == "syntax-character"


@pytest.mark.parametrize("character", ["\u00a0", "\u2003", "\u3000", "\u2028", "\x85", "\x1c", "\ufeff"])
def test_blanks_of_other_alphabets_separate_nothing_and_are_named(character: str) -> None:
    for text in (f".a{character}.b", f".a=1{character}.b", f".a {character}.b", f".a={character}1"):
        with pytest.raises(QueryError) as caught:
            parse_query(text)
        (problem,) = caught.value.problems
        assert problem.code == "syntax-blank"
        assert problem.span.start == text.index(character)
        assert f"U+{ord(character):04X}" in problem.message
    assert values(f'.a="{character}"') == (Scalar(character, True),)


def test_the_end_of_input_is_the_end_of_the_text() -> None:
    with pytest.raises(QueryError) as caught:
        parse_query(".recipe.cuisine=thai .a>")
    assert caught.value.problems[0].span == Span(21, 24)
