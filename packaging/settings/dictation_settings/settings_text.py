"""Changes one key in the text of a settings file; every other byte stays as it is.

Comments do not belong to keys: dictation-cli marks its own lines with comments, which a change of the key before
them must not move. So the lines of the key are replaced, not the document written anew.
"""

from io import StringIO
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode


def yaml() -> YAML:
    """How settings are read and written."""
    result = YAML()
    result.preserve_quotes = True
    result.width = 4096
    result.indent(mapping=2, sequence=4, offset=2)
    return result


def dumped(settings: CommentedMap | dict[str, Any]) -> str:
    """The document with these settings."""
    output = StringIO()
    yaml().dump(settings, output)
    return output.getvalue()


def changed(text: str, key: str, value: Any) -> str | None:
    """The text with another value of a key; None as the value removes it.

    Returns None where a key has no lines of its own, as in a document in one pair of braces. The caller checks what the
    result means: another value may refer to the one that was replaced.
    """
    root = yaml().compose(StringIO(text))
    if root is None:
        return text if value is None else _ended(text) + dumped({key: value})
    if not isinstance(root, MappingNode) or root.flow_style:
        return None
    pair = next((pair for pair in root.value if pair[0].value == key), None)
    if pair is None:
        return text if value is None else _ended(text) + dumped({key: value})
    name, old = pair
    if name.start_mark.column:
        return None
    start, end = name.start_mark.index, _line_end(text, _end(old, name.end_mark.index))
    new = "" if value is None else _lines(text, name, old, {key: value})
    return text[:start] + new + text[end:]


def _lines(text: str, name: Node, old: Node, setting: dict[str, Any]) -> str:
    """The new lines of a key, with the comment beside it."""
    first, rest = dumped(setting).split("\n", maxsplit=1)
    (value,) = setting.values()
    if isinstance(old, SequenceNode) and not old.flow_style and isinstance(value, list) and value:
        rest = _items(text, name, old, value)
    beside = name.end_mark.index
    if old.start_mark.line == name.start_mark.line:
        beside = _end(old, beside)
    comment = text[beside : _line_end(text, beside)].rstrip("\n").removeprefix(":")
    if not comment.lstrip().startswith("#"):
        comment = ""
    return f"{first}{comment}\n{rest}"


def _items(text: str, name: Node, old: SequenceNode, values: list[Any]) -> str:
    """The lines of a list. An item that was there keeps its own, with their comments."""
    indent = " " * old.start_mark.column
    present: list[tuple[Any, str]] = []
    start = _line_end(text, name.end_mark.index)
    for item, value in zip(old.value, yaml().load(text)[name.value], strict=True):
        end = _line_end(text, _end(item, item.start_mark.index))
        present.append((value, text[start:end]))
        start = end
    lines = ""
    for value in values:
        index = next((index for index, (other, _lines) in enumerate(present) if other == value), None)
        if index is None:
            _key, new = dumped({"items": [value]}).split("\n", maxsplit=1)
            lines += "".join(indent + line.removeprefix("  ") for line in new.splitlines(keepends=True))
        else:
            lines += _ended(present.pop(index)[1])
    return lines


def _end(node: Node, before: int) -> int:
    """Where the text of a node ends. The end mark of a block is where the next one begins, after comments.

    - before: where the node begins, or what is before it ends.
    """
    if isinstance(node, ScalarNode) and not node.value and not node.style:
        return before
    if isinstance(node, ScalarNode) or node.flow_style or not node.value:
        return node.end_mark.index
    last = node.value[-1]
    if isinstance(last, tuple):
        return _end(last[1], last[0].end_mark.index)
    return _end(last, before)


def _line_end(text: str, index: int) -> int:
    """The beginning of the next line; the end of the text after the last one."""
    if index and text[index - 1] == "\n":
        # A text of several lines, as after “|”, ends with its last line.
        return index
    found = text.find("\n", index)
    return len(text) if found < 0 else found + 1


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"
