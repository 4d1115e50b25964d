"""Audits of PettingZoo's AEC environments: seeds, the order of agents, observations and masks."""

import importlib
import json
import random
import time
from typing import Any

from cardenvs.baselines.audit.openspiel import Findings, is_refused


def state_after(game: Any, actions: list[Any]) -> Any:
    env = game()
    env.reset(seed=actions[0])
    for action in actions[1:]:
        env.step(action)
    return env


def tell_all(env: Any) -> dict[str, str]:
    told = {name: getattr(env, name) for name in ("agent_selection", "rewards", "terminations", "truncations", "infos")}
    told |= {f"observe({agent!r})": env.observe(agent) for agent in env.agents}
    return {name: json.dumps(value, default=lambda part: part.tolist()) for name, value in told.items()}


def audit_module(module: str, positions: int, seconds: float, seed: int) -> dict[str, Any]:
    """The figures of an environment's audit; ValueError if the module has none with discrete actions."""
    try:
        game = importlib.import_module(module).env
        sizes = {agent: int(game().action_space(agent).n) for agent in game().possible_agents}
    except Exception as error:
        what = f"{type(error).__name__}: {' '.join(str(error).split()):.200}"
        raise ValueError(f"{module!r} is no module of an AEC environment with discrete actions: {what}") from None
    opening = "import importlib, json", f"game = importlib.import_module({module!r}).env"
    findings = Findings(opening, state_after, tell_all, is_refused)
    rng, end, looked, actions = random.Random(seed), time.process_time() + seconds, 0, list[Any]()
    while looked < positions and time.process_time() < end:
        actions = actions or [rng.randrange(100)]  # a seed
        env, twin, looked = state_after(game, actions), state_after(game, actions), looked + 1
        agent, told, again = env.agent_selection, tell_all(env), tell_all(twin)
        for name in [name for name in told if told[name] != again.get(name)]:
            line = f"assert tell_all(state)[{name!r}] == tell_all(state_after(game, actions))[{name!r}]"
            findings.add(f"{name.partition('(')[0]} differs with the same seed", name, actions, line)
        parts = [part for part in (env.observe(agent), env.infos[agent]) if isinstance(part, dict)]
        mask = next((part["action_mask"] for part in parts if "action_mask" in part), [True] * sizes[agent])
        over, wrong = env.terminations[agent] or env.truncations[agent], rng.randrange(sizes[agent])
        if not over and not mask[wrong] and not is_refused(twin, "step", wrong) and not all(twin.terminations.values()):
            line = f"assert is_refused(state, 'step', {wrong}) or all(state.terminations.values())"
            findings.add("illegal action is taken", f"action {wrong}", actions, line)
        action = None if over else rng.choice([action for action in range(sizes[agent]) if mask[action]])
        if refused := is_refused(env, "step", action):
            line = f"assert not is_refused(state, 'step', {action})"
            findings.add("legal action is refused", f"action {action}", actions, line)
        over = refused or all(env.terminations[one] or env.truncations[one] for one in env.agents)
        actions = [] if over else [*actions, action]
    return {"name": module, "positions": looked, "findings": [findings[kind] for kind in sorted(findings)]}
