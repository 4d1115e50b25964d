"""Games in batches for other libraries of reinforcement learning, each in the form that the library takes.

`cardenvs.frameworks.torchrl`, `cardenvs.frameworks.rllib` and `cardenvs.frameworks.tianshou` each need their library, which
nothing else here does. They are imported by name, by nobody inside the package.
"""
