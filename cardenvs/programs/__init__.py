"""Programs in any language as policies, and policies as programs: a line of JSON a decision, over stdin and stdout."""

from cardenvs.programs.policy import ProgramPolicy
from cardenvs.programs.program import Program, ProgramError

__all__ = ["Program", "ProgramError", "ProgramPolicy"]
