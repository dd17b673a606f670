"""A C program means in drystone what it means compiled by gcc."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from tests.gcc.amount import ALL, CSMITH_PROGRAMS, EXAMPLES, FIRST_SEED, PROGRAMS, SANITIZED
from tests.gcc.compiler import checksums, csmith_headers, missing, missing_csmith, missing_sanitizers
from tests.gcc.generate import FEATURES, generate, generate_from
from tests.gcc.generator import csmith
from tests.gcc.interpreted import checksum, final_value, lower

pytestmark = pytest.mark.gcc
DATA_MODELS = ("LP64", "ILP32")
CHUNK = 25


MOST_REFUSED = 2  # of a chunk: a few types are said to be unsupported, which is never wrong


def chunks(count: int, size: int = CHUNK) -> list[range]:
    return [range(FIRST_SEED + start, FIRST_SEED + min(start + size, count)) for start in range(0, count, size)]


def seeds(value: object) -> str:
    return f"{value.start}-{value.stop - 1}" if isinstance(value, range) else str(value)


def skip_if(*reasons: str) -> None:
    for reason in reasons:
        if reason:
            pytest.skip(reason)


def attempt(compute: Callable[[], int | str]) -> int | str:
    """A value, or what was thrown: one failing program must not hide the others of its chunk."""
    try:
        return compute()
    except csmith.Skipped:
        raise
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("data_model", DATA_MODELS)
@pytest.mark.parametrize("chosen", chunks(PROGRAMS), ids=seeds)
def test_generated_programs_compute_what_gcc_computes(chosen: range, data_model: str, tmp_path: Path) -> None:
    skip_if(missing(data_model))
    programs = [generate_from(seed) for seed in chosen]
    differences, refused = [], []
    for seed, text, expected in zip(chosen, programs, checksums(programs, data_model), strict=True):
        file = tmp_path / f"seed{seed}.c"
        file.write_text(text)
        actual = attempt(partial(checksum, file, data_model))
        if str(actual).startswith("unknown: "):
            refused.append(f"{file}: {actual}")
        elif actual != expected and not gcc_contradicts_itself(text, data_model, expected):
            differences.append(f"{file} ({data_model}, seed {seed}, all features): gcc {expected}, interpreter {actual}")
    assert not differences, "\n".join(differences)
    assert len(refused) <= MOST_REFUSED, "\n".join(refused)


def gcc_contradicts_itself(text: str, data_model: str, expected: int | str) -> bool:
    """No generated program reads memory that was not initialised, so how gcc initialises it makes no difference.

    But gcc 12 with `-m32 -ftrivial-auto-var-init=zero` zeroes members of type long double (it takes them for padding). And on some
    programs, like `(_Bool)(8, (-2147483647 - 1))`, it stops with an internal error.
    """
    if isinstance(expected, str) and "internal compiler error" in expected:
        return True
    return checksums([text], data_model, flags=["-ftrivial-auto-var-init=uninitialized"])[0] != expected


@pytest.mark.parametrize("data_model", DATA_MODELS)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=not ALL,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)
@given(st.data())
def test_small_programs_compute_what_gcc_computes(tmp_path: Path, data_model: str, data: st.DataObject) -> None:
    """The same with hypothesis, which finds a small program when one fails."""
    skip_if(missing(data_model))
    features = data.draw(st.sets(st.sampled_from(sorted(FEATURES)), min_size=4, max_size=12))
    text = generate(data.draw(st.randoms(use_true_random=False, note_method_calls=False)), features, size=2)
    note(f"features: {sorted(features)}\n{text}")
    file = tmp_path / "program.c"
    file.write_text(text)
    actual, expected = checksum(file, data_model), checksums([text], data_model)[0]
    assert actual == expected or gcc_contradicts_itself(text, data_model, expected)


@pytest.mark.parametrize("data_model", DATA_MODELS)
@pytest.mark.parametrize("chosen", chunks(SANITIZED, 60), ids=seeds)
def test_generated_programs_have_no_undefined_behaviour(chosen: range, data_model: str) -> None:
    """Sanitizers do not complain, and nothing depends on memory that was not initialised."""
    skip_if(missing(data_model), missing_sanitizers(data_model))
    programs = [generate_from(seed) for seed in chosen]
    expected = checksums(programs, data_model)
    sanitized = checksums(programs, data_model, sanitize=True)
    patterned = checksums(programs, data_model, flags=["-ftrivial-auto-var-init=pattern"])
    for seed, text, *results in zip(chosen, programs, expected, sanitized, patterned, strict=True):
        assert len(set(results)) == 1 or gcc_contradicts_itself(text, data_model, results[0]), f"seed {seed}: {results}"


def test_generation_is_repeatable() -> None:
    assert generate_from(3) == generate_from(3)
    assert generate(random.Random(4), {"structs"}) != generate(random.Random(5), {"structs"})


@pytest.mark.parametrize("data_model", DATA_MODELS)
@pytest.mark.parametrize("chosen", chunks(CSMITH_PROGRAMS, 5), ids=seeds)
def test_csmith_programs_compute_what_gcc_computes(chosen: range, data_model: str, tmp_path: Path) -> None:
    skip_if(missing(data_model), missing_csmith())
    differences, skipped = [], []
    for seed in chosen:
        file = tmp_path / f"csmith{seed}.c"
        try:
            csmith.write_program(seed, file)
            expected = csmith.native_checksum(file, data_model)
            actual = attempt(partial(interpreted_csmith, file, data_model))
        except csmith.Skipped as reason:
            skipped.append(f"seed {seed}: {reason}")
            continue
        if actual != expected:
            differences.append(f"{file} ({data_model}, csmith seed {seed}): gcc {expected:#x}, interpreter {actual}")
    assert not differences, "\n".join(differences)
    if len(skipped) == len(chosen):
        pytest.skip("; ".join(skipped))


def interpreted_csmith(file: Path, data_model: str) -> int | str:
    from drystone.concrete.interpreter import ZeroInputs, interpret

    headers = csmith_headers()
    assert headers is not None
    outcome = interpret(lower([file], data_model, [headers]), ZeroInputs(), max_steps=csmith.MAX_STEPS)
    if outcome.kind == "limit":
        raise csmith.Skipped(outcome.what)
    if any(event.what.endswith("(0)") for event in outcome.undefined):  # __builtin_ctz(0) and its kin, which csmith allows
        raise csmith.Skipped(f"{outcome.undefined[0].what} is undefined")
    if outcome.kind != "returned":
        return f"{outcome.kind}: {outcome.what}"
    return final_value(outcome, "crc32_context")
