"""The networks: an actor that sees what a seat sees, and a critic beside it that may see more while it learns.

`cards`: one encoder for all visible cards, whoever holds them; its outputs, pooled by owner, and the rest of
the observation make a context; one head then scores playing and discarding each card of the own hand from that card
and the context. The order of a hand does not matter, and the weights fit any number of players and any catalogue with
the same number of icons: rows of the timeline are pooled to 50 places. `mlp` (default): plain layers over the whole
observation.
"""

from typing import Any

import torch
from torch import Tensor, nn

from timeline_twist.observation import Layout
from timeline_twist.records import MAX_HAND
from timeline_twist_training.competitive_network import PairsActor, PairsCritic
from timeline_twist_training.layers import layers

ROWS = ("main", "gap", "discards")
OF_CARDS = ("cards", "fates", "ties")  # with a row for each visible card
PLACES = 50  # that rows of any length are pooled to
COOP_ACTIONS = 2 * MAX_HAND + 1
# Sections that do not depend on the number of players or cards.
SITUATION = ("open_icon", "phase", "counts", "recent", "outward", "outlook")
RELATIONS = 4  # mine, the next player's, another player's, top of the draw pile


class MlpActor(nn.Module):
    """The whole observation through plain layers."""

    def __init__(self, layout: Layout, widths: list[int]) -> None:
        super().__init__()
        self.layers = layers([layout.size, *widths], COOP_ACTIONS)

    def forward(self, observations: Tensor) -> Tensor:
        logits: Tensor = self.layers(observations)
        return logits


class CardsActor(nn.Module):
    """One encoder for all cards, one head for each card of the own hand."""

    def __init__(self, layout: Layout, card_widths: list[int], widths: list[int], head_width: int) -> None:
        super().__init__()
        self.layout = {name: (section.start, section.stop, section.shape) for name, section in layout.items()}
        self.visible = layout["cards"].shape[0]
        self.of_cards = [name for name in OF_CARDS if name in layout]
        self.rows = [name for name in ROWS if name in layout]
        facts = sum(layout[name].shape[1] for name in self.of_cards)
        faces = layout["faces"].shape[1]
        situation = [name for name in SITUATION if name in layout]
        self.situation = [slice(layout[name].start, layout[name].stop) for name in situation]
        self.faces = nn.Linear(faces, card_widths[0], bias=False) if faces else None
        self.first = nn.Linear(facts + RELATIONS, card_widths[0])
        self.deeper = layers(card_widths) if len(card_widths) > 1 else nn.Identity()
        size = sum(part.stop - part.start for part in self.situation) + len(self.rows) * PLACES
        card = card_widths[-1]
        self.context = layers([size + RELATIONS * card, *widths])
        self.head_card = nn.Linear(card, head_width)
        self.head_context = nn.Linear(widths[-1], head_width)
        self.head = nn.Linear(head_width, 2)
        self.end_turn = nn.Linear(widths[-1], 1)
        for output in (self.head, self.end_turn):
            nn.init.orthogonal_(output.weight, 0.01)
            nn.init.zeros_(output.bias)
        self.register_buffer("relation", relations(self.visible), persistent=False)

    def section(self, observations: Tensor, name: str) -> Tensor:
        start, stop, shape = self.layout[name]
        return observations[:, start:stop].reshape(len(observations), *shape)

    def cards(self, observations: Tensor) -> Tensor:
        """Every visible card encoded, [n, visible, width]."""
        count = len(observations)
        relation: Tensor = self.relation  # type: ignore[assignment]  # a buffer
        parts = [relation.expand(count, -1, -1), *(self.section(observations, name) for name in self.of_cards)]
        encoded = self.first(torch.cat(parts, dim=2))
        if self.faces is not None:
            encoded = encoded + self.faces(self.section(observations, "faces"))
        deeper: Tensor = self.deeper(torch.relu(encoded))
        # An empty place tells nothing.
        return deeper * self.section(observations, "cards")[:, :, :1]

    def forward(self, observations: Tensor) -> Tensor:
        cards = self.cards(observations)
        relation: Tensor = self.relation  # type: ignore[assignment]  # a buffer
        pooled = torch.matmul(relation.t(), cards).flatten(1)
        rows = [
            nn.functional.adaptive_avg_pool1d(self.section(observations, name)[:, None], PLACES)[:, 0]
            for name in self.rows
        ]
        seen = [observations[:, part] for part in self.situation]
        context = self.context(torch.cat([pooled, *rows, *seen], dim=1))
        own = self.head_card(cards[:, :MAX_HAND]) + self.head_context(context)[:, None]
        scores = self.head(torch.relu(own))
        return torch.cat([scores[:, :, 0], scores[:, :, 1], self.end_turn(context)], dim=1)


def pooled_row(row: Tensor) -> Tensor:
    return nn.functional.adaptive_avg_pool1d(row[:, None], PLACES)[:, 0]


def relations(visible: int) -> Tensor:
    """Whose each visible card is, [visible, RELATIONS]."""
    table = torch.zeros(visible, RELATIONS)
    for place in range(visible - 1):
        table[place, min(place // MAX_HAND, 2)] = 1
    table[visible - 1, 3] = 1
    return table


def make_actor(settings: Any, layout: Layout) -> nn.Module:
    """The actor that the network settings of a config ask for."""
    if settings.kind == "mlp":
        return MlpActor(layout, settings.widths)
    if settings.kind == "pairs":
        return PairsActor(layout, settings.card_widths, settings.widths, settings.head_width)
    return CardsActor(layout, settings.card_widths, settings.widths, settings.head_width)


def make_critic(settings: Any, layout: Layout, size: int) -> nn.Module:
    """The critic beside it, for observations of `size` of which the actor sees the beginning."""
    if "pairs" in layout:
        return PairsCritic(layout, size, settings.widths)
    return layers([size, *settings.widths], 1)
