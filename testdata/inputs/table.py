"""Writes rows of the tables in this folder; README.md says what a row is."""


def piece(data):
    """The bytes as one piece: text as it is, if it is printable, else with escapes."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return repr(data)[1:]
    return repr(text) if all(c.isprintable() or c < "\x80" for c in text) else repr(data)[1:]


def repeated(data, at):
    """(unit, count) of what stands there several times, or None."""
    for length in range(1, 13):
        unit = data[at : at + length]
        count = 1
        while data.startswith(unit, at + count * length):
            count += 1
        if count > 1 and count * length > 16:
            return unit, count
    return None


def pieces(data):
    found, start, at = [], 0, 0
    while at < len(data):
        run = repeated(data, at)
        if run is None:
            at += 1
            continue
        if start < at:
            found.append(piece(data[start:at]))
        found.append(f"{piece(run[0])}*{run[1]}")
        start = at = at + len(run[0]) * run[1]
    if start < at or not found:
        found.append(piece(data[start:]))
    return found


def row(name, parts, lines=()):
    """`parts`: the bytes, or a list of them, each beginning on a line of its own."""
    parts = [parts] if isinstance(parts, bytes) else parts
    texts = [" ".join(pieces(part)) for part in parts]
    return "".join(line + "\n" for line in [f"{name} {texts[0]}", *("  " + t for t in [*texts[1:], *lines])])


def lines_of(path):
    """The lines about each row of a table, by its name."""
    lines, name = {}, None
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        if not line.startswith("  "):
            name = line.split(" ")[0]
        elif line[2] not in "'\"":
            lines.setdefault(name, []).append(line[2:])
    return lines
