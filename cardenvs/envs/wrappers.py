"""PettingZoo's wrapper of an environment, which keeps the order of calls, without its cost."""

from __future__ import annotations

from typing import Any

from pettingzoo.utils import wrappers

from cardenvs.envs.states import CardState


def _raw_attribute(name: str) -> Any:
    return property(lambda wrapper: getattr(wrapper._raw, name))


class _DirectAttributes:
    """Mixin of direct attributes, because PettingZoo's wrappers spend most of their time on passing attributes on."""

    agents = _raw_attribute("agents")
    agent_selection = _raw_attribute("agent_selection")
    rewards = _raw_attribute("rewards")
    terminations = _raw_attribute("terminations")
    truncations = _raw_attribute("truncations")
    infos = _raw_attribute("infos")
    _cumulative_rewards = _raw_attribute("_cumulative_rewards")

    def __init__(self, env: Any, *args: Any, **kwargs: Any) -> None:
        self._raw = env.unwrapped
        super().__init__(env, *args, **kwargs)  # type: ignore[call-arg]


class Ordered(_DirectAttributes, wrappers.OrderEnforcingWrapper):
    """PettingZoo's wrapper against a wrong order of calls; stepping after the end of an episode says to call `reset`."""

    def last(self, observe: bool = True) -> Any:
        return self._raw.last(observe) if self._has_reset else super().last(observe)

    def step(self, action: Any) -> None:
        if self._has_reset and not self.agents:
            self._raw.step(action)  # which says that the episode is over
        super().step(action)

    def set_state(self, state: CardState) -> None:
        self._raw.set_state(state)
        self._has_reset = True

    def clone(self) -> Ordered:
        twin = Ordered(self._raw.clone())
        twin._has_reset = self._has_reset
        return twin
