"""Programs in any language as policies, and policies as programs: a line of JSON a decision, over stdin and stdout."""

from cardenvs.programs.policy import ProgramPolicy
from cardenvs.programs.program import Program, ProgramError
from cardenvs.programs.serving import PolicyServer, serve

__all__ = ["PolicyServer", "Program", "ProgramError", "ProgramPolicy", "serve"]
