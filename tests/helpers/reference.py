"""Slow twins of the kernels: plain NumPy, one query or one pair at a time, the formula as written.

A twin takes the arguments of the function it is the twin of and allocates whatever it likes.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]


def distances(
    queries: Floats, rows: Floats, is_category: Bools | None = None, *, squared: bool = False
) -> Floats:
    """All distances (n, m), added up column by column."""
    numbers = np.zeros((len(queries), len(rows)))
    mismatches = np.zeros((len(queries), len(rows)))
    for f in range(queries.shape[1]):
        q, r = queries[:, f][:, np.newaxis], rows[:, f][np.newaxis, :]
        if is_category is None:
            numbers += (q - r) ** 2
        elif is_category[f]:
            mismatches += (q != r) | (q < 0) | (r < 0)
        else:
            numbers += np.abs(q - r)
    return numbers + mismatches if squared or is_category is not None else np.sqrt(numbers)


def nearest(
    queries: Floats,
    rows: Floats,
    k: int,
    *,
    is_category: Bools | None = None,
    squared: bool = False,
) -> tuple[Indices, Floats]:
    # Ranked as squares: the root makes different sums equal.
    ranked = distances(queries, rows, is_category, squared=True)
    order = np.argsort(ranked, axis=1, kind="stable")[:, :k]
    found = np.take_along_axis(ranked, order, axis=1)
    return order, found if squared or is_category is not None else np.sqrt(found)


def count_within(
    queries: Floats,
    rows: Floats,
    radius: float,
    *,
    is_category: Bools | None = None,
    strict: bool = False,
    squared: bool = False,
) -> Indices:
    all_distances = distances(queries, rows, is_category, squared=True)
    limit = radius if squared or is_category is not None else radius * radius
    inside = all_distances < limit if strict else all_distances <= limit
    return np.asarray(inside.sum(axis=1))


def log_sum_exp(values: Floats, axis: int = -1) -> Floats:
    most = values.max(axis=axis, keepdims=True)
    return np.asarray(np.log(np.exp(values - most).sum(axis=axis)) + most.squeeze(axis))


def silverman_factor(n: int, dimension: int) -> float:
    return float((n * (dimension + 2) / 4) ** (-1 / (dimension + 4)))


def kernel_covariance(
    rows: Floats, covariance: str = "full", bandwidth_factor: float = 1
) -> Floats:
    """The kernel's covariance for rows whose covariance is not singular."""
    n, d = rows.shape
    c = np.atleast_2d(np.cov(rows, rowvar=False))
    if covariance == "isotropic":
        c = np.eye(d) * np.trace(c) / d
    elif covariance == "diagonal":
        c = np.diag(np.diag(c))
    elif covariance == "floored":
        values, vectors = np.linalg.eigh(c)
        c = (vectors * np.maximum(values, 0.1 * values.mean())) @ vectors.T
    return np.asarray(c * (bandwidth_factor * silverman_factor(n, d)) ** 2)


def log_normal(differences: Floats, covariance: Floats) -> Floats:
    """log N(difference; 0, covariance) of (..., d) differences."""
    d = len(covariance)
    solved = np.linalg.solve(covariance, differences.reshape(-1, d).T).T.reshape(differences.shape)
    _, log_determinant = np.linalg.slogdet(covariance)
    return np.asarray(
        -0.5 * ((differences * solved).sum(axis=-1) + d * np.log(2 * np.pi) + log_determinant)
    )


def log_density(
    queries: Floats, rows: Floats, *, covariance: str = "full", bandwidth_factor: float = 1
) -> Floats:
    shape = kernel_covariance(rows, covariance, bandwidth_factor)
    out = np.empty(len(queries))
    for i in range(len(queries)):
        out[i] = log_sum_exp(log_normal(queries[i] - rows, shape)) - np.log(len(rows))
    return out


def log_kernel_sums(queries: Floats, rows: Floats, bandwidth: float) -> Floats:
    squares = distances(queries, rows, squared=True)
    return log_sum_exp(-squares / (2 * bandwidth**2), axis=1)


def log_power_sums(
    synthetic: Floats,
    reference: Floats,
    *,
    is_category: Bools,
    exponent: float,
    smoothing: float,
) -> Floats:
    d = distances(synthetic, reference, is_category)
    return log_sum_exp(-0.5 * exponent * np.log(d**2 + smoothing), axis=1)


def default_smoothing(targets: Floats, synthetic: Floats, is_category: Bools) -> float:
    return float(1e-8 * np.median(distances(targets, synthetic, is_category) ** 2))


def power_law_scores(
    targets: Floats,
    synthetic: Floats,
    reference: Floats,
    *,
    is_category: Bools,
    exponent: float = 4.0,
    n_neighbors: int = 10,
    aggregate: str = "max",
    smoothing: float | None = None,
) -> Floats:
    if smoothing is None:
        smoothing = default_smoothing(targets, synthetic, is_category)
    sums = log_power_sums(
        synthetic, reference, is_category=is_category, exponent=exponent, smoothing=smoothing
    )
    near, d = nearest(targets, synthetic, n_neighbors, is_category=is_category)
    terms = np.logaddexp(0, -0.5 * exponent * np.log(d**2 + smoothing) - sums[near])
    return np.asarray(terms.max(axis=1) if aggregate == "max" else terms.sum(axis=1))


def gaussian_scores(
    targets: Floats,
    synthetic: Floats,
    reference: Floats,
    *,
    covariance: str = "isotropic",
    bandwidth_factor: float = 0.5,
    n_neighbors: int = 3,
    aggregate: str = "sum",
    floor: float = 0.0,
) -> Floats:
    """log(p_{R + x}(s) + floor) - log(p_R(s) + floor), and log((n + 1) / n) added back."""
    n = len(reference)
    shape = kernel_covariance(reference, covariance, bandwidth_factor)
    density = log_density(
        synthetic, reference, covariance=covariance, bandwidth_factor=bandwidth_factor
    )
    near, _ = nearest(targets, synthetic, n_neighbors)
    log_floor = np.log(floor) if floor > 0 else -np.inf
    out = np.empty(len(targets))
    for i in range(len(targets)):
        own = log_normal(synthetic[near[i]] - targets[i], shape)
        joined = np.logaddexp(np.log(n) + density[near[i]], own) - np.log(n + 1)
        terms = np.logaddexp(joined, log_floor) - np.logaddexp(density[near[i]], log_floor)
        terms += np.log((n + 1) / n)
        out[i] = terms.max() if aggregate == "max" else terms.sum()
    return out


def refit_scores(
    targets: Floats,
    synthetic: Floats,
    reference: Floats,
    *,
    bandwidth_factor: float = 1.0,
    n_neighbors: int = 200,
    aggregate: str = "sum",
    floor: float = 0.0,
) -> Floats:
    """Two densities a candidate, fitted from scratch."""
    near, _ = nearest(targets, synthetic, n_neighbors)
    log_floor = np.log(floor) if floor > 0 else -np.inf
    out = np.empty(len(targets))
    for i in range(len(targets)):
        at = synthetic[near[i]]
        joined = np.vstack([reference, targets[i]])
        after = log_density(at, joined, bandwidth_factor=bandwidth_factor)
        before = log_density(at, reference, bandwidth_factor=bandwidth_factor)
        terms = np.logaddexp(after, log_floor) - np.logaddexp(before, log_floor)
        out[i] = terms.max() if aggregate == "max" else terms.sum()
    return out


def matching_rows(rows: Floats, columns: Indices, operators: Indices, values: Floats) -> Bools:
    x = rows[:, columns].transpose(1, 0, 2)
    target = values[:, np.newaxis, :]
    holds = [x == target, x <= target, x >= target, np.isnan(x)]
    return np.asarray(np.choose(operators[:, np.newaxis, :], holds).all(axis=2))


def link_probabilities(
    people: Floats, rows: Floats, is_category: Bools, first: Indices, second: Indices
) -> Floats:
    x, y = people[:, np.newaxis, :], rows[np.newaxis, :, :]
    parts = np.where(is_category, (x != y) | (x < 0), np.abs(x - y))
    ties = []
    for columns in (first, second):
        total = parts[:, :, columns].sum(axis=2)
        ties.append(total <= total.min(axis=1, keepdims=True) + 1e-9)
    common = (ties[0] & ties[1]).sum(axis=1)
    return np.asarray(common / (ties[0].sum(axis=1) * ties[1].sum(axis=1)))
