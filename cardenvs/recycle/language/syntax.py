"""The syntax tree of a description: all node classes, one frozen class for each construct, each with its position.

`Variable` points to the `Binding` that gives it its value, and every binding of a description has its own number, so that
walks over the tree need no scopes. `Expression.kind` is the kind of an expression's value.
"""

from cardenvs.recycle.language.syntax_acts import *  # noqa: F403
from cardenvs.recycle.language.syntax_expressions import *  # noqa: F403
from cardenvs.recycle.language.syntax_nodes import *  # noqa: F403
