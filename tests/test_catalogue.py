"""Catalogues: the three that ship, anybody's own, and every mistake in one of them."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from timeline_twist import Catalogue, CatalogueError, load_catalogue
from timeline_twist.catalogue import BUILT_IN

HEADER = "title,time,front_icon,back_icon\n"
GOOD = HEADER + "Fire,-5,a,b\nWheel,3,b,a\n"


def write(folder: Path, content: str | bytes) -> Path:
    path = folder / "my_deck.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_three_catalogues_ship() -> None:
    assert BUILT_IN == ("history", "scenes", "tiny")


def test_scenes_are_numbered_1_to_100() -> None:
    assert load_catalogue("scenes").times == tuple(range(1, 101))


def test_history_goes_from_deep_prehistory_to_the_2020s_with_shared_years() -> None:
    catalogue = load_catalogue("history")
    assert len(catalogue) >= 120 and min(catalogue.times) < -(10**9) and 2020 <= max(catalogue.times) < 2030
    assert sum(count > 1 for count in Counter(catalogue.times).values()) >= 8


def test_tiny_has_twelve_cards_and_each_pair_of_its_icons_twice() -> None:
    catalogue = load_catalogue("tiny")
    assert catalogue.times == tuple(range(1, 13))
    assert set(Counter(zip(catalogue.fronts, catalogue.backs, strict=True)).values()) == {2}


@pytest.mark.parametrize(("name", "icons"), [("history", 4), ("scenes", 4), ("tiny", 3)])
def test_icons_are_balanced_on_both_sides(name: str, icons: int) -> None:
    catalogue = load_catalogue(name)
    share = len(catalogue) // icons
    assert set(Counter(catalogue.fronts).values()) == set(Counter(catalogue.backs).values()) == {share}
    assert len(catalogue.icons) == icons
    pairs = Counter(zip(catalogue.fronts, catalogue.backs, strict=True))
    assert len(pairs) == icons * (icons - 1) and max(pairs.values()) - min(pairs.values()) <= 1


@pytest.mark.parametrize("name", BUILT_IN)
def test_no_icon_hints_at_the_time(name: str) -> None:
    catalogue = load_catalogue(name)
    cards = catalogue.cards
    for side in ("front", "back"):
        means = [cards["time"][cards[side] == icon].mean() for icon in range(len(catalogue.icons))]
        assert np.ptp(means) < 0.15 * cards["time"].max()


@pytest.mark.parametrize("name", BUILT_IN)
def test_no_title_of_history_names_its_year(name: str) -> None:
    assert not any(character.isdigit() for title in load_catalogue(name).titles for character in title)


def test_a_users_file_is_read_in_its_own_order(tmp_path: Path) -> None:
    catalogue = load_catalogue(write(tmp_path, GOOD))
    assert catalogue.name == "my_deck" and catalogue.titles == ("Fire", "Wheel") and catalogue.times == (-5, 3)
    assert catalogue.cards["time"].tolist() == [0, 1]


def test_equal_times_have_equal_ranks(tmp_path: Path) -> None:
    text = HEADER + "A,5,a,b\nB,-7,a,b\nC,5,b,a\nD,99,a,b\n"
    assert load_catalogue(write(tmp_path, text)).cards["time"].tolist() == [1, 0, 1, 2]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + GOOD,  # what spreadsheets put in front
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\n\n"),
        GOOD + ",,,\n",  # an empty spreadsheet row
        "note,back_icon,front_icon,time,title\nx,b,a,-5,Fire\ny,a,b,3,Wheel\n",
        HEADER + "Fire , -5 ,a ,b\nWheel,+3,b,a",
        HEADER + '"Fire",-5,a,b\nWheel,3,b,a\n',
    ],
)
def test_harmless_differences_are_accepted(tmp_path: Path, text: str) -> None:
    catalogue = load_catalogue(write(tmp_path, text))
    assert catalogue.titles == ("Fire", "Wheel") and catalogue.times == (-5, 3) and catalogue.fronts == ("a", "b")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"my_deck\.csv:1: the file is empty; its first line must be title,time,front_icon,back_icon"),
        (" \n\n", r"my_deck\.csv:1: the file is empty"),
        (HEADER, r"my_deck\.csv:1: there are no cards below the header"),
        ("title,time,front_icon\nA,1,a\n", r"my_deck\.csv:1: no column 'back_icon'; the header must have"),
        ("title;time;front_icon;back_icon\n", r"my_deck\.csv:1: no column 'title'.*separated by commas"),
        ("title,time,time,front_icon,back_icon\n", r"my_deck\.csv:1: more than one column 'time'"),
        (GOOD + "Moon,soon,a,b\n", r"my_deck\.csv:4: time 'soon' is not a whole number; write years BCE as negative"),
        (GOOD + "Moon,1.5,a,b\n", r"my_deck\.csv:4: time '1\.5' is not a whole number"),
        (GOOD + "Moon,500 BCE,a,b\n", r"my_deck\.csv:4: time '500 BCE' is not a whole number"),
        (GOOD + "Moon,1_000,a,b\n", r"my_deck\.csv:4: time '1_000' is not a whole number"),
        (GOOD + f"Moon,{'9' * 5000},a,b\n", r"my_deck\.csv:4: time has more than 30 digits"),
        (GOOD + "Moon,1,comet,comet\n", r"my_deck\.csv:4: front_icon and back_icon are both 'comet'; the two sides"),
        (GOOD + "Fire,1,a,b\n", r"my_deck\.csv:4: the title 'Fire' stands on line 2 already; titles must differ"),
        (GOOD + ",1,a,b\n", r"my_deck\.csv:4: title is empty"),
        (GOOD + "Moon,1,,b\n", r"my_deck\.csv:4: front_icon is empty"),
        (GOOD + "Moon,1,a\n", r"my_deck\.csv:4: 3 fields where the header has 4"),
        (GOOD + "Sun, moon,1,a,b\n", r"my_deck\.csv:4: 5 fields where the header has 4; put a title with a comma in"),
        (GOOD + '"Moon,1,a,b\n', r"my_deck\.csv:\d: not a CSV row"),
        (GOOD.encode() + "Médée,1,a,b\n".encode("latin-1"), r"my_deck\.csv:4: not UTF-8 text; save the file as UTF-8"),
        (GOOD.encode("utf-16"), r"my_deck\.csv:1: not UTF-8 text"),
        (HEADER + "".join(f"C{i},{i},a,b\n" for i in range(1001)), r"my_deck\.csv:1002: more than 1,000 cards"),
        (
            HEADER + "".join(f"C{i},{i},i{i},b\n" for i in range(101)),
            r"my_deck\.csv:102: more than 100 different icons",
        ),
    ],
)
def test_a_mistake_gives_one_error_with_file_and_line(tmp_path: Path, content: str | bytes, message: str) -> None:
    with pytest.raises(CatalogueError, match=message) as caught:
        load_catalogue(write(tmp_path, content))
    assert "\n" not in str(caught.value)


def test_a_thousand_cards_are_allowed(tmp_path: Path) -> None:
    text = HEADER + "".join(f"C{i},{i},a,b\n" for i in range(1000))
    assert len(load_catalogue(write(tmp_path, text))) == 1000


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("histroy", "'histroy': no such file or built-in catalogue; did you mean 'history'?"),
        ("qqqq", "'qqqq': no such file or built-in catalogue; built in are history, scenes, tiny"),
        ("", "'': no such file"),
        ("x" * 5000, "'xxx"),
        ("nul\0byte", "'nul\\x00byte': no such file"),
        (7, "catalogue: 7 is neither a name nor a path"),
    ],
)
def test_an_unknown_name_is_refused(name: str, message: str) -> None:
    with pytest.raises(CatalogueError) as caught:
        load_catalogue(name)
    assert str(caught.value).startswith(message)


def test_a_folder_is_not_a_catalogue(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="no such file"):
        load_catalogue(tmp_path)


@pytest.mark.parametrize(
    ("count", "fronts", "backs", "message"),
    [
        (1001, ("a",) * 1001, ("b",) * 1001, "1001 cards; a catalogue has 1 to 1,000"),
        (0, (), (), "0 cards; a catalogue has 1 to 1,000"),
        (3, ("a",) * 3, ("b",) * 2, "titles, times, fronts, backs and difficulties differ in number"),
        (2, ("a", "a"), ("b", "a"), "a card has the same icon on both sides"),
    ],
)
def test_a_catalogue_made_in_python_is_checked_too(
    count: int, fronts: tuple[str], backs: tuple[str], message: str
) -> None:
    with pytest.raises(CatalogueError, match=message):
        Catalogue("mine", "mine", tuple(map(str, range(count))), tuple(range(count)), fronts, backs, 1)


def test_the_same_cards_are_equal_catalogues() -> None:
    assert load_catalogue("scenes") == load_catalogue("scenes") != load_catalogue("history")


def test_the_cards_cannot_be_changed_by_accident() -> None:
    with pytest.raises(ValueError, match="read-only"):
        load_catalogue("scenes").cards["time"][0] = 5
