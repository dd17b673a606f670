"""Words of a command line that stand in files: `@FILE`, as gcc reads them.

A word ends at white space. Quotation marks of both kinds keep what is between them together, a backslash takes its meaning from
the character behind it, between quotation marks, too. A word `@OTHER` in a file stands for the words of that file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from drystone.base.refusal import Refusal

_DEEPEST = 50  # files that are read from within files: one that reads itself has no end


def expanded(words: Sequence[str], folder: str = ".") -> list[str]:
    """The words, with those of the files that they name; relative names are looked for in the folder."""
    return _expanded(words, Path(folder), ())


def _expanded(words: Sequence[str], folder: Path, within: tuple[str, ...]) -> list[str]:
    found: list[str] = []
    for word in words:
        if word.startswith("@") and len(word) > 1:
            if len(within) == _DEEPEST:
                raise Refusal(f"{word}: files with options are nested too deeply, {' in '.join(within[-2:])}")
            found += _expanded(words_of(_text_of(word, folder)), folder, (word, *within))
        else:
            found.append(word)
    return found


def _text_of(word: str, folder: Path) -> str:
    try:
        return (folder / word[1:]).read_text(errors="surrogateescape")
    except OSError as problem:
        raise Refusal(f"{word}: the file with options cannot be read: {problem.strerror}") from None


def words_of(text: str) -> list[str]:
    """As gcc separates them: unclosed quotation marks end with the text."""
    words: list[str] = []
    word: str | None = None  # None: between words
    quote = ""
    characters = iter(text)
    for character in characters:
        if character == "\\":
            word = (word or "") + next(characters, "")
        elif quote:
            quote, word = ("", word) if character == quote else (quote, (word or "") + character)
        elif character in "'\"":
            quote, word = character, word or ""
        elif character.isspace():
            if word is not None:
                words.append(word)
            word = None
        else:
            word = (word or "") + character
    return words if word is None else [*words, word]
