"""The networks of competitive games: an actor that scores every pair of a card and a position, and a critic.

Each card of the hand gets a score from its own facts and a context of all that is seen; each of its likeliest positions
(timeline_twist_training.pairs) a score of its own beside it, and every legal position one from its chance:

    logit(card, position) = card score + position score + sharpness * log(chance / best chance of the card)

The same weights score all cards and positions, so that one set serves timelines of any length, catalogues of any size
and any number of players. The scores start at almost nothing: an untrained actor prefers its likeliest card, where that
is likeliest to be right, as `bayes` does, and plays others the more often the likelier they are. No legal action is
impossible.
"""

from typing import Any

import torch
from torch import Tensor, nn

from timeline_twist.observation import Layout
from timeline_twist.records import MAX_HAND
from timeline_twist_training.layers import layers

IMPOSSIBLE = -1e9
CARD_SHARPNESS, PLACE_SHARPNESS = 5.0, 10.0
LOG_BEST = 5  # its place among the facts of an own card (timeline_twist_training.pairs)
PER_LOG_SCALE = 4.0


class PairsActor(nn.Module):
    """Scores of all pairs, in the order of the actions."""

    def __init__(self, layout: Layout, card_widths: list[int], widths: list[int], head_width: int) -> None:
        super().__init__()
        self.layout = {name: (section.start, section.stop, section.shape) for name, section in layout.items()}
        own, pair = layout["own"].shape[1], layout["pairs"].shape[2]
        everything = layout["own"].stop - layout["own"].start + layout["context"].shape[0]
        self.context = layers([everything, *widths])
        self.cards = layers([own, *card_widths])
        self.head_card = nn.Linear(card_widths[-1], head_width)
        self.head_context = nn.Linear(widths[-1], head_width)
        self.card_score = nn.Linear(head_width, 1)
        self.head_pair = nn.Linear(pair, head_width)
        self.pair_card = nn.Linear(head_width, head_width)
        self.pair_score = nn.Linear(head_width, 1)
        for output in (self.card_score, self.pair_score):
            nn.init.orthogonal_(output.weight, 0.01)
            nn.init.zeros_(output.bias)
        self.sharpness = nn.Parameter(torch.tensor([CARD_SHARPNESS, PLACE_SHARPNESS]))

    def section(self, observations: Tensor, name: str) -> Tensor:
        start, stop, shape = self.layout[name]
        return observations[:, start:stop].reshape(len(observations), *shape)

    def forward(self, observations: Tensor) -> Tensor:
        return self.scores(observations, self.layout["log_chances"][2][1]).flatten(1)

    def scores(self, observations: Tensor, positions: int) -> Tensor:
        """The scores of the first so many positions, [n, cards, positions]."""
        own = self.section(observations, "own")
        context = self.context(observations[:, self.layout["own"][0] :])
        hidden = torch.relu(self.head_card(self.cards(own)) + self.head_context(context)[:, None])
        log_best = PER_LOG_SCALE * own[:, :, LOG_BEST]
        scores = self.card_score(hidden)[:, :, 0] + self.sharpness[0] * log_best
        pairs = torch.relu(self.head_pair(self.section(observations, "pairs")) + self.pair_card(hidden)[:, :, None])
        beside = self.pair_score(pairs)[..., 0] * self.section(observations, "pairs")[..., 0]
        behind = self.section(observations, "log_chances")[:, :, :positions] - log_best[:, :, None]
        logits = scores[:, :, None] + self.sharpness[1] * behind
        places = self.section(observations, "places").long()
        whole: Tensor = logits.scatter_add(2, places, beside.to(logits.dtype))
        return whole


class LegalScores:
    """The scores of the positions that there are in any of these games: few, where timelines are short.

    A catalogue of 100 cards has 404 actions, of which seldom more than 50 are legal in any game of a batch.
    """

    def __init__(self, scores: Any, observations: Tensor, masks: Any) -> None:
        given = torch.as_tensor(masks).reshape(len(observations), MAX_HAND, -1)
        self.places = given.shape[2]
        # The legal positions of a card are the first ones.
        self.positions = int(given.amax(dim=(0, 1)).sum()) if len(given) else 1
        legal = given[:, :, : self.positions].flatten(1) != 0
        self.scores = scores(observations, self.positions).float().flatten(1).masked_fill(~legal, IMPOSSIBLE)

    def as_actions(self, chosen: Tensor) -> Tensor:
        """Actions from columns of the scores."""
        return chosen // self.positions * self.places + chosen % self.positions

    def as_columns(self, actions: Tensor) -> Tensor:
        return actions // self.places * self.positions + actions % self.places

    def best(self) -> Tensor:
        actions: Tensor = self.as_actions(self.scores.argmax(dim=1))
        return actions

    def chances(self) -> Tensor:
        """Of all actions, [n, actions]."""
        given: Tensor = self.scores.new_zeros(len(self.scores), MAX_HAND, self.places)
        given[:, :, : self.positions] = self.scores.softmax(dim=1).reshape(len(given), MAX_HAND, self.positions)
        return given.flatten(1)


class PairsCritic(nn.Module):
    """Judges a game by all that is known of it, but for the list of all chances."""

    def __init__(self, layout: Layout, size: int, widths: list[int]) -> None:
        super().__init__()
        self.start = layout["pairs"].start
        self.layers = layers([size - self.start, *widths], 1)

    def forward(self, observations: Any) -> Tensor:
        values: Tensor = self.layers(observations[:, self.start :])
        return values
