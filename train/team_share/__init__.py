"""The effect of the setting ``team_share``: Euchre policies trained with 0, 0.5 and 1, measured side by side.

With ``team_share`` 1 both partners are paid their side's points, with 0 each its own part of them: then a trick taken from
one's partner pays, and a trick left to it does not. The experiment trains self-play policies that differ in nothing but
that share (and the training seed), then puts all of them with each other against the same opponents over the same duplicate
deals. For each share it reports the points that a side of it makes, how often partners take from each other and what
that costs with all cards open (`cardenvs.baselines.observers.cooperation`), and how policies of one share and of different
shares play together (`cardenvs.baselines.crossplay`).

Source of the question: rewards for partners that range from shared to each one's own are how multi-agent work tells
cooperation from competition, such as Leibo, Zambaldi, Lanctot, Marecki and Graepel, "Multi-agent reinforcement learning in
sequential social dilemmas", AAMAS 2017; for cross-play see `cardenvs.baselines.crossplay`.
"""
