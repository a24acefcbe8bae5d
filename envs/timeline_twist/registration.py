"""Makes the environments known to Gymnasium and PettingZoo by their ids; happens on `import timeline_twist`."""

import gymnasium
import pettingzoo


def register_environments() -> None:
    for name in ("Coop", "Competitive"):
        gymnasium.register(
            f"timeline_twist/{name}-v0",
            entry_point=f"timeline_twist.single:{name}Env",
            vector_entry_point=f"timeline_twist.vector:{name}VectorEnv",
        )
    # Older versions of PettingZoo have no registry.
    if hasattr(pettingzoo, "register"):
        for name in ("coop", "competitive"):
            pettingzoo.register("aec", f"timeline_twist/{name}-v0", f"timeline_twist.{name}_v0:env")
            pettingzoo.register("parallel", f"timeline_twist/{name}-v0", f"timeline_twist.{name}_v0:parallel_env")
