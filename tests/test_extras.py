"""Extras: who lacks a package is told which extra brings it, and for what it is needed."""

from __future__ import annotations

import sys

import pytest

from cardenvs import extras


def test_what_is_installed_is_not_imported():
    sys.modules.pop("turtledemo", None)
    assert extras.installed("turtledemo.clock")
    extras.require("turtledemo", "play", "a demonstration")
    assert "turtledemo" not in sys.modules
    assert not extras.installed("no_such_package")
    assert not extras.installed("no_such_package.inside")


def test_what_is_missing_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    said = 'tables in the browser: the package aiohttp is missing; pip install "cardenvs[play]"'
    for kind in (ImportError, ValueError):
        with pytest.raises(kind) as raised:
            extras.require("aiohttp", "play", "tables in the browser")
        assert str(raised.value) == said
    with pytest.raises(extras.MissingPackageError, match="the package pillow is missing"):
        extras.require("no_pil", "render", "pictures in files", package="pillow")
    with pytest.raises(KeyError):
        extras.require("no_pil", "render", "pictures in files", error=KeyError)
