"""Files that commands write."""

import json
from pathlib import Path

from timeline_twist.files import write_json


def test_json_has_plain_lists_on_one_line_and_keeps_every_value(tmp_path: Path) -> None:
    content = {
        "scores": [1, -2, 3.5, None, True],
        "words": ["a", "b:c=[1]"],
        "texts": ["two  spaces", "[ 1,  2 ]", 'a "quote"', "line\nbreak", ""],
        "nested": [[1, 2], [], {"x": [3]}],
    }
    write_json(tmp_path / "a.json", content)
    text = (tmp_path / "a.json").read_text()
    assert json.loads(text) == content
    assert '"scores": [ 1, -2, 3.5, null, true ]' in text and '"words": [ "a", "b:c=[1]" ]' in text
