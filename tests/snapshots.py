"""Engine records as plain lists, in the very form of the reference model's snapshots."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from timeline_twist import Coop, engine, read_result
from timeline_twist.tables import Table

PHASES = ("start", "must_play", "placed_one")


def snapshot(table: Table, game: Any) -> dict[str, object]:
    """Everything there is to know about a game."""
    if isinstance(table, Coop):
        return coop_snapshot(table, game)
    return competitive_snapshot(table, game)


def mask_of(table: Table, game: Any) -> list[bool]:
    fill = engine.coop_mask if isinstance(table, Coop) else engine.competitive_mask
    # Filled with rubbish first: the engine has to write every entry.
    mask = np.full(table.actions, 77, np.int8)
    assert fill(game, mask) == mask.sum() and set(mask.tolist()) <= {0, 1}
    return [bool(legal) for legal in mask]


def coop_snapshot(table: Table, game: Any) -> dict[str, object]:
    result = read_result(game)
    ended = result.end_reason is not None
    icons = table.catalogue.icons
    deck = range(game.deck_size)
    ties = game.ties[: game.tie_count].tolist()

    def stack(card: int) -> list[int]:
        on_top = [tie for tie in ties if game.time[tie] == game.time[card]]
        return [] if card == engine.NO_CARD else numbers(game, [card, *on_top])

    return {
        "turn": None if ended else int(game.turn),
        "phase": None if ended else PHASES[game.phase],
        "hands": [places(game, hand) for hand in game.hands[: game.players].tolist()],
        "stuck": [[bool(flag) for flag in flags] for flags in game.stuck[: game.players]],
        "main": [stack(card) for card in game.main[: game.main_count].tolist()],
        "gap": [stack(card) for card in game.gap[: game.main_count - 1].tolist()],
        "discards": numbers(game, game.discards[: game.discard_count].tolist()),
        "pile": numbers(game, range(game.drawn, game.deck_size)),
        "fronts": {int(game.card[i]): icons[game.front[i]] for i in deck},
        "backs": {int(game.card[i]): icons[game.back[i]] for i in deck},
        "mask": mask_of(table, game),
        "score": result.score,
        "end_reason": result.end_reason,
    }


def numbers(game: Any, cards: Sequence[int]) -> list[int]:
    """Catalogue numbers of cards of a co-op game."""
    return [int(game.card[card]) for card in cards]


def places(game: Any, hand: list[int]) -> list[int | None]:
    return [None if card == engine.NO_CARD else int(game.card[card]) for card in hand]


def competitive_snapshot(table: Table, game: Any) -> dict[str, object]:
    result = read_result(game)
    ended = result.end_reason is not None
    hands = game.hands[: game.players].tolist()
    return {
        "turn": None if ended else int(game.turn),
        "hands": [[None if card == engine.NO_CARD else card for card in hand] for hand in hands],
        "timeline": game.timeline[: game.timeline_count].tolist(),
        "pile": game.pile[game.pile_start : game.pile_end].tolist(),
        "discards": game.discards[: game.discard_count].tolist(),
        "active": [bool(flag) for flag in game.active[: game.players]],
        # A round that the end of the game cut short is judged no more.
        "finished": [bool(flag) and not ended for flag in game.finished[: game.players]],
        "tie_break": bool(game.tie_break),
        "rounds": int(game.rounds),
        "seen": np.flatnonzero(game.seen).tolist(),
        "mask": mask_of(table, game),
        "winners": list(result.winners),
        "end_reason": result.end_reason,
    }
