"""Language models as policies: `llm`, a model behind any server that speaks the chat-completions protocol."""

from cardenvs.language_models.disguise import Disguise
from cardenvs.language_models.policy import LanguageModel
from cardenvs.language_models.server import COUNTS, ModelError

__all__ = ["COUNTS", "Disguise", "LanguageModel", "ModelError"]
