"""Commands of programs that are refused before they are started."""

from cardenvs import policy
from tests.refusals import refuse

REFUSALS = [
    refuse("command must be the command of a program", policy.make, "euchre", "exec"),
    refuse(", as in exec:python agent.py, not ''", policy.make, "euchre", "exec:"),
    refuse("seconds must be a number above 0", policy.make, "euchre", "exec:python agent.py,seconds=0"),
]
