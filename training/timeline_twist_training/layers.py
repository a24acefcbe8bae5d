"""Plain layers, as all networks here are made of."""

from itertools import pairwise

from torch import nn


def layers(sizes: list[int], last: int | None = None) -> nn.Sequential:
    """Linear layers with ReLU between them; `last` adds an output without one."""
    parts: list[nn.Module] = []
    for before, after in pairwise(sizes):
        parts += [nn.Linear(before, after), nn.ReLU()]
    if last is not None:
        parts.append(nn.Linear(sizes[-1], last))
    for part in parts:
        if isinstance(part, nn.Linear):
            nn.init.orthogonal_(part.weight, 2**0.5)
            nn.init.zeros_(part.bias)
    if last is not None:
        nn.init.orthogonal_(parts[-1].weight, 0.01)  # type: ignore[arg-type]  # a Linear
    return nn.Sequential(*parts)
