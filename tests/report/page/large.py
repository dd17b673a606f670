"""Contents of a report about a large run: many blocks, many messages."""

from __future__ import annotations

from drystone.engines.details import ToldCall, ToldEdge, ToldMessage
from drystone.report.page.contents import Contents
from drystone.report.page.run import ShownBlock, ShownStory, Time
from drystone.report.page.sources import ShownFile

_KINDS = ("ERRORCONDITION", "BLOCKPOSTCONDITION", "ERRORCONDITIONUNREACHABLE")


def contents(blocks: int = 1_000, messages: int = 10_000) -> Contents:
    return Contents(
        drystone="0",
        file="large.c",
        verdict="TRUE",
        headline="the error cannot be reached",
        asked=[("program", "large.c")],
        answered=[("engine", "dss")],
        advice=[],
        errors=[],
        relies_on=[],
        notes=[],
        coverage=[],
        executions=[],
        explanation=[],
        counters={},
        story=_story(blocks, messages),
        time=Time([], [], [], []),
        files=[ShownFile("large.c", "\n".join(f"int line{number};" for number in range(1, 5 * blocks)))],
    )


def _story(blocks: int, messages: int) -> ShownStory:
    """Each block leads to the next one, some of them to one that is further away or back."""
    made = []
    for number in range(blocks):
        followers = [number + 1] if number + 1 < blocks else []
        followers += [number + 7] if number % 5 == 0 and number + 7 < blocks else []
        followers += [number - 3] if number % 50 == 49 else []
        edges = [
            ToldEdge(2 * number, 2 * number + 1, 0, 5 * number + 1),
            ToldEdge(2 * number + 1, 2 * number + 2, 1, 5 * number + 2),
        ]
        counters = {"queries": number}
        made.append(
            ShownBlock(
                f"main:{number}",
                (0, 5 * number + 1),
                5 * number + 3,
                number,
                [number + 1],
                number == blocks - 1,
                edges,
                2,
                followers,
                counters,
            )
        )
    texts = ["x := x + 1", "[x < 10]", *(f"x == {number} && y <= {number * 7 % 100}" for number in range(500))]
    sent = [
        ToldMessage(
            _KINDS[number % 3],
            number * 37 % blocks,
            [(number * 37 + 1) % blocks],
            number / 1000,
            number % blocks,
            number % 4,
            2 + number % 500,
        )
        for number in range(messages)
    ]
    calls = [
        ToldCall(
            number * 37 % blocks,
            number % 4,
            number / 1000,
            number / 1000,
            number / 1000 + 0.0007,
            number / 1000 + 0.0009,
            0.0003,
            0.0001,
            number,
            [number],
            [],
        )
        for number in range(messages)
    ]
    return ShownStory("dss", "lemmas", made, sent, calls, texts, 0, 0, 0)
