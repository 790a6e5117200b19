"""Ways to damage a file: bytes, lines, cells, numbers, letters, and what JSON, TOML, CSV and XML are made of."""

import json
import random
import re

_NUMBERS = [
    *("0", "-1", "1", "2", "255", "65535", "65536", "16777215", "2147483648", "4000000000", "18446744073709551616"),
    *(
        "1e999",
        "-1e999",
        "nan",
        "inf",
        "NaN",
        "Infinity",
        "1e-320",
        "0x10",
        "0b1",
        "1_0",
        "１２",
        "٣",
        "1.5",
        ".5",
        "5.",
    ),
    *(
        "9" * 5000,
        "1" * 400,
        "0" * 300 + "7",
        "-0",
        "+1",
        "1e5",
        "true",
        "null",
        '""',
        "[]",
        "{}",
        "1:30",
        "0..16777215",
    ),
]
_LETTERS = [
    *(
        "\0",
        "\ufeff",
        "\u2028",
        "\x85",
        "\x0b",
        "\u202e",
        "\r",
        "\r\n",
        "\n\n",
        "\t",
        "é",
        "\U0001f600",
        "\ud800",
        "'",
        '"',
    ),
    *(
        ",",
        ";",
        ":",
        "#",
        "{",
        "}",
        "[",
        "]",
        "<",
        ">",
        "&",
        "*",
        "!",
        "!!int",
        "&a",
        "*a",
        "<<",
        "--",
        "->",
        "/*",
        "..",
        "\\",
    ),
    *(
        "\\ud800",
        "\\u0000",
        "=cmd",
        "%s",
        "{0}",
        "../x",
        "/etc/passwd",
        "x" * 300,
        "<!DOCTYPE a>",
        "]]>",
        "---",
        "START_NODES",
    ),
]
_SPAN = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


def mutated(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """A file with one to three things wrong with it; `other` is a second file of its kind, to splice in."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        data = rng.choice(_WAYS)(data, other, rng)
    return data


def _bits(data: bytes, _: bytes, rng: random.Random) -> bytes:
    found = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        if found:
            found[rng.randrange(len(found))] ^= 1 << rng.randrange(8)
    return bytes(found)


def _cut(data: bytes, _: bytes, rng: random.Random) -> bytes:
    return data[: rng.choice((0, 1, 2, rng.randint(0, len(data)), max(0, len(data) - 1)))]


def _splice(data: bytes, other: bytes, rng: random.Random) -> bytes:
    begin, end = rng.randint(0, len(data)), rng.randint(0, len(other))
    return data[:begin] + other[end:]


def _repeat(data: bytes, _: bytes, rng: random.Random) -> bytes:
    begin = rng.randint(0, len(data))
    end = min(len(data), begin + rng.randint(1, 40))
    return data[:end] + data[begin:end] * rng.choice((1, 2, 50, 2000)) + data[end:]


def _wide(data: bytes, _: bytes, rng: random.Random) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(rng.choice(("utf-16", "utf-8-sig", "latin-1", "utf-32")), "replace")


def _ends(data: bytes, _: bytes, rng: random.Random) -> bytes:
    return data.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b" \n", "\u2028".encode(), b"\x0b", b"")))


def _nest(data: bytes, _: bytes, rng: random.Random) -> bytes:
    place, depth = rng.randint(0, len(data)), rng.choice((3, 60, 3000))
    one, two = rng.choice(((b"[", b"]"), (b"{", b"}"), (b'{"a":', b"}"), (b"<a>", b"</a>"), (b"(", b")"), (b"- ", b"")))
    return data[:place] + one * depth + two * rng.choice((0, depth)) + data[place:]


def _lines(data: bytes, _: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    i, k = rng.randrange(len(lines)), rng.randrange(len(lines))
    way = rng.randrange(4)
    if way == 0:
        del lines[i]
    elif way == 1:
        lines.insert(k, lines[i])
    elif way == 2:
        lines[i], lines[k] = lines[k], lines[i]
    else:
        lines[i] = lines[i] + lines[k]
    return b"\n".join(lines)


def _cells(data: bytes, _: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    i = rng.randrange(len(lines))
    mark = rng.choice((b",", b" ", b"\t", b'"', b"=", b":", b"|"))
    cells = lines[i].split(mark)
    a, b = rng.randrange(len(cells)), rng.randrange(len(cells))
    way = rng.randrange(4)
    if way == 0:
        cells[a], cells[b] = cells[b], cells[a]
    elif way == 1:
        cells[a] = rng.choice((b"", rng.choice(_NUMBERS).encode()))
    elif way == 2:
        del cells[a]
    else:
        cells.insert(a, cells[b])
    lines[i] = mark.join(cells)
    return b"\n".join(lines)


def _number(data: bytes, _: bytes, rng: random.Random) -> bytes:
    text = data.decode("latin-1")
    spans = [found.span() for found in _SPAN.finditer(text)]
    if not spans:
        return data
    begin, end = rng.choice(spans)
    return data[:begin] + rng.choice(_NUMBERS).encode() + data[end:]


def _word(data: bytes, _: bytes, rng: random.Random) -> bytes:
    place = rng.randint(0, len(data))
    return data[:place] + rng.choice(_LETTERS).encode("utf-8", "surrogatepass") + data[place + rng.randint(0, 3) :]


def _typo(data: bytes, _: bytes, rng: random.Random) -> bytes:
    """Two letters of a word change places."""
    words = [found.span() for found in re.finditer(rb"[A-Za-z]{3,}", data)]
    if not words:
        return data
    begin, end = rng.choice(words)
    at = rng.randrange(begin, end - 1)
    return data[:at] + data[at + 1 : at + 2] + data[at : at + 1] + data[at + 2 :]


def _tree(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """A value of a JSON document becomes another's, or of another type."""
    try:
        root = [json.loads(data)]
        try:
            more = json.loads(other)
        except ValueError:
            more = None
    except (ValueError, RecursionError):
        return _number(data, other, rng)
    places: list[tuple[object, object]] = []

    def walk(node: object) -> None:
        for key in node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
            places.append((node, key))
            walk(node[key])  # type: ignore[index]

    walk(root)
    node, key = rng.choice(places)
    value = node[key]  # type: ignore[index]
    new = rng.choice(
        [
            None,
            True,
            -1,
            0,
            1.5,
            2**63,
            2**70,
            10**400,
            "",
            "x",
            "\0",
            "\u2028",
            [],
            {},
            [[]],
            [value, value],
            {"a": value},
            more,
        ]
    )
    if rng.random() < 0.2 and isinstance(node, dict):
        del node[key]
    else:
        node[key] = new  # type: ignore[index]
    return json.dumps(root[0], indent=rng.choice((None, 1)), ensure_ascii=rng.random() < 0.5).encode("utf-8", "replace")


def _toml(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """A value behind an ``=`` or ``:`` becomes one of another type."""
    found = list(re.finditer(rb"(?m)[=:][ \t]*([^\n]*)$", data))
    if not found:
        return _word(data, other, rng)
    one = rng.choice(found)
    new = rng.choice(
        (b"[]", b"[1]", b'"x"', b"1", b"-1", b"true", b"{a=1}", b"{a: 1}", b"2020-01-01", b"nan", b"[[1]]", b"''")
    )
    return data[: one.start(1)] + new + data[one.end(1) :]


_WAYS = (
    *(_bits, _cut, _splice, _repeat, _wide, _ends, _nest, _lines, _lines, _cells, _cells, _cells),
    *(_number, _number, _number, _word, _word, _typo, _tree, _tree, _toml, _toml),
)
