"""One hierarchy of options: what many metrics ask for is checked by its name, wherever it is."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from sdmetrics_disclosure.plugins.attacks.classifier import ClassifierOptions
from sdmetrics_disclosure.plugins.base.options import CHECKS, MetricOptions
from sdmetrics_disclosure.plugins.gen_lra.options import GenLRAOptions
from sdmetrics_disclosure.plugins.hooks.registry import metrics
from sdmetrics_disclosure.plugins.rapid.options import RapidOptions


@dataclass(frozen=True)
class Mine(MetricOptions):
    """A third party's options, which name two parameters that ours have too."""

    bins: int = 3
    confidence_level: float = 0.9
    n_jobs: int | None = None


def test_a_third_party_gets_the_checks_by_name() -> None:
    with pytest.raises(ValueError, match="`confidence_level` is 1"):
        Mine(confidence_level=1.0)
    with pytest.raises(ValueError, match="`n_jobs` is 0"):
        Mine(n_jobs=0)
    assert Mine(n_jobs=2).settings() == {"bins": 3, "confidence_level": 0.9}


WRONG: dict[str, Any] = {
    "confidence_level": 1.5,
    "num_rows_subsample": 0,
    "n_jobs": 0,
    "random_state": -1,
}


@pytest.mark.parametrize("name", sorted(metrics()))
def test_every_metric_checks_what_many_have_and_says_its_settings_in_json(name: str) -> None:
    options = metrics()[name].Options
    has = {field.name for field in fields(options)}
    for parameter in has & set(CHECKS):
        with pytest.raises(ValueError, match=f"`{parameter}` is"):
            options(**{parameter: WRONG[parameter]})
    settings = options(random_state=np.random.default_rng(0)).settings()
    assert json.loads(json.dumps(settings)) == settings
    assert settings["random_state"] is None
    assert not {"n_jobs", "verbose"} & set(settings)


def test_settings_say_what_was_used() -> None:
    rapid = RapidOptions(score="conditional", known_column_names=[3, "a"], attacker=["cart"])
    assert rapid.settings()["tau"] == 1.25
    assert rapid.settings()["attackers"] == ["cart"]
    assert rapid.settings()["known_column_names"] == ["3", "a"]
    assert "attacker" not in rapid.settings()
    assert ClassifierOptions(classifier=GaussianNB()).settings()["classifier"] == "GaussianNB"
    paper = GenLRAOptions(preset="paper", n_neighbors=5).settings()
    assert (paper["surrogate"], paper["n_neighbors"], paper["floor"]) == ("refit", 5, 1e-20)
    assert type(GenLRAOptions().settings()["kernel"]) is str
