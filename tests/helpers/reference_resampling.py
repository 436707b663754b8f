"""Slow twins of `numba_kernels.resampling`: one record, one threshold at a time."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


def score(g: float, b: float, n_classes: int, name: str) -> float:
    g, b = float(g), float(b)
    if name == "normalized_gain":
        return 0.0 if b == 1 else (g - b) / (1 - b)
    if name == "conditional":
        return 0.0 if b == 0 else g / b
    return 0.0 if n_classes == 1 else 1 - (-math.log(max(g, 1e-10)) / math.log(n_classes))


def error(y: float, p: float, delta: float, name: str) -> float:
    if name == "symmetric":
        return 2 * abs(y - p) / (abs(y) + abs(p) + 2 * delta)
    if name == "stabilized_relative":
        return abs(y - p) / (abs(y) + delta)
    return abs(y - p)


def scores(g: Floats, y: Codes, weight: Codes, n_classes: int, name: str) -> Floats:
    """Score records that are there `weight` times; a baseline is that of these records."""
    baseline = {}
    for c in set(y.tolist()):
        count, total = 0, 0.0
        for i in range(len(y)):
            if y[i] == c:
                count += weight[i]
                total += weight[i] * g[i]
        if name == "conditional":
            baseline[c] = total / count if count else 0.0
        else:
            baseline[c] = count / len(y)
    return np.array([score(g[i], baseline[y[i]], n_classes, name) for i in range(len(y))])


def share_above(values: Floats, weight: Codes, thresholds: Floats) -> Floats:
    return np.array([sum(weight[values > t]) / sum(weight) for t in thresholds])


def share_below(values: Floats, weight: Codes, thresholds: Floats) -> Floats:
    return np.array([sum(weight[values < t]) / sum(weight) for t in thresholds])


def bootstrap_curve(
    probability: Floats,
    classes: Codes,
    n_classes: int,
    thresholds: Floats,
    name: str,
    n_bootstrap: int,
    generator: np.random.Generator,
) -> Floats:
    n = len(classes)
    if name == "cross_entropy":
        values = scores(probability, classes, np.ones(n, dtype=np.intp), n_classes, name)
        return np.array(
            [
                share_above(values, weight, thresholds)
                for weight in multinomial_weights(
                    values, thresholds, "left", n_bootstrap, generator
                )
            ]
        )
    order = np.lexsort((probability, classes))
    g, y = probability[order], classes[order]
    rates = []
    for child in generator.spawn(n_bootstrap):
        weight = np.bincount(child.integers(0, n, size=n), minlength=n)
        rates.append(share_above(scores(g, y, weight, n_classes, name), weight, thresholds))
    return np.array(rates)


def bootstrap_error_curve(
    errors: Floats, thresholds: Floats, n_bootstrap: int, generator: np.random.Generator
) -> Floats:
    return np.array(
        [
            share_below(errors, weight, thresholds)
            for weight in multinomial_weights(errors, thresholds, "right", n_bootstrap, generator)
        ]
    )


def multinomial_weights(
    values: Floats, thresholds: Floats, side: str, n_bootstrap: int, generator: np.random.Generator
) -> list[Codes]:
    """Give all draws of a bin, the values between two thresholds, to the bin's first record."""
    if side == "left":
        bins = np.array([sum(t < v for t in thresholds) for v in values])
    else:
        bins = np.array([sum(t <= v for t in thresholds) for v in values])
    _, first, counts = np.unique(bins, return_index=True, return_counts=True)
    weights = []
    for draw in generator.multinomial(len(values), counts / len(values), size=n_bootstrap):
        weight = np.zeros(len(values), dtype=np.intp)
        weight[first] = draw
        weights.append(weight)
    return weights


def permutation_curve(
    values: Floats,
    column: Codes,
    share: Floats,
    classes: Codes,
    thresholds: Floats,
    name: str,
    n_permutations: int,
    generator: np.random.Generator,
) -> Floats:
    n = len(classes)
    once = np.ones(n, dtype=np.intp)
    rates = []
    for child in generator.spawn(n_permutations):
        y = child.permutation(classes)
        g = np.array([values[i, column[y[i]]] * share[y[i]] for i in range(n)])
        rates.append(share_above(scores(g, y, once, len(column), name), once, thresholds))
    return np.array(rates)


def permutation_error_curve(
    predictions: Floats,
    truths: Floats,
    thresholds: Floats,
    name: str,
    delta: float,
    n_permutations: int,
    generator: np.random.Generator,
) -> Floats:
    once = np.ones(len(truths), dtype=np.intp)
    rates = []
    for child in generator.spawn(n_permutations):
        pairs = zip(child.permutation(truths), predictions, strict=True)
        errors = np.array([error(y, p, delta, name) for y, p in pairs])
        rates.append(share_below(errors, once, thresholds))
    return np.array(rates)
