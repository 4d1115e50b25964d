"""Where the repository's files are."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
"""The repository's root."""
