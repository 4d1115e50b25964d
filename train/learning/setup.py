"""Builds the parts of a run from its settings: the league, the environment, the model."""

from __future__ import annotations

from typing import Any

from stable_baselines3.common.utils import LinearSchedule

from cardenvs.policy.contract import Policy
from cardenvs.train.config import Config
from cardenvs.train.inference.plain_actor import could_hold_part
from cardenvs.train.learning.league import League
from cardenvs.train.learning.network import ACTIVATIONS, ColumnPolicy, FullCriticPolicy
from cardenvs.train.learning.ppo import SelfPlayPPO
from cardenvs.train.learning.session import chosen_device, multiplies_bfloat16
from cardenvs.train.learning.vec_env import SelfPlayVecEnv


def make_league(config: Config) -> League | None:
    """Builds the league of the settings; None if the learner holds every seat."""
    if not config.others_share and not config.past_share:
        return None
    return League(
        config.spec.plain,
        config.games,
        seed=config.seed,
        others=config.others,
        others_share=config.others_share,
        others_seats=config.others_seats,
        past_share=config.past_share,
    )


def make_environment(
    config: Config, seed: int, league: League | None = None, teacher: Policy | None = None
) -> SelfPlayVecEnv:
    """Builds the environment of the settings; ``teacher`` is a policy that is asked in it, too."""
    asked = [*(league.others if league is not None else []), *([] if teacher is None else [teacher])]
    return SelfPlayVecEnv(
        config.spec.plain,
        config.games,
        seed=seed,
        reward=config.reward,
        team_share=config.team_share,
        canonical_suits=config.canonical_suits,
        full_state=config.critic == "full",
        recall=config.recall,
        encoding=config.encoding,
        other_play=config.symmetry,
        order=config.off_belief > 1 or any(player.game.recall for player in asked),
        skip_forced=True,
        league=league,
        **config.options,
    )


def make_model(config: Config, env: SelfPlayVecEnv) -> SelfPlayPPO:
    """Builds the model of the settings, with new weights; ValueError if its device does not exist."""
    linear = config.lr_schedule == "linear"
    device = chosen_device(config.device)
    net, kind = list(config.net), ColumnPolicy if config.network == "columns" else FullCriticPolicy
    shape: dict[str, Any] = {"net_arch": net}
    if kind is FullCriticPolicy:
        shape = {"net_arch": {"pi": net, "vf": net}, "actor_inputs": config.shown}
        if config.encoding is None:
            shape["could_hold"] = could_hold_part(config.spec)
    model = SelfPlayPPO(
        kind,
        env,
        learning_rate=LinearSchedule(config.lr, 0.0, 1.0) if linear else config.lr,
        n_steps=config.rollout,
        batch_size=config.batch_size,
        n_epochs=config.epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip,
        ent_coef=config.ent_coef,
        vf_coef=config.vf_coef,
        max_grad_norm=config.max_grad_norm,
        policy_kwargs={**shape, "activation_fn": ACTIVATIONS[config.activation], "optimizer_kwargs": {"fused": True}},
        seed=config.seed,
        device=device,
    )
    model.bfloat16 = multiplies_bfloat16(device, config.precision)
    return model
