"""Laws of text from afar: a shell that counts with it may run what stands in it."""

from __future__ import annotations

import pytest
from tests.effects.shell.readings import ELSEWHERE, kinds


@pytest.mark.req("C03")
@pytest.mark.parametrize(
    "text",
    [
        'echo $(( $(echo "a[\\$(rm -rf x)]") ))',
        "((y = $(echo 'a[$(rm -rf x)]')))",
        "x=$(curl -s u); echo $((x))",
        'x="$(curl -s u)"; echo $((x + 1))',
        "x=$(curl -s u); [[ $x -eq 1 ]]",
        "x=$(curl -s u); let y=x+1",
        "x=$(curl -s u); echo ${s:$x}",
        "x=$(curl -s u); ((a[$x]))",
        "x=$(wget -qO- u | head -1); ((x))",
        "x=$(cat b | base64 -d); ((x))",
        "x=`base64 -d b`; ((x))",
        "echo $(( $(curl -s u) ))",
        "x=$(curl -s u); for ((i=0;i<x;i++)); do ls; done",
        "x=$(curl -s u); echo ${a[x]}",
    ],
)
def test_arithmetic_with_text_of_others_is_unread(text: str) -> None:
    """Bash evaluates values again and again, and runs the substitutions in their subscripts."""
    assert kinds(text) & ELSEWHERE


@pytest.mark.req("case:C23")
@pytest.mark.parametrize(
    "text",
    [
        "code=$(curl -s -o /dev/null -w '%{http_code}' u); [[ $code -eq 200 ]]",
        "code=$(curl -so /dev/null -w '%{http_code}' u); ((code >= 400))",
        "n=$(curl -s u | jq length); echo $((n + 1))",
        "n=$(curl -s u | wc -l); ((n > 3))",
        "n=$(wc -l < f); echo $((n + 1))",
        "n=$(cat counter); echo $((n + 1))",
        "start=$(date +%s); ls; echo $(( $(date +%s) - start ))",
        "echo $(($# + 1)) $((count + 1))",
        'x=$(curl -s u); [[ $x == ok ]]; [ "$x" -eq 1 ]; echo "$x"',
        "while read -r n; do sum=$((sum + n)); done < nums",
        "echo $(( $(echo 5) * 2 )) $(( $(nproc) / 2 ))",
        "x=$(curl -s u); x=$(wc -l < f); echo $((x))",
    ],
)
def test_arithmetic_with_what_was_counted_is_read(text: str) -> None:
    """Everyday sums: counts, dates, answers about a page, files of the project."""
    assert not kinds(text)
