"""What happens in a game, told to people: one line for an action, one for the end.

    tell(batch, "play 2", names)        # after the action, while it is the newest event
    'Player 1 (random): play 2. The Glass Desert (time 34) became the new high end. Score -30.'

Only public things are told: a card that was moved has been flipped.
"""

from collections.abc import Sequence

from timeline_twist import engine
from timeline_twist.batch import Batch, CoopBatch
from timeline_twist.public_view import printable, view
from timeline_twist.tables import read_result
from timeline_twist.text import CoopWords

EVENTS = {
    **CoopWords.PLACES,
    engine.DISCARDED: "was discarded",
    engine.RIGHT: "is right there",
    engine.WRONG: "is wrong there and was discarded",
}

CAPTIONS = {
    engine.LOW_END: "new low end",
    engine.HIGH_END: "new high end",
    engine.GAP: "into a gap",
    engine.EQUAL: "on a card of equal time",
    engine.STUCK: "stuck",
    engine.DISCARDED: "discarded",
    engine.RIGHT: "right",
    engine.WRONG: "wrong",
}


def tell(batch: Batch, words: str, names: Sequence[str]) -> str:
    """Who did what in game 0, what came of it, and where the game stands."""
    seat = int(batch.games[0]["recent"][0, 1])
    return f"{names[seat]}: {words}. {happened(batch)}{standing(batch)}"


def happened(batch: Batch) -> str:
    """What came of the last action, as a sentence; nothing where a turn was ended."""
    event, _, card = (int(part) for part in batch.games[0]["recent"][0])
    if event == engine.ENDED_TURN:
        return ""
    moment = batch.table.catalogue.times[catalogue_number(batch, card)]
    return f"{printable(title(batch, card))} (time {moment}) {EVENTS[event]}. "


def caption(batch: Batch) -> str:
    """The last action in a few words, for the head of a picture; nothing before the first one."""
    event, seat, card = (int(part) for part in batch.games[0]["recent"][0])
    if event in (engine.NO_EVENT, engine.ENDED_TURN):
        return "" if event == engine.NO_EVENT else f"Player {seat} · ended the turn"
    return f"Player {seat} · {printable(title(batch, card))} · {CAPTIONS[event]}"


def title(batch: Batch, card: int) -> str:
    return batch.table.catalogue.titles[catalogue_number(batch, card)]


def catalogue_number(batch: Batch, card: int) -> int:
    return int(batch.games[0]["card"][card]) if isinstance(batch, CoopBatch) else card


def standing(batch: Batch) -> str:
    """The score, or how many cards everybody has left."""
    game = batch.games[0]
    result = read_result(game)
    if result.score is not None:
        return f"Score {result.score}."
    left = (game["hands"][: batch.table.players] != engine.NO_CARD).sum(axis=1).tolist()
    return f"Cards left: {', '.join(map(str, left))}" + (" (tie-break)." if game["tie_break"] else ".")


def ending(batch: Batch, you: int | None = None) -> str:
    """Why the game is over, and with what: score and rank, or who won; `you` is the seat of whoever reads it."""
    game = batch.games[0]
    result = read_result(game)
    if result.end_reason is None:
        return "The game is not over. " + standing(batch)
    status = f"{view(batch.table, game).status}."
    if result.score is not None:
        return f"{status} Score {result.score}: {result.rank()}."
    if you is None or not result.winners:
        return status
    if you not in result.winners:
        return f"{status} You lose."
    return f"{status} {'You win!' if len(result.winners) == 1 else 'You share the draw.'}"


def player_names(players: Sequence[str], you: int | None = None) -> list[str]:
    """`Player 0 (you)`, `Player 1 (bayes)`."""
    return [f"Player {seat} ({'you' if seat == you else printable(name)})" for seat, name in enumerate(players)]
