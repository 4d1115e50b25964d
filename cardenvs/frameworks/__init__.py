"""Games in batches for other libraries of reinforcement learning, each in the form that the library takes.

`cardenvs.frameworks.torchrl`, `rllib`, `tianshou` and `sb3` each need their library; nothing in the package imports them.
"""
