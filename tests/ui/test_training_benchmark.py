"""The benchmark of a training step says what it lacks."""

from __future__ import annotations

import sys

from benchmarks import training


def test_without_pytorch_it_says_how_to_install_it(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert list(training.main(samples=1)) == []
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "PyTorch is not installed" in said
    assert "pip install -r requirements-torch.txt" in said
