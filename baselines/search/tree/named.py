"""``ismcts`` under the name of its entry point."""

from cardenvs.baselines.search.tree.ismcts import Ismcts

ismcts = Ismcts
